"""The `ParallelTaskResult` around the pieces that a kernel made."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schedcore.model import ParallelTaskInstance, ParallelTaskResult, PreemptiveSchedule

__all__ = ["Pieces", "task_result"]

# Columns task (row), machine, start, end.
Pieces = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]
Bound = float | Callable[[], float | None] | None


def task_result(
    algorithm: str,
    instance: ParallelTaskInstance,
    pieces: Pieces | None,
    *,
    stats: Mapping[str, Any] | None = None,
    guarantee: float | None = None,
    lower_bound: Bound = None,
    options: Mapping[str, Any] | None = None,
) -> ParallelTaskResult:
    """Name the tasks by job and number, merge pieces that touch, and attach the certificate.

    `instance` is the one that the user gave: task rows are the same with and without unusable placements. Without
    `pieces`, where a linear program gave nothing to schedule by, there is no schedule, but the bound.
    """
    schedule = None
    if pieces is not None:
        task, machine, start, end = pieces
        schedule = PreemptiveSchedule.merging(
            instance.task_job[task], instance.task_number[task], machine, start, end
        )
    return ParallelTaskResult(schedule, instance, stats, guarantee, lower_bound, algorithm, options)
