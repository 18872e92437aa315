"""Exact rational numbers as doubles that are never above them."""

import math
from fractions import Fraction

__all__ = ["largest_double_up_to"]


def largest_double_up_to(value: Fraction) -> float:
    """Return the largest double that is at most `value`."""
    nearest = float(value)
    return nearest if nearest <= value else math.nextafter(nearest, -math.inf)
