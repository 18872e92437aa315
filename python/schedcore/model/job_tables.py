"""Jobs as a table: what its columns are called, and how a table becomes the arguments of `Jobs`."""

import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schedcore.errors import InvalidInstanceError

from .arrays import IntArray
from .arrow import Columns
from .job_columns import JOB_COLUMNS
from .job_notes import NOTE_PREFIX, notes_of_table

__all__ = [
    "DEMAND_PREFIX",
    "ESTIMATED_DEMAND_PREFIX",
    "checksum",
    "constructor_arguments",
    "may_be_null",
    "resource_columns",
]

DEMAND_PREFIX = "demand_"
ESTIMATED_DEMAND_PREFIX = "estimated_demand_"

_COLUMNS = ("processing_time", "release_time", "weight", "estimated_processing_time", "id")


def resource_columns(
    prefix: str, resource_names: tuple[str, ...], amounts: IntArray
) -> dict[str, NDArray[Any]]:
    """Return a contiguous column for each resource."""
    return {
        prefix + name: np.ascontiguousarray(column)
        for name, column in zip(resource_names, amounts.T, strict=True)
    }


def constructor_arguments(columns: Columns) -> dict[str, Any]:
    """Return what `Jobs` takes.

    Raises
    ------
    InvalidInstanceError
        For unknown columns, no processing times, and estimated demands of other resources than the demands.
    """
    others = notes_of_table(
        {
            name: column
            for name, column in columns.items()
            if not name.startswith((DEMAND_PREFIX, ESTIMATED_DEMAND_PREFIX))
        }
    )
    unknown = [name for name in others if name not in _COLUMNS and name not in JOB_COLUMNS]
    if unknown:
        raise InvalidInstanceError(
            f"unknown columns {unknown}; a table of jobs has id, release_time, processing_time, "
            f"estimated_processing_time, weight, {DEMAND_PREFIX}<resource>, "
            f"{ESTIMATED_DEMAND_PREFIX}<resource>, {NOTE_PREFIX}<name>, "
            f"{', '.join(name for name in JOB_COLUMNS if name != 'notes')}"
        )
    if "processing_time" not in others:
        raise InvalidInstanceError("the table has no column processing_time")
    names = [name.removeprefix(DEMAND_PREFIX) for name in columns if name.startswith(DEMAND_PREFIX)]
    believed = {name for name in columns if name.startswith(ESTIMATED_DEMAND_PREFIX)}
    if believed and believed != {ESTIMATED_DEMAND_PREFIX + name for name in names}:
        raise InvalidInstanceError(
            f"the table has estimated demands in {sorted(believed)} and demands in {names}: they belong together"
        )
    estimated = _stacked(columns, ESTIMATED_DEMAND_PREFIX, names) if believed else None
    return {"demand": _stacked(columns, DEMAND_PREFIX, names), "estimated_demand": estimated, **others}


def may_be_null(column: str) -> bool:
    """Whether an entry of a column of a table may be missing."""
    return column.startswith(NOTE_PREFIX) or (column in JOB_COLUMNS and JOB_COLUMNS[column].may_be_null)


def checksum(ids: IntArray) -> int:
    """Return a number that changes with the identifiers, the same on every platform."""
    return zlib.crc32(ids.astype("<i8").tobytes())


def _stacked(columns: Columns, prefix: str, names: list[str]) -> NDArray[Any]:
    """One matrix of the columns of all resources."""
    matrix = (
        np.column_stack([columns[prefix + name] for name in names])
        if names
        else np.empty((0, 0), dtype=np.int64)
    )
    matrix.setflags(write=False)
    return matrix
