"""When the jobs of an instance started according to a log: what another program decided, as a `Schedule`.

An SWF log says it by submit time and wait time, sacct by Start, Batsim's ``jobs.csv`` by starting_time. Rows are
matched by job id, those that never started are no part of the schedule. The log's clock may count from another
instant than the instance: its submit times say how far it is off.
"""

import os
import typing
from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from schedcore.errors import InvalidInstanceError
from schedcore.model import Allocation, Instance, Schedule
from schedcore.model.arrays import BoolArray, FloatArray, IntArray
from schedcore.model.choices import check_choice
from schedcore.workloads.file_kind import FileKind, kind_of_file
from schedcore.workloads.logs.batsim_jobs import batsim_starts
from schedcore.workloads.logs.held_processors import HeldProcessors
from schedcore.workloads.logs.recorded_starts import RecordedStarts, sacct_starts, swf_starts
from schedcore.workloads.logs.task_places import (
    allocation_of_hosts,
    allocation_of_processors,
    runs_on_several,
    scheduled_at,
)
from schedcore.workloads.reading.option_spelling import spelled
from schedcore.workloads.reading.source_file import FilePath

__all__ = ["KNOWN_KINDS", "Release", "read_recorded", "recorded_schedule", "rows_of_jobs"]

#: What `recorded_schedule` reads, in words.
KNOWN_KINDS = "SWF logs (.swf, .swf.gz), the output of sacct -P (.sacct, .psv) and jobs.csv of Batsim"

Release = Literal["eligible", "submit"]

_A_HUNDREDTH = 0.01


def recorded_schedule(
    path: FilePath, instance: Instance, *, known_jobs_only: bool = False, release: Release | None = None
) -> Schedule:
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
    release : {"eligible", "submit"}, optional
        Which time of sacct the instance calls its release times, as `read_sacct` takes it: Eligible (Submit in a file
        without it) or Submit. Default: the one of which they are a shift. Other files have only one.

    Returns
    -------
    Schedule
        Not validated. The machine of a job is 0 where there is one. Of several, Batsim tells it by the numbers in
        allocated_resources, counted through the machines, sacct in NodeList, where the machines have names, and SWF, of
        jobs of one task, in the field partition (from 1). Where jobs have several tasks, the processors of a job on a
        machine tell how many of them are there; over the hosts of NodeList they are shared out evenly, and exclusive
        jobs fill one after the other.

    Raises
    ------
    InvalidInstanceError
        If the file cannot be read or lacks a column; if it has no row for a job of the instance, two, or one for
        a job that the instance lacks (names the ids); if its submit times are not those of the instance up to a
        shift, or its run times other ones; if both Submit and Eligible are so and `release` does not say which counts;
        if there are several machines and it does not say where a job ran, or which tasks were there.

    Notes
    -----
    O(n log n).
    """
    return read_recorded(path, instance, known_jobs_only=known_jobs_only, release=release)[0]


def read_recorded(
    path: FilePath, instance: Instance, *, known_jobs_only: bool = False, release: str | None = None
) -> tuple[Schedule, HeldProcessors | None]:
    """Return what `recorded_schedule` does, and the processors that each job held if the file names them."""
    if release is not None:
        check_choice(spelled("release"), release, typing.get_args(Release))
    source, reader = os.fspath(path), _READERS.get(kind_of_file(path))
    if reader is None:
        raise InvalidInstanceError(f"{source}: not a known kind of schedule; known are {KNOWN_KINDS}")
    starts = reader(path, instance, known_jobs_only)
    if known_jobs_only:
        starts = starts.rows(np.isin(starts.id, instance.jobs.id))
    starts = starts.rows(rows_of_jobs(starts.id, instance, source))
    _refuse_other_run_times(instance, starts, source)
    allocation = _allocation(instance, starts, source)
    start_time = _on_the_clock_of(instance, starts, source, release)
    return scheduled_at(start_time, allocation), starts.held


def _allocation(instance: Instance, starts: RecordedStarts, source: str) -> Allocation:
    """Return where the tasks of the jobs were."""
    if instance.n_machines == 1:
        jobs = np.arange(instance.n_jobs)
        return Allocation(jobs, np.zeros(instance.n_jobs, dtype=np.int64), instance.jobs.n_tasks)
    if starts.hosts is not None:
        return allocation_of_hosts(instance, starts.hosts)
    if runs_on_several(instance):
        if starts.held is None:
            raise InvalidInstanceError(
                f"{source} does not say on which of the {instance.n_machines} machines the tasks of a job ran"
            )
        return allocation_of_processors(instance, starts.held, source)
    if starts.machine is None:
        raise InvalidInstanceError(
            f"{source} does not say on which of the {instance.n_machines} machines a job ran"
        )
    one = np.ones(instance.n_jobs, dtype=np.int64)
    return Allocation(np.arange(instance.n_jobs), starts.machine, one)


def rows_of_jobs(found: IntArray, instance: Instance, source: str) -> NDArray[np.intp]:
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


def _difference(found: IntArray, expected: IntArray) -> str:
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
        sentences.append(f"{spelled('known_jobs_only', True)} leaves out what a reader dropped")
    elif len(unknown) and np.array_equal(np.sort(expected), np.arange(len(expected))):
        sentences.append(
            "the ids of the instance seem to count its rows; read the log so that it keeps its own"
        )
    if sentences:
        return "; ".join(sentences)
    values, counts = np.unique(found, return_counts=True)
    return f"has {counts.max()} rows for job id {values[counts.argmax()]}"


def _on_the_clock_of(
    instance: Instance, starts: RecordedStarts, source: str, release: str | None
) -> FloatArray:
    """Return start times of the jobs, in their order, counted from the instance's time 0."""
    if starts.submit is None or not instance.n_jobs:
        return starts.start
    clocks = {"submit": starts.submit}
    if starts.eligible is not None:
        clocks["eligible"] = starts.eligible
        if release is not None:
            clocks = {release: clocks[release]}
    fitting = [
        _counted_from_release(instance, starts.start, clock)
        for clock in clocks.values()
        if not _off(instance, clock).any()
    ]
    if not fitting:
        raise InvalidInstanceError(f"{source}: {_how_far_off(instance, *next(iter(clocks.items())))}")
    if not all(np.array_equal(fitting[0], other) for other in fitting[1:]):
        raise InvalidInstanceError(
            f"{source}: Submit and Eligible both differ from the releases of the instance by a shift, and jobs would "
            f"start at other times; say which it is, {spelled('release', 'eligible')} or {spelled('release', 'submit')}"
        )
    return fitting[0]


def _off(instance: Instance, clock: FloatArray) -> BoolArray:
    """Return the jobs of which the release is not as far from that of the first job as on the clock, or is NaN."""
    shift = clock - instance.jobs.release_time
    # A reader rounds fractional submit times down, which moves each by less than a second.
    off: BoolArray = ~(np.abs(shift - shift[0]) < 1)
    return off


def _counted_from_release(instance: Instance, start: FloatArray, clock: FloatArray) -> FloatArray:
    release_time = instance.jobs.release_time
    start_time = start - (clock - release_time).min()  # the reader's time 0
    in_time = np.where(start >= clock, release_time, -np.inf)
    not_before_release: FloatArray = np.maximum(start_time, in_time)  # whatever the difference is rounded to
    return not_before_release


def _how_far_off(instance: Instance, name: str, clock: FloatArray) -> str:
    unreadable = np.isnan(clock)
    if unreadable.any():
        return f"{name.title()} of the job with id {instance.jobs.id[np.argmax(unreadable)]} cannot be read"
    job = int(np.argmax(_off(instance, clock)))
    release_time = instance.jobs.release_time
    verb = "are submitted" if name == "submit" else "become eligible"
    return (
        f"jobs with ids {instance.jobs.id[0]} and {instance.jobs.id[job]} {verb} {clock[job] - clock[0]:g} s apart, "
        f"in the instance {release_time[job] - release_time[0]:g} s"
    )


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


_READERS: dict[FileKind | None, Callable[[FilePath, Instance, bool], RecordedStarts]] = {
    "swf": swf_starts,
    "sacct": sacct_starts,
    "batsim": batsim_starts,
}
