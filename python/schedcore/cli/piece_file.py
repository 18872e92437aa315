"""Schedules of pieces as files: one row a piece, with the columns job, task, machine, start_time, end_time and amount.

Jobs of parallel tasks hold their demand, so their files have no amount. Of jobs that are not made of tasks, task is -1,
or left out.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from schedcore.cli.schedule_file import SCHEDULE_SUFFIXES, column_of
from schedcore.errors import InvalidInstanceError
from schedcore.model import PreemptiveSchedule
from schedcore.model.arrow import read_parquet, write_parquet
from schedcore.model.extras import import_extra
from schedcore.model.whole_file import whole_file
from schedcore.workloads.file_kind import kind_of_file
from schedcore.workloads.reading.csv_table import header_names, read_csv_table
from schedcore.workloads.reading.source_file import read_head

_INTEGERS, _TIMES = ("job", "task", "machine", "amount"), ("start_time", "end_time")
_SIGNS = {"job", "machine", *_TIMES}, {"task", "amount"}  # all of the first, one of the second
_HEAD_SIZE = 8192


def holds_pieces(path: Path) -> bool:
    """Whether the columns of a file are those of `write_pieces`; False where it is of another kind."""
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
    always, either = _SIGNS
    return always <= names and not either.isdisjoint(names)


def write_pieces(path: Path, schedule: PreemptiveSchedule) -> None:
    """Write a row a piece to `path`, replacing what is there; it is left if that fails."""
    table = schedule.to_arrow()
    if path.suffix == ".csv":
        with whole_file(path, overwrite=True) as file:
            import_extra("pyarrow.csv", "traces").write_csv(table, file)
    else:
        write_parquet(table, path, overwrite=True)


def read_pieces(path: Path, *, with_task: bool, with_amount: bool) -> PreemptiveSchedule:
    """Read what `write_pieces` wrote, its rows in any order.

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
    kind = kind_of_file(path)
    needed = {"task": with_task, "amount": with_amount}
    optional = {name for name, is_needed in needed.items() if not is_needed}
    if kind == "csv":
        required = [name for name in (*_INTEGERS, *_TIMES) if name not in optional]
        rows = read_csv_table(path, required, sorted(optional))
        integers = [name for name in _INTEGERS if name in rows or name not in optional]
        columns: dict[str, Any] = {name: rows.integers(name) for name in integers}
        columns |= {name: rows.numbers(name) for name in _TIMES}
    elif kind == "parquet":
        content = read_parquet(path)
        integers = [name for name in _INTEGERS if name in content.column_names or name not in optional]
        columns = {name: column_of(content, name, path, "iu") for name in integers}
        columns |= {name: column_of(content, name, path, "iuf") for name in _TIMES}
    else:
        raise InvalidInstanceError(
            f"{path}: not a known kind of schedule; known are {', '.join(SCHEDULE_SUFFIXES)}"
        )
    return PreemptiveSchedule(**{"task": -1, **columns})
