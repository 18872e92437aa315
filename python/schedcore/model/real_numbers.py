"""Options that are real numbers with a lower bound of 0: checked, and shown in messages at a readable length."""

import math
from numbers import Real

import numpy as np

from schedcore.errors import InvalidInstanceError

__all__ = ["any_number", "finite_number", "finite_or_none", "shown"]

_LONGEST = 40  # characters of a number in a message


def finite_number(
    name: str, value: object, *, above_0: bool, at_least: int = 0, kind: str = "a number"
) -> float:
    """Return the option as a float that is finite and above 0, or at least `at_least`.

    Raises
    ------
    InvalidInstanceError
        For any other number, such as an integer too large for a float.
    TypeError
        For anything that is no real number: the option must be `kind`.
    """
    number = _as_float(name, value, kind)
    if not np.isfinite(number) or number < at_least or (above_0 and number == 0):
        bound = "above 0" if above_0 else f"at least {at_least}"
        raise InvalidInstanceError(f"{name} = {shown(value)} must be finite and {bound}")
    return number


def any_number(name: str, value: object) -> float:
    """Return a finite number of either sign as a float; errors are those of `finite_number`."""
    number = _as_float(name, value, "a number")
    if not np.isfinite(number):
        raise InvalidInstanceError(f"{name} = {shown(value)} must be finite")
    return number


def shown(value: object) -> str:
    """Return the text of a number, cut short where it has many digits."""
    try:
        text = str(value)
    except ValueError:  # Python refuses to write integers of thousands of digits
        return "a number of thousands of digits"
    return text if len(text) <= _LONGEST else f"{text[:12]}... ({len(text)} characters)"


def _as_float(name: str, value: object, kind: str) -> float:
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Real):
        raise TypeError(f"{name} must be {kind}, not {value!r}")
    try:
        return float(value)
    except OverflowError:
        return np.inf


def finite_or_none(number: float) -> float | None:
    """The number, or None in place of an infinite one and of NaN, which tables and JSON do not have."""
    return number if math.isfinite(number) else None
