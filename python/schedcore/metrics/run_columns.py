"""What the runs of jobs say of each job: when it first started, when it completed, when it waited."""

import numpy as np
import numpy.typing as npt

from schedcore.errors import InvalidInstanceError
from schedcore.model import Instance, Runs
from schedcore.model.coded_texts import CodedTexts
from schedcore.model.columns import check_entries
from schedcore.model.runs import check_runs

Column = npt.NDArray[np.float64]

_COMPLETED = "completed"


def check_runs_of(inst: Instance, runs: Runs) -> None:
    """Raise an error for what are no runs, for runs of a job that there is not, and for times that are not finite."""
    check_runs(runs, inst.n_jobs)
    for name in ("start_time", "end_time"):
        column = getattr(runs, name)
        check_entries(name, column, np.isfinite(column), "finite", row="run")


def has_completed(inst: Instance, runs: Runs) -> npt.NDArray[np.bool_]:
    """(n_jobs,) Whether each job has a run that completed."""
    check_runs_of(inst, runs)
    completed = np.zeros(inst.n_jobs, dtype=np.bool_)
    completed[runs.job[is_completed(runs)]] = True
    return completed


def is_completed(runs: Runs) -> npt.NDArray[np.bool_]:
    """(n_runs,) Whether each run completed its job."""
    return ended_as(runs, _COMPLETED)


def ended_as(runs: Runs, how: str) -> npt.NDArray[np.bool_]:
    """(n_runs,) Whether each run has this outcome."""
    return is_text(runs.coded_outcome, how)


def is_text(texts: CodedTexts, text: str) -> npt.NDArray[np.bool_]:
    """(n_rows,) Whether each row says that."""
    code = texts.names.index(text) if text in texts.names else len(texts.names)
    return np.asarray(texts.codes == code, dtype=np.bool_)


def run_length(inst: Instance, runs: Runs) -> Column:
    """(n_runs,) How long each run took.

    A first run that completed took the processing time, which end_time - start_time might miss by rounding.
    """
    check_runs_of(inst, runs)
    whole = is_completed(runs) & (runs.attempt == 0)
    return np.where(whole, inst.jobs.processing_time[runs.job], runs.end_time - runs.start_time)


def first_start(inst: Instance, runs: Runs) -> Column:
    """(n_jobs,) When the first run of each job started; a job that never ran is an `InvalidInstanceError`."""
    check_runs_of(inst, runs)
    starts = np.full(inst.n_jobs, np.nan)
    starts[runs.job[::-1]] = runs.start_time[::-1]  # runs ascend by start: the first of a job is written last
    _require(inst, ~np.isnan(starts), "never ran")
    return starts


def last_completion(inst: Instance, runs: Runs) -> Column:
    """(n_jobs,) When each job completed; one that never did is an `InvalidInstanceError`."""
    completed = has_completed(inst, runs)
    _require(inst, completed, "never completed")
    ends = np.zeros(inst.n_jobs)
    rows = is_completed(runs)
    ends[runs.job[rows]] = runs.end_time[rows]
    return ends


def time_in_system(inst: Instance, runs: Runs) -> Column:
    """(n_jobs,) From the release of each job to its completion.

    For a job that ran once it is the wait plus the processing time, which does not fall below that by rounding.
    """
    time = last_completion(inst, runs) - inst.release_time
    once = np.flatnonzero(is_completed(runs) & (runs.attempt == 0))
    job = runs.job[once]
    time[job] = runs.start_time[once] - inst.release_time[job] + inst.processing_time[job]
    return time


def waiting_times(inst: Instance, runs: Runs) -> tuple[Column, Column]:
    """Return from when to when jobs waited, an entry a run: from the release, or from the end of the run before.

    O(n_runs log n_runs).
    """
    check_runs_of(inst, runs)
    order = np.lexsort((runs.attempt, runs.job))
    job, start = runs.job[order], runs.start_time[order]
    since = inst.release_time[job]
    again = np.flatnonzero(job[1:] == job[:-1]) + 1
    since[again] = runs.end_time[order][again - 1]
    return since, start


def _require(inst: Instance, there: npt.NDArray[np.bool_], what: str) -> None:
    if not there.all():
        job = int(np.argmin(there))
        raise InvalidInstanceError(
            f"{inst.job_name(job)} {what}; metrics.completed_part leaves such jobs out and counts them"
        )
