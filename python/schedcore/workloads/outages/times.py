"""Instants and durations as people write them, in seconds.

========== ===========================================================================================
a duration ``5400``, ``5400s``, ``90m``, ``1.5h``, ``1h30m``, ``2d``, ``1w``, ``1:30:00``, ``1-12:00:00``
an instant ``2026-12-01``, ``2026-12-01T08:00``, ``2026-12-01T08:00:00+01:00``, ``3600``, ``1h``
========== ===========================================================================================

A clock has hours, minutes and seconds, perhaps days before it. One of two parts, ``1:30``, is refused: some read it as
hours, others as minutes. A number or a duration as an instant counts from time 0 on; a date counts from `origin`, the
date of time 0, which the workload has to have.
"""

import datetime
import functools
import math
import re
from fractions import Fraction

from schedcore.errors import InvalidInstanceError, one_line
from schedcore.model.arrays import EXACT_BOUND
from schedcore.model.coded_texts import checked_text
from schedcore.model.real_numbers import shown

__all__ = ["Origin", "looks_like_a_date", "parse_duration", "parse_instant"]

Origin = datetime.datetime | str | None

_SECONDS = {"w": 604_800, "d": 86_400, "h": 3_600, "m": 60, "min": 60, "s": 1}
_LONGEST = 100  # characters
_NUMBER = r"[0-9]{1,20}(?:\.[0-9]{1,20})?"
_PLAIN = re.compile(_NUMBER)
# Each unit at most once, the larger ones first.
_WITH_UNITS = re.compile("".join(rf"(?:({_NUMBER})({unit}))?" for unit in ("w", "d", "h", "min|m", "s")))
_CLOCK = re.compile(r"(?:([0-9]{1,6})-)?([0-9]{1,6}):([0-5][0-9]):([0-5][0-9](?:\.[0-9]{1,9})?)")
_TWO_PARTS = re.compile(r"[0-9]+:[0-9]+")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:T.*)?")
_DURATION_SHAPE = "a duration such as 8h, 1h30m, 2d, 1:30:00 or 5400 (seconds)"
_INSTANT_SHAPE = "an instant such as 2026-12-01T08:00, 3600 (seconds) or 8h, both counted from time 0"


def parse_duration(text: str) -> float:
    """Return a duration in seconds, at least 0; the word ``inf`` is infinite.

    Raises
    ------
    InvalidInstanceError
        For any other text, and for more than 2**53 seconds.
    TypeError
        For anything that is no str.
    """
    word = checked_text(text, "duration").strip().lower()
    if word == "inf":
        return math.inf
    seconds = _seconds(word)
    if seconds is None:
        clock = _CLOCK.fullmatch(word)
        if clock is None:
            hint = "; write hours, minutes and seconds" if _TWO_PARTS.fullmatch(word) else ""
            raise InvalidInstanceError(f"{shown(text)!r} is not {_DURATION_SHAPE}{hint}")
        days, hours, minutes = (int(part or 0) for part in clock.groups()[:3])
        seconds = Fraction(((days * 24 + hours) * 60 + minutes) * 60) + Fraction(clock[4])
    return _as_float(text, seconds)


def parse_instant(text: str, origin: Origin = None) -> float:
    """Return an instant in seconds since time 0; below 0 for a date before `origin`.

    Parameters
    ----------
    text : str
        A date, or seconds or a duration with units since time 0.
    origin : datetime or str, optional
        The date of time 0. Dates without a time zone are in its time zone; if it has none, neither may they.

    Raises
    ------
    InvalidInstanceError
        For any other text, a date without an origin or on another kind of clock, and an instant beyond 2**53 seconds.
    TypeError
        For anything that is no str.
    """
    word = checked_text(text, "instant").strip()
    if looks_like_a_date(word):
        return _since(text, _date(word), origin)
    seconds = _seconds(word.lower())
    if seconds is None:
        raise InvalidInstanceError(f"{shown(text)!r} is not {_INSTANT_SHAPE}")
    return _as_float(text, seconds)


def looks_like_a_date(text: str) -> bool:
    """Whether a text begins as a date does."""
    return _DATE.fullmatch(text.strip()) is not None


def _seconds(word: str) -> Fraction | None:
    """Return a plain number, or one with units; None for anything else."""
    if not word or len(word) > _LONGEST:
        return None
    if _PLAIN.fullmatch(word):
        return Fraction(word)
    parts = _WITH_UNITS.fullmatch(word)
    if parts is None:
        return None
    numbers, units = parts.groups()[::2], parts.groups()[1::2]
    return sum(
        (Fraction(number) * _SECONDS[unit] for number, unit in zip(numbers, units, strict=True) if number),
        Fraction(0),
    )


def _as_float(text: str, seconds: Fraction) -> float:
    if seconds > EXACT_BOUND:
        raise InvalidInstanceError(f"{shown(text)!r} is more than 2**53 seconds")
    return float(seconds)


@functools.lru_cache(maxsize=16)
def _date(word: str) -> datetime.datetime:
    try:
        return datetime.datetime.fromisoformat(word)
    except ValueError as error:
        raise InvalidInstanceError(f"{shown(word)!r} is no date: {one_line(error)}") from None


def _since(text: str, date: datetime.datetime, origin: Origin) -> float:
    if origin is None:
        raise InvalidInstanceError(
            f"{shown(text)!r} is a date, but nothing says the date of time 0; write seconds since time 0"
        )
    zero = _date(origin) if isinstance(origin, str) else origin
    if not isinstance(zero, datetime.datetime):
        raise TypeError(f"origin must be a datetime or its text, not {origin!r}")
    if zero.tzinfo is None and date.tzinfo is not None:
        raise InvalidInstanceError(
            f"{shown(text)!r} has a time zone, but the date of time 0, {zero.isoformat()}, has none; leave it out"
        )
    if zero.tzinfo is not None:
        try:  # of two dates in one zone Python subtracts the clocks, whatever happened to them in between
            date = (date if date.tzinfo else date.replace(tzinfo=zero.tzinfo)).astimezone(datetime.UTC)
            zero = zero.astimezone(datetime.UTC)
        except OverflowError:  # the first and the last day of the calendar
            raise InvalidInstanceError(f"{shown(text)!r} is outside the calendar") from None
    return (date - zero) / datetime.timedelta(seconds=1)
