"""From the fractions of LP2 to one piece a task: all of SynchPack-2 that follows its linear program.

Fractions are slowed down by lambda, every task is mapped to one machine and interval by a bipartite matching, and each
machine packs its intervals greedily, one batch after the other. The kernels in ``src/cpp`` count in whole numbers, so
that nothing is rounded and the plan is a function of the fractions alone.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from schedcore import _core
from schedcore.bounds.parallel_tasks import WHOLE_TASK, Intervals, TaskFractions, progress
from schedcore.metrics.exact_sums import exact_dot
from schedcore.model import ParallelTaskInstance
from schedcore.model.kernel_columns import kernel_columns

from .task_result import Pieces

__all__ = ["BatchPlan", "batch_plan"]


class BatchPlan(NamedTuple):
    """A place for every task, and when it runs if nothing else is on the machines.

    Attributes
    ----------
    pieces : columns task, machine, start, end
    machine_of_task, interval_of_task : (n_tasks,) int64
    lambda_units : int
        Lambda in units of 1e-9.
    proxy : float
        Sum of weight x start of the interval in which the fraction lambda of the job is done, / lambda.
    """

    pieces: Pieces
    machine_of_task: NDArray[np.int64]
    interval_of_task: NDArray[np.int64]
    lambda_units: int
    proxy: float


def batch_plan(
    instance: ParallelTaskInstance,
    fractions: TaskFractions,
    intervals: Intervals,
    *,
    lambda_units: int | None,
    cap: str,
    order: str,
) -> BatchPlan:
    """Make the plan; `lambda_units` None takes the lambda of the smallest proxy, the largest of several.

    Notes
    -----
    For 10,000 tasks with 13 machines each some tenths of a second, most of it for progress and mapping.
    """
    done = progress(instance, fractions, intervals.n_intervals)
    if lambda_units is None:
        lambda_units = _core.parallel_tasks.lambda_of_smallest_proxy(done, instance.weight)
    columns = kernel_columns(instance)
    capped = _core.parallel_tasks.cap_fractions(*fractions, lambda_units=lambda_units, cap=cap)
    machine, interval = _core.parallel_tasks.map_tasks(columns, *capped)
    by_index = np.zeros(instance.n_jobs, dtype=np.int64)
    rank = by_index if order == "index" else _core.parallel_tasks.completion_ranks(done)
    pieces = _core.parallel_tasks.pack_batches(columns, machine, interval, rank)
    reached = intervals.start_of[(done < lambda_units).sum(axis=1)]
    proxy = exact_dot(instance.weight, reached) * WHOLE_TASK / lambda_units
    return BatchPlan(pieces, machine, interval, lambda_units, proxy)
