"""Which instants does a time axis mark? Round numbers of a unit, or dates where that of time 0 is known."""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING

import numpy as np

from schedcore.errors import InvalidInstanceError
from schedcore.model.extras import import_extra
from schedcore.plotting.readable import DAYS, TimeUnit

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SHORTEST = 10.0  # seconds: dates of a shorter axis would be fractions of a second
_WIDE = 4.6  # inches: an axis that has room for
_MOST_DATES = {
    "YEARLY": 10,
    "MONTHLY": 12,
    "DAILY": 8,
    "HOURLY": 9,
    "MINUTELY": 11,
    "SECONDLY": 6,
    "MICROSECONDLY": 3,
}
_NAMES = [
    "%Y",
    "%b",
    "%b %d",
    "%H:%M",
    "%H:%M",
    "%H:%M:%S",
]  # of years, months, days, hours, minutes, seconds


def date_of_time_0(origin: str) -> datetime.datetime:
    """Return the date, on its own clock; a text that is none in ISO 8601 is an `InvalidInstanceError`."""
    try:
        return datetime.datetime.fromisoformat(origin)
    except ValueError:
        raise InvalidInstanceError(
            f"origin = {origin!r} must be a date in ISO 8601, such as 2026-12-01T08:00:00"
        ) from None


def label_time(ax: Axes, unit: TimeUnit, origin: str | None) -> None:
    """Name the horizontal axis, on which times are drawn in `unit`, and mark dates on it if `origin` is that of time 0.

    The marks are for the ends that the axis has now; what is drawn keeps its coordinates. Without an origin, on an axis
    of less than ten seconds, and where the calendar ends before, the marks are numbers of the unit.
    """
    ax.set_xlabel(f"time ({unit.name})")
    if origin is None:
        return
    zero = date_of_time_0(origin)
    clock = zero.replace(tzinfo=None)
    try:
        ends = [clock + datetime.timedelta(seconds=float(end * unit.length)) for end in ax.get_xlim()]
    except OverflowError:
        return
    if (ends[1] - ends[0]).total_seconds() < _SHORTEST:
        return
    dates = import_extra("matplotlib.dates", "plot")
    room = min(1.0, ax.get_window_extent().width / ax.figure.dpi / _WIDE)
    most = {getattr(dates, name): max(2, int(room * number)) for name, number in _MOST_DATES.items()}
    locator = dates.AutoDateLocator(minticks=3, maxticks=most)
    formatter = dates.ConciseDateFormatter(
        locator, formats=_NAMES, zero_formats=["", *_NAMES[:-1]], show_offset=False
    )
    low, high = dates.date2num(ends)
    marked = np.asarray(locator.tick_values(*ends))
    marked = marked[(marked >= low) & (marked <= high)]
    places = (marked - dates.date2num(clock)) * (DAYS.length / unit.length)
    ax.set_xticks(places, formatter.format_ticks(marked))
    ax.set_xlabel(", ".join(filter(None, ("date", _shared(*ends), zero.tzname()))))


def _shared(first: datetime.datetime, last: datetime.datetime) -> str:
    """What the marks between two dates leave out: the year, and the day where there is but one."""
    if first.date() == last.date():
        return first.strftime("%b %d %Y")
    return f"{first.year}" if first.year == last.year else f"{first.year} to {last.year}"
