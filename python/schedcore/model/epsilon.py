"""Accuracies as exact fractions: 0.1 means 1/10, not the double next to it.

The guarantees of the constraint-approximate knapsack are stated for a rational epsilon strictly between 0 and
1; this is the one place where a user's number becomes that fraction.
"""

import math
from fractions import Fraction
from functools import lru_cache
from numbers import Rational, Real
from typing import TypeAlias, TypeGuard

from schedcore.errors import InvalidInstanceError

__all__ = ["Epsilon", "decimal_fraction"]

Epsilon: TypeAlias = float | Fraction | tuple[int, int]

_FLOAT_DENOMINATOR = 1_000_000
# n / epsilon counts the units of a scaled capacity and must stay an int64 for every n below 2**32.
_LARGEST_DENOMINATOR = 2**30


def decimal_fraction(epsilon: Epsilon) -> Fraction:
    """Return `epsilon` as the fraction that a person would write.

    Parameters
    ----------
    epsilon : float, Fraction or (numerator, denominator)
        A float becomes the nearest fraction with a denominator up to 1,000,000; fractions and pairs stay as
        they are.

    Raises
    ------
    InvalidInstanceError
        If it does not lie strictly between 0 and 1, or its denominator exceeds 2**30.
    TypeError
        For anything that is not such a number.
    """
    fraction = _as_fraction(epsilon)
    if not 0 < fraction < 1:
        raise InvalidInstanceError(f"epsilon = {epsilon} must lie strictly between 0 and 1")
    if fraction.denominator > _LARGEST_DENOMINATOR:
        raise InvalidInstanceError(
            f"epsilon = {epsilon} has the denominator {fraction.denominator}, above 2**30"
        )
    return fraction


def _as_fraction(epsilon: object) -> Fraction:
    if isinstance(epsilon, tuple) and len(epsilon) == 2:
        numerator, denominator = epsilon
        if not (_is_rational(numerator) and _is_rational(denominator)):
            raise TypeError(f"epsilon = {epsilon} must be a pair of integers")
        if denominator == 0:
            raise InvalidInstanceError(f"epsilon = {epsilon} has the denominator 0")
        return Fraction(numerator, denominator)
    if _is_rational(epsilon):
        return Fraction(epsilon)
    if isinstance(epsilon, Real) and not isinstance(epsilon, bool):
        value = float(epsilon)
        if not math.isfinite(value):
            raise InvalidInstanceError(f"epsilon = {epsilon} must lie strictly between 0 and 1")
        return _as_written(value)
    raise TypeError(
        f"epsilon must be a float, a Fraction or a pair (numerator, denominator), not {epsilon!r}"
    )


@lru_cache(maxsize=256)  # programs use few, and again in every call
def _as_written(number: float) -> Fraction:
    return Fraction(number).limit_denominator(_FLOAT_DENOMINATOR)


def _is_rational(value: object) -> TypeGuard[Rational]:
    return isinstance(value, Rational) and not isinstance(value, bool)
