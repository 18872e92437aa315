"""`switching_slot` and `place_by_latency`: worked examples, what stays put, and input that is refused."""

from typing import Any

import numpy as np
import pytest

from reference.switching_slot import machine_level_value
from schedcore.algorithms.preemptive.switching_slots import SOLVERS, place_by_latency, switching_slot
from schedcore.errors import InfeasibleError, InvalidInstanceError, UnsupportedError

# Two machines of 2 cores, two jobs of demand 2; job 0 costs 1 and had machine 0, job 1 costs -1 and did not run.
TWO_JOBS: dict[str, Any] = {
    "cost": [1, -1],
    "demand": [2, 2],
    "limit": [2, 2],
    "capacity": [2, 2],
    "previous": [[2, 0], [0, 0]],
    "first": [False, False],
}
TWO_TASKS: dict[str, Any] = {
    "demand": [2, 1],
    "cores": [2, 1],
    "capacity": [2, 2],
    "latency": [[0, 1], [0, 3]],
}


def value(alpha: float, placement: np.ndarray, slot: dict[str, Any] = TWO_JOBS) -> float:
    exact = machine_level_value(
        placement.tolist(), slot["cost"], slot["demand"], alpha, slot["previous"], slot["first"]
    )
    return float(exact)


@pytest.mark.parametrize("solver", ["greedy", "flow"])
@pytest.mark.parametrize(
    ("alpha", "work_conserving", "expected", "cores"),
    [
        (0, False, -1.0, [0, 2]),  # job 1 alone has a negative cost
        (1, False, 0.25, [1, 2]),  # 1/2 + 1/4 for job 0, -1 + 2/4 for job 1, a core on each machine
        (4, False, 1.0, [2, 0]),  # starting job 1 costs -1 + 4/2: nobody moves
        (4, True, 4.0, [2, 2]),  # all four cores: job 1 whole on machine 1, 1 - 1 + 4
    ],
)
def test_worked_example_of_two_jobs(
    solver: str, alpha: float, work_conserving: bool, expected: float, cores: list[int]
) -> None:
    placement = switching_slot(**TWO_JOBS, alpha=alpha, solver=solver, work_conserving=work_conserving)
    assert placement.dtype == np.int64
    assert placement.sum(axis=1).tolist() == cores
    assert value(alpha, placement) == expected
    if alpha == 4:
        assert placement[0].tolist() == [2, 0]


def test_work_conserving_example_leaves_the_running_job_in_place() -> None:
    for solver in SOLVERS:
        placement = switching_slot(**TWO_JOBS, alpha=4, solver=solver)
        assert placement.tolist() == [[2, 0], [0, 2]]


@pytest.mark.parametrize("work_conserving", [True, False])
@pytest.mark.parametrize("solver", ["greedy", "flow"])
def test_squares_over_machines_reward_spreading_a_job(solver: str, work_conserving: bool) -> None:
    slot = {
        "cost": [-10],
        "demand": [4],
        "limit": [4],
        "capacity": [4, 4, 4, 4],
        "previous": [[0, 0, 0, 0]],
        "first": [False],
    }
    placement = switching_slot(**slot, alpha=8, solver=solver, work_conserving=work_conserving)
    assert placement.tolist() == [[1, 1, 1, 1]]
    assert value(8, placement, slot) == -10 + 8 / 4
    assert value(8, np.array([[4, 0, 0, 0]]), slot) == -2


def test_joblevel_packs_whole_jobs_where_squares_over_machines_would_spread() -> None:
    placement = switching_slot([-10], [4], [4], [4, 4, 4, 4], 8, [[0, 0, 0, 0]], [False])
    assert placement.tolist() == [[4, 0, 0, 0]]


def test_a_job_without_cores_is_never_the_cut_job() -> None:
    # The jobs get 1, 2 and 0 cores.  Job 2 is last in order, but it has nothing to split: job 1, with two of its three
    # cores, is the cut job.  It goes last, after job 0, and is split.
    nothing = [[0, 0]] * 3
    placement = switching_slot([-10, -11, -2], [1, 3, 1], [1, 3, 1], [2, 1], 2, nothing, [False] * 3)
    assert placement.tolist() == [[1, 0], [1, 1], [0, 0]]


@pytest.mark.parametrize("solver", SOLVERS)
def test_large_alpha_keeps_what_ran(solver: str) -> None:
    slot = {
        "cost": [5.0, -3.0, -100.0],
        "demand": [2, 3, 4],
        "limit": [2, 3, 4],
        "capacity": [3, 2],
        "previous": [[0, 2], [3, 0], [0, 0]],
        "first": [False, False, False],
    }
    placement = switching_slot(**slot, alpha=1e6, solver=solver)
    assert placement.tolist() == slot["previous"]


@pytest.mark.parametrize("solver", SOLVERS)
def test_first_slot_of_a_job_costs_no_change(solver: str) -> None:
    arguments = ([-1.0], [2], [2], [2], 100.0, [[0]])
    assert switching_slot(*arguments, [True], solver, work_conserving=False).tolist() == [[2]]
    assert switching_slot(*arguments, [False], solver, work_conserving=False).tolist() == [[0]]


@pytest.mark.parametrize("solver", SOLVERS)
def test_no_jobs_give_an_empty_matrix(solver: str) -> None:
    placement = switching_slot([], [], [], [4, 2], 1, [], [], solver)
    assert placement.shape == (0, 2)


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        ({"alpha": -1}, InvalidInstanceError, "alpha = -1 must be finite and at least 0"),
        ({"alpha": np.nan}, InvalidInstanceError, "alpha = nan"),
        ({"alpha": 2.0**900}, InvalidInstanceError, "below 2\\*\\*900"),
        ({"alpha": "1"}, TypeError, "alpha must be a number"),
        ({"cost": [1]}, InvalidInstanceError, r"demand must have shape \(n_jobs,\) = \(1,\), not \(2,\)"),
        ({"cost": [1, np.inf]}, InvalidInstanceError, r"cost\[1\] = inf must be finite"),
        ({"cost": [[1, 2]]}, InvalidInstanceError, r"cost must have shape \(n_jobs,\)"),
        ({"demand": [2, 0]}, InvalidInstanceError, r"demand\[1\] = 0 is outside \[1, 2\*\*53\]"),
        ({"demand": [2, 2.5]}, InvalidInstanceError, r"demand\[1\] = 2.5 is a float"),
        ({"limit": [2.0, np.inf]}, InvalidInstanceError, r"limit\[1\] = inf is a float"),
        ({"demand": [2.0, 2.0]}, InvalidInstanceError, r"demand\[0\] = 2.0 is a float"),
        ({"limit": [3, 2]}, InvalidInstanceError, r"limit\[0\] = 3 of job 0 exceeds demand\[0\] = 2"),
        ({"limit": [-1, 2]}, InvalidInstanceError, r"limit\[0\] = -1 is outside"),
        ({"capacity": [2, -2]}, InvalidInstanceError, r"capacity\[1\] = -2 is outside"),
        ({"capacity": [2**53, 1]}, InvalidInstanceError, "at most 2\\*\\*53 cores"),
        ({"previous": [[2, 0]]}, InvalidInstanceError, r"previous must have shape .* = \(2, 2\)"),
        ({"previous": [[2, 0], [0, -1]]}, InvalidInstanceError, r"previous\[1, 1\] = -1"),
        ({"first": [0, 1]}, TypeError, "first must hold truth values"),
        ({"first": [False]}, InvalidInstanceError, r"first must have shape"),
        ({"solver": "flwo"}, InvalidInstanceError, "did you mean 'flow'"),
        ({"work_conserving": 1}, InvalidInstanceError, "work_conserving = 1 must be True or False"),
    ],
)
def test_bad_slot_is_refused_with_the_reason(
    changed: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        switching_slot(**({**TWO_JOBS, "alpha": 1} | changed))


def test_solvers_of_single_cores_refuse_pools_they_would_not_get_through() -> None:
    many = 2**40
    for solver in ("greedy", "flow"):
        with pytest.raises(UnsupportedError, match="use 'joblevel'"):
            switching_slot([-1], [many], [many], [many], 1, [[0]], [False], solver)
    # At alpha (2u - 1) / d**2 - 1 / d < 0: the first half of the cores.
    strict = switching_slot([-1], [many], [many], [many], 1, [[0]], [False], work_conserving=False)
    assert strict.tolist() == [[many // 2]]


def test_tasks_go_where_their_total_latency_is_least() -> None:
    # Both tasks are at home on machine 0, and task 1 has the longer way: task 0 shares its cores.
    cores, cost = place_by_latency(**TWO_TASKS)
    assert cores.tolist() == [[1, 1], [1, 0]]
    assert cost == 0.5
    assert cores.dtype == np.int64


def test_tasks_without_cores_and_no_tasks_are_placed_nowhere() -> None:
    cores, cost = place_by_latency([2, 3], [0, 0], [0, 4], [[1, 2], [3, 4]])
    assert cores.tolist() == [[0, 0], [0, 0]]
    assert cost == 0
    cores, cost = place_by_latency([], [], [2, 2], [])
    assert cores.shape == (0, 2)
    assert cost == 0


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        ({"capacity": [1, 1]}, InfeasibleError, "the tasks get 3 cores, all machines together have 2"),
        ({"cores": [3, 1]}, InvalidInstanceError, r"cores\[0\] = 3 of task 0 exceeds demand\[0\] = 2"),
        ({"cores": [2]}, InvalidInstanceError, r"cores must have shape \(n_tasks,\) = \(2,\)"),
        ({"cores": [1, 0.5]}, InvalidInstanceError, r"cores\[1\] = 0.5 is a float"),
        ({"demand": [0, 1]}, InvalidInstanceError, r"demand\[0\] = 0 is outside"),
        ({"latency": [[0, 1], [0, -3]]}, InvalidInstanceError, r"latency\[1, 1\] = -3.0 must be at least 0"),
        ({"latency": [[0, 1], [0, np.nan]]}, InvalidInstanceError, r"latency\[1, 1\] = nan must be finite"),
        ({"latency": [[0, 1]]}, InvalidInstanceError, r"latency must have shape .* = \(2, 2\), not \(1, 2\)"),
    ],
)
def test_bad_tasks_are_refused_with_the_reason(
    changed: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        place_by_latency(**(TWO_TASKS | changed))
