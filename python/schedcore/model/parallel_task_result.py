"""What a parallel-task algorithm returns: pieces of tasks, when each job completes, and the certificate."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import numpy as np

from .arrays import FloatArray
from .parallel_tasks import ParallelTaskInstance
from .preemptive_schedule import PreemptiveSchedule
from .result import CERTIFICATE, Result

__all__ = ["ParallelTaskResult"]


class ParallelTaskResult(Result):
    """A schedule of pieces with its weighted completion time and the bound that belongs to it; immutable.

    Parameters
    ----------
    schedule : PreemptiveSchedule or None
        None where the algorithm found none in the time that it was given; `stats` says why.
    instance : ParallelTaskInstance
    stats, guarantee, lower_bound, algorithm, options
        As in `Result`; `lower_bound` is one on the sum of weight x completion time.

    Attributes
    ----------
    value : float
        Sum over the jobs of weight x completion time; infinite without a schedule.
    objective : str
        "weighted_completion_time".
    completion_time : (n_jobs,) ndarray of float64, or None
        When the last task of each job ends.
    """

    __slots__ = ("completion_time",)
    _fields: ClassVar[tuple[str, ...]] = ("schedule", "instance", *CERTIFICATE)

    completion_time: FloatArray | None

    def __init__(
        self,
        schedule: PreemptiveSchedule | None,
        instance: ParallelTaskInstance,
        stats: Mapping[str, Any] | None = None,
        guarantee: float | None = None,
        lower_bound: float | Callable[[], float | None] | None = None,
        algorithm: str = "",
        options: Mapping[str, Any] | None = None,
    ) -> None:
        completion = None if schedule is None else schedule.completion_time(instance.n_jobs)
        value = math.inf if completion is None else math.fsum((instance.weight * completion).tolist())
        super().__init__(
            schedule,
            "weighted_completion_time",
            value,
            stats,
            guarantee,
            lower_bound,
            algorithm,
            options,
            instance,
        )
        if completion is not None:
            completion = np.asarray(completion)
            completion.setflags(write=False)
        object.__setattr__(self, "completion_time", completion)

    def _size(self) -> str:
        return "no schedule" if self.schedule is None else f"{self.instance.n_jobs} jobs"
