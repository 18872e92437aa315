"""What happened to each job: completion, flow time, queuing delay and slowdown as columns.

Synonyms in the literature: flow time = turnaround time = response time; queuing delay = wait time. All
functions cost O(n) and return a new (n_jobs,) float64 array. Where jobs consist of pieces (`PreemptiveSchedule`),
they have completion and flow times. Of jobs that ran several times (`Runs`), the wait ends with the first start, and
the last run is the one that completes; jobs that never completed have none of this and are an `InvalidInstanceError`
(`completed_part` leaves them out).
"""

import math

import numpy as np
import numpy.typing as npt

from schedcore.errors import InvalidInstanceError
from schedcore.metrics.run_columns import first_start, last_completion, time_in_system
from schedcore.model import Instance, ParallelTaskInstance, PreemptiveSchedule, Runs, Schedule

Column = npt.NDArray[np.float64]

#: What says when jobs ran.
Timed = Schedule | PreemptiveSchedule | Runs


def require_same_jobs(inst: Instance | ParallelTaskInstance, schedule: Schedule) -> None:
    """Raise `InvalidInstanceError` unless `schedule` has one row for every job of `inst`."""
    n_scheduled = len(schedule.start_time)
    if n_scheduled != inst.n_jobs:
        raise InvalidInstanceError(
            f"the schedule has {n_scheduled} jobs, the instance {inst.n_jobs}; they must be the same"
        )


def completion_time(inst: Instance | ParallelTaskInstance, schedule: Timed) -> Column:
    """When each job ends: start_time + processing_time, or the end of its last piece or run."""
    if isinstance(schedule, Runs):
        return last_completion(_plain(inst), schedule)
    if not isinstance(schedule, PreemptiveSchedule):
        require_same_jobs(inst, schedule)
        return np.asarray(schedule.start_time + _plain(inst).processing_time, dtype=np.float64)
    completion = schedule.completion_time(inst.n_jobs)
    if not (completion > -math.inf).all():
        job = int(np.argmin(completion))
        raise InvalidInstanceError(f"the schedule has no piece of job {job}, so the job never completes")
    return completion


def queuing_delay(inst: Instance, schedule: Schedule | Runs) -> Column:
    """How long each job waited: start_time - release_time (also called wait time).

    Not negative in a valid schedule. Of several runs the first start counts.
    """
    if isinstance(schedule, Runs):
        return first_start(inst, schedule) - inst.release_time
    require_same_jobs(inst, schedule)
    return np.asarray(schedule.start_time - inst.release_time, dtype=np.float64)


def flow_time(inst: Instance | ParallelTaskInstance, schedule: Timed) -> Column:
    """How long each job was in the system: completion_time - release_time (turnaround or response time).

    Computed as queuing delay + processing time where jobs run in one go, which is the same for integer times and never
    falls below the processing time by rounding for others.
    """
    if isinstance(schedule, PreemptiveSchedule):
        return completion_time(inst, schedule) - inst.release_time
    if isinstance(schedule, Runs):
        return time_in_system(_plain(inst), schedule)
    require_same_jobs(inst, schedule)
    return np.asarray(
        schedule.start_time - inst.release_time + _plain(inst).processing_time, dtype=np.float64
    )


def slowdown(inst: Instance, schedule: Schedule | Runs) -> Column:
    """Flow time over processing time of each job; at least 1 in a valid schedule (also called stretch)."""
    return flow_time(inst, schedule) / inst.processing_time


def bounded_slowdown(inst: Instance, schedule: Schedule | Runs, tau: float = 10.0) -> Column:
    """Slowdown that very short jobs cannot dominate: ``max(1, flow_time / max(processing_time, tau))``.

    Parameters
    ----------
    inst, schedule : Instance, Schedule
        A schedule with one row for every job of the instance.
    tau : float, default 10
        Shorter jobs count as this long, in the time unit of the instance; 10 seconds is customary.

    Raises
    ------
    InvalidInstanceError
        If `tau` is negative or not finite, or the schedule is one of another number of jobs.

    References
    ----------
    D. G. Feitelson et al., "Theory and practice in parallel job scheduling", JSSPP 1997.
    """
    if not (math.isfinite(tau) and tau >= 0):
        raise InvalidInstanceError(f"tau = {tau} must be finite and at least 0")
    return np.maximum(1.0, flow_time(inst, schedule) / np.maximum(inst.processing_time, tau))


def _plain(inst: Instance | ParallelTaskInstance) -> Instance:
    """The instance, which must be one whose jobs have runs."""
    if not isinstance(inst, Instance):
        raise TypeError(f"a schedule of {inst!r} is a PreemptiveSchedule")
    return inst
