"""Whole numbers that users hand in: counts, limits and parameters."""

import operator
from typing import Any

import numpy as np

from schedcore.errors import InvalidInstanceError

from .real_numbers import shown

__all__ = ["INT64_MAX", "at_least", "checked_integer", "checked_limit", "integer"]

INT64_MAX = 2**63 - 1


def checked_integer(name: str, value: Any, least: int, most: int = INT64_MAX) -> int:
    """Return an integer from `least` to `most`.

    Raises
    ------
    InvalidInstanceError
        For an integer outside.
    TypeError
        For anything else, truth values included.
    """
    if isinstance(value, (bool, np.bool_)) or not hasattr(value, "__index__"):
        raise TypeError(f"{name} must be an integer, not {value!r}")
    number = operator.index(value)
    if not least <= number <= most:
        bound = "2**63 - 1" if most == INT64_MAX else most
        raise InvalidInstanceError(f"{name} = {shown(number)} must be at least {least} and at most {bound}")
    return number


def checked_limit(name: str, value: Any) -> int:
    """Return a limit of at least 1, or 0 for None: no limit."""
    return 0 if value is None else checked_integer(name, value, 1)


def integer(name: str, value: Any) -> int:
    """Return an integer, or raise a TypeError."""
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{name} = {value!r} must be an integer") from None


def at_least(bound: int, **values: int) -> None:
    """Raise an `InvalidInstanceError` that names the first argument below `bound`."""
    for name, value in values.items():
        if value < bound:
            raise InvalidInstanceError(f"{name} = {value} is below {bound}")
