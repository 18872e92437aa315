"""Which scale, and which stretch of it, shows where the values lie? One answer for all drawings.

The middle of a column is what lies between the 5th and the 95th percentile of its values above 0; the middle of
several columns reaches from the lowest to the highest end of theirs, so no policy is left out. The first of these in
which the middle takes up at least half of the axis is chosen:

1. linear, from 0 to the largest value, unless the middle of some column takes up less than a fifth of that, or its
   lower half less than a twentieth;
2. logarithmic from the lower end of the middle to the largest value, where the middle spans a factor of 10 or more; 0
   and all below take a linear stretch of a tenth of the axis (a symlog scale);
3. the same without the highest values, which leave the drawing at its right end;
4. linear, from 0 to the largest value or less;
5. linear around the middle, without 0.

If the middle is a single value, no scale can spread it: 1, if the largest value is at most twice that, otherwise 2.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from schedcore.model.extras import import_extra
from schedcore.plotting.readable import DAYS, HOURS, MINUTES, SECONDS, TimeUnit, readable_unit

if TYPE_CHECKING:
    from matplotlib.axis import Axis

LEAST_SHARE = 0.5  # of the axis that the middle takes up
_LEAST_OF_EACH, _LEAST_OF_HALF = (
    0.2,
    0.05,
)  # of a linear axis that the middle of each column and its half take up
_MIDDLE = (0.05, 0.5, 0.95)
_LINEAR_SHARE = 0.1  # of a logarithmic axis, for what lies from 0 to the lower end of the middle
_ROOM = 1.05  # beyond the largest value
_WIDE = 10.0  # a factor: where the middle spans less, a logarithm has no ticks to speak of
_LETTER = 0.0145  # of a name of a tick, as a share of the axis


@dataclass(frozen=True)
class Scale:
    """A stretch of an axis.

    Attributes
    ----------
    low, high : float
        Its ends.
    linear_until : float
        Logarithmic from here on; linear everywhere if infinite.
    largest : float
        The largest value; one above `high` is not shown.
    """

    low: float
    high: float
    linear_until: float = math.inf
    largest: float = 0.0

    @property
    def is_linear(self) -> bool:
        return math.isinf(self.linear_until)

    def whole(self) -> Scale:
        """The same from 0 to the largest value: nothing that is drawn lies outside."""
        return Scale(0.0, _ROOM * self.largest or 1.0, self.linear_until, self.largest)

    def place(self, value: float) -> float:
        """Where on the axis a value is drawn: 0 at the lower end, 1 at the upper one."""
        if self.is_linear:
            return (value - self.low) / (self.high - self.low)
        if value <= self.linear_until:
            return _LINEAR_SHARE * value / self.linear_until
        share = math.log(value / self.linear_until) / math.log(self.high / self.linear_until)
        return _LINEAR_SHARE + (1 - _LINEAR_SHARE) * share

    def set(self, axis: Axis, length: float) -> None:
        """Make this the scale of an axis on which values are drawn in units of such a length."""
        ax = axis.axes
        is_x = axis is ax.xaxis
        set_ends = ax.set_xlim if is_x else ax.set_ylim
        if self.is_linear:
            set_ends(self.low / length, self.high / length)
            return
        decades = math.log10(self.high / self.linear_until)
        scale: dict[str, Any] = {
            "linthresh": self.linear_until / length,
            # matplotlib counts the linear stretch in decades, and makes it 10 / 9 as long as that
            "linscale": 0.9 * decades * _LINEAR_SHARE / (1 - _LINEAR_SHARE),
        }
        (ax.set_xscale if is_x else ax.set_yscale)("symlog", **scale)
        set_ends(self.low / length, self.high / length)

    def mark_numbers(self, axis: Axis, length: float) -> None:
        """Ticks at round numbers of units of such a length; a linear axis keeps those that it has."""
        if self.is_linear:
            return
        first = math.floor(math.log10(self.linear_until / length)) - 1
        decades = [10.0**power for power in range(first, math.ceil(math.log10(self.high / length)) + 1)]
        self._mark(
            axis,
            length,
            [
                [digit * decade * length for decade in decades for digit in (1, 2, 5)],
                [decade * length for decade in decades],
                *([decade * length for decade in decades[::step]] for step in (2, 4, 8)),
            ],
            lambda tick: f"{tick / length:.10g}",
        )

    def mark_times(self, axis: Axis) -> None:
        """Ticks from seconds to days, each with its unit, on an axis drawn in seconds; for a logarithmic one."""
        self._mark(axis, 1.0, _TIMES, _short_time)

    def unit_of_times(self, unit: TimeUnit | None) -> TimeUnit:
        """The unit in which times are drawn: `unit`, or one that suits the axis."""
        if unit is not None:
            return unit
        return readable_unit(self.high) if self.is_linear else SECONDS

    def set_times(self, axis: Axis, name: str, unit: TimeUnit | None) -> str:
        """Make this the scale of an axis of times, drawn in `unit_of_times`, and return its label.

        Without a `unit`, the ticks of a logarithmic axis have units of their own.
        """
        shown = self.unit_of_times(unit)
        self.set(axis, shown.length)
        if unit is None and not self.is_linear:
            self.mark_times(axis)
            return name
        self.mark_numbers(axis, shown.length)
        return f"{name} ({shown.name})"

    def _mark(
        self, axis: Axis, length: float, candidates: Iterable[Sequence[float]], name: Callable[[float], str]
    ) -> None:
        """Set 0 and the first of some lists of ticks of which at most one has no room; what has none is left out."""
        ticks = [0.0]
        for candidate in candidates:
            wanted = [tick for tick in candidate if self.linear_until <= tick <= self.high]
            ticks = [0.0]
            for tick in wanted:
                if self._are_apart(name, ticks[-1], tick):
                    ticks.append(tick)
            if len(ticks) >= len(wanted):  # with the 0
                break
        axis.set_ticks([tick / length for tick in ticks], [name(tick) for tick in ticks])
        axis.set_minor_locator(import_extra("matplotlib.ticker", "plot").NullLocator())

    def _are_apart(self, name: Callable[[float], str], low: float, high: float) -> bool:
        letters = 0.5 * (len(name(low)) + len(name(high))) + 1.5
        return self.place(high) - self.place(low) >= _LETTER * letters


def choose_scale(columns: Iterable[NDArray[np.float64]], reach: float = 0.0) -> Scale:
    """The scale on which the values of some columns can be read best, by the rule of this module.

    Parameters
    ----------
    columns : iterable of (k,) float64
        Values of at least 0, such as a column a policy.
    reach : float, default 0
        The axis need not spread, but show what is drawn up to here, too.

    Returns
    -------
    Scale
        From 0 to 1 without any value above 0. O(n).
    """
    positive = [column[column > 0] for column in columns]
    ends = [np.quantile(column, _MIDDLE) for column in positive if len(column)]
    if not ends:
        return Scale(0.0, _ROOM * reach or 1.0, largest=reach)
    low, high = float(min(end[0] for end in ends)), float(max(end[2] for end in ends))
    largest = max(reach, *(float(column.max()) for column in positive if len(column)))
    top = _ROOM * largest
    shown = LEAST_SHARE * top
    each_is_seen = all(
        last - first >= _LEAST_OF_EACH * top and median - first >= _LEAST_OF_HALF * top
        for first, median, last in ends
        if last > first
    )
    if (high - low >= shown and each_is_seen) or (low == high and largest <= 2 * high):
        return Scale(0.0, top, largest=largest)
    span = math.log(high / low)
    spread = (1 - _LINEAR_SHARE) / LEAST_SHARE * span  # of the longest logarithmic stretch
    if low == high or (high >= _WIDE * low and spread >= math.log(top / low)):
        return Scale(0.0, top, low, largest)
    if high >= _WIDE * low:
        return Scale(0.0, low * math.exp(spread), low, largest)
    width = min((high - low) / LEAST_SHARE, top)
    if width >= high:
        return Scale(0.0, width, largest=largest)
    return Scale(max(0.0, low - 0.5 * (high - low)), high + 0.5 * (high - low), largest=largest)


def round_up(value: float) -> float:
    """The smallest of 1, 1.5, 2, 3, 4, 5, 6, 8, 10 times a power of ten that is at least `value` > 0."""
    power = 10.0 ** math.floor(math.log10(value))
    return next(digit * power for digit in (1, 1.5, 2, 3, 4, 5, 6, 8, 10, 20) if digit * power >= value)


def _times(*ticks: tuple[TimeUnit, tuple[float, ...]]) -> list[float]:
    return [number * unit.length for unit, numbers in ticks for number in numbers]


_ONES = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)
_LONG = (1, 10, 100, 1_000, 10_000, 100_000)
_TIMES = (
    _times(
        (SECONDS, (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20)), (MINUTES, (1, 2, 5, 10, 20)),
        (HOURS, (1, 2, 4, 8)), (DAYS, _ONES),
    ),
    _times(
        (SECONDS, (0.01, 0.1, 1, 3, 10, 30)), (MINUTES, (1, 3, 10, 30)), (HOURS, (1, 3, 8)),
        (DAYS, (1, 3, 10, 30, 100, 300, 1000, 3000, 10_000)),
    ),
    _times((SECONDS, (0.01, 0.1, 1, 10)), (MINUTES, (1, 10)), (HOURS, (1, 5)), (DAYS, _LONG)),
    _times((SECONDS, (0.001, 1)), (MINUTES, (1,)), (HOURS, (1,)), (DAYS, (1, 10, 100, 1000, 10_000))),
    _times((SECONDS, (1,)), (HOURS, (1,)), (DAYS, (1, 100, 10_000))),
    _times((SECONDS, (1,)), (DAYS, (1, 10_000, *(10.0**power for power in range(8, 300, 4))))),
)  # fmt: skip


def _short_time(seconds: float) -> str:
    if seconds == 0:
        return "0"
    unit = next((unit for unit in (DAYS, HOURS, MINUTES) if seconds >= unit.length), SECONDS)
    number = f"{seconds / unit.length:.6g}"
    return f"{number} day" if unit is DAYS and number == "1" else f"{number} {unit.name}"
