"""What a run in slots takes and returns beside its schedule: options, progress, guarantees, default Gamma."""

from typing import Any

import numpy as np
import pytest

import schedcore
from schedcore import InvalidInstanceError, UnsupportedError, registry, solve
from slotted_cases import (
    NON_CLAIRVOYANT,
    THREE_JOBS_ON_TWO_CORES,
    WIDE_AND_THIN,
    believing_the_truth,
    completions,
    map_reduce,
    pieces,
    slotted,
)

FAMILY = [algorithm.name for algorithm in registry.algorithms(schedcore.Instance) if algorithm.slotted]
MEMORY = slotted([(0, (2, 3), 4), (0, (1, 6), 3), (1, (4, 2), 2), (2, (1, 1), 9)], [(2, 8), (3, 6)])


def test_the_family_is_registered_under_its_names() -> None:
    assert sorted(FAMILY) == sorted(
        [
            "ocorp",
            "ocorp_m",
            "ocorp_plus",
            "svf_transient",
            "srpt",
            "srvf",
            "svf",
            "srf",
            "fifo",
            *NON_CLAIRVOYANT,
        ]
    )


@pytest.mark.parametrize("name", FAMILY)
def test_the_options_of_a_result_are_those_of_the_registry(name: str) -> None:
    algorithm = registry.get(name)
    given = {option.name: option.default for option in algorithm.options}
    result = solve(name, WIDE_AND_THIN)
    only_map_reduce = {"placement", "latency"}
    assert result.options == {key: value for key, value in given.items() if key not in only_map_reduce}
    assert (result.algorithm, result.objective, algorithm.family) == (name, "flow_power_sum", "preemptive")


@pytest.mark.parametrize("name", ["ocorp", "ocorp_plus", "ocorp_m"])
def test_progress_counts_completed_jobs_and_can_end_a_run(name: str) -> None:
    class EnoughError(Exception):
        pass

    told: list[tuple[int, int]] = []

    def progress(done: int, total: int) -> None:
        told.append((done, total))
        raise EnoughError

    # Multipliers are iterated slot by slot: a million million slots of it would take hours.
    with pytest.raises(EnoughError):
        solve(name, slotted([(0, 1, 10**12)] * 40, [1]), mu=1.0, progress=progress)
    assert told == [(0, 40)]


@pytest.mark.parametrize("options", [{}, {"lambda0": "zero", "packing": "sticky"}, {"mem_mode": "once"}])
def test_ocorp_with_memory_is_ocorp_m(options: dict[str, Any]) -> None:
    one, other = (solve(name, MEMORY, **options) for name in ("ocorp", "ocorp_m"))
    assert pieces(one) == pieces(other)
    assert one.stats["refusals"] == other.stats["refusals"]


@pytest.mark.parametrize("name", FAMILY)
def test_exact_estimates_change_nothing(name: str) -> None:
    instance = slotted([(0, (2, 3), 4), (0, (1, 6), 3), (0, (4, 2), 2), (0, (1, 1), 9)], [(2, 8), (3, 6)])
    assert pieces(solve(name, believing_the_truth(instance))) == pieces(solve(name, instance))


def test_the_transient_scheme_is_guaranteed_for_the_sum_of_flow_times_on_cores_alone() -> None:
    assert solve("svf_transient", WIDE_AND_THIN, k=1).guarantee == 1.5
    assert solve("svf_transient", WIDE_AND_THIN, k=2).guarantee is None
    assert solve("svf_transient", WIDE_AND_THIN, k=1, max_slots=3).guarantee is None
    assert solve("svf_transient", believing_the_truth(WIDE_AND_THIN), k=1).guarantee is None
    assert solve("svf_transient", slotted([(0, (1, 1), 1)], [(2, 2)]), k=1).guarantee is None


def test_gamma_of_equation_27_looks_at_the_latest_job_and_at_all_work() -> None:
    # max over the jobs of a + 2 p = 6, 2 a; four times the work / cores = 4 * 8 / 2
    assert solve("ocorp", THREE_JOBS_ON_TWO_CORES).stats["gamma"] == 16.0
    assert solve("ocorp", slotted([(50, 1, 2)], [4])).stats["gamma"] == 100.0
    assert solve("ocorp", slotted([(5, 1, 20)], [400])).stats["gamma"] == 45.0
    assert solve("ocorp", slotted([(0, 1, 3)], [2], believed=[2])).stats["gamma"] == 12.0
    assert solve("ocorp", THREE_JOBS_ON_TWO_CORES, gamma=7).stats["gamma"] == 7.0


def test_multipliers_that_leave_the_doubles_are_refused() -> None:
    with pytest.raises(UnsupportedError, match="use a smaller k"):
        solve("ocorp", slotted([(0, 1, 10**6)], [1]), k=64, gamma=10.0)
    assert solve("fifo", slotted([(0, 1, 2)], [1]), k=64).value == 2.0**64


def test_map_reduce_jobs_take_no_mem_mode() -> None:
    instance = map_reduce([(0, (1, 1, 1), (1, 1, 1))], [1])
    with pytest.raises(UnsupportedError, match="mem_mode"):
        solve("srpt", instance, mem_mode="once")
    assert completions(solve("srpt", instance)) == [2]


def test_all_cores_together_stay_below_2_to_the_53() -> None:
    instance = schedcore.Instance(schedcore.Jobs([1.0], [[1]]), schedcore.Machines(np.full((2, 1), 2**52)))
    with pytest.raises(UnsupportedError, match=r"2\*\*53"):
        solve("ocorp", instance)


def test_words_with_numbers_say_what_pairs_say() -> None:
    with pytest.raises(InvalidInstanceError, match="lambda0"):
        solve("ocorp", WIDE_AND_THIN, lambda0="mu:ten")
    assert solve("ocorp", WIDE_AND_THIN, lambda0="mu:10").options["lambda0"] == "mu:10"


def test_sums_of_powers_beyond_the_doubles_keep_a_finite_bound() -> None:
    far = schedcore.Instance(schedcore.Jobs([70_000, 70_000], [[1], [1]]), schedcore.Machines([[1]]))
    result = solve("svf", far, k=64)
    assert result.value == np.inf
    assert 1.7e308 < result.lower_bound < np.inf
    assert result.ratio() == np.inf


@pytest.mark.parametrize(
    ("name", "option", "value"),
    [("ocorp", "gamma", 0.0), ("ocorp_plus", "alpha", -1.0), ("ocorp", "work_conserving", 2)],
)
def test_options_are_checked_where_they_are_described(name: str, option: str, value: Any) -> None:
    described = next(o for o in registry.get(name).options if o.name == option)
    assert described.check is not None
    with pytest.raises((InvalidInstanceError, TypeError), match=option):
        described.check(value)
