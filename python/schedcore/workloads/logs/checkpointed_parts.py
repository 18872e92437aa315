"""The work of the parts of checkpointed jobs: lost only where no row has the whole job.

A log that has such jobs has a row for the whole beside the rows of the parts. A log that keeps something else in the
field that says so has no such row, and rows that are taken for parts are its jobs. Which it is shows at the end of the
log, when the rows of the parts are gone: what they add up to by job number is all that is kept of them. A row of the
whole that is lost itself, with work that it tells, has lost that of its parts already.
"""

import numpy as np

from schedcore.model.arrays import FloatArray
from schedcore.workloads.reading.row_ledger import Tally, WorkColumns, tallied

__all__ = ["CheckpointedParts"]

_FEW = 2**16  # rows that are not worth adding up


class CheckpointedParts:
    """Parts of jobs; some 40 bytes for each job number, whatever the number of parts, and 8 for each lost whole."""

    def __init__(self, n_resources: int) -> None:
        self._number = [np.empty(0)]
        self._tally: list[FloatArray] = [np.empty((0, 2, n_resources))]
        self._lost_whole = [np.empty(0)]
        self._n_new = 0  # rows behind the first array, in which each number stands once

    def add(self, number: FloatArray, work: WorkColumns) -> None:
        """Add rows with their job numbers and their work, which is NaN where it is not known."""
        self._number.append(number)
        self._tally.append(tallied(work))
        self._n_new += len(number)
        if self._n_new > len(self._number[0]) + _FEW:
            self._add_up()

    def add_lost_whole(self, number: FloatArray) -> None:
        """Add the job numbers of whole jobs of which the rows are gone and their work is counted as lost."""
        self._lost_whole.append(number)

    def without(self, whole: FloatArray) -> Tally:
        """Return the sum over parts of jobs that are not in `whole`, nor lost; a negative number is nobody's."""
        self._add_up()
        whole = np.concatenate([whole, *self._lost_whole])
        (number,), (tally,) = self._number, self._tally
        loss: Tally = tally[(number < 0) | ~np.isin(number, whole)].sum(axis=0)
        return loss

    def _add_up(self) -> None:
        number, place = np.unique(np.concatenate(self._number), return_inverse=True)
        rows = np.concatenate(self._tally)
        tally = np.zeros((len(number), *rows.shape[1:]))
        np.add.at(tally, place, rows)
        self._number, self._tally, self._n_new = [number], [tally], 0
