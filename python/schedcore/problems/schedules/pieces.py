"""Schedules of pieces as files: one row a piece, with the columns job, task, machine, start_time, end_time and amount.

Jobs of parallel tasks hold their demand, so their files have no amount. Of jobs that are not made of tasks, task is -1,
or left out.
"""

from pathlib import Path
from typing import Any

from schedcore.model import PreemptiveSchedule
from schedcore.model.extras import import_extra
from schedcore.problems.schedules.table_file import read_table
from schedcore.workloads.file_kind import kind_of_file
from schedcore.workloads.reading.csv_table import header_names
from schedcore.workloads.reading.source_file import read_head

__all__ = ["holds_pieces", "read_pieces"]

_COLUMNS = {"job": int, "task": int, "machine": int, "amount": int, "start_time": float, "end_time": float}
_EITHER = {"task", "amount"}  # the file has one of these at least, and all others
_HEAD_SIZE = 8192


def holds_pieces(path: Path) -> bool:
    """Whether the columns of a file are those of pieces; False where it is of another kind."""
    kind = kind_of_file(path)
    if kind == "csv":
        names = header_names(read_head(path, _HEAD_SIZE).partition(b"\n")[0].decode("latin-1"))
        return _are_of_pieces({name.strip() for name in names})
    if kind != "parquet":
        return False
    pyarrow = import_extra("pyarrow", "traces")
    with open(path, "rb") as file:
        try:
            return _are_of_pieces(set(import_extra("pyarrow.parquet", "traces").read_schema(file).names))
        except (pyarrow.ArrowException, OSError, UnicodeDecodeError):  # whoever reads it says what is wrong
            return False


def _are_of_pieces(names: set[str]) -> bool:
    return _COLUMNS.keys() - _EITHER <= names and not _EITHER.isdisjoint(names)


def read_pieces(path: Path, *, with_task: bool, with_amount: bool) -> PreemptiveSchedule:
    """Read pieces, in any order.

    Parameters
    ----------
    path : Path
    with_task, with_amount : bool
        Whether these columns must be there; otherwise jobs without tasks, or pieces that hold the demand, may leave
        them out.

    Raises
    ------
    InvalidInstanceError
        If the file cannot be read, a column is missing, or one holds no numbers (integers: job, task, machine, amount).
    """
    needed = {"task": with_task, "amount": with_amount}
    optional = [name for name, is_needed in needed.items() if not is_needed]
    columns: dict[str, Any] = {"task": -1, **read_table(path, _COLUMNS, optional)}
    return PreemptiveSchedule(**columns)
