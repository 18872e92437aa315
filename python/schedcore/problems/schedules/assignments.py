"""Assignments as files: the machine of each task."""

from pathlib import Path
from typing import Any

import numpy as np

from schedcore.errors import InvalidInstanceError
from schedcore.model import Assignment, ColocationInstance
from schedcore.model.extras import import_extra
from schedcore.problems.schedules.table_file import read_table

__all__ = ["read_assignment", "table_of_assignment"]


def table_of_assignment(assignment: Assignment) -> Any:
    """Return a ``pyarrow.Table`` with the columns task and machine."""
    pyarrow = import_extra("pyarrow", "traces")
    return pyarrow.table({"task": np.arange(assignment.n_tasks), "machine": assignment.machine})


def read_assignment(path: Path, inst: ColocationInstance) -> Assignment:
    """Read the machine of each task; without a column task, row j belongs to task j.

    Raises
    ------
    InvalidInstanceError
        If the file cannot be read, a column is missing or holds no integers, or the tasks are not those of the
        instance, each once.
    """
    columns = read_table(path, {"machine": int, "task": int}, ["task"], what="assignment")
    machine, task = columns["machine"], columns.get("task")
    if task is None:
        return Assignment(machine)
    if not np.array_equal(np.sort(task), np.arange(inst.n_tasks)):
        raise InvalidInstanceError(
            f"{path}: task must name each of the {inst.n_tasks:,} tasks of the workload once, 0 to {inst.n_tasks - 1:,}"
        )
    return Assignment(machine[np.argsort(task)])
