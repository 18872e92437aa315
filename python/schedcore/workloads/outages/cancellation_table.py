"""Cancellations from a CSV file: which jobs their users took back, and when.

================== =============================================================================
column             holds
================== =============================================================================
`id`               the id of a job
`time`             seconds since time 0, or a date
================== =============================================================================

Other columns are left alone.
"""

import numpy as np

from schedcore.model import Instance
from schedcore.model.job_rows import RowsOfIds
from schedcore.workloads.outages.times import Origin, parse_instant
from schedcore.workloads.reading.csv_table import read_csv_table
from schedcore.workloads.reading.source_file import FilePath

__all__ = ["read_cancellations"]


def read_cancellations(path: FilePath, inst: Instance, origin: Origin = None) -> dict[int, float]:
    """Read cancellations from a CSV file, gzipped or not.

    Parameters
    ----------
    path : path-like
        The first line names the columns: ``id`` and ``time``, and perhaps others.
    inst : Instance
        Whose jobs they are.
    origin : datetime or str, optional
        The date of time 0, without which there are no dates.

    Returns
    -------
    dict of int to float
        The id of a job -> when it is cancelled, as `Incidents` takes them.

    Raises
    ------
    InvalidInstanceError
        For a file that is empty, damaged or no table; an id that no job has or that comes twice; a time that cannot be
        read, or is before time 0. Names the line and the column.
    FileNotFoundError
        If there is no such file.
    ImportError
        If pyarrow is missing; names the extra.

    Notes
    -----
    O(file size + n_jobs log n_jobs).
    """
    table = read_csv_table(path, ["id", "time"])
    ids = table.integers("id")
    times, codes = table.values("time", lambda text: parse_instant(text, origin))
    table.refuse("id", ~RowsOfIds(inst.jobs.id)(ids)[1], "the id of no job")
    first = np.unique(ids, return_index=True)[1]
    table.refuse("id", ~np.isin(np.arange(len(ids)), first), "cancelled twice")
    instants = np.array(times, dtype=np.float64)[codes]
    table.refuse("time", instants < 0, "before time 0")
    return dict(zip(ids.tolist(), instants.tolist(), strict=True))
