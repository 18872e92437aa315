"""How long jobs waited, as a distribution: mean, maximum, quantiles, shares within a limit.

A quantile here is always a delay that occurred: the smallest one that at least the share `q` of all jobs did
not exceed. No interpolation, so integer times give integer quantiles.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from schedcore.errors import InvalidInstanceError
from schedcore.metrics.exact_sums import exact_mean
from schedcore.metrics.per_job import queuing_delay
from schedcore.model import Instance, Runs, Schedule
from schedcore.model.arrays import unmasked

DEFAULT_QUANTILES = (0.5, 0.9, 0.95, 0.99)


@dataclass(frozen=True)
class DelaySummary:
    """Queuing delays of one schedule in a few numbers.

    Attributes
    ----------
    mean, max : float
        Average and largest delay, in the time unit of the instance.
    zero_share : float
        Share of the jobs that started the moment they were released, in [0, 1].
    quantiles : dict of float to float
        Delay that the given share of the jobs did not exceed.
    """

    mean: float
    max: float
    zero_share: float
    quantiles: dict[float, float]


def queuing_delay_summary(
    inst: Instance, schedule: Schedule | Runs, quantiles: Sequence[float] = DEFAULT_QUANTILES
) -> DelaySummary:
    """Mean, maximum, share of zeros and quantiles of the queuing delay.

    Parameters
    ----------
    inst : Instance
    schedule : Schedule or Runs
        A schedule with one row for every job of the instance, or the runs of its jobs, all of which completed.
    quantiles : sequence of float, default (0.5, 0.9, 0.95, 0.99)
        Shares in [0, 1].

    Raises
    ------
    InvalidInstanceError
        If a share lies outside [0, 1], or the schedule is one of another number of jobs.

    Notes
    -----
    O(n log n). All values are 0 without jobs.
    """
    return summarise_delays(queuing_delay(inst, schedule), quantiles)


def summarise_delays(delay: npt.NDArray[np.float64], quantiles: Sequence[float]) -> DelaySummary:
    """The same for a given column of delays; sorts a copy once for all quantiles."""
    ascending = np.sort(delay)
    return DelaySummary(
        mean=exact_mean(delay),
        max=float(ascending[-1]) if len(delay) else 0.0,
        zero_share=_share(int(np.searchsorted(ascending, 0.0, side="right")), len(delay)),
        quantiles={q: quantile_of_sorted(ascending, q) for q in quantiles},
    )


def delay_quantile(inst: Instance, schedule: Schedule | Runs, q: float) -> float:
    """The smallest queuing delay that at least the share `q` of all jobs did not exceed; 0.0 without jobs.

    `q` counts as the fraction a person would write, so 0.1 is exactly one tenth. O(n log n).
    """
    return quantile_of_sorted(np.sort(queuing_delay(inst, schedule)), q)


def delay_quantiles(inst: Instance, schedule: Schedule | Runs, n: int) -> npt.NDArray[np.float64]:
    """The delays that 1/n, 2/n, ..., n/n of all jobs did not exceed, the smallest such ones, ascending.

    The i-th of them is `delay_quantile` at ``(i + 1) / n``. Empty without jobs. O(n_jobs log n_jobs + n).

    Raises
    ------
    InvalidInstanceError
        If `n` is below 1, or the schedule is one of another number of jobs.
    """
    if n < 1:
        raise InvalidInstanceError(f"n = {n} quantiles; at least 1 is needed")
    ascending = np.sort(queuing_delay(inst, schedule))
    rank = -(-np.arange(1, n + 1, dtype=np.int64) * len(ascending) // n)
    return ascending[rank - 1] if len(ascending) else ascending


def queuing_delay_share(
    inst: Instance, schedule: Schedule | Runs, at_most: npt.ArrayLike
) -> npt.NDArray[np.float64]:
    """Share of the jobs whose queuing delay is at most each of the limits `at_most`.

    Parameters
    ----------
    inst : Instance
    schedule : Schedule or Runs
        A schedule with one row for every job of the instance, or the runs of its jobs, all of which completed.
    at_most : array_like of float
        Delays, in the time unit of the instance; 0 asks for the jobs that did not wait.

    Returns
    -------
    (len(at_most),) float64
        Shares in [0, 1]; 0 without jobs. O((n + len(at_most)) log n).
    """
    ascending = np.sort(queuing_delay(inst, schedule))
    limits = np.atleast_1d(np.asarray(unmasked(at_most, "at_most"), dtype=np.float64))
    return np.searchsorted(ascending, limits, side="right") / max(len(ascending), 1)


def _share(count: int, n_jobs: int) -> float:
    return count / n_jobs if n_jobs else 0.0


def quantile_of_sorted(ascending: npt.NDArray[np.float64], q: float) -> float:
    """The smallest of these delays that at least the share `q` of them did not exceed; 0.0 without any."""
    if not 0 <= q <= 1:
        raise InvalidInstanceError(f"quantile {q} must lie in [0, 1]")
    if len(ascending) == 0:
        return 0.0
    rank = math.ceil(Fraction(q).limit_denominator(1_000_000) * len(ascending))
    return float(ascending[max(rank, 1) - 1])
