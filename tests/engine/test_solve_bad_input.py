"""Bad input of `solve` gets a clear error and nothing else; no jobs at all get an empty answer."""

import math
import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import schedcore
from schedcore import (
    InfeasibleError,
    Instance,
    InvalidInstanceError,
    Jobs,
    Machines,
    PolicyError,
    UnsupportedError,
    registry,
    solve,
)

NAMES = [algorithm.name for algorithm in registry.algorithms(Instance) if not algorithm.slotted]
WITH_KEY = [
    name for name in NAMES if any(option.name == "heuristic" for option in registry.get(name).options)
]
TWO = Machines.identical(2, [4, 4])


def instance(machines: Machines = TWO, **columns: Any) -> Instance:
    """Three jobs at time 0, with some columns replaced."""
    plain = {
        "processing_time": [1.0, 2.0, 3.0],
        "demand": [[1, 2], [2, 1], [4, 4]],
        "weight": [1.0, 2.0, 3.0],
    }
    return Instance(Jobs(**{**plain, **columns}), machines)


@pytest.mark.parametrize(
    ("columns", "match"),
    [
        ({"processing_time": [1.0, math.nan, 3.0]}, r"processing_time\[1\]"),
        ({"processing_time": [1.0, -2.0, 3.0]}, r"processing_time\[1\]"),
        ({"processing_time": [1.0, 0.0, 3.0]}, r"processing_time\[1\]"),
        ({"processing_time": [1.0, math.inf, 3.0]}, r"processing_time\[1\]"),
        ({"release_time": [0.0, 0.0, -1.0]}, r"release_time\[2\]"),
        ({"weight": [1.0, math.nan, 1.0]}, r"weight\[1\]"),
        ({"weight": [1.0, -1.0, 1.0]}, r"weight\[1\]"),
        ({"demand": [[1, 2], [-1, 1], [4, 4]]}, r"demand\[1, 0\]"),
        ({"demand": [[0.5, 0.5], [0.5, 0.5], [1.0, 1.0]]}, "resolution"),
        ({"demand": [[1, 2], [2], [4, 4]]}, "demand"),
        ({"demand": [[1, 2], [2, 1]]}, "demand"),
        ({"weight": [1.0, 2.0]}, "weight"),
        ({"demand": [[1, 2], [2, 1], [4, 2**53 + 1]]}, r"demand\[2, 1\]"),
    ],
)
def test_the_model_refuses_bad_columns_by_job(columns: dict[str, Any], match: str) -> None:
    with pytest.raises(InvalidInstanceError, match=match):
        instance(**columns)


@pytest.mark.parametrize("name", NAMES)
def test_a_job_that_no_machine_can_run_is_named(name: str) -> None:
    with pytest.raises(InfeasibleError, match=r"demand\[1, 0\] = 5 exceeds capacity = 4 .* job 1"):
        solve(name, instance(demand=[[1, 2], [5, 1], [4, 4]]))


@pytest.mark.parametrize("name", NAMES)
def test_zero_weights_and_empty_demands_are_refused_by_this_family(name: str) -> None:
    with pytest.raises(InvalidInstanceError, match="weight of job 2 is 0"):
        solve(name, instance(weight=[1.0, 2.0, 0.0]))
    with pytest.raises(InvalidInstanceError, match="job 1 demands nothing"):
        solve(name, instance(demand=[[1, 2], [0, 0], [4, 4]]))


@pytest.mark.parametrize("name", NAMES)
def test_machines_may_differ(name: str) -> None:
    differ = instance(Machines([[4, 4], [4, 9]]))
    assert registry.get(name).machines_may_differ
    schedcore.validate(differ, solve(name, differ).schedule, raise_on_error=True)


@pytest.mark.parametrize("name", NAMES)
def test_what_fits_no_machine_is_refused_also_where_every_resource_is_somewhere(name: str) -> None:
    machines = Machines([[9, 1], [1, 9]])
    with pytest.raises(InfeasibleError, match=r"job 0 demands \(4, 4\); every machine has too little"):
        solve(name, Instance(Jobs([1.0], [[4, 4]]), machines))


@pytest.mark.parametrize("name", [name for name in NAMES if name != "offline_pq"])
def test_a_job_too_short_for_the_clock_at_its_release_is_refused(name: str) -> None:
    with pytest.raises(InvalidInstanceError, match=r"processing_time of job 1 is .* too short"):
        solve(name, instance(processing_time=[1.0, 0.125, 3.0], release_time=[0.0, 2.0**53, 0.0]))


@pytest.mark.parametrize("name", NAMES)
def test_a_job_too_short_for_the_clock_at_its_start_is_refused(name: str) -> None:
    # behind jobs of length 2**53 that fill the machine: they came first, or p / w prefers them
    long = 2.0**53
    release = 0 if name == "offline_pq" else [0, 0, 1, 1]
    jobs = Jobs(
        [long, long, 1 / 8, 1 / 8], [[4, 4]] * 4, release_time=release, weight=[long, long, 1e-9, 1e-9]
    )
    options = {"gamma0": long} if name == "mris" else {}
    with pytest.raises(InvalidInstanceError, match=r"processing_time of job 2 is .* too short"):
        solve(name, Instance(jobs, Machines.identical(1, [4, 4])), **options)


@pytest.mark.parametrize("name", NAMES)
def test_a_schedule_beyond_the_largest_double_is_refused(name: str) -> None:
    jobs = Jobs([2.0**1023] * 3, [[4, 4]] * 3)
    with pytest.raises(InvalidInstanceError, match=r"job [01] would start at .* and end after 1\.79"):
        solve(
            name, Instance(jobs, Machines.identical(1, [4, 4])), **{"gamma0": 1.0} if name == "mris" else {}
        )


EVERY_OPTION = [
    *[(name, {}) for name in NAMES],
    *[("tetris", {"mode": mode}) for mode in ("minus", "plus")],
    *[("mris", {"knapsack": knapsack}) for knapsack in ("exact", "greedy", "greedy_union")],
    ("mris", {"opportunistic": True, "replan": True}),
    ("mris", {"opportunistic": True, "replan": "always"}),
]


@pytest.mark.parametrize(("name", "options"), EVERY_OPTION)
@pytest.mark.parametrize(
    "processing_time",
    [
        [5e-324] * 3,
        [1e-310, 1.0, 1e-310],
        [1e-300, 1.0, 1e300],
        [1.0, 1e308, 1e307],
        [1e307] * 3,
        [8e307, 1e-308, 1],
    ],
)
def test_times_at_the_ends_of_the_range_give_an_answer_or_an_error(
    name: str, options: dict[str, Any], processing_time: list[float]
) -> None:
    extreme = instance(
        processing_time=processing_time, demand=[[4, 4], [4, 3], [3, 4]], weight=[1e-300, 1.0, 1e300]
    )
    try:
        result = solve(name, extreme, **options)
    except schedcore.SchedcoreError:
        return
    assert np.isfinite(result.schedule.start_time).all()
    assert schedcore.validate(extreme, result.schedule).ok


def test_offline_pq_refuses_release_times() -> None:
    with pytest.raises(UnsupportedError, match=r"release_time\[1\] = 2"):
        solve("offline_pq", instance(release_time=[0, 2, 0]))


@pytest.mark.parametrize(
    ("wrong", "right"), [("mirs", "mris"), ("tetrs", "tetris"), ("offline-pq", "offline_pq")]
)
def test_an_unknown_policy_is_answered_with_the_close_matches(wrong: str, right: str) -> None:
    with pytest.raises(InvalidInstanceError, match=right):
        solve(wrong, instance())


@pytest.mark.parametrize(
    ("name", "option", "right"),
    [("mris", "patiense", "patience"), ("pq", "heuristics", "heuristic"), ("tetris", "mod", "mode")],
)
def test_an_unknown_option_is_answered_with_the_close_matches(name: str, option: str, right: str) -> None:
    with pytest.raises(InvalidInstanceError, match=right):
        solve(name, instance(), **{option: 1})


def test_an_option_of_another_algorithm_is_refused() -> None:
    with pytest.raises(InvalidInstanceError, match="no options"):
        solve("bf_exec", instance(), heuristic="wsjf")
    with pytest.raises(InvalidInstanceError, match="heuristic"):
        solve("tetris", instance(), heuristic="wsjf")


@pytest.mark.parametrize(
    ("name", "options", "right"),
    [
        ("pq", {"heuristic": "wsjff"}, "wsjf"),
        ("tetris", {"mode": "invers"}, "inverse"),
        ("mris", {"knapsack": "cdap"}, "cadp"),
        ("mris", {"placement": "scn"}, "scan"),
        ("mris", {"replan": "alway"}, "always"),
    ],
)
def test_an_unknown_choice_is_answered_with_the_close_matches(
    name: str, options: dict[str, Any], right: str
) -> None:
    with pytest.raises(InvalidInstanceError, match=right):
        solve(name, instance(), **options)


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"epsilon": 0}, "epsilon"),
        ({"epsilon": 1}, "epsilon"),
        ({"epsilon": 1.5}, "epsilon"),
        ({"epsilon": -0.1}, "epsilon"),
        ({"epsilon": math.nan}, "epsilon"),
        ({"epsilon": (1, 0)}, "epsilon"),
        ({"epsilon": (3, 2)}, "epsilon"),
        ({"epsilon": 0.0, "knapsack": "exact"}, "epsilon"),
        ({"gamma0": 0}, "gamma0"),
        ({"gamma0": -1.0}, "gamma0"),
        ({"gamma0": math.nan}, "gamma0"),
        ({"gamma0": math.inf}, "gamma0"),
        ({"patience": 0, "opportunistic": True}, "patience"),
        ({"patience": -1, "opportunistic": True}, "patience"),
        ({"patience": math.nan, "opportunistic": True}, "patience"),
        ({"patience": 1000, "opportunistic": True}, r"patience = 1000 must lie in \(0, 2c - 2\]"),
        ({"memory_limit": 0}, "memory_limit"),
        ({"memory_limit": -5}, "memory_limit"),
    ],
)
def test_mris_options_have_ranges(options: dict[str, Any], match: str) -> None:
    with pytest.raises(InvalidInstanceError, match=match):
        solve("mris", instance(), **options)


def test_patience_ends_at_2c_minus_2() -> None:
    # c = 2 * 2 * (1 + 1/10) + 1 = 5.4
    assert solve("mris", instance(), opportunistic=True, patience=8.8).guarantee == pytest.approx(21.6)
    with pytest.raises(InvalidInstanceError, match="patience"):
        solve("mris", instance(), opportunistic=True, patience=math.nextafter(8.8, 9))


@pytest.mark.parametrize("epsilon", [0.1, Fraction(1, 10), (1, 10), 0.1 + 1e-12])
def test_a_float_epsilon_means_the_fraction_a_person_would_write(epsilon: Any) -> None:
    assert solve("mris", instance(), epsilon=epsilon).guarantee == float(4 * Fraction(27, 5))


@pytest.mark.parametrize("knapsack", ["exact", "greedy", "greedy_union"])
def test_epsilon_is_accepted_and_ignored_by_other_knapsacks(knapsack: str) -> None:
    plain = solve("mris", instance(), knapsack=knapsack)
    assert solve("mris", instance(), knapsack=knapsack, epsilon=0.9).schedule == plain.schedule


def test_gamma0_above_the_shortest_job_is_accepted_without_a_guarantee() -> None:
    assert solve("mris", instance(), gamma0=1.0).guarantee is not None
    assert solve("mris", instance(), gamma0=1.5).guarantee is None


@pytest.mark.parametrize("options", [{"opportunistic": True}, {"replan": True}, {"replan": "always"}])
def test_what_needs_backfilling_is_refused_with_list(options: dict[str, Any]) -> None:
    with pytest.raises(UnsupportedError, match="placement"):
        solve("mris", instance(), placement="list", **options)


@pytest.mark.parametrize("flag", [True, np.True_, 1])
def test_flags_mean_the_same_in_every_spelling(flag: Any) -> None:
    jobs = Jobs([1.0, 4.0, 1.0], [[4, 4], [2, 2], [4, 4]], release_time=[0, 0, 3], weight=[1, 1, 9])
    workload = Instance(jobs, Machines.identical(1, [4, 4]))
    result, expected = solve("mris", workload, replan=flag), solve("mris", workload, replan=True)
    assert result.schedule == expected.schedule
    assert result.stats["replans"] == expected.stats["replans"]


def test_an_exact_knapsack_above_its_memory_limit_says_what_it_needs() -> None:
    n = 60
    jobs = Jobs(np.full(n, 8.0), np.arange(n).reshape(n, 1) % 7 + 1, weight=np.arange(n) * 7 % 61 + 1.0)
    with pytest.raises(UnsupportedError, match=rf"(?s){n}.*bytes"):
        solve("mris", Instance(jobs, Machines.identical(1, [10])), knapsack="exact", memory_limit=32)


@pytest.mark.parametrize("name", WITH_KEY)
@pytest.mark.parametrize("length", [0, 2, 4])
def test_a_key_array_has_a_number_for_every_job(name: str, length: int) -> None:
    with pytest.raises(PolicyError, match=r"shape \(" + str(length)):
        solve(name, instance(), heuristic=np.zeros(length))
    with pytest.raises(PolicyError, match="shape"):
        solve(name, instance(), heuristic=lambda jobs: np.zeros(length))


@pytest.mark.parametrize("name", WITH_KEY)
def test_a_key_that_is_not_a_number_names_its_job(name: str) -> None:
    key = np.array([1.0, math.nan, math.nan])
    with pytest.raises(PolicyError, match="job 1 is NaN"):
        solve(name, instance(), heuristic=key)
    with pytest.raises(PolicyError, match="job 1 is NaN"):
        solve(name, instance(), heuristic=lambda jobs: key)


@pytest.mark.parametrize("name", WITH_KEY)
def test_an_exception_in_a_key_names_its_job_and_is_chained(name: str) -> None:
    def key(jobs: Jobs) -> Any:
        return [1 / (3 - p) for p in jobs.processing_time.tolist()]

    with pytest.raises(PolicyError, match="job 2: ZeroDivisionError") as caught:
        solve(name, instance(), heuristic=key)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


def test_a_key_that_is_no_key_is_refused() -> None:
    for wrong in (["a", "b", "c"], object(), [[1, 2], [3]]):
        with pytest.raises((InvalidInstanceError, PolicyError)):
            solve("pq", instance(), heuristic=wrong)


@pytest.mark.parametrize("name", WITH_KEY)
def test_arrays_and_callables_order_like_the_named_key_they_compute(name: str) -> None:
    workload = Instance(
        Jobs([3.0, 1.0, 2.0, 2.0], [[4, 4]] * 4, weight=[1.0, 5.0, 2.0, 2.0]), Machines.identical(1, [4, 4])
    )
    named = solve(name, workload, heuristic="WsJf").schedule
    key = workload.jobs.processing_time / workload.jobs.weight
    assert solve(name, workload, heuristic=key).schedule == named
    assert solve(name, workload, heuristic=lambda jobs: jobs.processing_time / jobs.weight).schedule == named


def test_ca_pq_computes_keys_as_if_all_jobs_came_at_0() -> None:
    workload = Instance(Jobs([1.0, 1.0], [[4, 4]] * 2, release_time=[3, 0]), Machines.identical(1, [4, 4]))
    by_release = solve("ca_pq", workload, heuristic=lambda jobs: jobs.release_time)
    assert by_release.schedule.start_time.tolist() == [3, 4]
    assert by_release.schedule == solve("ca_pq", workload, heuristic="erf").schedule


@pytest.mark.parametrize("machines", [TWO, Machines.identical(1, [3]), Machines.identical(2, [0])])
@pytest.mark.parametrize("name", NAMES)
def test_no_jobs_give_an_empty_schedule(name: str, machines: Machines) -> None:
    result = solve(name, Instance(Jobs([], np.empty((0, machines.n_resources), dtype=np.int64)), machines))
    assert result.schedule.start_time.shape == (0,)
    assert result.schedule.machine.shape == (0,)
    assert (result.value, result.lower_bound, result.ratio(), result.gap()) == (0.0, 0.0, 1.0, 0.0)
    assert result.objective == registry.get(name).objective
    assert schedcore.validate(Instance(Jobs([], []), machines), result.schedule).ok


@pytest.mark.parametrize("replan", [False, True, "always"])
def test_no_jobs_give_an_empty_schedule_in_every_form_of_mris(replan: bool | str) -> None:
    for placement in ("scan", "list", "nobackfill") if not replan else ("scan",):
        result = solve("mris", Instance(Jobs([], []), TWO), placement=placement, replan=replan)
        assert result.value == 0.0
        assert result.stats["iterations"] == []


@pytest.mark.parametrize("name", NAMES)
def test_results_pickle_and_compare_by_value(name: str) -> None:
    result = solve(name, instance())
    restored = pickle.loads(pickle.dumps(result))
    assert restored == result
    assert solve(name, instance()) == result
    assert restored.ratio() == result.ratio()
    assert hash(restored.schedule.content_hash()) == hash(result.schedule.content_hash())
    assert solve(name, instance(processing_time=[1.0, 2.0, 4.0])) != result


@pytest.mark.parametrize("name", NAMES)
def test_the_plain_function_does_what_solve_does(name: str) -> None:
    assert getattr(schedcore, name)(instance()) == solve(name, instance())


def test_what_is_no_instance_is_a_type_error() -> None:
    with pytest.raises(TypeError, match=r"instance must be a schedcore\.Instance, not list"):
        solve("pq", [[1, 2]])  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"jobs must be schedcore\.Jobs or ParallelTaskInstance, not list"):
        schedcore.OnlineScheduler("pq", TWO).submit([1], now=0)  # type: ignore[arg-type]


def test_a_gamma0_that_is_no_number_is_refused() -> None:
    with pytest.raises(TypeError, match="gamma0 must be a number, not 'soon'"):
        solve("mris", instance(), gamma0="soon")
