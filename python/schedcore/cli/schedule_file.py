"""Schedules as files: one row a job, with the columns id, start_time, completion_time and machine.

Rows are matched by the jobs' ids, so their order does not matter; completion times are for other programs and
are not read back. Parquet or CSV, decided by the suffix, both through pyarrow.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from schedcore.errors import InvalidInstanceError
from schedcore.metrics import completion_time
from schedcore.model import Instance, Schedule
from schedcore.model.extras import import_extra

SCHEDULE_SUFFIXES = (".parquet", ".csv")


def write_schedule(path: Path, inst: Instance, schedule: Schedule) -> None:
    """Write `schedule` to `path`, replacing what is there."""
    pyarrow = import_extra("pyarrow", "traces")
    table = pyarrow.table(
        {
            "id": inst.jobs.id,
            "start_time": schedule.start_time,
            "completion_time": completion_time(inst, schedule),
            "machine": schedule.machine,
        }
    )
    if path.suffix == ".csv":
        import_extra("pyarrow.csv", "traces").write_csv(table, path)
    else:
        import_extra("pyarrow.parquet", "traces").write_table(table, path)


def read_schedule(path: Path, inst: Instance) -> Schedule:
    """Read a schedule of `inst`; without a column id, row j belongs to job j.

    Raises
    ------
    InvalidInstanceError
        If a column is missing or no number, or the ids are not those of the instance, each once.
    """
    table = _read_table(path)
    start_time = _column(table, "start_time", path, kinds="iuf")
    machine = _column(table, "machine", path, kinds="iu")
    if "id" not in table.column_names:
        return Schedule(start_time, machine)
    found = _column(table, "id", path, kinds="iu")
    order, expected = np.argsort(found, kind="stable"), np.sort(inst.jobs.id)
    if not np.array_equal(found[order], expected):
        raise InvalidInstanceError(f"{path}: {_difference(found, inst.jobs.id)}")
    row_of_job = np.empty(inst.n_jobs, dtype=np.intp)
    row_of_job[np.argsort(inst.jobs.id, kind="stable")] = order
    return Schedule(start_time[row_of_job], machine[row_of_job])


def _read_table(path: Path) -> Any:
    if path.suffix not in SCHEDULE_SUFFIXES:
        raise InvalidInstanceError(f"{path} must end in {' or '.join(SCHEDULE_SUFFIXES)}")
    pyarrow = import_extra("pyarrow", "traces")
    try:
        if path.suffix == ".csv":
            return import_extra("pyarrow.csv", "traces").read_csv(path)
        return import_extra("pyarrow.parquet", "traces").read_table(path)
    except pyarrow.ArrowInvalid as error:
        raise InvalidInstanceError(f"{path} cannot be read: {error}") from error


def _column(table: Any, name: str, path: Path, kinds: str) -> npt.NDArray[Any]:
    if name not in table.column_names:
        raise InvalidInstanceError(f"{path} has no column {name} (it has: {', '.join(table.column_names)})")
    column = table.column(name)
    if column.null_count:
        row = column.is_null().to_pylist().index(True)
        raise InvalidInstanceError(f"{path}: {name} of row {row} is missing")
    values: npt.NDArray[Any] = column.to_numpy()
    if len(values) == 0:
        return np.zeros(0, dtype=np.int64)
    if values.dtype.kind not in kinds:
        raise InvalidInstanceError(f"{path}: {name} must hold {'numbers' if 'f' in kinds else 'integers'}")
    return values


def _difference(found: npt.NDArray[np.int64], expected: npt.NDArray[np.int64]) -> str:
    for sentence, ids in (
        ("has no row for job id", np.setdiff1d(expected, found)),
        ("has a row for job id, which the instance does not have:", np.setdiff1d(found, expected)),
    ):
        if len(ids):
            return f"{sentence} {ids[0]} ({len(ids)} such)"
    values, counts = np.unique(found, return_counts=True)
    return f"has {counts.max()} rows for job id {values[counts.argmax()]}"
