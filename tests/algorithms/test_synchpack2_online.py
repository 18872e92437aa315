"""SynchPack-2 in epochs: what starts when, what runs on, and which solutions belong to which epoch."""

import itertools

import numpy as np
import pytest

from parallel_task_cases import drawn_tasks, single_tasks
from schedcore.algorithms.parallel_tasks.synchpack2 import synchpack2
from schedcore.bounds.parallel_tasks import WHOLE_TASK
from schedcore.errors import InvalidInstanceError
from schedcore.model import ParallelTaskInstance, validate

EQUAL_EPOCHS = {"online": True, "gamma": 0.0, "beta": 0.0}


def on_one_machine(jobs: list[tuple[float, float, int, int]], capacity: int = 10) -> ParallelTaskInstance:
    """Jobs of one task: (weight, release time, size, processing time)."""
    return single_tasks([(w, release, 0, [size], time) for w, release, size, time in jobs], [[capacity]])


def test_a_started_task_runs_to_its_end_and_idle_epochs_are_passed_over() -> None:
    # Epochs of length 2: job 0 runs [0, 3); job 1 arrives at 1 and takes part from 2 on; job 2 arrives at 7.
    instance = on_one_machine([(1, 0, 10, 3), (10, 1, 10, 1), (1, 7, 10, 1)])
    result = synchpack2(instance, tau0=2, **EQUAL_EPOCHS)
    assert result.completion_time.tolist() == [3, 4, 9]
    epochs = [(epoch["start"], epoch["end"], epoch["n_started"]) for epoch in result.stats["epochs"]]
    assert epochs == [(0, 2, 1), (2, 4, 1), (8, 10, 1)]
    # each on its own, from the start of the epoch on
    for epoch, value in zip(result.stats["epochs"], [3, 10, 1], strict=True):
        assert 0 < epoch["lower_bound"] <= value


def test_a_task_that_would_start_with_the_next_epoch_waits_for_its_plan() -> None:
    # Job 0 holds the machine until 4, where the second epoch ends.
    instance = on_one_machine([(1, 0, 10, 4), (1, 1, 10, 1)])
    result = synchpack2(instance, tau0=2, **EQUAL_EPOCHS)
    assert result.completion_time.tolist() == [4, 5]
    assert [epoch["n_started"] for epoch in result.stats["epochs"]] == [1, 0, 1]


def test_planned_tasks_fill_the_room_beside_running_ones() -> None:
    # Job 0 holds 6 of 10 until 8. From 2 on job 1 (6 units) has to wait, job 2 (4 units) has not.
    instance = on_one_machine([(1, 0, 6, 8), (9, 1, 6, 1), (1, 1, 4, 3)])
    result = synchpack2(instance, tau0=2, **EQUAL_EPOCHS)
    assert result.completion_time.tolist() == [8, 9, 5]


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("tau0", [1, 3, None])
def test_schedules_are_valid_and_bounded(seed: int, tau0: float | None) -> None:
    instance = drawn_tasks(seed, last_release=12)
    result = synchpack2(instance, online=True, tau0=tau0)
    validate(instance, result.schedule, kind="nonpreempt", raise_on_error=True)
    epochs = result.stats["epochs"]
    assert sum(epoch["n_started"] for epoch in epochs) == instance.n_tasks
    assert all(first["end"] <= then["start"] for first, then in itertools.pairwise(epochs))
    first_boundary = np.array([epoch["start"] for epoch in epochs])
    released = instance.release_time[result.schedule.job]
    for start, release in zip(result.schedule.start_time, released, strict=True):
        assert any(release <= boundary <= start for boundary in first_boundary)
    assert result.lower_bound <= result.value
    assert result.stats["lp_status"] == "optimal"


def test_given_solutions_belong_to_active_epochs() -> None:
    instance = on_one_machine([(1, 0, 10, 3), (10, 1, 10, 1), (1, 7, 10, 1)])
    # All in the indices of the instance; what has started or is not released does not count, right or wrong.
    first = [[0, 0, 0, 2, WHOLE_TASK], [1, 0, 0, 0, 5], [2, 0, 0, 70, 1]]
    second = [[0, 0, 0, 0, 1], [1, 0, 0, 1, WHOLE_TASK]]
    third = [[2, 0, 0, 0, WHOLE_TASK]]
    options = {"tau0": 2, **EQUAL_EPOCHS}
    result = synchpack2(instance, lp_solution=[first, second, third], **options)
    assert result.completion_time.tolist() == [3, 4, 9]
    assert result.lower_bound is None
    assert result.stats["lp_status"] == "given"
    assert [epoch["lower_bound"] for epoch in result.stats["epochs"]] == [None] * 3
    with pytest.raises(InvalidInstanceError, match="2 entries; the epoch from 8 on has jobs to plan"):
        synchpack2(instance, lp_solution=[first, second], **options)
    with pytest.raises(InvalidInstanceError, match="4 entries; only 3 epochs have jobs"):
        synchpack2(instance, lp_solution=[first, second, third, third], **options)
    with pytest.raises(InvalidInstanceError, match="task 0 of job 1 0 units"):
        synchpack2(instance, lp_solution=[first, first[:1], third], **options)


def test_progress_counts_started_tasks() -> None:
    instance = on_one_machine([(1, 0, 10, 4), (1, 1, 10, 1)])
    seen: list[tuple[int, int]] = []
    synchpack2(instance, tau0=2, progress=lambda done, total: seen.append((done, total)), **EQUAL_EPOCHS)
    assert seen == [(1, 2), (1, 2), (2, 2)]
