"""Many ranges of intervals, one for each owner, numbered through."""

import numpy as np
from numpy.typing import NDArray

__all__ = ["Ranges"]

_Ints = NDArray[np.int64]


class Ranges:
    """Owner k has the places of intervals ``first[k]`` to ``last[k]``, none if ``last[k] < first[k]``.

    Attributes
    ----------
    first, last : (n_owners,) int64
    n_places : int
        Places are numbered from 0, by owner, then interval.
    """

    __slots__ = ("_before", "first", "last", "n_places")

    def __init__(self, first: _Ints, last: _Ints) -> None:
        self.first, self.last = first, last
        counts = np.maximum(last - first + 1, 0)
        self._before = np.cumsum(counts) - counts
        self.n_places = int(counts.sum())

    def place(self, owner: _Ints, interval: _Ints) -> _Ints:
        """Return the number of each place; the interval must be one of the owner's."""
        return np.asarray(self._before[owner] + interval - self.first[owner])

    def places(self) -> tuple[_Ints, _Ints]:
        """Return the owner and the interval of every place."""
        owner = np.repeat(np.arange(len(self.first)), np.maximum(self.last - self.first + 1, 0))
        return owner, np.arange(self.n_places) - self._before[owner] + self.first[owner]

    def table(self, values: NDArray[np.float64], n_intervals: int) -> NDArray[np.float64]:
        """Return (n_owners, n_intervals) the values of the places, 0 elsewhere."""
        table = np.zeros((len(self.first), n_intervals))
        table[self.places()] = values
        return table
