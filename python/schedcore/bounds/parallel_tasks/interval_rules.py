"""What the interval-indexed programs allow: which placements in which intervals, and when a job counts as complete.

LP1 reads a fraction as done on a machine within an interval, LP2 as a task that completes on a machine within it.
Without release times they are as published, except that nothing is done in interval 0: no job counts as complete
there, so a fraction in interval 1 serves as well, and takes no capacity earlier.
"""

import numpy as np
from numpy.typing import NDArray

from schedcore.bounds.rounding import LARGEST, sum_up_to
from schedcore.model import ParallelTaskInstance

from .intervals import Intervals

__all__ = ["IntervalRules", "earliest_completion", "least_cost"]


class IntervalRules:
    """The rules of LP1, or with `doubling` of LP2, for an instance with usable placements only.

    Attributes
    ----------
    instance : ParallelTaskInstance
    intervals : Intervals
    doubling : bool
    first : (n_placements,) int64
        The first interval in which a task may be done (LP1) or complete (LP2) there; at least 1.
    earliest : (n_jobs,) float64
        Release time plus the longest of the least processing times of the tasks, rounded down; 0 where no job has a
        release time.
    """

    __slots__ = ("doubling", "earliest", "first", "instance", "intervals")

    def __init__(self, instance: ParallelTaskInstance, intervals: Intervals, *, doubling: bool) -> None:
        self.instance = instance
        self.intervals = intervals
        self.doubling = doubling
        release = instance.release_time[instance.task_job][instance.placement_task]
        if doubling:
            first = np.searchsorted(intervals.ends, _sum_below(release, instance.placement_time), "left")
        else:
            first = np.searchsorted(intervals.ends, release, "right")
        self.first: NDArray[np.int64] = np.maximum(first, 1).astype(np.int64)
        self.earliest = earliest_completion(instance) * bool(instance.release_time.any())

    def first_of_tasks(self) -> NDArray[np.int64]:
        """(n_tasks,) The first interval of each task, over its placements."""
        return np.asarray(np.minimum.reduceat(self.first, self.instance.placement_start[:-1]))

    def completion(self) -> NDArray[np.float64]:
        """(n_jobs, n_intervals) At what time a job completes at least, if it does in interval l."""
        return np.maximum(self.intervals.start_of, self.earliest[:, None])

    def room(self) -> NDArray[np.float64]:
        """(n_tasks, n_intervals) How much time a task has from its release to the end of interval l."""
        release = self.instance.release_time[self.instance.task_job]
        return np.maximum(self.intervals.ends - release[:, None], 0.0)


def least_cost(instance: ParallelTaskInstance) -> float:
    """Return the sum of w times the least completion time of each job by itself, rounded down.

    It is lowered by 2^-40, because where times are no integers a piece may lack as much of its length.
    """
    costs = np.minimum(instance.weight * earliest_completion(instance), LARGEST)
    return sum_up_to(costs) * (1 - 2.0**-40)


def earliest_completion(instance: ParallelTaskInstance) -> NDArray[np.float64]:
    """(n_jobs,) Release time plus the longest of the least processing times of the tasks, rounded down."""
    if instance.n_jobs == 0:
        return np.zeros(0)
    least = np.minimum.reduceat(instance.placement_time, instance.placement_start[:-1])
    return _sum_below(instance.release_time, np.maximum.reduceat(least, instance.task_start[:-1]))


def _sum_below(release: NDArray[np.float64], time: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return a double from just below ``release + time`` to it; the sum itself without release."""
    total = release + time
    return np.where(release > 0, np.nextafter(total, 0.0), total)
