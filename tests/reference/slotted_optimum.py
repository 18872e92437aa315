"""The least sum of f_j ** k of tiny instances in one dimension, by looking at everything worth doing in a slot.

In one dimension only the pool of cores matters. More work never hurts, so in a slot either all cores are used or every
task has all it can use; that leaves few enough choices for three or four jobs of a few slots. A job without tasks is
one task of one phase; reduce tasks are a phase that begins in the slot after the last map work.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

from .slotted_instance import SlottedJobs


class Task(NamedTuple):
    """A task of phase 0, 1, ... of its job."""

    job: int
    phase: int
    cores: int
    time: int


def least_flow_power_sum(jobs: SlottedJobs, k: int) -> int:
    """OPT(P1); exponential, for a few jobs."""
    tasks = [Task(j, 0, jobs.demand[j][0], p) for j, p in enumerate(jobs.processing_time)]
    return least_power_sum(jobs.release_time, tasks, jobs.total_cores, k)


def least_map_reduce_power_sum(instance: Any, k: int) -> int:
    """The same for a ``schedcore.MapReduceInstance``."""
    tasks = []
    for phase, name in enumerate(("map", "reduce")):
        columns = [getattr(instance, f"{name}_{what}").tolist() for what in ("tasks", "cores", "time")]
        for job, (n_tasks, cores, time) in enumerate(zip(*columns, strict=True)):
            tasks += [Task(job, phase, cores, time)] * n_tasks
    total = int(instance.machines.capacity.sum())
    return least_power_sum(instance.release_time.tolist(), sorted(tasks), total, k)


def least_power_sum(release: Sequence[int], tasks: Sequence[Task], total: int, k: int) -> int:
    """The least sum of (c_j - a_j) ** k; tasks are in the order of their jobs and phases."""

    @cache
    def best(slot: int, remaining: tuple[int, ...]) -> int:
        phase: dict[int, int] = {}
        for task, left in zip(tasks, remaining, strict=True):
            if left:
                phase.setdefault(task.job, task.phase)
        if not phase:
            return 0
        active = [
            n
            for n, task in enumerate(tasks)
            if remaining[n] and release[task.job] < slot and phase[task.job] == task.phase
        ]
        if not active:
            return best(min(release[job] for job in phase) + 1, remaining)
        limits = [min(tasks[n].cores, remaining[n]) for n in active]
        least = None
        for cores in splits(limits, min(total, sum(limits))):
            after = list(remaining)
            for n, amount in zip(active, cores, strict=True):
                after[n] -= amount
            unfinished = {task.job for task, left in zip(tasks, after, strict=True) if left}
            paid = sum((slot - release[job]) ** k for job in phase if job not in unfinished)
            value = paid + best(slot + 1, tuple(after))
            least = value if least is None else min(least, value)
        assert least is not None
        return least

    return best(1, tuple(task.cores * task.time for task in tasks))


def splits(limits: list[int], total: int) -> Iterator[tuple[int, ...]]:
    """All ways to give exactly `total` cores within the limits."""
    if not limits:
        if total == 0:
            yield ()
        return
    rest = sum(limits[1:])
    for first in range(max(0, total - rest), min(limits[0], total) + 1):
        for others in splits(limits[1:], total - first):
            yield (first, *others)
