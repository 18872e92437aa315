"""Metrics of parallel tasks equal their definitions, and those of jobs where every job has one task."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parallel_task_cases import parallel_tasks, single_tasks
from reference import parallel_task_metrics as reference
from schedcore import (
    Instance,
    InvalidInstanceError,
    Jobs,
    Machines,
    ParallelTaskInstance,
    PreemptiveSchedule,
    Schedule,
    metrics,
)

# Two jobs on two machines of capacity 10. Job 0: task 0 runs on machine 0 over [0, 2) and [5, 6) and on machine 1 over
# [6, 8), task 1 on machine 1 over [0, 3). Job 1, released at 1: its task on machine 0 over [2, 5).
EXAMPLE = parallel_tasks(
    [1, 3],
    [(0, [5], {0: 5, 1: 5}), (0, [10], {1: 3}), (1, [4], {0: 3, 1: 4})],
    [[10], [10]],
    release_time=[0, 1],
    local=[[0], [1], [0]],
)
PIECES = PreemptiveSchedule(
    job=[0, 0, 0, 0, 1],
    task=[0, 0, 0, 1, 0],
    machine=[0, 0, 1, 1, 0],
    start_time=[0, 5, 6, 0, 2],
    end_time=[2, 6, 8, 3, 5],
)


def test_an_example_by_hand() -> None:
    assert metrics.task_completion_time(EXAMPLE, PIECES).tolist() == [8, 3, 5]
    assert metrics.completion_time(EXAMPLE, PIECES).tolist() == [8, 5]
    assert metrics.flow_time(EXAMPLE, PIECES).tolist() == [8, 4]
    assert metrics.synchronisation_delay(EXAMPLE, PIECES).tolist() == [2.5, 0]
    assert metrics.task_summary(EXAMPLE, PIECES) == {
        "n_jobs": 2,
        "n_tasks": 3,
        "weighted_completion_time": 23,  # 8 + 3 * 5
        "weighted_average_completion_time": 23 / 4,
        "weighted_delay": 20,  # 8 + 3 * 4
        "weighted_average_delay": 5,
        "awct": 11.5,
        "avg_response": 6,
        "makespan": 8,
        "avg_synchronisation_delay": 1.25,
        "n_preemptions": 2,  # at 2 and, with a move, at 6
        "n_migrations": 1,
        "remote_share": 2 / 11,
        "utilisation": ((5 * 5 + 10 * 3 + 4 * 3) / (20 * 8),),
    }


def test_the_share_of_many_large_machines_is_that_of_their_exact_capacity() -> None:
    inst = parallel_tasks([1], [(0, [2**53], {0: 5})], [[2**53]] * 1200)
    schedule = PreemptiveSchedule(job=[0], task=[0], machine=[0], start_time=[0], end_time=[5])
    assert metrics.task_summary(inst, schedule)["utilisation"] == (1 / 1200,)


@st.composite
def scheduled(draw: st.DrawFn) -> tuple[ParallelTaskInstance, PreemptiveSchedule]:
    """Tasks and pieces that do not overlap within a task; metrics do not ask for more."""
    n_machines, n_resources = draw(st.integers(1, 3)), draw(st.integers(1, 2))
    grain = draw(st.sampled_from([1.0, 0.25, 1 / 3]))
    task_job: list[int] = []
    for job in range(draw(st.integers(1, 4))):
        task_job += [job] * draw(st.integers(1, 3))
    n_jobs, n_tasks = task_job[-1] + 1, len(task_job)
    rows: list[tuple[int, int, int, float, float]] = []
    machines_of = []
    numbers = [task_job[:t].count(job) for t, job in enumerate(task_job)]
    for job, number in zip(task_job, numbers, strict=True):
        machines_of.append(sorted(draw(st.sets(st.integers(0, n_machines - 1), min_size=1))))
        now = 0
        for _ in range(draw(st.integers(1, 4))):
            start = now + draw(st.integers(0, 3))
            now = start + draw(st.integers(1, 5))
            rows.append((job, number, draw(st.sampled_from(machines_of[-1])), start * grain, now * grain))
    sizes = [len(machines) for machines in machines_of]
    inst = ParallelTaskInstance(
        weight=draw(st.lists(st.sampled_from([1, 2, 0.3]), min_size=n_jobs, max_size=n_jobs)),
        release_time=[0.0] * n_jobs,
        task_job=task_job,
        demand=[
            [draw(st.integers(1, 9))] + [draw(st.integers(0, 9))] * (n_resources - 1) for _ in range(n_tasks)
        ],
        placement_start=np.cumsum([0, *sizes]),
        placement_machine=[machine for machines in machines_of for machine in machines],
        placement_time=[draw(st.integers(1, 9)) for _ in range(sum(sizes))],
        placement_local=[draw(st.booleans()) for _ in range(sum(sizes))],
        machines=Machines(np.full((n_machines, n_resources), 10)),
    )
    return inst, PreemptiveSchedule(*zip(*rows, strict=True))


@given(scheduled())
def test_every_figure_equals_its_definition(case: tuple[ParallelTaskInstance, PreemptiveSchedule]) -> None:
    actual, expected = metrics.task_summary(*case), reference.task_summary(*case)
    assert list(actual) == list(expected)
    for name, value in expected.items():
        exact = tuple(map(float, value)) if name == "utilisation" else float(value)
        assert actual[name] == pytest.approx(exact, rel=1e-12, abs=1e-12), name
    ends = reference.completion_times(*case)
    assert metrics.task_completion_time(*case).tolist() == [float(ends[key]) for key in sorted(ends)]


@given(scheduled(), st.randoms(use_true_random=False))
def test_pieces_that_touch_count_as_one(
    case: tuple[ParallelTaskInstance, PreemptiveSchedule], random: Any
) -> None:
    inst, schedule = case
    cuts = [
        start + (end - start) / 2 for start, end in zip(schedule.start_time, schedule.end_time, strict=True)
    ]
    cut = PreemptiveSchedule(
        *(np.tile(column, 2) for column in (schedule.job, schedule.task, schedule.machine)),
        np.concatenate([schedule.start_time, cuts]),
        np.concatenate([cuts, schedule.end_time]),
    )
    assert metrics.preemptions(inst, cut) == metrics.preemptions(inst, schedule)
    assert metrics.migrations(inst, cut) == metrics.migrations(inst, schedule)


@given(st.lists(st.tuples(st.integers(1, 9), st.integers(0, 20), st.integers(0, 9)), min_size=1, max_size=6))
def test_jobs_of_one_task_are_measured_like_jobs(rows: list[tuple[int, int, int]]) -> None:
    processing_time, start, early = map(np.array, zip(*rows, strict=True))
    release_time = np.maximum(start - early, 0)
    n_jobs, machines = len(rows), Machines([[10]])
    jobs = Instance(
        Jobs(processing_time, np.ones((n_jobs, 1), int), release_time=release_time, weight=processing_time),
        machines,
    )
    tasks = single_tasks(
        [(p, r, 0, [1], p) for p, r in zip(processing_time.tolist(), release_time.tolist(), strict=True)],
        [[10]],
    )
    zero = np.zeros(n_jobs, int)
    pieces = PreemptiveSchedule(np.arange(n_jobs), zero, zero, start, start + processing_time)
    plan = Schedule(start.astype(float), zero)
    for measure in (
        metrics.completion_time, metrics.flow_time, metrics.weighted_completion, metrics.weighted_average_completion,
        metrics.weighted_delay, metrics.weighted_average_delay, metrics.awct, metrics.average_response_time,
        metrics.makespan,
    ):  # fmt: skip
        np.testing.assert_array_equal(measure(jobs, plan), measure(tasks, pieces))
    summary, figures = metrics.summary(jobs, plan), metrics.task_summary(tasks, pieces)
    for name in ("n_jobs", "awct", "avg_response", "makespan", "utilisation"):
        assert summary[name] == pytest.approx(figures[name])


def test_schedules_of_something_else_are_refused() -> None:
    def pieces(job: int, task: int, machine: int) -> PreemptiveSchedule:
        columns = (PIECES.job, PIECES.task, PIECES.machine, PIECES.start_time, PIECES.end_time)
        more = ([job], [task], [machine], [8], [9])
        return PreemptiveSchedule(*(np.append(a, b) for a, b in zip(columns, more, strict=True)))

    for job, task in ((2, 0), (-1, 0), (0, 2), (1, -1)):
        with pytest.raises(
            InvalidInstanceError, match=f"task {task} of job {job}, which the instance has not"
        ):
            metrics.preemptions(EXAMPLE, pieces(job, task, 0))
    with pytest.raises(InvalidInstanceError, match="task 1 of job 0 may not run on machine 0"):
        metrics.remote_share(EXAMPLE, pieces(0, 1, 0))
    of_job_0 = PreemptiveSchedule([0], [0], [0], [0], [5])
    with pytest.raises(InvalidInstanceError, match="no piece of job 1"):
        metrics.makespan(EXAMPLE, of_job_0)
    with pytest.raises(InvalidInstanceError, match="no piece of task 1 of job 0"):
        metrics.task_completion_time(EXAMPLE, of_job_0)
    with pytest.raises(TypeError, match="PreemptiveSchedule"):
        metrics.makespan(EXAMPLE, Schedule([0.0, 0.0], [0, 0]))


def test_without_jobs_every_figure_is_zero() -> None:
    empty = parallel_tasks([], [], [[10]])
    none = np.array([], int)
    figures = metrics.task_summary(empty, PreemptiveSchedule(none, none, none, [], []))
    assert figures.pop("utilisation") == (0.0,)
    assert not any(figures.values())
