"""From when on each job could have been started: it is released, and what it waits for has ended.

Runs tell of most jobs when they ended; of the others their cancellation does, and of those that left because nothing
could bring what they waited for, the jobs that they waited for.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from schedcore.errors import InvalidInstanceError
from schedcore.metrics.run_columns import ended_as, is_text
from schedcore.model import Incidents, Instance, Result, Runs
from schedcore.model.cluster_workload import ClusterWorkload, can_never_run, tasks_with_room
from schedcore.model.coded_texts import CodedTexts
from schedcore.model.dependencies import AFTER, awaited_rows
from schedcore.model.runs import JOB_OUTCOMES, checked_outcome

__all__ = ["candidate_times"]

_Column = npt.NDArray[np.float64]
_Mask = npt.NDArray[np.bool_]
_AFTER_OK, _AFTER_NOT_OK = AFTER.index("after_ok"), AFTER.index("after_not_ok")


def candidate_times(result: Result, inst: Instance, runs: Runs) -> tuple[_Column, _Column]:
    """Return from when to when each job could have made its first start.

    Returns
    -------
    since : (n_jobs,) float64
        The release, or the end of the last of the jobs that it waited for; infinite for a job that never was a
        candidate.
    until : (n_jobs,) float64
        Its first start, or its cancellation; infinite for a job that waits for ever.

    Raises
    ------
    InvalidInstanceError
        For a job that was cancelled before it ran, where the result does not say when.

    Notes
    -----
    O(n_runs + n_jobs * n_resources), and O(n_awaited) for each link of the longest chain of jobs that left in vain.
    """
    outcome = checked_outcome(result.outcome, inst.n_jobs, JOB_OUTCOMES, row="job")
    until = np.full(inst.n_jobs, np.inf)
    until[runs.job[::-1]] = runs.start_time[::-1]  # runs ascend by start: the first of a job is written last
    never = is_text(outcome, "never")
    ended = _ended(result, inst, runs, outcome)
    gone = is_text(outcome, "cancelled") & np.isinf(until)
    until[gone] = ended[gone]

    since = np.array(inst.release_time)
    if any(inst.jobs.uses(name) for name in AFTER):
        offsets, awaited, how = awaited_rows(inst.jobs)
        waiting = np.repeat(np.arange(inst.n_jobs), np.diff(offsets))
        completed = is_text(outcome, "completed")
        in_vain = ((how == _AFTER_OK) & ~completed[awaited] & ~is_text(outcome, "waiting")[awaited]) | (
            (how == _AFTER_NOT_OK) & completed[awaited]
        )
        _tell_who_left(result, inst, never, ended, waiting[in_vain], awaited[in_vain])
        np.maximum.at(since, waiting, ended[awaited])
    since[never] = np.inf
    return since, until


def _ended(result: Result, inst: Instance, runs: Runs, outcome: CodedTexts) -> _Column:
    """(n_jobs,) When each job ended for good; infinite for those that wait, -infinite for those that never arrived."""
    ended = np.full(inst.n_jobs, np.inf)
    last_end = np.full(inst.n_jobs, -np.inf)
    np.maximum.at(last_end, runs.job, runs.end_time)
    for how in ("completed", "killed"):
        mask = is_text(outcome, how)
        ended[mask] = last_end[mask]
    cancelled = is_text(outcome, "cancelled")
    if cancelled.any():
        incidents = result.incidents if result.incidents is not None else Incidents()
        incidents.check_for(inst)
        times = incidents.cancellation_times(inst)
        ran = np.zeros(inst.n_jobs, dtype=np.bool_)
        ran[runs.job[ended_as(runs, "cancelled")]] = True
        times = np.where(ran, last_end, times)
        unknown = cancelled & np.isinf(times)
        if unknown.any():
            job = int(np.argmax(unknown))
            raise InvalidInstanceError(
                f"{inst.job_name(job)} was cancelled, and the result does not say when: it has no such incident"
            )
        ended[cancelled] = np.where(times <= inst.release_time, -np.inf, times)[cancelled]
    ended[is_text(outcome, "never")] = -np.inf
    return ended


def _tell_who_left(
    result: Result,
    inst: Instance,
    never: _Mask,
    ended: _Column,
    waiting: npt.NDArray[np.int64],
    awaited: npt.NDArray[np.int64],
) -> None:
    """Write into `ended` when jobs left in vain: the first that they waited for in vain had ended, and they were there.

    Jobs that could never run did not arrive, whatever they waited for.
    """
    if not len(waiting) or not never.any():
        return
    room = tasks_with_room(inst, ClusterWorkload.of(inst, result.site))
    left = never & ~can_never_run(inst, result.site, room)
    entries = left[waiting]
    waiting, awaited = waiting[entries], awaited[entries]
    left = np.zeros_like(left)
    left[waiting] = True
    while True:  # once a link of the longest chain
        first = np.full(inst.n_jobs, np.inf)
        np.minimum.at(first, waiting, ended[awaited])
        times = np.maximum(inst.release_time, first)[left]
        if np.array_equal(times, ended[left]):
            return
        ended[left] = times
