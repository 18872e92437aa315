"""Bad input of the slotted preemptive family gets an error that names the job or option, the value and the bound."""

import math
import re
from typing import Any

import numpy as np
import pytest

import schedcore
from schedcore import InfeasibleError, InvalidInstanceError, UnsupportedError, solve
from slotted_cases import NON_CLAIRVOYANT, THREE_JOBS_ON_TWO_CORES, completions, map_reduce, pieces, slotted

DUAL = ["ocorp", "ocorp_m", "ocorp_plus"]
BASELINES = ["srpt", "srvf", "svf", "srf", "fifo"]
NAMES = [*DUAL, "svf_transient", *BASELINES, *NON_CLAIRVOYANT]
ON_MAP_REDUCE = ["ocorp_mapreduce", "srpt", "srvf", "svf", "srf"]

ordinary = pytest.mark.parametrize("name", NAMES)
dual = pytest.mark.parametrize("name", DUAL)

TWO_JOBS = slotted([(0, 2, 2), (0, 1, 3)], [2])
TWO_JOBS_WITH_MEMORY = slotted([(0, (2, 3), 2), (0, (1, 4), 3)], [(2, 8)])


def names(value: object) -> str:
    """The value as it must stand in a message."""
    return re.escape(str(value))


# Instances


@ordinary
@pytest.mark.parametrize("time", [2.5, 0.5, 1e-3])
def test_processing_times_are_whole_slots(name: str, time: float) -> None:
    instance = schedcore.Instance(schedcore.Jobs([1.0, time], [[1], [1]]), schedcore.Machines([[2]]))
    with pytest.raises(InvalidInstanceError, match=rf"processing_time\[1\] = {names(time)} .*whole"):
        solve(name, instance)


@pytest.mark.parametrize("name", [*DUAL, *BASELINES, *NON_CLAIRVOYANT])
def test_release_times_are_whole_slots(name: str) -> None:
    instance = schedcore.Instance(
        schedcore.Jobs([1.0, 2.0], [[1], [1]], release_time=[0, 1.25]), schedcore.Machines([[2]])
    )
    with pytest.raises(InvalidInstanceError, match=r"release_time\[1\] = 1\.25 .*whole"):
        solve(name, instance)


def test_cores_are_whole_numbers() -> None:
    with pytest.raises((InvalidInstanceError, TypeError), match="demand"):
        schedcore.Jobs([1.0, 2.0], [[1.5], [1.0]])
    with pytest.raises((InvalidInstanceError, TypeError), match="capacity"):
        schedcore.Machines([[1.5]])


@ordinary
@pytest.mark.parametrize("column", ["demand", "estimated_demand"])
def test_every_job_asks_for_a_core(name: str, column: str) -> None:
    arguments = {"demand": [[1, 1], [1, 2]], column: [[1, 1], [0, 2]]}
    instance = schedcore.Instance(schedcore.Jobs([1, 1], **arguments), schedcore.Machines([[2, 4]]))
    with pytest.raises(InvalidInstanceError, match=rf"{column}\[1\] = \[0, 2\].*core"):
        solve(name, instance)


@ordinary
def test_volumes_stay_below_2_to_the_53(name: str) -> None:
    instance = slotted([(0, 1, 1), (0, 4, 2**51)], [4])
    with pytest.raises(InvalidInstanceError, match=r"job 1 .*2\*\*53"):
        solve(name, instance)


@ordinary
@pytest.mark.parametrize("column", ["demand", "estimated_demand"])
def test_a_job_of_more_cores_than_all_machines_have_is_infeasible(name: str, column: str) -> None:
    arguments = {"demand": [[1], [7]], column: [[1], [8]]}
    instance = schedcore.Instance(schedcore.Jobs([1, 1], **arguments), schedcore.Machines([[4], [3]]))
    with pytest.raises(InfeasibleError, match=r"job 1 .*8.*7"):
        solve(name, instance)


@ordinary
def test_a_job_wider_than_every_server_is_split(name: str) -> None:
    result = solve(name, slotted([(0, 7, 2)], [3, 4]))
    assert pieces(result) == [(0, 0, 0, 2, 3), (0, 0, 1, 2, 4)]


@ordinary
def test_a_job_of_more_memory_than_the_first_server_has_is_infeasible(name: str) -> None:
    # the server with the most cores comes first, whatever the others have
    instance = slotted([(0, (1, 5), 1), (0, (1, 6), 1)], [(2, 99), (4, 5)])
    with pytest.raises(InfeasibleError, match=r"job 1 .*6.*5"):
        solve(name, instance)


@ordinary
def test_further_memories_are_checked_as_the_first(name: str) -> None:
    instance = slotted([(0, (1, 1, 3), 1)], [(4, 5, 2)])
    with pytest.raises(InfeasibleError, match=r"job 0 .*3.*2"):
        solve(name, instance)


def test_the_identifier_of_a_job_is_named_beside_its_row() -> None:
    jobs = schedcore.Jobs([1, 1], [[1], [9]], id=[40, 41])
    with pytest.raises(InfeasibleError, match=r"job 1 \(id 41\)"):
        solve("ocorp", schedcore.Instance(jobs, schedcore.Machines([[4]])))


def test_the_transient_scheme_takes_no_release_times() -> None:
    with pytest.raises(UnsupportedError, match=r"svf_transient.*job 1 .*3"):
        solve("svf_transient", slotted([(0, 1, 1), (3, 1, 1)], [2]))


@pytest.mark.parametrize("name", ON_MAP_REDUCE)
def test_a_task_of_more_cores_than_all_machines_have_is_infeasible(name: str) -> None:
    instance = map_reduce([(0, (1, 1, 1), (0, 1, 1)), (0, (1, 2, 1), (2, 4, 1))], [2, 1])
    with pytest.raises(InfeasibleError, match=r"reduce_cores\[1\] = 4 exceeds the 3 cores .*job 1"):
        solve(name, instance)


# Horizons


@ordinary
def test_a_horizon_shorter_than_the_work_returns_the_finished_part(name: str) -> None:
    result = solve(name, TWO_JOBS, max_slots=3)
    assert (result.stats["status"], result.stats["n_unfinished"]) == ("max_slots", 1)
    assert math.isinf(result.value)
    assert completions(result).count(None) == 1
    assert result.schedule.end_time.max() <= 3
    schedcore.validate(TWO_JOBS, result.schedule, kind="partial", raise_on_error=True)
    assert not schedcore.validate(TWO_JOBS, result.schedule)


@ordinary
def test_a_horizon_before_the_first_release_leaves_everything_undone(name: str) -> None:
    if name == "svf_transient":
        pytest.skip("takes no release times")
    result = solve(name, slotted([(5, 1, 1)], [1]), max_slots=5)
    assert (len(result.schedule), result.stats["status"]) == (0, "max_slots")
    assert solve(name, slotted([(5, 1, 1)], [1]), max_slots=6).stats["status"] == "finished"


@ordinary
@pytest.mark.parametrize("horizon", [0, -1])
def test_a_horizon_has_at_least_one_slot(name: str, horizon: int) -> None:
    with pytest.raises(InvalidInstanceError, match=rf"max_slots = {horizon} .*1"):
        solve(name, TWO_JOBS, max_slots=horizon)


@ordinary
@pytest.mark.parametrize("horizon", [2.5, "3", [3]])
def test_a_horizon_is_an_integer(name: str, horizon: Any) -> None:
    with pytest.raises((TypeError, InvalidInstanceError), match="max_slots"):
        solve(name, TWO_JOBS, max_slots=horizon)


def test_a_strict_run_that_never_ends_stops_at_its_limit() -> None:
    options: dict[str, Any] = {"k": 1, "mu": 1.0, "lambda0": "zero", "work_conserving": False, "gamma": 8.0}
    result = solve("ocorp", THREE_JOBS_ON_TWO_CORES, **options, max_slots=50)
    assert result.stats["status"] == "max_slots"
    assert completions(result)[0] is None
    # without a limit: 64 times what equation (27) gives, 16 slots, and no less than 1000
    guarded = solve("ocorp", THREE_JOBS_ON_TWO_CORES, **options, record=True)
    assert guarded.stats["status"] == "max_slots"
    assert guarded.stats["multipliers"]["slot"].max() == 64 * 16
    assert completions(guarded)[0] is None


# Options


@dual
@pytest.mark.parametrize("k", [0, -1, 65])
def test_the_power_is_between_1_and_64(name: str, k: int) -> None:
    with pytest.raises(InvalidInstanceError, match=rf"k = {k} .*1.*64"):
        solve(name, TWO_JOBS, k=k)


@ordinary
@pytest.mark.parametrize("k", [1.5, "2", None, [2]])
def test_the_power_is_an_integer(name: str, k: Any) -> None:
    with pytest.raises((TypeError, InvalidInstanceError), match="k"):
        solve(name, TWO_JOBS, k=k)


@dual
@pytest.mark.parametrize("gamma", [0, -1.0, math.nan, math.inf])
def test_gamma_is_finite_and_above_0(name: str, gamma: float) -> None:
    with pytest.raises(InvalidInstanceError, match=rf"gamma = {names(gamma)} "):
        solve(name, TWO_JOBS, gamma=gamma)


@dual
@pytest.mark.parametrize("mu", [-1.0, math.nan, math.inf, "sum"])
def test_mu_is_a_finite_number_or_sim(name: str, mu: Any) -> None:
    with pytest.raises(InvalidInstanceError, match="mu.*" + names(mu)):
        solve(name, TWO_JOBS, mu=mu)


@dual
@pytest.mark.parametrize(
    "lambda0",
    ["huge", "mu", "mu:", "mu:x", "const:nan", ("mu",), ("mu", -1.0), ("const", math.inf), ("other", 1.0)],
)
def test_lambda0_is_one_of_its_words_or_pairs(name: str, lambda0: Any) -> None:
    with pytest.raises(InvalidInstanceError, match="lambda0"):
        solve(name, TWO_JOBS, lambda0=lambda0)


@dual
@pytest.mark.parametrize("lambda0", [None, 3.5, ["mu", "x"], ("mu", None)])
def test_lambda0_of_another_type_is_refused(name: str, lambda0: Any) -> None:
    with pytest.raises((TypeError, InvalidInstanceError), match="lambda0"):
        solve(name, TWO_JOBS, lambda0=lambda0)


@dual
def test_words_of_lambda0_are_its_pairs(name: str) -> None:
    for word, pair in (("mu:10", ("mu", 10.0)), ("const:3.5", ("const", 3.5))):
        assert pieces(solve(name, TWO_JOBS, lambda0=word)) == pieces(solve(name, TWO_JOBS, lambda0=pair))


@pytest.mark.parametrize("alpha", [-1, -1e-9, math.nan, math.inf])
def test_alpha_is_finite_and_at_least_0(alpha: float) -> None:
    with pytest.raises(InvalidInstanceError, match=rf"alpha = {names(alpha)} .*0"):
        solve("ocorp_plus", TWO_JOBS, alpha=alpha)


def test_alpha_is_a_number() -> None:
    with pytest.raises(TypeError, match="alpha"):
        solve("ocorp_plus", TWO_JOBS, alpha="10")


@ordinary
@pytest.mark.parametrize(("option", "wrong"), [("packing", "stick"), ("mem_mode", "backfil")])
def test_an_unknown_word_gets_the_close_matches(name: str, option: str, wrong: str) -> None:
    with pytest.raises(InvalidInstanceError, match=f"{option}.*{wrong}"):
        solve(name, TWO_JOBS_WITH_MEMORY, **{option: wrong})


def test_an_unknown_solver_gets_the_close_matches() -> None:
    with pytest.raises(InvalidInstanceError, match=r"solver.*job_level.*joblevel"):
        solve("ocorp_plus", TWO_JOBS, solver="job_level")


@pytest.mark.parametrize("name", [*BASELINES, *NON_CLAIRVOYANT, "svf_transient"])
def test_the_second_x_step_belongs_to_ocorp(name: str) -> None:
    with pytest.raises((InvalidInstanceError, UnsupportedError), match=r"mem_mode.*twice"):
        solve(name, TWO_JOBS_WITH_MEMORY, mem_mode="twice")


@pytest.mark.parametrize("solver", ["greedy", "flow"])
def test_solvers_by_machine_know_no_memory(solver: str) -> None:
    with pytest.raises(UnsupportedError, match=rf"ocorp_plus.*{solver}"):
        solve("ocorp_plus", TWO_JOBS_WITH_MEMORY, solver=solver)


@pytest.mark.parametrize("solver", ["greedy", "flow"])
def test_solvers_by_core_refuse_pools_they_would_not_get_through(solver: str) -> None:
    wide = slotted([(0, 2**40, 2), (0, 2**40, 2)], [2**40])
    with pytest.raises(UnsupportedError, match=rf"up to {2**40}; the limit is 10000000"):
        solve("ocorp_plus", wide, solver=solver)
    assert max(completions(solve("ocorp_plus", wide))) == 4
    few = slotted([(0, 2, 2), (0, 1, 3)], [2**40])  # no more cores than the jobs ask for
    assert completions(solve("ocorp_plus", few, solver=solver)) == [2, 3]


@pytest.mark.parametrize("name", ["srpt", "srvf", "svf", "srf"])
def test_placement_by_latency_is_for_jobs_of_phases(name: str) -> None:
    with pytest.raises(UnsupportedError, match=f"{name}.*placement"):
        solve(name, TWO_JOBS, placement="latency", latency=np.zeros((2, 1)))
    with pytest.raises(UnsupportedError, match=f"{name}.*latency"):
        solve(name, TWO_JOBS, latency=np.zeros((2, 1)))


@pytest.mark.parametrize("name", [*BASELINES, *NON_CLAIRVOYANT, "svf_transient"])
@pytest.mark.parametrize("option", ["gamma", "mu", "lambda0", "work_conserving", "alpha", "solver"])
def test_options_of_the_multipliers_are_no_options_of_the_others(name: str, option: str) -> None:
    with pytest.raises(InvalidInstanceError, match=f"{option}.*{name}|{name}.*{option}"):
        solve(name, TWO_JOBS, **{option: 1})
