"""What a notebook shows of a schedule and its instance: makespan, mean wait, and the use of the machines over time.

O(n_jobs * n_resources), or pieces in place of jobs; without sorting.
"""

from collections.abc import Callable

import numpy as np

from .arrays import FloatArray
from .html_text import Html, clipped, sparkline
from .instance import Instance
from .map_reduce import MapReduceInstance
from .parallel_tasks import ParallelTaskInstance
from .preemptive_schedule import PreemptiveSchedule
from .readable import SLOTS, percent, readable_time
from .runs import Runs
from .schedule import Schedule
from .time_bins import N_BINS, mean_in_bins

__all__ = ["run_facts"]


@np.errstate(all="ignore")
def run_facts(instance: object, schedule: object, runs: Runs | None) -> tuple[list[tuple[str, object]], Html]:
    """Return makespan and mean wait, and a picture of how the machines are used; what is not known is left out."""
    found = _held(instance, schedule, runs)
    if found is None:
        return [], Html("")
    inst, start, end, amounts_in = found
    ends = end[np.isfinite(end)]
    unit = SLOTS if isinstance(schedule, PreemptiveSchedule) and schedule.in_slots else None
    pairs: list[tuple[str, object]] = [("makespan", readable_time(float(ends.max(initial=0.0)), unit))]
    if isinstance(schedule, Schedule) and runs is None:
        waits = (start - inst.release_time)[np.isfinite(start)]
        if len(waits):
            pairs.append(("mean wait", readable_time(float(waits.mean()))))
    if not len(ends) or not inst.n_jobs:
        return pairs, Html("")
    work = inst.work()
    capacity = inst.machines.capacity.sum(axis=0, dtype=np.float64)
    share = np.divide(work, capacity, out=np.zeros_like(capacity), where=capacity > 0)
    resource = int(np.argmax(share))
    if not share[resource] > 0:
        return pairs, Html("")
    first, last = float(inst.release_time.min()), float(ends.max())
    used = mean_in_bins(start, end, amounts_in(resource), first, last) / capacity[resource]
    name = clipped(inst.machines.resource_names[resource])
    part = readable_time((last - first) / N_BINS, unit)
    meaning = f"use of {name} in parts of {part}: {percent(float(used.mean()))} on average; the whole height is 100 %"
    return pairs, sparkline(used.tolist(), meaning, top=1.0)


_Held = tuple[
    Instance | ParallelTaskInstance | MapReduceInstance, FloatArray, FloatArray, Callable[[int], FloatArray]
]


def _held(instance: object, schedule: object, runs: Runs | None) -> _Held | None:
    """From when to when amounts are held, and how much of a resource; None where that is not known."""
    if isinstance(instance, Instance) and isinstance(schedule, Schedule):
        if len(schedule) != instance.n_jobs:
            return None
        jobs = instance.jobs

        def of_jobs(resource: int) -> FloatArray:
            held = jobs.demand[:, resource].astype(np.float64)
            held = held * jobs.n_tasks if jobs.uses("n_tasks") else held
            return held if runs is None else held[runs.job]

        if runs is not None:
            return instance, runs.start_time, runs.end_time, of_jobs
        return instance, schedule.start_time, schedule.start_time + instance.processing_time, of_jobs
    if isinstance(schedule, PreemptiveSchedule) and isinstance(
        instance, Instance | ParallelTaskInstance | MapReduceInstance
    ):
        if not _are_of(schedule, instance):
            return None

        def of_pieces(resource: int) -> FloatArray:
            return instance.held_amounts(schedule, resource).astype(np.float64)

        return instance, schedule.start_time, schedule.end_time, of_pieces
    return None


def _are_of(
    schedule: PreemptiveSchedule, instance: Instance | ParallelTaskInstance | MapReduceInstance
) -> bool:
    """Whether the amounts of the pieces can be looked up."""
    if not bool(((schedule.job >= 0) & (schedule.job < instance.n_jobs)).all()):
        return False
    if not isinstance(instance, ParallelTaskInstance):
        return schedule.in_slots
    task = instance.task_start[schedule.job] + schedule.task
    return bool(((task >= 0) & (task < instance.n_tasks)).all())
