"""Runs in epochs that cannot be exact or would not end are refused, and numbers beyond all bounds are, in short."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import schedcore
from parallel_task_cases import drawn_tasks, parallel_tasks, single_tasks
from schedcore import InvalidInstanceError, UnsupportedError, solve
from schedcore.algorithms.parallel_tasks import epochs
from schedcore.algorithms.parallel_tasks.synchpack3_online import Synchpack3Parameters, ordered
from schedcore.bounds.parallel_tasks import solve_order_program

IN_EPOCHS = ["synchpack2", "synchpack3"]
in_epochs = pytest.mark.parametrize("name", IN_EPOCHS)


def two_jobs(second_release: float, first: int, second: int) -> schedcore.ParallelTaskInstance:
    """Each job needs the only machine for itself; the first is there at 0."""
    return single_tasks([(1.0, 0.0, 0, [1], first), (1.0, second_release, 0, [1], second)], [[1]])


# Times that float64 holds


@in_epochs
@pytest.mark.parametrize(
    ("tau0", "times"),
    [
        (1e17, (5, 3)),  # the second job would have to wait until 1e17
        (1e300, (5, 3)),
        (8e15, (1, 2 * 10**15)),  # and here run until 1e16
    ],
)
def test_no_task_ends_later_than_float64_holds_whole_numbers(
    name: str, tau0: float, times: tuple[int, int]
) -> None:
    with pytest.raises(UnsupportedError, match=r"2\*\*53.*choose a smaller tau0"):
        solve(name, two_jobs(1.0, *times), online=True, tau0=tau0, gamma=0)


def test_times_up_to_the_last_whole_numbers_that_float64_holds_are_fine() -> None:
    # The first job runs [0, 6e15), on into the epoch from 2**52 on; the second follows it.
    instance = two_jobs(1.0, 6 * 10**15, 2**53 - 6 * 10**15 - 1)
    result = solve("synchpack2", instance, online=True, tau0=2.0**51, gamma=0)
    assert result.completion_time.tolist() == [6e15, 2**53 - 1]


@in_epochs
def test_an_endless_epoch_is_fine_where_all_jobs_begin_with_it(name: str) -> None:
    result = solve(name, two_jobs(0.0, 5, 3), online=True, tau0=1e300, gamma=0)
    assert sorted(result.completion_time.tolist()) == [3, 8]
    assert len(result.stats["epochs"]) == 1


# Numbers of epochs


@in_epochs
def test_a_run_of_far_too_many_epochs_is_refused_at_once(name: str) -> None:
    # By default tau0 is five gaps of 0.5: 2.5, rounded to 3.
    with pytest.raises(
        UnsupportedError, match=r"tau0 = 2\.5 epochs last 3 at most.*choose a tau0 above [12]\.\de\+06"
    ):
        solve(name, two_jobs(0.5, 2**40, 2**40 - 7), online=True)


@in_epochs
def test_the_tau0_that_the_message_names_will_do(name: str) -> None:
    result = solve(name, two_jobs(0.5, 2**40, 2**40 - 7), online=True, tau0=1e10)
    assert result.completion_time.max() <= 2**41 + 1e10


@in_epochs
def test_epochs_with_work_are_counted(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # One job after the other: the instance has little work for each machine, and one epoch for each job.
    instance = single_tasks([(1.0, 10.0 * job, job, [1], 1) for job in range(6)], [[1]] * 6)
    options: dict[str, Any] = {"online": True, "tau0": 2, "gamma": 0}
    assert len(solve(name, instance, **options).stats["epochs"]) == 6
    monkeypatch.setattr(epochs, "MOST_EPOCHS", 6)
    assert solve(name, instance, **options).schedule is not None
    monkeypatch.setattr(epochs, "MOST_EPOCHS", 5)
    with pytest.raises(UnsupportedError, match="6 of them or more have work, above 5"):
        solve(name, instance, **options)


@in_epochs
@pytest.mark.parametrize("seed", range(30))
def test_no_run_is_refused_that_has_few_enough_epochs(
    name: str, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = drawn_tasks(seed, n_resources=1 + seed % 2, last_release=12)
    first = drawn.placement_start[:-1]
    instance = parallel_tasks(
        drawn.weight.tolist(),
        [
            (int(job), demand.tolist(), {int(drawn.placement_machine[at]): int(drawn.placement_time[at])})
            for job, demand, at in zip(drawn.task_job, drawn.demand, first, strict=True)
        ],
        drawn.machines.capacity.tolist(),
        release_time=drawn.release_time.tolist(),
    )
    options: dict[str, Any] = {"online": True, "tau0": 1 + seed % 3, "gamma": 0}
    free = solve(name, instance, **options)
    monkeypatch.setattr(epochs, "MOST_EPOCHS", len(free.stats["epochs"]))
    assert solve(name, instance, **options).value == free.value


# An epoch with one job needs no program


@pytest.mark.parametrize("n_resources", [1, 3])
@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("all_machines", [False, True])
def test_the_bound_of_an_only_job_is_that_of_its_program(
    n_resources: int, seed: int, all_machines: bool
) -> None:
    random = np.random.default_rng(seed)
    demand = random.integers(0, 9, (7, n_resources))
    demand[:, 0] = np.maximum(demand[:, 0], 1)
    rows = [
        (job, own.tolist(), {int(random.integers(3)): int(random.integers(1, 9))})
        for job, own in zip((0, 1, 1, 1, 1, 1, 2), demand, strict=True)
    ]
    instance = parallel_tasks(
        random.uniform(0.1, 5, 3).tolist(), rows, [[8 + i] * n_resources for i in range(3)]
    )
    tasks = np.arange(1, 6)
    remaining = random.integers(1, instance.placement_time[1:6] + 1)
    parameters = Synchpack3Parameters(all_machines=all_machines)
    found = ordered(instance, parameters, tasks, remaining, None, 0)
    part, jobs = instance.take_tasks(tasks, placement_time=remaining)
    solution = solve_order_program(part, all_machines=all_machines)
    assert (found.jobs.tolist(), found.status) == (jobs.tolist(), solution.status)  # type: ignore[union-attr]
    assert found.bound == pytest.approx(solution.bound, rel=1e-9)
    assert solution.completion is not None
    assert found.bound is not None
    assert found.bound <= float(part.weight @ solution.completion) * (1 + 1e-15)


# Options


@pytest.mark.parametrize("online", [False, True])
@pytest.mark.parametrize(("option", "wrong"), [("tau0", -1), ("gamma", math.nan), ("beta", -math.inf)])
@in_epochs
def test_constants_of_epochs_are_checked_online_and_offline(
    name: str, option: str, wrong: Any, online: bool
) -> None:
    with pytest.raises(InvalidInstanceError, match=f"{option} = {wrong} must be finite and "):
        solve(name, two_jobs(0.0, 5, 3), online=online, **{option: wrong})


@in_epochs
@pytest.mark.parametrize("online", [False, True])
def test_options_of_the_solver_are_checked_where_nothing_is_solved(name: str, online: bool) -> None:
    # one job: SynchPack-3 orders it without a program
    only = single_tasks([(1.0, 0.0, 0, [1], 4)], [[1]])
    with pytest.raises(InvalidInstanceError, match="unknown solver 'simplx'; did you mean 'simplex'"):
        solve(name, only, online=online, solver="simplx")
    with pytest.raises(InvalidInstanceError, match="time_limit = 0 must be finite and above 0"):
        solve(name, only, online=online, time_limit=0)


LARGE = [10**400, 10**5000, Fraction(10**400, 3), Fraction(1, 10**400), -(10**400)]


@pytest.mark.parametrize("value", LARGE, ids=["1e400", "1e5000", "a third of it", "1e-400", "-1e400"])
@pytest.mark.parametrize(
    ("name", "option"),
    [
        *((name, option) for name in IN_EPOCHS for option in ("tau0", "gamma", "beta")),
        ("synchpack1", "epsilon"),
        ("psrs", "v"),
        ("tetris_p", "scale"),
        ("tetris_np", "scale"),
    ],
)
def test_numbers_that_float64_does_not_hold_are_refused_in_short(name: str, option: str, value: Any) -> None:
    if option in ("gamma", "beta") and 0 < value < 1:
        assert solve(name, two_jobs(0.0, 5, 3), **{option: value}).schedule is not None  # as good as 0
        return
    with pytest.raises(InvalidInstanceError, match=f"^{option} = ") as caught:
        solve(name, two_jobs(0.0, 5, 3), **{option: value})
    assert len(str(caught.value)) < 160


def test_a_long_fraction_for_v_is_refused_in_short() -> None:
    with pytest.raises(InvalidInstanceError, match=r"v = 1000.*below 2\*\*31") as caught:
        solve("psrs", two_jobs(0.0, 5, 3), v=Fraction(10**200 + 1, 10**200))
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize(
    ("name", "option"),
    [
        *((name, option) for name in IN_EPOCHS for option in ("tau0", "gamma", "beta")),
        ("synchpack1", "epsilon"),
        ("psrs", "v"),
        ("tetris_p", "scale"),
    ],
)
@pytest.mark.parametrize("value", [[1.0], True, 1j, b"1", {}])
def test_what_is_no_number_is_refused_by_the_name_of_its_option(name: str, option: str, value: Any) -> None:
    with pytest.raises(TypeError, match=f"^{option} must be .*a number, not|^{option} must be a number"):
        solve(name, two_jobs(0.0, 5, 3), **{option: value})


@pytest.mark.parametrize(
    ("name", "option"),
    [("tetris_p", "remote"), ("tetris_np", "remote"), ("synchpack2", "cap"), ("synchpack2", "order")],
)
@pytest.mark.parametrize("value", [None, 3, True, ["divide"], b"task", {}])
def test_what_is_no_word_is_refused_by_the_name_of_its_option(name: str, option: str, value: Any) -> None:
    with pytest.raises(InvalidInstanceError, match=f"^unknown {option} .*choices: "):
        solve(name, two_jobs(0.0, 5, 3), **{option: value})


def test_without_jobs_there_are_no_epochs() -> None:
    for name in IN_EPOCHS:
        assert solve(name, parallel_tasks([], [], [[1]]), online=True).stats["epochs"] == []
