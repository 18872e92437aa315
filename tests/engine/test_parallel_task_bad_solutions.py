"""Invalid solutions of linear programs, and programs not solved in time, for the parallel-task family."""

import math
from typing import Any

import numpy as np
import pytest

import schedcore
from parallel_task_cases import parallel_tasks
from schedcore import InvalidInstanceError, ParallelTaskInstance, registry, solve

PROGRAMMED = ["synchpack1", "synchpack2", "synchpack3"]
IN_INTERVALS = ["synchpack1", "synchpack2"]
IN_EPOCHS = ["synchpack2", "synchpack3"]
WHOLE = 10**9


def instance(**changes: Any) -> ParallelTaskInstance:
    """Two jobs on two machines of 10 and 6; each task has one machine. Horizon 5, intervals 0 to 3."""
    rows = [(0, [5], {0: 4}), (0, [2], {1: 2}), (1, [10], {0: 1})]
    return parallel_tasks([1, 2], rows, [[10], [6]], **changes)


GOOD = [[0, 0, 0, 2, WHOLE], [0, 1, 1, 1, WHOLE], [1, 0, 0, 1, WHOLE]]


def changed(row: int, column: int, value: int) -> list[list[int]]:
    rows = [list(r) for r in GOOD]
    rows[row][column] = value
    return rows


@pytest.mark.parametrize("name", IN_INTERVALS)
@pytest.mark.parametrize(
    ("rows", "match"),
    [
        (changed(2, 0, 2), r"lp_solution\[2\] = \[2, 0, 0, 1, .*no such job among 2"),
        (changed(1, 0, -1), r"lp_solution\[1\] = \[-1, .*no such job"),
        (changed(1, 1, 2), r"lp_solution\[1\] = \[0, 2, .*no such task"),
        (changed(0, 2, 5), r"lp_solution\[0\] = \[0, 0, 5, .*no such machine"),
        (changed(0, 2, 1), r"lp_solution\[0\] = \[0, 0, 1, .*may not run on this machine"),
        (changed(0, 3, 4), r"lp_solution\[0\] = \[0, 0, 0, 4, .*from 0 to 3"),
        (changed(0, 3, -1), r"lp_solution\[0\] .*from 0 to 3"),
        (changed(0, 4, 0), r"lp_solution\[0\] .*units must be at least 1"),
        (changed(0, 4, WHOLE + 1), r"lp_solution\[0\] .*at most 10\*\*9"),
        (changed(1, 4, WHOLE - 1), r"task 1 of job 0 999999999 units; they must sum to 10\*\*9"),
        (GOOD[:2], r"task 0 of job 1 0 units; they must sum to 10\*\*9"),
        ([*GOOD, [1, 0, 0, 2, 1]], r"task 0 of job 1 1000000001 units"),
        ([*GOOD, GOOD[0]], r"lp_solution\[3\] .*another row has the same"),
        ([], r"task 0 of job 0 0 units"),
        (np.ones((3, 4), dtype=np.int64), r"lp_solution has shape \(3, 4\)"),
        (np.ones(5, dtype=np.int64), r"lp_solution has shape \(5,\)"),
    ],
)
def test_rows_that_are_no_solution_are_refused_by_row(name: str, rows: Any, match: str) -> None:
    with pytest.raises(InvalidInstanceError, match=match):
        solve(name, instance(), lp_solution=rows)


def test_an_interval_that_ends_before_the_task_could_is_refused_where_the_program_excludes_it() -> None:
    early = changed(0, 3, 1)  # 4 units of time in an interval that ends at 2
    with pytest.raises(InvalidInstanceError, match=r"lp_solution\[0\] .*ends before the processing time"):
        solve("synchpack2", instance(), lp_solution=early)
    assert solve("synchpack1", instance(), lp_solution=early).value > 0


@pytest.mark.parametrize("name", IN_INTERVALS)
def test_units_are_integers(name: str) -> None:
    with pytest.raises(TypeError, match="lp_solution must hold integers"):
        solve(name, instance(), lp_solution=np.array(GOOD, dtype=np.float64))


@pytest.mark.parametrize(
    ("completion", "match"),
    [
        ([1.0], r"lp_solution has shape \(1,\); 2 jobs"),
        ([1.0, 2.0, 3.0], r"lp_solution has shape \(3,\); 2 jobs"),
        ([[1.0, 2.0]], r"lp_solution has shape \(1, 2\)"),
        ([1.0, math.nan], r"lp_solution\[1\] = nan must be finite"),
        ([math.inf, 1.0], r"lp_solution\[0\] = inf must be finite"),
        ([1.0, -0.5], r"lp_solution\[1\] = -0.5 .*at least 0"),
    ],
)
def test_completion_times_that_are_none_are_refused_by_job(completion: Any, match: str) -> None:
    with pytest.raises(InvalidInstanceError, match=match):
        solve("synchpack3", instance(), lp_solution=np.array(completion))


# With tau0 = 100, gamma = 0 all jobs are released before epoch 1 begins at 100; job 1 arrives within epoch 0.
TWO_EPOCHS = {"online": True, "tau0": 100.0, "gamma": 0.0}


def two_epochs(name: str) -> tuple[ParallelTaskInstance, list[Any]]:
    late = instance(release_time=[0, 7])
    if name == "synchpack3":
        return late, [np.array([4.0, 0.0]), np.array([0.0, 1.0])]
    return late, [np.array(GOOD[:2]), np.array(GOOD[2:])]


@pytest.mark.parametrize("name", IN_EPOCHS)
def test_every_active_epoch_has_one_solution(name: str) -> None:
    late, solutions = two_epochs(name)
    result = solve(name, late, lp_solution=solutions, **TWO_EPOCHS)
    assert [epoch["start"] for epoch in result.stats["epochs"]] == [0, 100]
    with pytest.raises(InvalidInstanceError, match=r"lp_solution has 1 .*epoch"):
        solve(name, late, lp_solution=solutions[:1], **TWO_EPOCHS)
    with pytest.raises(InvalidInstanceError, match=r"lp_solution has 3 .*2 .*epoch"):
        solve(name, late, lp_solution=[*solutions, solutions[0]], **TWO_EPOCHS)
    with pytest.raises(InvalidInstanceError, match=r"lp_solution has 0 .*epoch"):
        solve(name, late, lp_solution=[], **TWO_EPOCHS)


@pytest.mark.parametrize("name", IN_EPOCHS)
def test_a_bad_solution_of_an_epoch_is_refused(name: str) -> None:
    late, solutions = two_epochs(name)
    bad = np.array([1.0]) if name == "synchpack3" else np.array(changed(2, 2, 1))[2:]
    match = r"shape \(1,\)" if name == "synchpack3" else "may not run on this machine"
    with pytest.raises(InvalidInstanceError, match=match):
        solve(name, late, lp_solution=[solutions[0], bad], **TWO_EPOCHS)


# A limit of time is a status


@pytest.mark.parametrize("name", PROGRAMMED)
@pytest.mark.parametrize("solver", ["auto", "simplex", "ipm"])
def test_a_program_out_of_time_leaves_a_bound_and_no_made_up_schedule(name: str, solver: str) -> None:
    rows = [(job, [1 + job % 7], {job % 4: 1 + job % 13}) for job in range(60)]
    many = parallel_tasks([1 + job % 5 for job in range(60)], rows, [[10]] * 4)
    result = solve(name, many, time_limit=1e-9, solver=solver)
    assert result.stats["lp_status"] == "time_limit"
    assert result.guarantee is None
    best = solve(name, many)
    assert 0 <= result.lower_bound <= best.value
    if result.schedule is None:
        assert (result.value, result.completion_time) == (math.inf, None)
    else:
        schedcore.validate(many, result.schedule, kind=registry.get(name).schedule_class, raise_on_error=True)
        assert result.value >= best.lower_bound
