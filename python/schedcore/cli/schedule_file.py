"""Schedules as files: one row a job, with the columns id, start_time, completion_time and machine.

Rows are matched by the jobs' ids, so their order does not matter; completion times are for other programs and
are not read back. Parquet or CSV, decided by the suffix, both through pyarrow. What other programs write (SWF,
sacct, Batsim) is read too.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
import typer

from schedcore.errors import InvalidInstanceError
from schedcore.metrics import completion_time
from schedcore.model import Instance, Schedule
from schedcore.model.extras import import_extra
from schedcore.workloads import recorded_schedule
from schedcore.workloads.recorded_schedule import records_a_schedule, rows_of_jobs

SCHEDULE_SUFFIXES = (".parquet", ".csv")

KnownJobsOption = Annotated[
    bool,
    typer.Option(
        "--known-jobs-only",
        help="Leave out jobs of the schedule that the workload does not have, such as those that its reader dropped.",
    ),
]


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


def read_schedule(path: Path, inst: Instance, known_jobs_only: bool = False) -> Schedule:
    """Read a schedule of `inst`; without a column id, row j belongs to job j.

    Raises
    ------
    InvalidInstanceError
        If a column is missing or no number, or the ids are not those of the instance, each once; with
        `known_jobs_only` rows of other jobs are left out.
    """
    if records_a_schedule(path):
        return recorded_schedule(path, inst, known_jobs_only=known_jobs_only)
    table = _read_table(path)
    start_time = _column(table, "start_time", path, kinds="iuf")
    machine = _column(table, "machine", path, kinds="iu")
    if "id" not in table.column_names:
        return Schedule(start_time, machine)
    found = _column(table, "id", path, kinds="iu")
    if known_jobs_only:
        known = np.isin(found, inst.jobs.id)
        found, start_time, machine = found[known], start_time[known], machine[known]
    row_of_job = rows_of_jobs(found, inst, str(path))
    return Schedule(start_time[row_of_job], machine[row_of_job])


def _read_table(path: Path) -> Any:
    if path.suffix not in SCHEDULE_SUFFIXES:
        raise InvalidInstanceError(
            f"{path}: not a known kind of schedule; known are {', '.join(SCHEDULE_SUFFIXES)}, SWF logs "
            "(.swf, .swf.gz), the output of sacct -P (.sacct, .psv) and jobs.csv of Batsim"
        )
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
