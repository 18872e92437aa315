"""An instance as Parquet with the units that it counts in, which an `Instance` itself does not know.

The units stand in the schema metadata beside the machines, under a key of their own: ``Instance.from_parquet`` reads
the same instance with and without them, and files without them are read as well.
"""

import json
import os
from collections.abc import Mapping

from schedcore.errors import InvalidInstanceError
from schedcore.model import Instance
from schedcore.model.arrow import read_parquet, write_parquet

from .source_file import FilePath

__all__ = ["read_instance", "write_instance"]

_UNITS_KEY = b"schedcore.units"


def write_instance(
    path: FilePath, instance: Instance, units: Mapping[str, str], *, overwrite: bool = False
) -> None:
    """Write an instance as `Instance.to_parquet` does, with "time" and each resource -> unit."""
    table = instance.to_arrow()
    metadata = {**(table.schema.metadata or {}), _UNITS_KEY: json.dumps(dict(units)).encode()}
    write_parquet(table.replace_schema_metadata(metadata), path, overwrite=overwrite)


def read_instance(path: FilePath) -> tuple[Instance, dict[str, str]]:
    """Return the instance of a Parquet file, and the units that `write_instance` left in it.

    Raises
    ------
    InvalidInstanceError
        As `Instance.from_parquet` does, and if the units are no texts by name.
    """
    table = read_parquet(path)
    text = (table.schema.metadata or {}).get(_UNITS_KEY, b"{}")
    try:
        units = json.loads(text)
    except ValueError:
        units = None
    if not isinstance(units, dict) or not all(isinstance(unit, str) for unit in units.values()):
        raise InvalidInstanceError(f"{os.fspath(path)}: the units in its schema metadata cannot be read")
    return Instance.from_arrow(table), units
