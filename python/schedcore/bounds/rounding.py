"""How bounds are rounded: down, so that none exceeds the value of a schedule.

A value is a function of the completion times in doubles, C = fl(start + processing time), as validators read them. It
is computed by operations each of which is rounded to nearest, and which do not fall when a completion time rises: sums
rounded once, products with weights, powers, a division by the number of jobs. Rounding
keeps the order: what is at least some double is rounded to that double or a larger one. So a bound never exceeds the
value of a schedule, neither the exact one nor the one in doubles, if

- the completion times that it is computed from are rounded down: the largest double up to release time + processing
  time is at most every C; and
- the rest is computed exactly and rounded down, or lowered by what its rounding can cost.

What follows rounds exact numbers down, to the nearest double that is not above them, and nothing further: integers
below 2**53 stay as they are. (`Result.ratio` knows that value and bound are rounded in different directions.)
"""

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

__all__ = ["LARGEST", "largest_double_up_to", "mean_up_to", "sum_up_to"]

LARGEST = float(np.finfo(np.float64).max)


def largest_double_up_to(value: Fraction) -> float:
    """Return the largest double that is at most `value`."""
    try:
        nearest = float(value)
    except OverflowError:
        return LARGEST if value > 0 else -math.inf
    return nearest if nearest <= value else math.nextafter(nearest, -math.inf)


def sum_up_to(terms: NDArray[np.float64]) -> float:
    """Return the largest double that is at most the sum of finite numbers, or the largest double; O(n)."""
    values = terms.tolist()
    try:
        nearest = math.fsum(values)
    except OverflowError:  # only of sums beyond the doubles
        return LARGEST
    values.append(-nearest)
    return nearest if math.fsum(values) >= 0 else math.nextafter(nearest, -math.inf)


def mean_up_to(total: float, count: int) -> float:
    """Return the largest double that is at most ``total / count``; 0.0 for a count of 0."""
    return largest_double_up_to(Fraction(total) / count) if count else 0.0
