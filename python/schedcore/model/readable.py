"""Words for people: durations in seconds to days, about four digits, percentages, long names in several lines."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

_NOISE = 1e-10  # percent


@dataclass(frozen=True)
class TimeUnit:
    """A unit to show times in.

    Attributes
    ----------
    name : str
        As written behind a number or in the label of an axis.
    length : float
        Its length in the time unit of the instance (seconds for the named units).
    """

    name: str
    length: float


SECONDS = TimeUnit("s", 1.0)
MINUTES = TimeUnit("min", 60.0)
HOURS = TimeUnit("h", 3_600.0)
DAYS = TimeUnit("days", 86_400.0)
SLOTS = TimeUnit("slots", 1.0)  # of instances whose times are whole slots


def readable_unit(seconds: float) -> TimeUnit:
    """The largest unit of which `seconds` holds at least two, seconds if there is none.

    Choose it from the largest number of a table column or axis, so that all numbers share it.
    """
    return next((unit for unit in (DAYS, HOURS, MINUTES) if seconds >= 2 * unit.length), SECONDS)


def readable_time(seconds: float, unit: TimeUnit | None = None) -> str:
    """`seconds` with four significant digits in `unit` (default `readable_unit`), such as ``8.991 days``."""
    chosen = readable_unit(seconds) if unit is None else unit
    return f"{significant(seconds / chosen.length)} {chosen.name}"


def significant(value: float) -> str:
    """`value` with about four digits and no exponent within reason: 8.991, 71.50, 1234, 0.031."""
    if value == 0:
        return "0"
    if abs(value) >= 1e10 or abs(value) < 1e-4:
        return f"{value:.3g}"
    decimals = next((d for d, bound in ((3, 10.0), (2, 100.0), (1, 1000.0)) if abs(value) < bound), 0)
    return f"{value:.{decimals}f}"


def percent(share: float) -> str:
    """`share` in percent, one decimal from 1 % on and two significant digits below: 13.6 %, 0.0082 %.

    What is as small as the rounding errors of quotients is 0.
    """
    value = 100 * share
    if not _NOISE < abs(value) < 0.95:
        return f"{0.0 if abs(value) <= _NOISE else value:.1f} %"
    return f"{Decimal(f'{value:.2g}'):f} %"


def rounded_count(value: float) -> str:
    """`value` with three significant digits and a letter for thousands, millions or billions: 170k, 1.51M."""
    for bound, divisor, letter in ((1e9, 1e9, "G"), (1e6, 1e6, "M"), (1e3, 1e3, "k")):
        if value >= 0.9995 * bound:
            return f"{value / divisor:#.3g}".removesuffix(".") + letter
    return f"{value:.0f}"


def wrapped_to(text: str, room: float, width: Callable[[str], float] = len) -> str:
    """`text` in as few lines as fit `room`, broken after a space, comma or colon, and anywhere in longer words."""
    if width(text) <= room:
        return text
    lines = [""]
    for word in re.findall(r"[^\s,:]*[\s,:]|[^\s,:]+", text):
        while word:
            if width((lines[-1] + word).rstrip()) <= room:
                lines[-1] += word
                break
            if lines[-1]:
                lines.append("")
                continue
            fits = max(1, *(end for end in range(1, len(word) + 1) if width(word[:end]) <= room), 1)
            lines[-1], word = word[:fits], word[fits:]
    return "\n".join(line.rstrip() for line in lines if line)
