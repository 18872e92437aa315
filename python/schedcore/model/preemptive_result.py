"""What a slotted preemptive algorithm returns: pieces, when each job completes, and the certificate."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from .arrays import FloatArray, unmasked
from .columns import float_column
from .instance import Instance
from .map_reduce import MapReduceInstance
from .preemptive_schedule import PreemptiveSchedule
from .result import CERTIFICATE, Result

__all__ = ["PreemptiveResult", "power_sum"]


class PreemptiveResult(Result):
    """A schedule of pieces with the sum of the k-th powers of flow times; immutable.

    Parameters
    ----------
    schedule : PreemptiveSchedule
        Who holds how many cores of which machine, as long as that does not change.
    instance : Instance or MapReduceInstance
    completion_time : (n_jobs,) array_like
        End of the last slot of each job; infinite for a job that a run cut short did not finish.
    k : int
        The power.
    stats, guarantee, lower_bound, algorithm, options
        As in `Result`; `lower_bound` is one on the sum of the powers.

    Attributes
    ----------
    value : float
        Sum over the jobs of (completion time - release time)^k; infinite if a job is unfinished, and beyond the
        doubles.
    objective : str
        "flow_power_sum".
    """

    __slots__ = ("completion_time", "k")
    _fields: ClassVar[tuple[str, ...]] = ("schedule", "instance", "completion_time", "k", *CERTIFICATE)

    completion_time: FloatArray
    k: int

    def __init__(
        self,
        schedule: PreemptiveSchedule,
        instance: Instance | MapReduceInstance,
        completion_time: ArrayLike,
        k: int,
        stats: Mapping[str, Any] | None = None,
        guarantee: float | None = None,
        lower_bound: float | Callable[[], float | None] | None = None,
        algorithm: str = "",
        options: Mapping[str, Any] | None = None,
    ) -> None:
        completion = float_column(completion_time, "completion_time", instance.n_jobs)
        super().__init__(
            schedule,
            "flow_power_sum",
            power_sum(completion - instance.release_time, k),
            stats,
            guarantee,
            lower_bound,
            algorithm,
            options,
            instance,
        )
        for name, field in (("completion_time", completion), ("k", k)):
            object.__setattr__(self, name, field)

    def norm(self) -> float:
        """Return the l_k norm of the flow times, the k-th root of `value`."""
        return float(self.value ** (1.0 / self.k))

    def _size(self) -> str:
        unfinished = int(np.isinf(self.completion_time).sum())
        jobs = f"{self.instance.n_jobs} jobs"
        return f"{jobs}, {unfinished} unfinished" if unfinished else jobs


def power_sum(values: ArrayLike, k: int) -> float:
    """Return the sum of the k-th powers: exact, then rounded once, where each power is an integer below 2**53.

    Infinite beyond the doubles.
    """
    base = np.asarray(unmasked(values, "values"), dtype=np.float64)
    powers = np.ones_like(base)
    with np.errstate(over="ignore"):
        for _ in range(k):
            powers = powers * base
    if not np.isfinite(powers).all():
        return math.inf
    try:
        return math.fsum(powers.tolist())
    except OverflowError:  # of the sum of finite powers, none of which is negative
        return math.inf
