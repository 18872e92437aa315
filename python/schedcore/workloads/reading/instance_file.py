"""An instance as Parquet with the units that it counts in, which an `Instance` itself does not know.

The units stand in the schema metadata beside the machines, under a key of their own: ``Instance.from_parquet`` reads
the same instance with and without them, and files without them are read as well. What else a Parquet file may hold is
told by its columns.
"""

import json
import os
from collections.abc import Mapping
from typing import Any, Literal

from schedcore.errors import InvalidInstanceError
from schedcore.model import AnyInstance
from schedcore.model.arrow import read_parquet, write_parquet
from schedcore.model.extras import import_extra
from schedcore.model.map_reduce import COLUMNS as MAP_REDUCE_COLUMNS
from schedcore.model.parallel_task_table import is_task_table
from schedcore.workloads.reading.source_file import FilePath

__all__ = ["ParquetContent", "content_of_parquet", "read_units_and_table", "write_instance"]

ParquetContent = Literal["instance", "colocation", "task_sample", "parallel_tasks", "map_reduce", "table"]

_OWN_KEY = b"schedcore"
_UNITS_KEY = b"schedcore.units"
_COLUMNS: dict[frozenset[str], ParquetContent] = {
    frozenset(("size", "type")): "colocation",
    frozenset(("size", "ratio")): "task_sample",
    frozenset(MAP_REDUCE_COLUMNS): "map_reduce",
}


def content_of_parquet(path: FilePath) -> ParquetContent:
    """Return what the columns of a Parquet file say that it holds; a table of other columns may hold anything.

    The rows are not read. A file that cannot be read holds an instance: whoever reads it says what is wrong.
    """
    pyarrow = import_extra("pyarrow", "traces")
    parquet = import_extra("pyarrow.parquet", "traces")
    with open(path, "rb") as file:
        try:
            schema = parquet.read_schema(file)
            names = schema.names
        except (pyarrow.ArrowException, OSError, UnicodeDecodeError):
            return "instance"
    if is_task_table(names):
        return "parallel_tasks"
    has_jobs = "processing_time" in names and any(name.startswith("demand_") for name in names)
    is_own = _OWN_KEY in (schema.metadata or {}) or has_jobs
    return _COLUMNS.get(frozenset(names), "instance" if is_own else "table")


def write_instance(
    path: FilePath,
    instance: AnyInstance,
    units: Mapping[str, str],
    *,
    overwrite: bool = False,
) -> None:
    """Write an instance as its `to_parquet` does, with "time" and each resource -> unit."""
    table = instance.to_arrow()
    metadata = {**(table.schema.metadata or {}), _UNITS_KEY: json.dumps(dict(units)).encode()}
    write_parquet(table.replace_schema_metadata(metadata), path, overwrite=overwrite)


def read_units_and_table(path: FilePath) -> tuple[Any, dict[str, str]]:
    """Return the table of a Parquet file, and the units that `write_instance` left in it.

    Raises
    ------
    InvalidInstanceError
        If the file cannot be read, and if the units are no texts by name.
    """
    table = read_parquet(path)
    text = (table.schema.metadata or {}).get(_UNITS_KEY, b"{}")
    try:
        units = json.loads(text)
    except (ValueError, RecursionError):
        units = None
    if not isinstance(units, dict) or not all(isinstance(unit, str) for unit in units.values()):
        raise InvalidInstanceError(f"{os.fspath(path)}: the units in its schema metadata cannot be read")
    return table, units
