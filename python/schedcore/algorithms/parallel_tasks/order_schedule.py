"""From an order of jobs to pieces: preemptive list scheduling on every machine by itself.

The list of a machine holds its unfinished tasks by the position of their job, then by number. Whenever a task of the
machine ends all of them are stopped and the list is scanned from the top: each task runs that fits beside those chosen
before it. The scans run in ``src/cpp/parallel_tasks/preemptive_list``; times are whole numbers, and nothing is rounded.
"""

import numpy as np
from numpy.typing import NDArray

from schedcore import _core
from schedcore.model import ParallelTaskInstance
from schedcore.model.kernel_columns import kernel_columns
from schedcore.parameters import Progress

from .task_result import Pieces

__all__ = ["OrderSchedule", "completion_order"]

_PER_UNIT = 1e6  # completion times of the program that round to the same millionth are ties
_ALL_WHOLE = 2.0**53  # from here on all of them are whole numbers, so that none tie but equals


def completion_order(completion: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return positions by ascending completion time, taken to a millionth; ties by position."""
    millionths = np.floor(np.minimum(completion, _ALL_WHOLE) * _PER_UNIT + 0.5)
    return np.lexsort((np.maximum(completion, _ALL_WHOLE), millionths)).astype(np.int64)


class OrderSchedule:
    """Tasks of one machine each, run by lists from time to time: `remaining` is what is left of each task row."""

    def __init__(self, instance: ParallelTaskInstance) -> None:
        self._task_job = instance.task_job
        self._n_jobs = instance.n_jobs
        self._columns = kernel_columns(instance)
        self.remaining = instance.placement_time

    def run(
        self, tasks: NDArray[np.int64], job_order: NDArray[np.int64], start: int, end: int, progress: Progress
    ) -> Pieces:
        """Run these task rows, none of which is finished, during [start, end); `job_order` has their jobs.

        ``start + remaining[tasks].sum()`` may be 2**53 at most.
        """
        position = np.zeros(self._n_jobs, dtype=np.int64)
        position[job_order] = np.arange(len(job_order))
        in_order = tasks[np.argsort(position[self._task_job[tasks]], kind="stable")]
        pieces, self.remaining = _core.parallel_tasks.preemptive_list_schedule(
            self._columns, in_order, self.remaining, start, end, progress
        )
        return pieces
