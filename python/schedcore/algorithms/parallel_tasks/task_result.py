"""The `ParallelTaskResult` around the pieces that a kernel made."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schedcore.model import ParallelTaskInstance, ParallelTaskResult, PreemptiveSchedule

__all__ = ["Pieces", "task_result", "unsolved"]

# Columns task (row), machine, start, end.
Pieces = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]
Bound = float | Callable[[], float | None] | None


def task_result(
    algorithm: str,
    instance: ParallelTaskInstance,
    pieces: Pieces,
    *,
    stats: Mapping[str, Any] | None = None,
    guarantee: float | None = None,
    lower_bound: Bound = None,
    options: Mapping[str, Any] | None = None,
) -> ParallelTaskResult:
    """Name the tasks by job and number, merge pieces that touch, and attach the certificate.

    `instance` is the one that the user gave: task rows are the same with and without unusable placements.
    """
    task, machine, start, end = pieces
    schedule = PreemptiveSchedule.merging(
        instance.task_job[task], instance.task_number[task], machine, start, end
    )
    return ParallelTaskResult(schedule, instance, stats, guarantee, lower_bound, algorithm, options)


def unsolved(
    algorithm: str,
    instance: ParallelTaskInstance,
    *,
    stats: Mapping[str, Any],
    lower_bound: Bound,
    options: Mapping[str, Any],
) -> ParallelTaskResult:
    """Return the result of a run whose linear program gave nothing to schedule by: no schedule, but the bound."""
    return ParallelTaskResult(
        None, instance, stats=stats, lower_bound=lower_bound, algorithm=algorithm, options=options
    )
