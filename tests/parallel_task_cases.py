"""Instances of parallel-task jobs written down task by task, schedules read back as rows, and the shared examples."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

import schedcore

Row = tuple[int, Sequence[int], Mapping[int, int]]  # job, demand, {machine: processing time}
# weight, release time, machine, demand, processing time
Single = tuple[float, float, int, Sequence[int], int]


def parallel_tasks(
    weight: Sequence[float],
    rows: Sequence[Row],
    capacity: Sequence[Sequence[int]],
    *,
    release_time: Sequence[float] | None = None,
    local: Sequence[Sequence[int]] | None = None,
    remote_penalty: float = 1.0,
) -> schedcore.ParallelTaskInstance:
    """The instance with these tasks; `local` holds the local machines of each task."""
    flags = None
    if local is not None:
        flags = np.array(
            [i in own for (_, _, time), own in zip(rows, local, strict=True) for i in sorted(time)],
            dtype=np.bool_,
        )
    return schedcore.ParallelTaskInstance(
        weight=list(weight),
        release_time=[0.0] * len(weight) if release_time is None else list(release_time),
        task_job=np.array([job for job, _, _ in rows], dtype=np.int64),
        demand=np.array([list(demand) for _, demand, _ in rows], dtype=np.int64).reshape(
            len(rows), len(capacity[0])
        ),
        placement_start=np.cumsum([0, *(len(time) for _, _, time in rows)]),
        placement_machine=np.array([i for _, _, time in rows for i in sorted(time)], dtype=np.int64),
        placement_time=np.array([time[i] for _, _, time in rows for i in sorted(time)], dtype=np.int64),
        placement_local=flags,
        machines=schedcore.Machines([list(row) for row in capacity]),
        remote_penalty=remote_penalty,
    )


def single_tasks(rows: Sequence[Single], capacity: Sequence[Sequence[int]]) -> schedcore.ParallelTaskInstance:
    """Jobs of one task on one machine each."""
    return parallel_tasks(
        [row[0] for row in rows],
        [(job, demand, {machine: time}) for job, (_, _, machine, demand, time) in enumerate(rows)],
        capacity,
        release_time=[row[1] for row in rows],
    )


def drawn_tasks(seed: int, n_resources: int = 1, *, last_release: int = 0) -> schedcore.ParallelTaskInstance:
    """Up to five jobs of one to three tasks, each for some of up to three machines; released up to `last_release`."""
    random = np.random.default_rng(seed)
    n_jobs, n_machines = int(random.integers(1, 6)), int(random.integers(1, 4))
    capacity = random.integers(8, 12, (n_machines, n_resources)).tolist()
    rows: list[Row] = []
    for job in range(n_jobs):
        for _ in range(random.integers(1, 4)):
            own = random.permutation(n_machines)[: random.integers(1, n_machines + 1)].tolist()
            demand = random.integers(1, 9, n_resources).tolist()
            rows.append((job, demand, {machine: int(random.integers(1, 9)) for machine in own}))
    return parallel_tasks(
        random.integers(1, 6, n_jobs).tolist(),
        rows,
        capacity,
        release_time=(random.integers(0, 2 * last_release + 1, n_jobs) / 2).tolist(),
    )


def pieces(result: Any) -> list[tuple[int, int, int, float, float]]:
    """The pieces of a result in the order of its schedule: job, task, machine, start, end."""
    schedule = result.schedule
    columns = (schedule.job, schedule.task, schedule.machine, schedule.start_time, schedule.end_time)
    return list(zip(*(column.tolist() for column in columns), strict=True))


def same_jobs(one: schedcore.ParallelTaskInstance, other: schedcore.ParallelTaskInstance) -> bool:
    """Whether jobs have the same tasks of the same sizes and shortest processing times."""
    return (
        np.array_equal(one.task_job, other.task_job)
        and np.array_equal(one.demand, other.demand)
        and np.array_equal(shortest(one), shortest(other))
    )


def shortest(instance: schedcore.ParallelTaskInstance) -> NDArray[np.int64]:
    return np.minimum.reduceat(instance.placement_time, instance.placement_start[:-1])


#: Jobs of one task for a machine of 10: sizes 4, 3, 8, 2.
FOUR_TASKS: list[Single] = [
    (40.0, 0.0, 0, [4], 10),
    (12.0, 0.0, 0, [3], 4),
    (8.0, 0.0, 0, [8], 2),
    (1.0, 0.0, 0, [2], 3),
]

#: Two machines of 10, one machine a task. J0 (weight 1): 6 for 4 on m0, 5 for 1 on m1; J1 (3): 5 for 2 on m0, 10 for 2
#: on m1; J2 (1): 4 for 3 on m0.
THREE_PINNED_JOBS = parallel_tasks(
    [1, 3, 1],
    [(0, [6], {0: 4}), (0, [5], {1: 1}), (1, [5], {0: 2}), (1, [10], {1: 2}), (2, [4], {0: 3})],
    [[10], [10]],
)

#: Two machines of 10. J0 is local to m0, J1 to m1; elsewhere their tasks take twice as long.
TWO_JOBS_WITH_LOCAL_MACHINES = parallel_tasks(
    [1, 1],
    [
        (0, [6], {0: 2, 1: 4}),
        (0, [6], {0: 3, 1: 6}),
        (0, [5], {0: 2, 1: 4}),
        (1, [5], {0: 6, 1: 3}),
        (1, [4], {0: 4, 1: 2}),
    ],
    [[10], [10]],
    local=[[0], [0], [0], [1], [1]],
    remote_penalty=2,
)
