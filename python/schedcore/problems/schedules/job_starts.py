"""When and where jobs start, as files: one row a job, with the columns id, start_time, completion_time and machine; and
name, where jobs have names.

Where jobs have several tasks, the column allocation says how many are on which machine, as ``0:16 3:4``. Rows are
matched by the jobs' ids, so their order does not matter; completion times are for other programs and are not read
back. What other programs write (SWF, sacct, Batsim) is read too.
"""

from pathlib import Path
from typing import Any

import numpy as np

from schedcore.metrics import completion_time
from schedcore.model import Instance, Runs, Schedule, ValidationReport, validate
from schedcore.model.extras import import_extra
from schedcore.problems.schedules.allocation_text import allocation_of_texts, allocation_texts
from schedcore.problems.schedules.table_file import read_table
from schedcore.workloads.file_kind import kind_of_file
from schedcore.workloads.logs.held_processors import HeldProcessors
from schedcore.workloads.logs.task_places import held_by_place
from schedcore.workloads.schedule_of_log import KNOWN_KINDS, read_recorded, rows_of_jobs

__all__ = ["PROCESSOR_UNITS", "check_starts", "read_starts", "table_of_runs", "table_of_starts"]

#: Units in which one of resource 0 is a processor for other programs.
PROCESSOR_UNITS = ("processors", "vCPUs")


def table_of_starts(inst: Instance, schedule: Schedule) -> Any:
    """Return a ``pyarrow.Table``, a row a job."""
    columns: dict[str, Any] = {
        "id": inst.jobs.id,
        **({"name": inst.jobs.name.tolist()} if inst.jobs.uses("name") else {}),
        "start_time": schedule.start_time,
        "completion_time": completion_time(inst, schedule),
        "machine": schedule.machine,
    }
    if schedule.has_allocation:
        columns["allocation"] = allocation_texts(schedule.allocation, inst.n_jobs)
    return import_extra("pyarrow", "traces").table(columns)


def table_of_runs(inst: Instance, runs: Runs) -> Any:
    """Return a ``pyarrow.Table``, a row a run by start time, for what does not run once; no schedule to read back."""
    places = runs.allocation
    return import_extra("pyarrow", "traces").table(
        {
            "id": inst.jobs.id[runs.job],
            **({"name": inst.jobs.name[runs.job].tolist()} if inst.jobs.uses("name") else {}),
            "attempt": runs.attempt,
            "start_time": runs.start_time,
            "end_time": runs.end_time,
            "outcome": runs.outcome.tolist(),
            "machine": places.machine[np.searchsorted(places.run, np.arange(len(runs)))],
            "allocation": allocation_texts(places, len(runs)),
        }
    )


def read_starts(
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


def check_starts(
    path: Path,
    inst: Instance,
    known_jobs_only: bool = False,
    release: str | None = None,
    *,
    unit: str | None = None,
) -> tuple[ValidationReport, Schedule]:
    """Read a schedule as `read_starts` does and check it exactly; return what was found, and the schedule.

    If it is feasible, the processors that each job held are checked too, where the file names them: that no two jobs
    held one at the same time, and where the `unit` of resource 0 is known to be processors, how many each job held.
    """
    schedule, held = _read(path, inst, known_jobs_only, release)
    report = validate(inst, schedule)
    if not report or held is None:
        return report, schedule
    expected = np.zeros(inst.n_jobs, dtype=np.int64)
    np.add.at(expected, schedule.allocation.job, held_by_place(inst, schedule.allocation))
    return held.check(inst, schedule, expected, demands_count_processors=unit in PROCESSOR_UNITS), schedule


def _read(
    path: Path, inst: Instance, known_jobs_only: bool, release: str | None
) -> tuple[Schedule, HeldProcessors | None]:
    if kind_of_file(path) in ("swf", "sacct", "batsim"):
        return read_recorded(path, inst, known_jobs_only=known_jobs_only, release=release)
    kinds: dict[str, type[int] | type[float] | type[str]] = {"start_time": float, "machine": int, "id": int}
    kinds["allocation"] = str
    columns = read_table(path, kinds, ["id", "allocation"], others=KNOWN_KINDS)
    found = columns.pop("id", None)
    if found is not None:
        known = np.isin(found, inst.jobs.id) if known_jobs_only else np.full(len(found), True)
        rows = np.flatnonzero(known)[rows_of_jobs(found[known], inst, str(path))]
        columns = {name: column[rows] for name, column in columns.items()}
    texts = columns.get("allocation")
    allocation = None if texts is None else allocation_of_texts(texts, str(path))
    return Schedule(columns["start_time"], columns["machine"], allocation), None
