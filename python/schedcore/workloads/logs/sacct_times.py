"""When jobs of an output of sacct could start, and how long they ran.

Instants are seconds since 1970; everywhere -1 is unknown and NaN a field that cannot be read.
"""

import numpy as np

from schedcore.model.arrays import FloatArray
from schedcore.workloads.logs import sacct_fields as fields
from schedcore.workloads.logs.sacct_table import SacctTable

__all__ = ["ELAPSED_COLUMNS", "TIME_COLUMNS", "elapsed", "first_known", "release_at_eligible"]

ELAPSED_COLUMNS = ("ElapsedRaw", "Elapsed")
#: All that is needed to tell when a job could start, did, and ended.
TIME_COLUMNS = ("Submit", "Eligible", *ELAPSED_COLUMNS, "Start", "End")


def elapsed(table: SacctTable) -> FloatArray:
    """Return run times: ElapsedRaw, else Elapsed, else End - Start."""
    start, end = table.instants("Start"), table.instants("End")
    by_clock = np.where(end < start, np.nan, end - start)
    by_clock[(start == fields.UNKNOWN) | (end == fields.UNKNOWN)] = fields.UNKNOWN
    return first_known(
        table.values("ElapsedRaw", fields.count), table.values("Elapsed", fields.duration), by_clock
    )


def release_at_eligible(submit: FloatArray, eligible: FloatArray, start: FloatArray) -> FloatArray:
    """Return Eligible, but not before Submit, nor after Start; Submit where it is unknown."""
    not_late = np.where(start >= 0, np.minimum(eligible, start), eligible)
    release: FloatArray = np.where(eligible >= 0, np.maximum(not_late, submit), submit)
    return release


def first_known(first: FloatArray, *others: FloatArray) -> FloatArray:
    """Return the first column that is not -1, row by row; NaN counts as known."""
    for other in others:
        first = np.where(first == fields.UNKNOWN, other, first)
    return first
