"""How much of each run was lost, and to what: preemptions, failures or cancellations.

All losses together are the lost work of `run_work`. A killed run loses what its last checkpoint does not hold. The
restart cost of the run that completes goes to what ended the run before it. What a job had saved when it left without
completing goes to what ended its last run.
"""

import numpy as np
import numpy.typing as npt

from schedcore.metrics.exact_sums import Column
from schedcore.metrics.run_columns import ended_as, has_completed, is_completed, run_length
from schedcore.model import Incidents, Instance, Outages, Runs, Site

__all__ = ["CAUSES", "lost_time"]

#: What may end a run before its job is complete.
CAUSES = ("preemption", "failure", "cancellation")
_PREEMPTION, _FAILURE, _CANCELLATION = range(len(CAUSES))

_Codes = npt.NDArray[np.int64]


def lost_time(
    inst: Instance, runs: Runs, incidents: Incidents | None, site: Site | None
) -> tuple[npt.NDArray[np.float64], _Codes]:
    """Return how much time of each run was lost, and to what.

    Returns
    -------
    lost : (n_runs,) float64
        At least 0.
    cause : (n_runs,) int64
        Index into `CAUSES`; -1 of runs that completed, which lost nothing.

    Notes
    -----
    A run that ends when one of its machines fails was killed by that. Other killed runs were preempted, if the site
    preempts. O(n_runs log n_runs + places).
    """
    happened = Incidents() if incidents is None else incidents
    preempt = None if site is None else site.preempt
    cause = _causes(runs, happened.failures, preempt)
    order = np.lexsort((runs.attempt, runs.job))
    job, length, ended_by = runs.job[order], run_length(inst, runs)[order], cause[order]
    completed = is_completed(runs)[order]
    saves = _saves(inst, happened.killed, preempt, job, ended_by)
    interval = np.where(saves, inst.jobs.checkpoint_interval[job], 1.0)
    cost = inst.jobs.restart_cost[job]

    first_row = np.searchsorted(job, job)  # of the job
    # Until something is saved for the first time no run pays for a restart, so that run can be told without.
    saves_first = saves & (np.floor(length / interval) > 0)
    resumed = _before(saves_first.astype(np.int64), first_row) > 0
    work = np.where(resumed, np.maximum(0.0, length - cost), length)
    saved = np.where(saves, np.floor(work / interval) * interval, 0.0)

    lost = np.where(completed, 0.0, length - saved)
    restarted = np.flatnonzero(completed & resumed)
    lost[restarted - 1] += cost[restarted]
    last_row = np.flatnonzero(np.append(job[1:] != job[:-1], True)[: len(job)])
    in_vain = last_row[~has_completed(inst, runs)[job[last_row]]]
    lost[in_vain] += (_before(saved, first_row) + saved)[in_vain]
    of_runs = np.empty_like(lost)
    of_runs[order] = lost
    return of_runs, cause


def _causes(runs: Runs, failures: Outages | None, preempt: str | None) -> _Codes:
    killed = ended_as(runs, "killed")
    cause = np.full(runs.n_runs, -1, dtype=np.int64)
    cause[ended_as(runs, "cancelled")] = _CANCELLATION
    cause[killed] = _FAILURE if preempt is None else _PREEMPTION
    cause[killed & _ends_with_failure(runs, failures)] = _FAILURE
    return cause


def _ends_with_failure(runs: Runs, failures: Outages | None) -> npt.NDArray[np.bool_]:
    """(n_runs,) Whether a machine of each run fails the moment at which it ends."""
    ends = np.zeros(runs.n_runs, dtype=np.bool_)
    if failures is None or not len(failures):
        return ends
    places, united = runs.allocation, failures.united()
    instants, number = np.unique(united.start_time, return_inverse=True)
    end = runs.end_time[places.run]
    place = np.minimum(np.searchsorted(instants, end), len(instants) - 1)
    # A machine and an instant as one number.
    is_hit = (instants[place] == end) & np.isin(
        places.machine * len(instants) + place, united.machine * len(instants) + number
    )
    ends[places.run[is_hit]] = True
    return ends


def _saves(
    inst: Instance, killed: str, preempt: str | None, job: _Codes, cause: _Codes
) -> npt.NDArray[np.bool_]:
    """Whether the end of each run let the job keep what it had saved at checkpoints."""
    rule = np.array([preempt == "checkpoint", killed == "checkpoint", False, False])
    return np.asarray(rule[cause] & (inst.jobs.checkpoint_interval[job] > 0), dtype=np.bool_)


def _before(values: Column, first_row: npt.NDArray[np.intp]) -> npt.NDArray[np.float64]:
    """Sum of the values of earlier runs of the same job."""
    total = np.concatenate(([0], np.cumsum(values)))
    return np.asarray(total[:-1] - total[first_row], dtype=np.float64)
