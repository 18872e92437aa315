"""How fast must jobs arrive for the queue to reach a given length?

Load is set by what users see, the average queue of the baseline policy (first come first served with EASY
backfilling, exact estimates, one machine). Jobs and unit arrival times stay fixed and only the mean gap g
changes, job i being submitted at ``floor(g * A_i)``: a bracket is grown from the gap at which the most
demanded resource is loaded to 0.7, and halved on the logarithmic scale. The queue is not exactly monotone in
the gap (scheduling anomalies); the rule is deterministic anyway, and takes the best gap that it has tried.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from schedcore import _core
from schedcore.errors import InvalidInstanceError
from schedcore.model import Instance, Jobs, Machines
from schedcore.model.arrays import EXACT_BOUND, FloatArray, first_index, place
from schedcore.model.columns import measure_column
from schedcore.workloads.models.rigid_jobs import UNITS_PER_MACHINE

__all__ = [
    "CalibratedGap",
    "average_queue",
    "bisect_gap",
    "calibrate_gap",
    "easy_start_times",
    "gap_of_load",
    "gap_of_queue",
    "submit_times",
]

_START_LOAD = 0.7
_GROWTH = 1.5
_MOST_HALVINGS = 40
_TOLERANCE = 0.02
_NARROW = 1.0001


class CalibratedGap(NamedTuple):
    """The mean gap between arrivals that was found, the average queue with it, and how many runs it took."""

    gap: float
    queue: float
    simulations: int


def calibrate_gap(
    jobs: Jobs, unit_arrivals: ArrayLike, target: float, capacity: ArrayLike = UNITS_PER_MACHINE
) -> CalibratedGap:
    """Find the mean gap between arrivals with which FCFS/FF-EASY has an average queue of `target` jobs.

    Parameters
    ----------
    jobs : Jobs
        Processing times and demands; release times and estimates are ignored.
    unit_arrivals : (n_jobs,) array_like
        Ascending times with mean distance 1, as `schedcore.workloads.unit_arrivals` draws them.
    target : float
        Average queue over the time from the first to the last submission; above 0.
    capacity : int or (n_resources,) array_like of int
        Of the one machine, the same for all resources or one each.

    Returns
    -------
    CalibratedGap
        ``gap``, ``queue`` (usually within 2 % of the target) and ``simulations``. With it, jobs are released
        at ``numpy.floor(gap * unit_arrivals)``.

    Raises
    ------
    InvalidInstanceError
        For an argument out of range, and a target that is not reached even if all jobs arrive at once.
    InfeasibleError
        For a job that the machine cannot hold.

    Notes
    -----
    At most some 50 simulations, usually about 10. Ctrl-C ends a long run.
    """
    arrivals = measure_column(unit_arrivals, "unit_arrivals", jobs.n_jobs, positive=False)
    falls = np.diff(arrivals) < 0
    if falls.any():
        job = first_index(falls)[0]
        raise InvalidInstanceError(
            f"{place('unit_arrivals', arrivals, (job + 1,))} is before that of job {job}"
        )
    vector = np.full(jobs.n_resources, capacity) if np.ndim(capacity) == 0 else capacity
    machine = Instance(jobs, Machines.identical(1, vector)).machines  # of as many resources as the jobs
    return gap_of_queue(jobs, arrivals, target, machine)


def gap_of_queue(jobs: Jobs, unit_arrivals: FloatArray, target: float, machines: Machines) -> CalibratedGap:
    """Return what `calibrate_gap` does, for checked arrivals and any machines of as many resources as the jobs."""
    if not 0 < target < math.inf:
        raise InvalidInstanceError(f"target = {target} must be finite and above 0")

    def queue(gap: float) -> float:
        submit_time = submit_times(gap, unit_arrivals)
        if jobs.n_jobs == 0 or submit_time[0] == submit_time[-1]:
            raise InvalidInstanceError(
                f"target = {target} is out of reach: the average queue of these {jobs.n_jobs} jobs stays below it "
                f"until they all arrive at once"
            )
        return average_queue(submit_time, easy_start_times(jobs, submit_time, machines))

    return bisect_gap(queue, gap_of_load(jobs, machines, _START_LOAD), target)


def gap_of_load(jobs: Jobs, machines: Machines, load: float) -> float:
    """Return the mean gap at which the most demanded resource of all machines together is offered `load`."""
    if jobs.n_jobs == 0:
        return 0.0
    work = np.array([float(jobs.processing_time @ jobs.demand[:, k]) for k in range(jobs.n_resources)])
    capacity = jobs.n_jobs * machines.capacity.sum(axis=0, dtype=np.float64)
    per_job = np.divide(work, capacity, out=np.zeros_like(work), where=capacity > 0)
    return float(per_job.max(initial=0.0)) / load


def submit_times(gap: float, unit_arrivals: FloatArray) -> FloatArray:
    """Return ``floor(gap * unit_arrivals)``, or raise an error where that exceeds 2**53."""
    submit_time: FloatArray = np.floor(gap * unit_arrivals)
    if submit_time.size and not submit_time[-1] <= EXACT_BOUND:
        raise InvalidInstanceError(f"with a mean gap of {gap} the last job is submitted after 2**53")
    return submit_time


def easy_start_times(jobs: Jobs, submit_time: FloatArray, machines: Machines) -> FloatArray:
    """Return the start times of FCFS/FF-EASY with exact estimates."""
    weight = np.ones(jobs.n_jobs)
    return _core.engine.simulate(
        _core.backfilling.BackfillPolicy("protected_head"),
        submit_time,
        jobs.processing_time,
        weight,
        jobs.demand,
        machines.capacity,
    )[0]


def average_queue(submit_time: FloatArray, start_time: FloatArray) -> float:
    """Return the mean number of waiting jobs between the first and the last submission, 0 if they coincide."""
    first, last = submit_time[0], submit_time[-1]
    if first == last:
        return 0.0
    return float(np.sum(np.minimum(start_time, last) - submit_time) / (last - first))


def bisect_gap(queue: Callable[[float], float], start: float, target: float) -> CalibratedGap:
    """Return the gap, of those tried from `start` on, whose queue is nearest to `target`.

    `queue` maps a gap to an average queue and is never asked twice; it tends to 0 for large gaps, and raises
    where no smaller gap can help.
    """
    tried: dict[float, float] = {}

    def queue_of(gap: float) -> float:
        if gap not in tried:
            tried[gap] = queue(gap)
        return tried[gap]

    low = high = start
    while queue_of(low) < target:
        low /= _GROWTH
    while queue_of(high) > target:
        high *= _GROWTH
    for _ in range(_MOST_HALVINGS):
        if min(abs(q - target) for q in tried.values()) <= _TOLERANCE * target or high / low < _NARROW:
            break
        middle = math.sqrt(low * high)
        if queue_of(middle) > target:
            low = middle
        else:
            high = middle
    gap = min(tried, key=lambda gap: abs(tried[gap] - target))
    return CalibratedGap(gap, tried[gap], len(tried))
