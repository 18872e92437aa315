"""Outages from a CSV file: past failures, or planned maintenance.

================== =============================================================================
column             holds
================== =============================================================================
`machine`          the name of a machine, a hostlist, or an index from 0
`start`            seconds since time 0, or a date
`end`              the same; nothing, or ``inf``, for an outage without end
================== =============================================================================

Other columns are left alone. ``start_time`` and ``end_time``, as `Outages` has them, are read as well.
"""

import logging
import math

import numpy as np

from schedcore.errors import InvalidInstanceError
from schedcore.model import Machines, Outages
from schedcore.model.arrays import EXACT_BOUND, BoolArray, FloatArray, IntArray
from schedcore.model.integer_lists import rows_of_groups
from schedcore.workloads.outages.times import Origin, parse_instant
from schedcore.workloads.reading.csv_table import CsvTable, are_numbers, csv_column_names, read_csv_table
from schedcore.workloads.reading.machine_names import MachineNames
from schedcore.workloads.reading.row_ledger import N_EXAMPLES, listed_rows
from schedcore.workloads.reading.source_file import FilePath

__all__ = ["read_outages"]

_MOST_OUTAGES = 100_000_000  # a short hostlist may name many machines
_WITHOUT_END = ("", "inf")

_logger = logging.getLogger("schedcore")


def read_outages(path: FilePath, machines: Machines, origin: Origin = None) -> Outages:
    """Read outages from a CSV file, gzipped or not.

    Parameters
    ----------
    path : path-like
        The first line names the columns: ``machine``, ``start`` and ``end``, and perhaps others. A machine is given by
        name, several by a hostlist, or one by its index where no name is a number. Times are seconds since time 0, or
        dates; an outage without end has nothing there, or ``inf``.
    machines : Machines
        Whose names the file has.
    origin : datetime or str, optional
        The date of time 0, without which there are no dates. Dates without a time zone are in its time zone.

    Returns
    -------
    Outages
        In the order of the file, a row for each machine. What begins before time 0 and lasts beyond it, begins at 0.
        What is over by then is left out, which a warning to the logger ``schedcore`` counts.

    Raises
    ------
    InvalidInstanceError
        For a file that is empty, damaged or no table; a machine that there is not; a time that cannot be read, a
        negative number, and an end that is not after its start. Names the line and the column.
    FileNotFoundError
        If there is no such file.
    ImportError
        If pyarrow is missing; names the extra.

    Notes
    -----
    O(file size + number of outages). Each distinct machine and time is looked at once.
    """
    written = csv_column_names(path)
    begin, finish = (
        name if name in written or f"{name}_time" not in written else f"{name}_time"
        for name in ("start", "end")
    )
    table = read_csv_table(path, ["machine", begin, finish])
    start, end = _instants(table, begin, origin), _instants(table, finish, origin, may_be_infinite=True)
    table.refuse(finish, ~(end > start), f"not after {begin}")
    is_over = end <= 0
    if is_over.any():
        listed = listed_rows(int(is_over.sum()), table.lines[is_over][:N_EXAMPLES])
        _logger.warning("%s: %s left out: over before time 0", table.source, listed)
    machine, row = _machines(table, machines)
    kept = ~is_over[row]
    return Outages(machine[kept], np.maximum(start, 0.0)[row][kept], end[row][kept])


def _machines(table: CsvTable, machines: Machines) -> tuple[IntArray, IntArray]:
    """Return the machine of every outage, and the row that it comes from."""
    names = MachineNames(machines)
    n_named = 0

    def named(text: str) -> IntArray:
        nonlocal n_named
        indices = names.indices_or_number(text)
        n_named += len(indices)
        if n_named > _MOST_OUTAGES:
            raise InvalidInstanceError(f"more than {_MOST_OUTAGES:,} outages up to here")
        return indices

    table.refuse("machine", table.matches("machine", "^$"), "missing")
    meant, codes = table.values("machine", named)
    begins = np.cumsum([0, *map(len, meant)], dtype=np.int64)
    n_outages = int(np.diff(begins)[codes].sum())
    if n_outages > _MOST_OUTAGES:
        raise InvalidInstanceError(
            f"{table.source}: {n_outages:,} outages are more than {_MOST_OUTAGES:,}, the most there can be"
        )
    chosen, of_rows = rows_of_groups(begins, codes)
    machine = np.concatenate([np.empty(0, dtype=np.int64), *meant])[chosen]
    return machine, np.repeat(np.arange(len(codes)), np.diff(of_rows))


def _instants(table: CsvTable, name: str, origin: Origin, *, may_be_infinite: bool = False) -> FloatArray:
    """(n_rows,) Return a column of instants, infinite for "inf" or nothing where they may be."""

    def instant(text: str) -> float:
        if may_be_infinite and text.lower() in _WITHOUT_END:
            return math.inf
        return parse_instant(text, origin)

    is_number: BoolArray = are_numbers(table.columns[name]).to_numpy(zero_copy_only=False)
    of_numbers, of_texts = table.rows(is_number), table.rows(~is_number)
    numbers = of_numbers.numbers(name)
    of_numbers.refuse(name, numbers < 0, "below 0")
    of_numbers.refuse(name, numbers > EXACT_BOUND, "beyond 2**53 seconds")
    if not may_be_infinite:
        of_texts.refuse(name, of_texts.matches(name, "^$"), "missing")
    values, codes = of_texts.values(name, instant)
    seconds = np.empty(len(table.lines))
    seconds[is_number] = numbers
    seconds[~is_number] = np.array(values, dtype=np.float64)[codes]
    return seconds
