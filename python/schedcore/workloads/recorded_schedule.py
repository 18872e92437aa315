"""When the jobs of an instance started according to a log: what another program decided, as a `Schedule`.

An SWF log says it by submit time and wait time, sacct by Start, Batsim's ``jobs.csv`` by starting_time. Rows are
matched by job id, those that never started are no part of the schedule. The log's clock may count from another
instant than the instance: its submit times say how far it is off.
"""

import dataclasses
import os
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from schedcore.errors import InvalidInstanceError
from schedcore.model import Instance, Schedule

from .batsim_jobs import batsim_starts
from .file_kind import FileKind, kind_of_file
from .held_processors import HeldProcessors
from .recorded_starts import FloatColumn, IntColumn, RecordedStarts
from .sacct_table import parse_sacct
from .sacct_times import TIME_COLUMNS, elapsed, release_at_eligible
from .source_file import FilePath
from .swf_table import SwfLog, parse_swf

__all__ = ["KNOWN_KINDS", "read_recorded", "recorded_schedule", "rows_of_jobs"]

#: What `recorded_schedule` reads, in words.
KNOWN_KINDS = "SWF logs (.swf, .swf.gz), the output of sacct -P (.sacct, .psv) and jobs.csv of Batsim"


_A_HUNDREDTH = 0.01


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
        shift, or its run times other ones; if there are several machines and it does not say which one a job ran on.

    Notes
    -----
    O(n log n).
    """
    return read_recorded(path, instance, known_jobs_only=known_jobs_only)[0]


def read_recorded(
    path: FilePath, instance: Instance, *, known_jobs_only: bool = False
) -> tuple[Schedule, HeldProcessors | None]:
    """Return what `recorded_schedule` does, and the processors that each job held if the file names them."""
    source, reader = os.fspath(path), _READERS.get(kind_of_file(path))
    if reader is None:
        raise InvalidInstanceError(f"{source}: not a known kind of schedule; known are {KNOWN_KINDS}")
    starts = reader(path, instance, known_jobs_only)
    if known_jobs_only:
        starts = starts.rows(np.isin(starts.id, instance.jobs.id))
    starts = starts.rows(rows_of_jobs(starts.id, instance, source))
    if starts.machine is None and instance.n_machines > 1:
        raise InvalidInstanceError(
            f"{source} does not say on which of the {instance.n_machines} machines a job ran"
        )
    _refuse_other_run_times(instance, starts, source)
    machine = np.zeros(instance.n_jobs, dtype=np.int64) if starts.machine is None else starts.machine
    return Schedule(_on_the_clock_of(instance, starts, source), machine), starts.held


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
    if len(missing):
        sentences.append("rows of jobs that never started do not count")
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


def _on_the_clock_of(instance: Instance, starts: RecordedStarts, source: str) -> FloatColumn:
    """Return start times of the jobs, in their order, counted from the instance's time 0."""
    if starts.submit is None or not instance.n_jobs:
        return starts.start
    release_time = instance.jobs.release_time

    def shifts(release: FloatColumn) -> tuple[FloatColumn, NDArray[np.bool_]]:
        shift = release - release_time
        # A reader rounds fractional submit times down, which moves each by less than a second.
        return shift, np.abs(shift - shift[0]) >= 1

    release = starts.submit if starts.eligible is None else starts.eligible
    shift, off = shifts(release)
    if off.any() and starts.eligible is not None:  # the instance may have been read by its submissions
        release = starts.submit
        shift, off = shifts(release)
    if off.any():
        job = int(np.argmax(off))
        raise InvalidInstanceError(
            f"{source}: jobs with ids {instance.jobs.id[0]} and {instance.jobs.id[job]} are submitted "
            f"{starts.submit[job] - starts.submit[0]:g} s apart, in the instance "
            f"{release_time[job] - release_time[0]:g} s"
        )
    start_time = starts.start - shift.min()  # the reader's time 0
    in_time = np.where(starts.start >= release, release_time, -np.inf)
    not_before_release: FloatColumn = np.maximum(start_time, in_time)  # whatever the difference is rounded to
    return not_before_release


def _refuse_other_run_times(instance: Instance, starts: RecordedStarts, source: str) -> None:
    if starts.run_time is None:
        return
    processing_time, run_time = instance.jobs.processing_time, starts.run_time
    # A reader rounds run times up to whole seconds, and 0 to one; a writer may round to seconds or hundredths.
    same = processing_time == np.maximum(np.ceil(run_time), 1)
    same |= (run_time == np.floor(processing_time)) | (run_time == np.ceil(processing_time))
    same |= np.abs(run_time - processing_time) <= _A_HUNDREDTH
    other = ~same & (run_time >= 0)
    if other.any():
        job = int(np.argmax(other))
        raise InvalidInstanceError(
            f"{source}: the job with id {instance.jobs.id[job]} runs {starts.run_time[job]:g} s, in the instance "
            f"{processing_time[job]:g} s ({np.count_nonzero(other):,} such)"
        )


def _swf_starts(path: FilePath, instance: Instance, known_jobs_only: bool) -> RecordedStarts:
    log = parse_swf(path)
    wait_time, run_time = log.field("wait_time"), log.field("run_time")
    started = (wait_time >= 0) & (run_time >= 0)
    if known_jobs_only:
        started &= np.isin(log.field("job_number"), instance.jobs.id)
    submit = log.field("submit_time")
    rows = RecordedStarts(
        _whole_numbers(log, "job_number", started, path), submit + wait_time, submit, run_time
    ).rows(started)
    if instance.n_machines == 1:
        return rows
    partition = _whole_numbers(log, "partition", started, path)[started]
    return dataclasses.replace(rows, machine=partition - 1) if (partition > 0).all() else rows


def _whole_numbers(log: SwfLog, name: str, rows: NDArray[np.bool_], path: FilePath) -> IntColumn:
    """Return a field as int64, or raise an error that names the first of `rows` where it is no whole number."""
    column = log.columns[name]
    if column.dtype.kind == "i":
        return column.astype(np.int64)
    other = rows & ((column != np.trunc(column)) | (np.abs(column) >= 2**53))
    if other.any():
        row = np.flatnonzero(other)[:1]
        raise InvalidInstanceError(
            f"{os.fspath(path)}: line {log.line_numbers(row)[0]}: {name} {column[row[0]]:.17g} is no whole number "
            "below 2**53"
        )
    return np.where(rows, column, -1).astype(np.int64)


def _sacct_starts(path: FilePath, instance: Instance, known_jobs_only: bool) -> RecordedStarts:
    table = parse_sacct(path, ("JobIDRaw", "JobID", *TIME_COLUMNS))
    if "Start" not in table:
        raise InvalidInstanceError(f"{os.fspath(path)}: the output of sacct lacks Start")
    number, start, run_time = table.identifiers(table.id_column), table.instants("Start"), elapsed(table)
    submit = table.instants("Submit") if "Submit" in table else None
    eligible = None
    if submit is not None and "Eligible" in table:
        eligible = release_at_eligible(submit, table.instants("Eligible"), start)
    started = (number >= 0) & ~(start < 0) & ~table.repeats()
    if known_jobs_only:
        started &= np.isin(number, instance.jobs.id)
    for name, column in (("Start", start), ("Submit", submit), ("the run time", run_time)):
        if column is not None and not np.isfinite(column[started]).all():
            row = np.flatnonzero(started & ~np.isfinite(column))[:1]
            raise InvalidInstanceError(
                f"{os.fspath(path)}: {name} of line {table.line_numbers(row)[0]} cannot be read"
            )
    return RecordedStarts(number.astype(np.int64), start, submit, run_time, eligible=eligible).rows(started)


_READERS: dict[FileKind | None, Callable[[FilePath, Instance, bool], RecordedStarts]] = {
    "swf": _swf_starts,
    "sacct": _sacct_starts,
    "batsim": batsim_starts,
}
