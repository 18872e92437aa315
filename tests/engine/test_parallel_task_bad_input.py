"""Bad input of the parallel-task family gets an error that names the job or task, the value and the bound."""

import math
import re
from typing import Any

import numpy as np
import pytest

import schedcore
from parallel_task_cases import parallel_tasks, pieces
from schedcore import (
    InfeasibleError,
    InvalidInstanceError,
    ParallelTaskInstance,
    UnsupportedError,
    registry,
    solve,
)
from schedcore.bounds.parallel_tasks import relaxation_bound, solve_interval_program, solve_order_program

NAMES = [a.name for a in registry.algorithms(ParallelTaskInstance)]
PROGRAMMED = ["synchpack1", "synchpack2", "synchpack3"]
IN_INTERVALS = ["synchpack1", "synchpack2"]
IN_EPOCHS = ["synchpack2", "synchpack3"]
TETRIS = ["tetris_p", "tetris_np"]

ordinary = pytest.mark.parametrize("name", NAMES)


def instance(**changes: Any) -> ParallelTaskInstance:
    """Two jobs on two machines of 10 and 6; each task has one machine. Horizon 5, intervals 0 to 3."""
    rows = [(0, [5], {0: 4}), (0, [2], {1: 2}), (1, [10], {0: 1})]
    return parallel_tasks([1, 2], rows, [[10], [6]], **changes)


def of_two_machines() -> ParallelTaskInstance:
    """Task 0 of job 1 may run on both machines."""
    return parallel_tasks([1, 2], [(0, [5], {0: 4}), (1, [3], {0: 3, 1: 3})], [[10], [6]])


def without_placements(task: int) -> dict[str, Any]:
    start = [0, 1, 2, 3]
    start[task + 1 :] = [s - 1 for s in start[task + 1 :]]
    kept = [t for t in range(3) if t != task]
    return {
        "placement_start": start,
        "placement_machine": np.array([0, 1, 0])[kept],
        "placement_time": np.array([4, 2, 1])[kept],
    }


def constructed(**changes: Any) -> ParallelTaskInstance:
    columns = {
        "weight": [1, 2],
        "release_time": [0, 0],
        "task_job": [0, 0, 1],
        "demand": [[5], [2], [10]],
        "placement_start": [0, 1, 2, 3],
        "placement_machine": [0, 1, 0],
        "placement_time": [4, 2, 1],
        "machines": schedcore.Machines([[10], [6]]),
    }
    return ParallelTaskInstance(**{**columns, **changes})


# What is no instance never reaches an algorithm; tests/model has all of it


@pytest.mark.parametrize("task", [0, 1, 2])
def test_an_empty_placement_set_is_refused_by_task(task: int) -> None:
    with pytest.raises(InvalidInstanceError, match=rf"task row {task} has 0 machines .* at least 1"):
        constructed(**without_placements(task))


@pytest.mark.parametrize("time", [2.5, 0.5, 0, -1, math.nan, math.inf])
def test_processing_times_are_whole_numbers_of_at_least_1(time: float) -> None:
    with pytest.raises(
        InvalidInstanceError, match=rf"placement_time\[1\] = {time} .*whole number of at least 1"
    ):
        constructed(placement_time=[4, time, 1])


# What fits nowhere


@ordinary
def test_a_task_larger_than_all_its_machines_is_infeasible(name: str) -> None:
    large = parallel_tasks([1, 1], [(0, [5], {0: 1}), (1, [3], {0: 2}), (1, [7], {1: 2})], [[10], [6]])
    with pytest.raises(
        InfeasibleError, match=r"task 1 of job 1 fits none of its 1 machines: demand \[7\], capacity \[6\]"
    ):
        solve(name, large)


@pytest.mark.parametrize("bound", [solve_interval_program, solve_order_program, relaxation_bound])
def test_bounds_refuse_a_task_larger_than_all_its_machines(bound: Any) -> None:
    with pytest.raises(InfeasibleError, match="task 0 of job 0 fits none of its 1 machines"):
        bound(parallel_tasks([1], [(0, [7], {0: 1})], [[6]]))


@ordinary
def test_machines_that_are_too_small_are_passed_over(name: str) -> None:
    some = parallel_tasks([1], [(0, [7], {0: 1, 1: 9})], [[6], [10]])
    assert pieces(solve(name, some)) == [(0, 0, 1, 0.0, 9.0)]


# What an algorithm does not take


@pytest.mark.parametrize(
    ("time", "options"), [(2**40, {}), (10**10, {"lp_solution": [(0, 0, 0, 34, 10**9)]})]
)
def test_synchpack1_refuses_times_of_which_it_cannot_count_billionths(
    time: int, options: dict[str, Any]
) -> None:
    long = parallel_tasks([1], [(0, [1], {0: time})], [[1]])
    with pytest.raises(UnsupportedError, match=r"2\*\*63 units of 1e-9"):
        solve("synchpack1", long, **options)
    assert solve("synchpack2", long, **options).value == time


@pytest.mark.parametrize("name", PROGRAMMED)
def test_offline_algorithms_refuse_release_times_by_job(name: str) -> None:
    with pytest.raises(UnsupportedError, match=rf"{name} .*job 1 has the release time 3\.5"):
        solve(name, instance(release_time=[0, 3.5]))


@pytest.mark.parametrize("name", [name for name in NAMES if name not in PROGRAMMED])
def test_baselines_take_release_times(name: str) -> None:
    assert solve(name, instance(release_time=[0, 3.5])).schedule.start_time.max() >= 3.5


@pytest.mark.parametrize(
    ("name", "options"), [("psrs", {}), ("synchpack3", {}), ("synchpack3", {"online": True})]
)
def test_a_choice_of_machines_is_refused_by_task(name: str, options: dict[str, Any]) -> None:
    with pytest.raises(UnsupportedError, match=rf"{name} .*task 0 of job 1 may run on 2"):
        solve(name, of_two_machines(), **options)


def test_the_order_program_refuses_a_choice_of_machines() -> None:
    with pytest.raises(UnsupportedError, match="task 0 of job 1"):
        solve_order_program(of_two_machines())


def test_synchpack1_has_no_epochs() -> None:
    with pytest.raises(InvalidInstanceError, match="online"):
        solve("synchpack1", instance(), online=True)


# Options


@pytest.mark.parametrize("name", IN_INTERVALS)
@pytest.mark.parametrize("lam", [0, 0.0, -1, -0.5, 1e-10, 1.0000001, 2, 10**400, math.nan, math.inf])
def test_a_speed_outside_0_to_1_is_refused(name: str, lam: float) -> None:
    with pytest.raises(InvalidInstanceError, match=rf"lam = {re.escape(repr(lam))} must lie in \[1e-09, 1\]"):
        solve(name, instance(), lam=lam)


@pytest.mark.parametrize("name", IN_INTERVALS)
@pytest.mark.parametrize("lam", [[0.5], None])
def test_a_speed_is_a_word_or_a_number(name: str, lam: object) -> None:
    with pytest.raises(TypeError, match=rf'lam = {re.escape(repr(lam))} must be "derand", "random" or a'):
        solve(name, instance(), lam=lam)


@pytest.mark.parametrize("name", IN_INTERVALS)
def test_a_seed_is_at_least_0(name: str) -> None:
    with pytest.raises(InvalidInstanceError, match="seed = -1"):
        solve(name, instance(), seed=-1)


@pytest.mark.parametrize("epsilon", [0, 0.0, -1, -0.1, math.nan, math.inf])
def test_epsilon_is_finite_and_above_0(epsilon: float) -> None:
    with pytest.raises(
        InvalidInstanceError, match=rf"epsilon = {re.escape(str(epsilon))} must be finite and above 0"
    ):
        solve("synchpack1", instance(), epsilon=epsilon)


@pytest.mark.parametrize("epsilon", ["1", None, True, [1.0]])
def test_epsilon_is_a_number(epsilon: object) -> None:
    with pytest.raises(TypeError, match="epsilon"):
        solve("synchpack1", instance(), epsilon=epsilon)


def test_epsilon_that_takes_too_many_intervals_is_refused() -> None:
    with pytest.raises(InvalidInstanceError, match=r"intervals up to 5, above 20000"):
        solve("synchpack1", instance(), epsilon=1e-9)


UNKNOWN_WORDS = [
    (IN_INTERVALS, "lam", "derandom", "; did you mean 'random' or 'derand'? (choices: derand, random)"),
    (IN_INTERVALS, "lam", "best", " (choices: derand, random)"),
    (IN_INTERVALS, "cap", "tasks", "; did you mean 'task'? (choices: task, machine)"),
    (IN_INTERVALS, "cap", "job", " (choices: task, machine)"),
    (["synchpack2"], "order", "indices", "; did you mean 'index'? (choices: index, lp)"),
    (["synchpack2"], "order", "volume", " (choices: index, lp)"),
    (PROGRAMMED, "solver", "simplx", "; did you mean 'simplex'? (choices: auto, "),
    (TETRIS, "remote", "divided", "; did you mean 'divide'? (choices: divide, ten_percent)"),
    (TETRIS, "remote", "none", " (choices: divide, ten_percent)"),
    (TETRIS, "scale", "balance", "; did you mean 'balanced'? (choices: balanced)"),
    (TETRIS, "scale", "even", " (choices: balanced)"),
]


@pytest.mark.parametrize(
    ("name", "option", "wrong", "hint"),
    [(name, *words) for names, *words in UNKNOWN_WORDS for name in names],
)
def test_unknown_words_are_refused_with_those_that_come_close(
    name: str, option: str, wrong: str, hint: str
) -> None:
    with pytest.raises(InvalidInstanceError, match=re.escape(f"unknown {option} {wrong!r}{hint}")):
        solve(name, instance(), **{option: wrong})


@pytest.mark.parametrize(
    ("name", "option"),
    [
        ("synchpack1", "shift"),
        ("synchpack2", "shift"),
        ("synchpack2", "online"),
        ("synchpack3", "online"),
        ("synchpack3", "all_machines"),
    ],
)
@pytest.mark.parametrize("wrong", ["no", 0, 1, None])
def test_what_is_on_or_off_is_true_or_false(name: str, option: str, wrong: object) -> None:
    with pytest.raises(InvalidInstanceError, match=f"{option} = {wrong!r} must be True or False"):
        solve(name, instance(), **{option: wrong})


@pytest.mark.parametrize("v", [0, -0.836, math.nan, math.inf])
def test_the_patience_of_psrs_is_above_0(v: float) -> None:
    with pytest.raises(InvalidInstanceError, match=rf"v = {re.escape(str(v))}\b.*above 0"):
        solve("psrs", instance(), v=v)


@pytest.mark.parametrize("name", TETRIS)
@pytest.mark.parametrize("scale", [0, -1.0, math.nan, math.inf])
def test_a_scale_of_tetris_is_above_0(name: str, scale: float) -> None:
    with pytest.raises(InvalidInstanceError, match=rf"scale = {re.escape(str(scale))} "):
        solve(name, instance(), scale=scale)


@pytest.mark.parametrize("name", IN_EPOCHS)
@pytest.mark.parametrize(
    ("option", "wrong"),
    [
        ("tau0", 0),
        ("tau0", -1.0),
        ("tau0", math.nan),
        ("tau0", math.inf),
        ("gamma", -1.0),
        ("gamma", math.nan),
        ("beta", -0.5),
        ("beta", math.inf),
    ],
)
def test_constants_of_the_epochs_are_refused_by_name(name: str, option: str, wrong: float) -> None:
    with pytest.raises(
        InvalidInstanceError, match=rf"{option} = {re.escape(str(wrong))} must be finite and "
    ):
        solve(name, instance(), online=True, **{option: wrong})


@pytest.mark.parametrize("name", PROGRAMMED)
@pytest.mark.parametrize("limit", [0, -1.0, math.nan, math.inf])
def test_a_limit_of_time_is_finite_and_above_0(name: str, limit: float) -> None:
    with pytest.raises(
        InvalidInstanceError, match=rf"time_limit = {re.escape(str(limit))} must be finite and above 0"
    ):
        solve(name, instance(), time_limit=limit)


@pytest.mark.parametrize("name", IN_INTERVALS)
@pytest.mark.parametrize("few", [0, -1])
def test_the_program_begins_with_at_least_one_machine_a_task(name: str, few: int) -> None:
    with pytest.raises(InvalidInstanceError, match=rf"machines_per_task = {few} .*at least 1"):
        solve(name, of_two_machines(), machines_per_task=few)
