"""What an interval-indexed program says about the tasks, in whole units: the only thing that later steps look at.

A fraction is the part of a task that an interval does on a machine, in units of 1e-9; the units of a task sum to
exactly 10**9. So all that follows the program is exact, and a function of these numbers alone. Values of a solver
become units by rounding, dropping what is below 1e-7, and giving what is missing to the largest fraction of the task.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from schedcore.model import ParallelTaskInstance

from .intervals import Intervals

__all__ = ["WHOLE_TASK", "TaskFractions", "cleaned", "lp_completion", "progress"]

WHOLE_TASK = 10**9  # units
_SMALLEST = 100  # units; less than that is noise of the solver


class TaskFractions(NamedTuple):
    """The fractions of all tasks, one entry each, sorted by (task, interval, machine).

    Attributes
    ----------
    task, machine, interval : (n_fractions,) int64
        The task is a row of the instance.
    units : (n_fractions,) int64
        Above 0; 10**9 for each task in total.
    """

    task: NDArray[np.int64]
    machine: NDArray[np.int64]
    interval: NDArray[np.int64]
    units: NDArray[np.int64]

    def sorted(self) -> "TaskFractions":
        """Return the same fractions in their order."""
        order = np.lexsort((self.machine, self.interval, self.task))
        return TaskFractions(*(column[order] for column in self))


def cleaned(
    task: NDArray[np.int64],
    machine: NDArray[np.int64],
    interval: NDArray[np.int64],
    value: NDArray[np.float64],
    n_tasks: int,
) -> TaskFractions | None:
    """Return the fractions that values of a solver stand for; None if all values of some task are below 1e-7.

    Parameters
    ----------
    task, machine, interval : (n_values,) int64
        No triple twice.
    value : (n_values,) float64
        What part of the task is done there.
    n_tasks : int

    Notes
    -----
    What is missing goes to the largest fraction; among equal ones to that of the first interval, then machine.
    O(n_values log n_values).
    """
    units = np.rint(value * WHOLE_TASK).astype(np.int64)
    kept = units >= _SMALLEST
    fractions = TaskFractions(task[kept], machine[kept], interval[kept], units[kept]).sorted()
    first = np.searchsorted(fractions.task, np.arange(n_tasks + 1))
    if not np.diff(first).all():
        return None
    if n_tasks == 0:
        return fractions
    # stable: of equal units the first in (interval, machine) comes first
    largest = np.lexsort((-fractions.units, fractions.task))[first[:-1]]
    fractions.units[largest] += WHOLE_TASK - np.add.reduceat(fractions.units, first[:-1])
    return fractions


def progress(instance: ParallelTaskInstance, fractions: TaskFractions, n_intervals: int) -> NDArray[np.int64]:
    """Return F: (n_jobs, n_intervals) units of every task of job j that are done by the end of interval l, at least.

    F_j(0) = 0, since no job may count as complete in interval 0.

    Notes
    -----
    O(n_tasks * n_intervals) time and memory.
    """
    if instance.n_jobs == 0:
        return np.zeros((0, n_intervals), dtype=np.int64)
    done = np.zeros((instance.n_tasks, n_intervals), dtype=np.int64)
    np.add.at(done, (fractions.task, fractions.interval), fractions.units)
    np.cumsum(done, axis=1, out=done)
    least = np.minimum.reduceat(done, instance.task_start[:-1], axis=0)
    least[:, 0] = 0
    return least


def lp_completion(
    instance: ParallelTaskInstance, fractions: TaskFractions, intervals: Intervals
) -> NDArray[np.float64]:
    """Return Ctilde: (n_jobs,) sum over l >= 1 of d_{l-1} (F_j(l) - F_j(l-1)), added in this order.

    Notes
    -----
    Exact for epsilon = 1 until the last division, if no d_l exceeds 2**23; otherwise each step is rounded.
    """
    steps = np.diff(progress(instance, fractions, intervals.n_intervals), axis=1)
    units = np.zeros(instance.n_jobs)
    for start, done in zip(intervals.ends[:-1], steps.T, strict=True):
        units += start * done
    return units / WHOLE_TASK
