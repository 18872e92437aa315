"""Tetris for parallel tasks: its scales, and what it refuses."""

import numpy as np
import pytest
from hypothesis import given

import schedcore
from parallel_task_cases import (
    FOUR_TASKS,
    parallel_tasks,
    pieces,
    single_tasks,
)
from properties.parallel_task_instances import parallel_task_instances

FORMS = [("tetris_p", "preempt"), ("tetris_np", "nonpreempt")]


def test_a_late_job_interrupts_only_the_preemptive_form() -> None:
    # At time 1 job 1 has the higher score (weight 100) and fits only alone; job 0 has 3 of 4 left.
    rows = [(0, [6], {0: 4}), (1, [10], {0: 2})]
    instance = parallel_tasks([1, 100], rows, [[10]], release_time=[0, 1])
    assert sorted(pieces(schedcore.solve("tetris_p", instance))) == [
        (0, 0, 0, 0, 1),
        (0, 0, 0, 3, 6),
        (1, 0, 0, 1, 3),
    ]
    assert sorted(pieces(schedcore.solve("tetris_np", instance))) == [(0, 0, 0, 0, 4), (1, 0, 0, 4, 6)]


def test_the_scale_decides_between_size_and_volume() -> None:
    # Job 0: size 10, p 8, R = 8. Job 1: size 1, p 1, R = 0.1. Fit 1 and 0.1; second terms 1/(8e) and 10/e.
    rows = [(0, [10], {0: 8}), (1, [1], {0: 1})]
    instance = parallel_tasks([1, 1], rows, [[10]])
    by_size = schedcore.solve("tetris_np", instance, scale=1000.0)
    by_volume = schedcore.solve("tetris_np", instance, scale=1)
    assert by_size.completion_time.tolist() == [8, 9]
    assert by_volume.completion_time.tolist() == [9, 1]


def test_the_remote_penalty_counts_in_the_way_that_is_asked_for() -> None:
    # Task 0 is remote on the only machine: (1.0 + 1/10)/4 = 0.275 is below (0.5 + 1/5)/1 = 0.7, 0.9 * 1.1 is not.
    rows = [(0, [10], {0: 10}), (1, [5], {0: 10})]
    instance = parallel_tasks([1, 1], rows, [[10]], local=[[], [0]], remote_penalty=4)
    divided = schedcore.solve("tetris_np", instance, scale=1)
    lowered = schedcore.solve("tetris_np", instance, scale=1, remote="ten_percent")
    assert divided.completion_time.tolist() == [20, 10]
    assert lowered.completion_time.tolist() == [10, 20]


@pytest.mark.parametrize(("name", "kind"), FORMS)
@given(instance=parallel_task_instances(releases=("zero", "whole", "quarters"), max_resources=3))
def test_schedules_are_valid_in_their_class(
    name: str, kind: str, instance: schedcore.ParallelTaskInstance
) -> None:
    for options in ({}, {"scale": 1.0}, {"remote": "ten_percent"}):
        result = schedcore.solve(name, instance, **options)
        report = schedcore.validate(result.instance, result.schedule, kind=kind)
        assert report, report.message


@given(instance=parallel_task_instances(releases=("zero", "whole", "quarters")))
def test_no_task_waits_where_it_fits(instance: schedcore.ParallelTaskInstance) -> None:
    """Non-idling: just before a task starts, it did not fit on any of its machines."""
    result = schedcore.solve("tetris_np", instance)
    schedule = result.schedule
    task_start = instance.task_start
    row = task_start[schedule.job] + schedule.task
    for t in range(instance.n_tasks):
        start = float(schedule.start_time[row == t][0])
        release = float(instance.release_time[instance.task_job[t]])
        first, last = instance.placement_start[t : t + 2]
        for machine in instance.placement_machine[first:last]:
            capacity = instance.machines.capacity[machine]
            if (instance.demand[t] > capacity).any():
                continue
            events = [release, *schedule.end_time.tolist()]
            for instant in (e for e in events if release <= e < start):
                holds = (schedule.machine == machine) & (schedule.start_time <= instant)
                holds &= schedule.end_time > instant
                used = instance.demand[row[holds]].sum(axis=0)
                assert (used + instance.demand[t] > capacity).any()


@pytest.mark.parametrize("name", ["tetris_p", "tetris_np"])
def test_a_scale_is_a_number_or_a_word(name: str) -> None:
    instance = single_tasks(FOUR_TASKS, [[10]])
    for scale in (True, None, [1.0]):
        with pytest.raises(TypeError, match="scale"):
            schedcore.solve(name, instance, scale=scale)
    assert schedcore.solve(name, instance, scale=np.float64(2)).value > 0


@pytest.mark.parametrize("name", ["tetris_p", "tetris_np", "jsq_mw"])
def test_progress_counts_the_tasks(name: str) -> None:
    rows = [(j, [10], {0: 1}) for j in range(20_000)]
    instance = parallel_tasks([1.0] * 20_000, rows, [[10]], release_time=list(range(20_000)))
    seen: list[tuple[int, int]] = []
    result = schedcore.solve(name, instance, progress=lambda done, total: seen.append((done, total)))
    assert result.completion_time.tolist() == list(range(1, 20_001))
    assert all(0 <= done <= total == 20_000 for done, total in seen)
