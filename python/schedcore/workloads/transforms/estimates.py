"""What policies believe of jobs: exact run times, or demands with normal errors.

The errors follow the misestimation study of [Xu2021]_. Those of a resource depend on the seed, the number of jobs and
the resource alone, and larger variances stretch the same errors, so that what is compared differs in nothing else.

.. [Xu2021] H. Xu, Y. Liu, W. C. Lau, "Optimal Job Scheduling With Resource Packing for Heterogeneous Servers",
   IEEE/ACM Transactions on Networking, 2021.
"""

import math

import numpy as np

from schedcore.errors import InvalidInstanceError, UnsupportedError
from schedcore.model import Instance
from schedcore.model.arrays import EXACT_BOUND, IntArray
from schedcore.model.real_numbers import finite_number
from schedcore.model.slots import packing_order
from schedcore.workloads.draws.portable_functions import normal_quantile
from schedcore.workloads.draws.splitmix import Draws, check_seed, open_uniform

__all__ = ["exact_estimates", "misestimate", "scale_estimates"]

_ERROR_STREAM = 0x8CB92BA72F3D8DD7  # what the seed is xored with


def exact_estimates(inst: Instance) -> Instance:
    """Let every submitter know how long the job takes: each estimate becomes the processing time."""
    return inst.replace(estimated_processing_time=None)


def scale_estimates(inst: Instance, factor: float) -> Instance:
    """Let every submitter expect so many times the length that was said, but never less than the job takes.

    Parameters
    ----------
    inst : Instance
        Jobs with estimates.
    factor : float
        Finite, above 0. Whole estimates stay whole; they are rounded up.

    Raises
    ------
    InvalidInstanceError
        For a factor out of range, and estimates that would be too large for exact times.
    UnsupportedError
        If the jobs have no estimates.
    """
    if not 0 < factor < math.inf:
        raise InvalidInstanceError(f"factor = {factor} must be finite and above 0")
    if not inst.jobs.has_estimates:
        raise UnsupportedError("the jobs have no estimates to scale")
    given = inst.jobs.estimated_processing_time
    scaled = given * factor
    if (given == np.floor(given)).all():
        scaled = np.ceil(scaled)
        if scaled.max(initial=0.0) > EXACT_BOUND:
            raise InvalidInstanceError(f"factor = {factor} makes an estimate {scaled.max():.0f}, above 2**53")
    return inst.replace(estimated_processing_time=np.maximum(scaled, inst.processing_time))


def misestimate(inst: Instance, variance: float, seed: int = 1) -> Instance:
    """Return an instance whose jobs estimate their demands with a relative error.

    Parameters
    ----------
    inst : Instance
        Estimates of demands that it has already are replaced.
    variance : float
        Of the errors, at least 0; with 0 the estimates are exact.
    seed : int
        In [0, 2**64).

    Returns
    -------
    Instance
        With the ``estimated_demand`` ceil(demand (1 + X)), X normal with mean 0 and independent for every job and
        resource; at least 1, and at most what a job can get: the cores of all machines, and of every other resource
        what the first machine in packing order has. With a variance of 0 it is the demand, as far as a job can
        get it.

    Raises
    ------
    InvalidInstanceError
        For a variance or seed out of range.
    TypeError
        For anything but an `Instance`.

    Notes
    -----
    O(n_jobs * n_resources); the same on every platform.
    """
    if not isinstance(inst, Instance):
        raise TypeError(f"demands are estimated for an Instance, not {type(inst).__name__}")
    sigma = math.sqrt(finite_number("variance", variance, above_0=False))
    stream = check_seed(seed) ^ _ERROR_STREAM
    demand, most = inst.jobs.demand, _most(inst)
    estimate = demand.copy()
    if sigma > 0:
        for resource in range(inst.n_resources):
            draws = Draws(stream, inst.n_jobs, per_job=1, skip=resource * inst.n_jobs)
            error = sigma * normal_quantile(open_uniform(draws.column(0)))
            wanted = np.ceil(demand[:, resource] * (1 + error))
            estimate[:, resource] = np.clip(wanted, 1, EXACT_BOUND).astype(np.int64)
    np.minimum(estimate, most, out=estimate)
    return inst.replace(estimated_demand=estimate)


def _most(inst: Instance) -> IntArray:
    """(n_resources,) What a job can get."""
    capacity = inst.machines.capacity
    most: IntArray = capacity[packing_order(capacity)[0]].copy()
    most[0] = min(sum(capacity[:, 0].tolist()), EXACT_BOUND)
    return most
