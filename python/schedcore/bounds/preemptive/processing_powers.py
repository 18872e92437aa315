"""The bound that costs nothing: no flow time is below the processing time, nor a sum of powers below that of these."""

from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from schedcore.bounds.rounding import LARGEST, largest_double_up_to
from schedcore.model.arrays import EXACT_BOUND
from schedcore.model.preemptive_result import power_sum

__all__ = ["exact_power_sum", "processing_bound"]


def processing_bound(processing_time: ArrayLike, k: int) -> float:
    """Return the sum of processing_time^k, rounded down and at most the largest double; times are whole slots.

    Never above the sum of flow_time^k of a schedule, neither the exact one nor `power_sum`: that rounds powers, so it
    can be below the exact sum of its own terms, but keeps their order.
    """
    total = min(power_sum(processing_time, k), LARGEST)
    if total <= EXACT_BOUND:
        return total
    return min(total, largest_double_up_to(Fraction(exact_power_sum(processing_time, k))))


def exact_power_sum(processing_time: ArrayLike, k: int) -> int:
    """Return the sum of processing_time^k; O(n log n), and one power of a Python integer for each different time."""
    times, counts = np.unique(np.asarray(processing_time), return_counts=True)
    return sum(count * int(time) ** k for time, count in zip(times.tolist(), counts.tolist(), strict=True))
