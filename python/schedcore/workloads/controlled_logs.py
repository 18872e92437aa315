"""A recorded log under controlled conditions: its first jobs, exact estimates, arrivals at a chosen load.

Studies of policies on logs keep what jobs demand and how long they take, and set what the site's own history
dictates: how many jobs there are, how well their submitters knew them, and how fast they come
[Leinberger1999]_. Each function takes an instance, of any reader or generator, and returns a new one.

.. [Leinberger1999] W. Leinberger, G. Karypis, V. Kumar, "Job scheduling in the presence of multiple resource
   requirements", SC 1999.
"""

import math

from schedcore.errors import InvalidInstanceError
from schedcore.model import Instance

from .gap_calibration import gap_of_queue, submit_times
from .generators import at_least
from .workload_models import unit_arrivals

__all__ = ["exact_estimates", "first_jobs", "poisson_arrivals"]


def first_jobs(inst: Instance, n_jobs: int) -> Instance:
    """Keep the first jobs of an instance, in its own order.

    Parameters
    ----------
    inst : Instance
        Its machines, and the identifiers and estimates of the kept jobs, stay as they are.
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
    return Instance(inst.jobs[:n_jobs], inst.machines)


def exact_estimates(inst: Instance) -> Instance:
    """Let every submitter know how long the job takes: each estimate becomes the processing time."""
    return Instance(inst.jobs.replace(estimated_processing_time=None), inst.machines)


def poisson_arrivals(
    inst: Instance,
    seed: int,
    *,
    average_queue: float | None = None,
    mean_gap: float | None = None,
) -> Instance:
    """Release the jobs of an instance, in its own order, at Poisson arrivals of a chosen load.

    Parameters
    ----------
    inst : Instance
        Its release times are replaced, everything else stays.
    seed : int
        In [0, 2**64); the arrivals are those of `unit_arrivals`, and the same for every load.
    average_queue : float, optional
        The mean gap is calibrated to this average queue of FCFS/FF-EASY with exact estimates. See `calibrate_gap`.
    mean_gap : float, optional
        Instead: the mean time between arrivals, in the unit of the instance, at least 0.

    Returns
    -------
    Instance
        Job i is released at ``floor(gap * unit_arrivals(n_jobs, seed)[i])``.

    Raises
    ------
    InvalidInstanceError
        For an argument out of range, not exactly one of the two loads, and a queue that is not reached even if all
        jobs arrive at once.
    InfeasibleError
        For a job that no machine can hold.

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
        gap = gap_of_queue(inst.jobs, arrivals, average_queue, inst.machines).gap
    elif mean_gap is not None and 0 <= mean_gap < math.inf:
        gap = mean_gap
    else:
        raise InvalidInstanceError(f"mean_gap = {mean_gap} must be finite and at least 0")
    return Instance(inst.jobs.replace(release_time=submit_times(gap, arrivals)), inst.machines)
