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

from schedcore.cli.workload_choice import as_typed
from schedcore.errors import InvalidInstanceError
from schedcore.metrics import completion_time
from schedcore.model import Instance, Schedule, ValidationReport, validate
from schedcore.model.arrow import read_parquet, write_parquet
from schedcore.model.extras import import_extra
from schedcore.model.whole_file import whole_file
from schedcore.workloads.file_kind import kind_of_file
from schedcore.workloads.logs.held_processors import HeldProcessors
from schedcore.workloads.reading.csv_table import read_csv_table
from schedcore.workloads.reading.option_spelling import spelling_options
from schedcore.workloads.recorded_schedule import KNOWN_KINDS, read_recorded, rows_of_jobs

SCHEDULE_SUFFIXES = (".parquet", ".csv")
#: Units in which one of resource 0 is a processor for other programs.
PROCESSOR_UNITS = ("processors", "vCPUs")

KnownJobsOption = Annotated[
    bool,
    typer.Option(
        "--known-jobs-only",
        help="Leave out jobs of the schedule that the workload does not have, such as those that its reader dropped.",
    ),
]


def write_schedule(path: Path, inst: Instance, schedule: Schedule) -> None:
    """Write `schedule` to `path`, replacing what is there; it is left if that fails."""
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
        write_csv = import_extra("pyarrow.csv", "traces").write_csv
        with whole_file(path, overwrite=True) as file:
            write_csv(table, file)
    else:
        write_parquet(table, path, overwrite=True)


def read_schedule(
    path: Path, inst: Instance, known_jobs_only: bool = False, release: str | None = None
) -> Schedule:
    """Read a schedule of `inst`; without a column id, row j belongs to job j.

    Raises
    ------
    InvalidInstanceError
        If the file cannot be read, a column is missing or no number, or the ids are not those of the instance, each
        once; with `known_jobs_only` rows of other jobs are left out. `release` is that of `recorded_schedule`.
    """
    return _read(path, inst, known_jobs_only, release)[0]


def check_schedule(
    path: Path,
    inst: Instance,
    known_jobs_only: bool = False,
    release: str | None = None,
    *,
    unit: str | None = None,
) -> ValidationReport:
    """Read a schedule as `read_schedule` does and check it exactly.

    If it is feasible, the processors that each job held are checked too, where the file names them: that no two jobs
    held one at the same time, and where the `unit` of resource 0 is known to be processors, how many each job held.
    """
    schedule, held = _read(path, inst, known_jobs_only, release)
    report = validate(inst, schedule)
    if not report or held is None:
        return report
    return held.check(inst, schedule, demands_count_processors=unit in PROCESSOR_UNITS)


def _read(
    path: Path, inst: Instance, known_jobs_only: bool, release: str | None
) -> tuple[Schedule, HeldProcessors | None]:
    kind = kind_of_file(path)
    if kind in ("swf", "sacct", "batsim"):
        with spelling_options(as_typed):
            return read_recorded(path, inst, known_jobs_only=known_jobs_only, release=release)
    if kind == "csv":
        table = read_csv_table(path, ("start_time", "machine"), ("id",))
        start_time, machine = table.numbers("start_time"), table.integers("machine")
        found = table.integers("id") if "id" in table else None
    elif kind == "parquet":
        content = read_parquet(path)
        start_time, machine = (
            column_of(content, "start_time", path, "iuf"),
            column_of(content, "machine", path, "iu"),
        )
        found = column_of(content, "id", path, "iu") if "id" in content.column_names else None
    else:
        raise InvalidInstanceError(
            f"{path}: not a known kind of schedule; known are {', '.join(SCHEDULE_SUFFIXES)}, {KNOWN_KINDS}"
        )
    if found is None:
        return Schedule(start_time, machine), None
    if known_jobs_only:
        known = np.isin(found, inst.jobs.id)
        found, start_time, machine = found[known], start_time[known], machine[known]
    with spelling_options(as_typed):
        row_of_job = rows_of_jobs(found, inst, str(path))
    return Schedule(start_time[row_of_job], machine[row_of_job]), None


def column_of(table: Any, name: str, path: Path, kinds: str) -> npt.NDArray[Any]:
    """A column of an Arrow table whose numbers are of one of the NumPy `kinds`, such as "iu".

    Raises
    ------
    InvalidInstanceError
        If it is missing or there twice, a value is missing, or it holds something else.
    """
    if name not in table.column_names:
        raise InvalidInstanceError(f"{path} has no column {name} (it has: {', '.join(table.column_names)})")
    if table.column_names.count(name) > 1:
        raise InvalidInstanceError(f"{path} has two columns named {name}")
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
