"""Points in time as exact numbers: whole seconds and nanoseconds of each, so that a difference is what it is.

As one float64, a date has no more than some tenths of a microsecond, and what took an hour could seem to take longer.
"""

import dataclasses
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schedcore.model.arrays import BoolArray, FloatArray, IntArray

__all__ = ["Instants"]

_NANO = 1_000_000_000


@dataclasses.dataclass(frozen=True, eq=False)
class Instants:
    """A column of points in time.

    Parameters
    ----------
    seconds : (n,) float64
        Whole seconds; NaN where nothing is known.
    nanoseconds : (n,) float64
        Whole ones, in [0, 10**9).
    """

    seconds: FloatArray
    nanoseconds: FloatArray

    @classmethod
    def of_integers(cls, counts: IntArray, in_a_second: int, known: BoolArray) -> "Instants":
        """Return integers that count equal parts of a second, a divisor of 10**9; exact."""
        whole, rest = np.divmod(counts, in_a_second)
        seconds = np.where(known, whole.astype(np.float64), np.nan)
        return cls(seconds, rest.astype(np.float64) * (_NANO // in_a_second))

    @classmethod
    def of_floats(cls, seconds: FloatArray) -> "Instants":
        """Return numbers of seconds, to the nearest nanosecond."""
        with np.errstate(invalid="ignore"):
            whole = np.floor(seconds)
            rest = np.round((seconds - whole) * _NANO)
            carried = rest >= _NANO
        return cls(np.where(carried, whole + 1, whole), np.where(carried | np.isnan(rest), 0.0, rest))

    @property
    def known(self) -> BoolArray:
        """(n,) Which of them are known."""
        return ~np.isnan(self.seconds)

    def take(self, rows: NDArray[Any]) -> "Instants":
        """Return those of some rows, in their order."""
        return Instants(self.seconds[rows], self.nanoseconds[rows])

    def where(self, chosen: BoolArray, other: "Instants") -> "Instants":
        """Return these where they are chosen, else the other ones."""
        return Instants(
            np.where(chosen, self.seconds, other.seconds),
            np.where(chosen, self.nanoseconds, other.nanoseconds),
        )

    def since(self, earlier: "Instants") -> FloatArray:
        """Return how many seconds after others these are."""
        difference: FloatArray = (self.seconds - earlier.seconds) + (
            self.nanoseconds - earlier.nanoseconds
        ) / _NANO
        return difference

    def after(self, duration: FloatArray) -> "Instants":
        """Return what is so many seconds later."""
        other = Instants.of_floats(duration)
        with np.errstate(invalid="ignore"):
            total = self.nanoseconds + other.nanoseconds
        carried = np.floor_divide(total, _NANO)
        return Instants(self.seconds + other.seconds + carried, total - carried * _NANO)

    def as_floats(self) -> FloatArray:
        """Return seconds as float64."""
        floats: FloatArray = self.seconds + self.nanoseconds / _NANO
        return floats
