"""A recorded log under controlled conditions: its first jobs, exact estimates, arrivals at a chosen load or pace.

Studies of policies on logs keep what jobs demand and how long they take, and set what the site's own history
dictates: how many jobs there are, how well their submitters knew them, and how fast they come
[Leinberger1999]_. Each function takes an instance, of any reader or generator, and returns a new one.

.. [Leinberger1999] W. Leinberger, G. Karypis, V. Kumar, "Job scheduling in the presence of multiple resource
   requirements", SC 1999.
"""

import math
from typing import TypeVar

import numpy as np

from schedcore.errors import InvalidInstanceError, UnsupportedError
from schedcore.model import Instance, MapReduceInstance, ParallelTaskInstance
from schedcore.model.arrays import EXACT_BOUND, FloatArray
from schedcore.workloads.models.gap_calibration import gap_of_queue, submit_times
from schedcore.workloads.models.mris_instances import at_least
from schedcore.workloads.models.rigid_jobs import unit_arrivals

__all__ = ["at_time_zero", "exact_estimates", "first_jobs", "poisson_arrivals", "scale_release_times"]

_Released = TypeVar("_Released", Instance, ParallelTaskInstance, MapReduceInstance)


def first_jobs(inst: _Released, n_jobs: int) -> _Released:
    """Keep the first jobs of an instance, in its own order.

    Parameters
    ----------
    inst : Instance, ParallelTaskInstance or MapReduceInstance
        Its machines, and the identifiers, estimates and tasks of the kept jobs, stay as they are.
    n_jobs : int
        From 0 to as many as there are.

    Raises
    ------
    InvalidInstanceError
        For a number out of range; names it.
    """
    at_least(0, n_jobs=n_jobs)
    if n_jobs > inst.n_jobs:
        raise InvalidInstanceError(f"first {n_jobs} jobs: the workload has only {inst.n_jobs}")
    if isinstance(inst, ParallelTaskInstance):
        return _first_jobs_with_tasks(inst, n_jobs)
    if isinstance(inst, MapReduceInstance):
        return inst.take_jobs(slice(n_jobs))
    return Instance(inst.jobs[:n_jobs], inst.machines)


def at_time_zero(inst: _Released) -> _Released:
    """Release all jobs at time 0: the offline problem."""
    return _released(inst, np.zeros(inst.n_jobs))


def scale_release_times(inst: _Released, factor: float) -> _Released:
    """Let the jobs come in the same order and rhythm, but faster or slower.

    Parameters
    ----------
    inst : Instance, ParallelTaskInstance or MapReduceInstance
        Everything but the release times stays.
    factor : float
        Every release time is multiplied by it, above 0: 0.5 doubles the intensity of the traffic. Whole release times
        stay whole; they are rounded down.

    Raises
    ------
    InvalidInstanceError
        For a factor that is not finite or not above 0, and release times that leave the exact integers.
    """
    if not 0 < factor < math.inf:
        raise InvalidInstanceError(f"factor = {factor} must be finite and above 0")
    released = inst.jobs.release_time if isinstance(inst, Instance) else inst.release_time
    given: FloatArray = released.astype(np.float64)
    scaled = given * factor
    if (given == np.floor(given)).all():
        scaled = np.floor(scaled)
        if scaled.max(initial=0.0) > EXACT_BOUND:
            raise InvalidInstanceError(
                f"factor = {factor} makes the last release time {scaled.max():.0f}, above 2**53"
            )
    return _released(inst, scaled)


def exact_estimates(inst: Instance) -> Instance:
    """Let every submitter know how long the job takes: each estimate becomes the processing time."""
    return Instance(inst.jobs.replace(estimated_processing_time=None), inst.machines)


def poisson_arrivals(
    inst: _Released,
    seed: int,
    *,
    average_queue: float | None = None,
    mean_gap: float | None = None,
) -> _Released:
    """Release the jobs of an instance, in its own order, at Poisson arrivals of a chosen load.

    Parameters
    ----------
    inst : Instance, ParallelTaskInstance or MapReduceInstance
        Its release times are replaced, everything else stays.
    seed : int
        In [0, 2**64); the arrivals are those of `unit_arrivals`, and the same for every load.
    average_queue : float, optional
        The mean gap is calibrated to this average queue of FCFS/FF-EASY with exact estimates. See `calibrate_gap`. Not
        for jobs of tasks, which that policy does not know.
    mean_gap : float, optional
        Instead: the mean time between arrivals, in the unit of the instance, at least 0.

    Returns
    -------
    Instance, ParallelTaskInstance or MapReduceInstance
        Job i is released at ``floor(gap * unit_arrivals(n_jobs, seed)[i])``.

    Raises
    ------
    InvalidInstanceError
        For an argument out of range, not exactly one of the two loads, and a queue that is not reached even if all
        jobs arrive at once.
    InfeasibleError
        For a job that no machine can hold.
    UnsupportedError
        For the average queue of jobs of tasks.

    Notes
    -----
    O(n_jobs), and about 10 simulations for an `average_queue`. Ctrl-C ends a long run.
    """
    if (average_queue is None) == (mean_gap is None):
        raise InvalidInstanceError(
            f"average_queue = {average_queue} and mean_gap = {mean_gap}: exactly one of them sets the load"
        )
    arrivals = unit_arrivals(inst.n_jobs, seed)
    if average_queue is not None:
        if not isinstance(inst, Instance):
            raise UnsupportedError(
                f"average_queue = {average_queue}: FCFS/FF-EASY schedules no jobs of tasks; give mean_gap"
            )
        gap = gap_of_queue(inst.jobs, arrivals, average_queue, inst.machines).gap
    elif mean_gap is not None and 0 <= mean_gap < math.inf:
        gap = mean_gap
    else:
        raise InvalidInstanceError(f"mean_gap = {mean_gap} must be finite and at least 0")
    return _released(inst, submit_times(gap, arrivals))


def _released(inst: _Released, release_time: FloatArray) -> _Released:
    if isinstance(inst, ParallelTaskInstance):
        return inst.replace(release_time=release_time)
    if isinstance(inst, MapReduceInstance):
        return inst.replace(release_time=release_time.astype(np.int64))
    return Instance(inst.jobs.replace(release_time=release_time), inst.machines)


def _first_jobs_with_tasks(inst: ParallelTaskInstance, n_jobs: int) -> ParallelTaskInstance:
    """Return the first jobs, at most as many as there are, with all their tasks and release times."""
    n_tasks = int(inst.task_start[n_jobs])
    n_placements = int(inst.placement_start[n_tasks])
    return inst.replace(
        weight=inst.weight[:n_jobs],
        release_time=inst.release_time[:n_jobs],
        task_job=inst.task_job[:n_tasks],
        demand=inst.demand[:n_tasks],
        placement_start=inst.placement_start[: n_tasks + 1],
        placement_machine=inst.placement_machine[:n_placements],
        placement_time=inst.placement_time[:n_placements],
        placement_local=inst.placement_local[:n_placements],
    )
