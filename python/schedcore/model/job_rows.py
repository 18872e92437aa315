"""In which row is the job with an id?"""

import numpy as np

from .arrays import BoolArray, IntArray

__all__ = ["RowsOfIds"]


class RowsOfIds:
    """The rows of jobs by their ids; O(n_jobs log n_jobs) to make, then O(log n_jobs) an id."""

    def __init__(self, ids: IntArray) -> None:
        self._order = np.argsort(ids, kind="stable")
        self._ascending = ids[self._order]

    def __call__(self, ids: IntArray) -> tuple[IntArray, BoolArray]:
        """Return the row of each id, and whether some job has it; any row where none has."""
        if len(self._order) == 0:
            return np.zeros(len(ids), dtype=np.int64), np.zeros(len(ids), dtype=np.bool_)
        place = np.minimum(np.searchsorted(self._ascending, ids), len(self._order) - 1)
        return self._order[place], self._ascending[place] == ids
