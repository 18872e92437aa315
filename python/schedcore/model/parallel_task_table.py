"""A parallel-task instance as one table, a row a placement: what `to_parquet` writes and `from_parquet` reads."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from schedcore.errors import InvalidInstanceError

from .arrays import first_index, place
from .arrow import Columns

__all__ = ["demand_columns", "is_task_table", "task_columns"]

_KEYS = ("job", "task", "machine")
_OF_JOBS = ("weight", "release_time")
_OF_PLACEMENTS = ("processing_time", "is_local")
_DEMAND = "demand_"


def is_task_table(names: list[str]) -> bool:
    """Whether a table with these columns is one of tasks and their placements."""
    return {*_KEYS, *_OF_JOBS, *_OF_PLACEMENTS} <= set(names)


def demand_columns(demand: NDArray[Any], resource_names: tuple[str, ...]) -> Columns:
    """Return the columns of the demands, one a resource, of a matrix with a row a placement."""
    columns = zip(resource_names, demand.T, strict=True)
    return {_DEMAND + name: np.ascontiguousarray(column) for name, column in columns}


def task_columns(columns: Columns, resource_names: tuple[str, ...]) -> dict[str, Any]:
    """Return the arguments of the constructor; rows may come in any order.

    Raises
    ------
    InvalidInstanceError
        For missing or unknown columns, and for rows of one job or task that disagree about it.
    """
    expected = [*_KEYS, *_OF_PLACEMENTS, *_OF_JOBS, *(_DEMAND + name for name in resource_names)]
    if set(columns) != set(expected):
        raise InvalidInstanceError(f"a table of placements has the columns {expected}, not {list(columns)}")
    order = np.lexsort([columns[name] for name in reversed(_KEYS)])
    rows = {name: np.ascontiguousarray(column[order]) for name, column in columns.items()}
    new_job = _changes(rows["job"])
    new_task = new_job | _changes(rows["task"])
    for name in (*_OF_JOBS, *(_DEMAND + name for name in resource_names)):
        first = new_job if name in _OF_JOBS else new_task
        differs = ~first & _changes(rows[name])
        if differs.any():
            row = first_index(differs)
            whose = "job" if name in _OF_JOBS else "task"
            raise InvalidInstanceError(
                f"{place(name, rows[name], row)} in the row of job {rows['job'][row]}, task {rows['task'][row]}, "
                f"machine {rows['machine'][row]} differs from another row of that {whose}"
            )
    _check_numbers("job", rows["job"][new_job], np.arange(new_job.sum()))
    task_job = rows["job"][new_task]
    starts = np.flatnonzero(_changes(task_job))
    _check_numbers(
        "task",
        rows["task"][new_task],
        np.arange(len(task_job)) - np.repeat(starts, np.diff([*starts, len(task_job)])),
    )
    return {
        "weight": rows["weight"][new_job],
        "release_time": rows["release_time"][new_job],
        "task_job": task_job,
        "demand": np.column_stack([rows[_DEMAND + name][new_task] for name in resource_names]),
        "placement_start": np.append(np.flatnonzero(new_task), len(order)),
        "placement_machine": rows["machine"],
        "placement_time": rows["processing_time"],
        "placement_local": rows["is_local"],
    }


def _changes(column: NDArray[Any]) -> NDArray[np.bool_]:
    """Where an entry differs from the one before it; the first always does."""
    changes: NDArray[np.bool_] = np.ones(len(column), dtype=np.bool_)
    changes[1:] = column[1:] != column[:-1]
    return changes


def _check_numbers(name: str, given: NDArray[Any], expected: NDArray[Any]) -> None:
    wrong = given != expected
    if wrong.any():
        row = first_index(wrong)
        raise InvalidInstanceError(
            f"{name} {expected[row]} is missing: the table goes on with {name} {given[row]}; {name}s are numbered "
            f"from 0"
        )
