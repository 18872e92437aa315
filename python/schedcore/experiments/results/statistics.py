"""Means over job sets with 95 % confidence bands, mean +- t(0.975, n - 1) s / sqrt(n), and paired t-tests."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schedcore.model.extras import import_extra

__all__ = ["Estimate", "estimate", "mean_quantiles", "paired_p_value", "share_within"]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean, half the width of its 95 % band (NaN from one value), and the number of values."""

    mean: float
    half_width: float
    n: int

    @property
    def low(self) -> float:
        return self.mean - self.half_width

    @property
    def high(self) -> float:
        return self.mean + self.half_width


def estimate(values: Sequence[float]) -> Estimate:
    """Mean and band of independent values; NaN without any."""
    n = len(values)
    if n == 0:
        return Estimate(math.nan, math.nan, 0)
    mean = math.fsum(values) / n
    if n == 1:
        return Estimate(mean, math.nan, 1)
    return Estimate(mean, _student_t(n - 1) * _standard_error(values, mean), n)


def paired_p_value(differences: Sequence[float]) -> Estimate:
    """P-value of the two-sided t-test that paired values have no difference in the mean; NaN from fewer than two.

    Differences that are all equal are no matter of chance: 0, or 1 if they are all zero.
    """
    n = len(differences)
    if n < 2:
        return Estimate(math.nan, math.nan, 0)
    mean = math.fsum(differences) / n
    error = _standard_error(differences, mean)
    if error == 0:
        return Estimate(0.0 if mean else 1.0, math.nan, n)
    tail = import_extra("scipy.stats", "experiments").t.sf(abs(mean) / error, n - 1)
    return Estimate(2 * float(tail), math.nan, n)


def _standard_error(values: Sequence[float], mean: float) -> float:
    n = len(values)
    return math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (n - 1) / n)


@cache
def _student_t(degrees: int) -> float:
    return float(import_extra("scipy.stats", "experiments").t.ppf(0.975, degrees))


def mean_quantiles(quantiles: Sequence[Any]) -> NDArray[np.float64]:
    """The mean of several lists of quantiles, quantile by quantile."""
    mean: NDArray[np.float64] = np.mean(np.array(quantiles, dtype=np.float64), axis=0)
    return mean


def share_within(quantiles: Sequence[Any], limit: float) -> Estimate:
    """The share of jobs that a delay of `limit` or less covers, from the quantiles of each job set.

    Exact to one over the number of quantiles.
    """
    return estimate(
        [float(np.searchsorted(ascending, limit, side="right")) / len(ascending) for ascending in quantiles]
    )
