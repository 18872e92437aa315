"""When the jobs of a workload come: all at once, faster or slower, or at a load of one's choice.

Studies of policies on logs keep what jobs demand and how long they take, and set what the site's own history
dictates, such as how fast jobs come [Leinberger1999]_. Each function takes an instance, of any reader or generator, and
returns a new one.

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
from schedcore.workloads.models.rigid_jobs import unit_arrivals

__all__ = ["at_time_zero", "poisson_arrivals", "scale_release_times"]

_Released = TypeVar("_Released", Instance, ParallelTaskInstance, MapReduceInstance)


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
    given: FloatArray = inst.release_time.astype(np.float64)
    scaled = given * factor
    if (given == np.floor(given)).all():
        scaled = np.floor(scaled)
        if scaled.max(initial=0.0) > EXACT_BOUND:
            raise InvalidInstanceError(
                f"factor = {factor} makes the last release time {scaled.max():.0f}, above 2**53"
            )
    return _released(inst, scaled)


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
    return inst.replace(release_time=release_time.astype(inst.release_time.dtype))
