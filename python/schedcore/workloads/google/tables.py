"""Tables of Google's cluster trace of 2011, from any of their part files.

The trace [Reiss2011]_ is a folder of tables, and a table a folder of parts ``part-00000-of-00500.csv.gz``. A table
comes out whole, as typed columns; nothing in it is interpreted here (see `schedcore.workloads.google.states`).

.. [Reiss2011] C. Reiss, J. Wilkes, J. L. Hellerstein, "Google cluster-usage traces: format + schema", 2011.
"""

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from schedcore.errors import InvalidInstanceError
from schedcore.model.choices import check_choice
from schedcore.model.extras import import_extra
from schedcore.workloads.google.part_file import OnBadRow, read_google_part
from schedcore.workloads.google.schema import GOOGLE_TABLES
from schedcore.workloads.reading.annotated_arguments import checks_choices
from schedcore.workloads.reading.report import TableReport, make_table_report
from schedcore.workloads.reading.row_ledger import RowLedger
from schedcore.workloads.reading.source_file import FilePath

__all__ = ["read_google_table", "skipped_events"]

_PART_NAME = re.compile(r"part-(\d{5})-of-\d{5}\.csv(\.gz)?")


@checks_choices
def read_google_table(
    path: FilePath,
    table: str,
    parts: Iterable[int] | None = None,
    *,
    columns: Sequence[str] | None = None,
    on_bad_row: OnBadRow = "error",
) -> tuple[Any, TableReport]:
    """Read a table, or some of its parts and columns.

    Parameters
    ----------
    path : path-like
        The folder of the trace, the folder of the table, or one part file, gzipped or not.
    table : str
        "task_events", "job_events", "machine_events", "task_usage", "task_constraints" or "machine_attributes".
    parts : iterable of int, optional
        Numbers of the parts to read, each at most once. Default: all that are there.
    columns : sequence of str, optional
        Names in `GOOGLE_TABLES`; fields of other columns are not looked at. Default: all.
    on_bad_row : {"error", "skip"}
        What happens to a row with another number of fields, with a field that cannot be read or is out of range, or
        without a value that every row has.

    Returns
    -------
    rows : pyarrow.Table
        In the order of the parts and their lines. Integers are int64 and numbers float64, null where the field is
        empty; texts are dictionary-encoded.
    report : TableReport
        Rows read and dropped, by reason, with their files and lines.

    Raises
    ------
    InvalidInstanceError
        For an unknown table or column (with the close matches), no column, parts that are not there, a folder without
        parts, an empty or damaged file, one of another table, and bad rows (with their lines).
    FileNotFoundError
        If there is no such file or folder.
    ImportError
        If pyarrow is missing; names the extra.

    Notes
    -----
    A million rows of task_events take about three seconds, one second with some of the columns. All parts are held in
    memory: some 100 bytes a row of task_events with all columns, 16 where two are read.
    """
    check_choice("Google table", table, GOOGLE_TABLES)
    schema = {column.name: column for column in GOOGLE_TABLES[table]}
    for name in columns or ():
        check_choice(f"column of {table}", name, schema)
    if columns is not None and not len(columns):
        raise InvalidInstanceError(f"{table}: columns = {columns!r} names none")
    wanted = [schema[name] for name in dict.fromkeys(schema if columns is None else columns)]
    files = _part_files(Path(path), table, parts)
    pyarrow = import_extra("pyarrow", "traces")
    tables: list[Any] = []
    ledgers: dict[str, RowLedger] = {}
    for file in files:
        rows, ledgers[file.name] = read_google_part(file, tuple(schema.values()), wanted, on_bad_row)
        tables.append(rows)
    whole = pyarrow.concat_tables(tables).unify_dictionaries().combine_chunks()
    return whole, make_table_report(os.fspath(path), ledgers)


def skipped_events(dropped: Mapping[str, int]) -> tuple[str, ...]:
    """Return what a report should say of rows of tables that were dropped, if any were."""
    if not dropped:
        return ()
    counts = ", ".join(f"{count:,} {reason}" for reason, count in dropped.items())
    return (f"events skipped because they could not be read: {counts}",)


def _part_files(path: Path, table: str, parts: Iterable[int] | None) -> list[Path]:
    """Return the files of the wanted parts, in their order."""
    if not path.is_dir():
        if parts is not None:
            raise InvalidInstanceError(f"{path} is one file, of which there are no parts")
        return [path]
    folder = path / table if (path / table).is_dir() else path
    files: dict[int, Path] = {}
    for file in sorted(folder.iterdir()):
        match = _PART_NAME.fullmatch(file.name)
        if match is None:
            continue
        number = int(match[1])
        if number in files:
            raise InvalidInstanceError(f"{folder}: part {number} is there twice, as {file.name} too")
        files[number] = file
    if not files:
        raise InvalidInstanceError(
            f"{folder} holds no part of {table} (files such as part-00000-of-00500.csv.gz)"
        )
    if parts is None:
        return list(files.values())
    chosen = list(parts)
    absent = [number for number in chosen if number not in files]
    if absent or not chosen or len(set(chosen)) < len(chosen):
        there = ", ".join(map(str, files))
        wrong = f"has no part {', '.join(map(str, absent))}" if absent else "needs every part once"
        raise InvalidInstanceError(f"{folder} {wrong} (parts = {chosen}; there are {there})")
    return [files[number] for number in sorted(chosen)]
