"""Tables of numbers as files: Parquet or CSV, decided by the suffix when written and by the content when read."""

from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from schedcore.errors import InvalidInstanceError
from schedcore.model.arrow import read_parquet, write_parquet
from schedcore.model.extras import import_extra
from schedcore.model.whole_file import whole_file
from schedcore.workloads.file_kind import kind_of_file
from schedcore.workloads.reading.csv_table import read_csv_table

__all__ = ["SCHEDULE_SUFFIXES", "read_table", "write_table"]

SCHEDULE_SUFFIXES = (".parquet", ".csv")


def write_table(path: Path, table: Any) -> None:
    """Write a ``pyarrow.Table`` to `path`, replacing what is there; it is left if that fails."""
    if path.suffix == ".csv":
        write_csv = import_extra("pyarrow.csv", "traces").write_csv
        with whole_file(path, overwrite=True) as file:
            write_csv(table, file)
    else:
        write_parquet(table, path, overwrite=True)


def read_table(
    path: Path,
    columns: Mapping[str, type[int] | type[float] | type[str]],
    optional: Collection[str] = (),
    *,
    what: str = "schedule",
    others: str = "",
) -> dict[str, npt.NDArray[Any]]:
    """Read columns of integers, numbers and texts from a Parquet or CSV file.

    Parameters
    ----------
    path : Path
    columns : mapping of str to type
        Name -> int, float for any numbers, or str for texts, which may be missing: then they are empty.
    optional : collection of str
        Those of the columns that may be missing.
    what : str
        What messages call the content.
    others : str
        Other files that the caller reads.

    Raises
    ------
    InvalidInstanceError
        If the file cannot be read or is of another kind, and for a column that is missing, there twice, or holds
        something else; names it.
    """
    kind = kind_of_file(path)
    if kind == "csv":
        needed = [name for name in columns if name not in optional]
        rows = read_csv_table(path, needed, [name for name in columns if name in optional])
        of_kind: dict[Any, Callable[[str], npt.NDArray[Any]]] = {
            int: rows.integers,
            float: rows.numbers,
            str: rows.texts,
        }
        return {name: of_kind[content](name) for name, content in columns.items() if name in rows}
    if kind != "parquet":
        known = ", ".join((*SCHEDULE_SUFFIXES, *filter(None, [others])))
        raise InvalidInstanceError(f"{path}: not a known kind of {what}; known are {known}")
    table = read_parquet(path)
    return {
        name: _column(table, name, path, _KINDS[content])
        for name, content in columns.items()
        if name not in optional or name in table.column_names
    }


_KINDS: Mapping[type[int] | type[float] | type[str], str] = {int: "iu", float: "iuf", str: ""}


def _column(table: Any, name: str, path: Path, kinds: str) -> npt.NDArray[Any]:
    """A column of an Arrow table whose numbers are of one of the NumPy `kinds`, such as "iu"; without any, of texts."""
    if name not in table.column_names:
        raise InvalidInstanceError(f"{path} has no column {name} (it has: {', '.join(table.column_names)})")
    if table.column_names.count(name) > 1:
        raise InvalidInstanceError(f"{path} has two columns named {name}")
    column = table.column(name)
    if not kinds:
        types = import_extra("pyarrow", "traces").types
        if not (types.is_string(column.type) or types.is_large_string(column.type)):
            raise InvalidInstanceError(f"{path}: {name} must hold texts")
        return np.array([text or "" for text in column.to_pylist()], dtype=object)
    if column.null_count:
        row = column.is_null().to_pylist().index(True)
        raise InvalidInstanceError(f"{path}: {name} of row {row} is missing")
    values: npt.NDArray[Any] = column.to_numpy()
    if len(values) == 0:
        return np.zeros(0, dtype=np.int64)
    if values.dtype.kind not in kinds:
        raise InvalidInstanceError(f"{path}: {name} must hold {'numbers' if 'f' in kinds else 'integers'}")
    return values
