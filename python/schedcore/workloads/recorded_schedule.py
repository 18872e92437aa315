"""When the jobs of an instance started according to a log: what another program decided, as a `Schedule`.

An SWF log says it by submit time and wait time, sacct by Start, Batsim's ``jobs.csv`` by starting_time. Rows are
matched by job id, those that never started are no part of the schedule. The log's clock may count from another
instant than the instance: its submit times say how far it is off.
"""

import dataclasses
import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schedcore.errors import InvalidInstanceError
from schedcore.model import Instance, Schedule
from schedcore.model.extras import import_extra

from .sacct_table import is_sacct_header, parse_sacct
from .source_file import FilePath, read_source
from .swf_table import read_swf_table

__all__ = ["recorded_schedule", "records_a_schedule", "rows_of_jobs"]

_BATSIM_COLUMNS = {"job_id", "starting_time"}

FloatColumn = NDArray[np.float64]
IntColumn = NDArray[np.int64]


@dataclasses.dataclass(frozen=True)
class _RecordedStarts:
    """Rows of jobs that started: (n_rows,) columns; without `submit` the log's clock is the instance's."""

    id: IntColumn
    start: FloatColumn
    submit: FloatColumn | None = None
    machine: IntColumn | None = None

    def rows(self, chosen: NDArray[Any]) -> "_RecordedStarts":
        return _RecordedStarts(
            self.id[chosen],
            self.start[chosen],
            None if self.submit is None else self.submit[chosen],
            None if self.machine is None else self.machine[chosen],
        )


def records_a_schedule(path: FilePath) -> bool:
    """Whether `recorded_schedule` knows this kind of file."""
    return _kind(path) is not None


def recorded_schedule(path: FilePath, instance: Instance, *, known_jobs_only: bool = False) -> Schedule:
    """Read when, and where, the jobs of `instance` started.

    Parameters
    ----------
    path : path-like
        An SWF log (``.swf``, ``.swf.gz``), an output of sacct with JobIDRaw or JobID, Start and, to find time 0,
        Submit, or a ``jobs.csv`` of Batsim with job_id, starting_time and, to find time 0, submission_time.
    instance : Instance
        The jobs; ids as in the file.
    known_jobs_only : bool
        Whether rows of jobs that the instance does not have are left out, as those that a reader dropped;
        otherwise they are an error.

    Returns
    -------
    Schedule
        Not validated. The machine of a job is 0 where there is one; of several, SWF names it in the field
        partition (from 1) and Batsim by the numbers in allocated_resources, counted through the machines.

    Raises
    ------
    InvalidInstanceError
        If the file cannot be read or lacks a column; if it has no row for a job of the instance, two, or one for
        a job that the instance lacks (names the ids); if its submit times are not those of the instance up to a
        shift; if there are several machines and it does not say which one a job ran on.

    Notes
    -----
    O(n log n).
    """
    kind, source = _kind(path), os.fspath(path)
    if kind is None:
        raise InvalidInstanceError(
            f"{source}: not a known kind of schedule; known are SWF logs (.swf, .swf.gz), the output of "
            "sacct -P and jobs.csv of Batsim"
        )
    starts = {"swf": _swf_starts, "sacct": _sacct_starts, "batsim": _batsim_starts}[kind](path, instance)
    if known_jobs_only:
        starts = starts.rows(np.isin(starts.id, instance.jobs.id))
    starts = starts.rows(rows_of_jobs(starts.id, instance, source))
    if starts.machine is None and instance.n_machines > 1:
        raise InvalidInstanceError(
            f"{source} does not say on which of the {instance.n_machines} machines a job ran"
        )
    machine = np.zeros(instance.n_jobs, dtype=np.int64) if starts.machine is None else starts.machine
    return Schedule(_on_the_clock_of(instance, starts, source), machine)


def rows_of_jobs(found: IntColumn, instance: Instance, source: str) -> NDArray[np.intp]:
    """Return the row of each job in a column of job ids.

    Raises
    ------
    InvalidInstanceError
        If the ids are not those of the instance, each once; names the first and says how many.
    """
    order, expected = np.argsort(found, kind="stable"), np.sort(instance.jobs.id)
    if not np.array_equal(found[order], expected):
        raise InvalidInstanceError(f"{source}: {_difference(found, instance.jobs.id)}")
    row_of_job = np.empty(instance.n_jobs, dtype=np.intp)
    row_of_job[np.argsort(instance.jobs.id, kind="stable")] = order
    return row_of_job


def _difference(found: IntColumn, expected: IntColumn) -> str:
    missing, unknown = np.setdiff1d(expected, found), np.setdiff1d(found, expected)
    sentences = []
    for sentence, ids in (
        ("has no row for job id", missing),
        ("has a row for job id, which the instance does not have:", unknown),
    ):
        if len(ids):
            more = ", ..." if len(ids) > 5 else ""
            sentences.append(f"{sentence} {', '.join(map(str, ids[:5]))}{more} ({len(ids):,} such)")
    if len(unknown) and not len(missing):
        sentences.append("known_jobs_only=True (--known-jobs-only) leaves out what a reader dropped")
    elif len(unknown) and np.array_equal(np.sort(expected), np.arange(len(expected))):
        sentences.append(
            "the ids of the instance seem to count its rows; read the log so that it keeps its own"
        )
    if sentences:
        return "; ".join(sentences)
    values, counts = np.unique(found, return_counts=True)
    return f"has {counts.max()} rows for job id {values[counts.argmax()]}"


def _on_the_clock_of(instance: Instance, starts: _RecordedStarts, source: str) -> FloatColumn:
    """Return start times of the jobs, in their order, counted from the instance's time 0."""
    if starts.submit is None or not instance.n_jobs:
        return starts.start
    release_time = instance.jobs.release_time
    shift = starts.submit - release_time
    # A reader rounds fractional submit times down, which moves each by less than a second.
    off = np.abs(shift - shift[0]) >= 1
    if off.any():
        job = int(np.argmax(off))
        raise InvalidInstanceError(
            f"{source}: jobs with ids {instance.jobs.id[0]} and {instance.jobs.id[job]} are submitted "
            f"{starts.submit[job] - starts.submit[0]:g} s apart, in the instance "
            f"{release_time[job] - release_time[0]:g} s"
        )
    if (shift == shift[0]).all():
        start_time: FloatColumn = starts.start - shift[0]
    else:
        start_time = release_time + (starts.start - starts.submit)
    return start_time


def _kind(path: FilePath) -> str | None:
    name = Path(path).name.lower().removesuffix(".gz")
    if name.endswith(".swf"):
        return "swf"
    if name.endswith((".sacct", ".psv")):
        return "sacct"
    if name.endswith(".parquet"):
        return None
    first_line = read_source(path).partition(b"\n")[0].decode("latin-1")
    if is_sacct_header(first_line):
        return "sacct"
    return (
        "batsim" if {name.strip().strip('"') for name in first_line.split(",")} >= _BATSIM_COLUMNS else None
    )


def _swf_starts(path: FilePath, instance: Instance) -> _RecordedStarts:
    _, table = read_swf_table(path)
    started = ((table["wait_time"] >= 0) & (table["run_time"] >= 0)).to_numpy()
    kept = table[started]
    submit = kept["submit_time"].to_numpy(dtype=np.float64)
    partition = kept["partition"].to_numpy(dtype=np.int64)
    named = instance.n_machines > 1 and bool((partition > 0).all())
    return _RecordedStarts(
        kept["job_number"].to_numpy(dtype=np.int64),
        submit + kept["wait_time"].to_numpy(dtype=np.float64),
        submit,
        partition - 1 if named else None,
    )


def _sacct_starts(path: FilePath, instance: Instance) -> _RecordedStarts:
    del instance  # nothing in the file names one of its machines
    table = parse_sacct(path, ("JobIDRaw", "JobID", "Submit", "Start"))
    if "Start" not in table:
        raise InvalidInstanceError(f"{os.fspath(path)}: the output of sacct lacks Start")
    number, start = table.identifiers(table.id_column), table.instants("Start")
    submit = table.instants("Submit") if "Submit" in table else None
    started = (number >= 0) & ~(start < 0)
    for name, column in (("Start", start), ("Submit", submit)):
        if column is not None and not np.isfinite(column[started]).all():
            row = np.flatnonzero(started & ~np.isfinite(column))[:1]
            raise InvalidInstanceError(
                f"{os.fspath(path)}: {name} of line {table.line_numbers(row)[0]} cannot be read"
            )
    return _RecordedStarts(number.astype(np.int64), start, submit).rows(started)


def _batsim_starts(path: FilePath, instance: Instance) -> _RecordedStarts:
    pandas, source = import_extra("pandas", "traces"), os.fspath(path)
    table = pandas.read_csv(path, dtype={"job_id": str, "allocated_resources": str}, keep_default_na=False)
    numbers = {}
    for name in ("starting_time", "submission_time"):
        if name in table:
            numbers[name] = pandas.to_numeric(table[name], errors="coerce").to_numpy(dtype=np.float64)
    # Older versions write the workload before the number, as in w0!17.
    identifier = pandas.to_numeric(table["job_id"].str.replace(r"^.*!", "", regex=True), errors="coerce")
    if identifier.isna().any() or (identifier % 1 != 0).any():
        row = int(np.argmax((identifier.isna() | (identifier % 1 != 0)).to_numpy()))
        raise InvalidInstanceError(f"{source}: job_id {table['job_id'][row]!r} is not a number")
    started = numbers["starting_time"] >= 0
    machine = None
    if instance.n_machines > 1 and "allocated_resources" in table:
        machine = _machine_of_numbers(table["allocated_resources"].where(started, ""), instance, source)
    rows = _RecordedStarts(
        identifier.to_numpy(dtype=np.int64), numbers["starting_time"], numbers.get("submission_time"), machine
    )
    return rows.rows(started)


def _machine_of_numbers(allocated: Any, instance: Instance, source: str) -> IntColumn:
    """Return the machine that holds all processors of each job, -1 where none is listed."""
    pandas = import_extra("pandas", "traces")
    end_of_machine = np.cumsum(instance.machines.capacity[:, 0])
    ends = [
        pandas.to_numeric(allocated.str.extract(pattern)[0]).fillna(-1).to_numpy(dtype=np.int64)
        for pattern in (r"^(\d+)", r"(\d+)$")
    ]
    lowest, highest = (np.searchsorted(end_of_machine, number, side="right") for number in ends)
    torn = lowest != highest
    if torn.any():
        row = int(np.argmax(torn))
        raise InvalidInstanceError(
            f"{source}: row {row} holds processors {allocated[row]}, which no one machine has"
        )
    return np.where(ends[0] < 0, -1, lowest).astype(np.int64)
