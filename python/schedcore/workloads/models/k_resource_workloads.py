"""Instances of the workload models: one pool of K resources, Poisson arrivals, optional over-estimates.

The workloads on which backfilling with several resources was studied [Leinberger1999]_: one machine with
1,000,000 units of each resource, sizes and runtimes of a model, demands around the size, times in seconds.
With the same seed, instances that differ in resources, variance or load share their jobs.

.. [Leinberger1999] W. Leinberger, G. Karypis, V. Kumar, "Job scheduling in the presence of multiple resource
   requirements", SC 1999.
"""

from schedcore.errors import InvalidInstanceError
from schedcore.model import Instance, Jobs, Machines
from schedcore.model.arrays import IntArray
from schedcore.model.integers import at_least
from schedcore.workloads.models.gap_calibration import calibrate_gap, gap_of_load, submit_times
from schedcore.workloads.models.rigid_jobs import (
    UNITS_PER_MACHINE,
    estimates,
    feitelson,
    k_resource_demand,
    lublin,
    unit_arrivals,
)

__all__ = ["feitelson_k", "lublin_k"]

_DEFAULT_LOAD = 0.7


def feitelson_k(
    seed: int,
    n_jobs: int,
    n_resources: int = 2,
    variance_per_mille: int = 1000,
    demand_factor: int = 1,
    estimate_factor: int = 1,
    mean_gap: int | None = None,
    average_queue: int | None = None,
) -> Instance:
    """Draw jobs of the Feitelson model with demands for K resources.

    Parameters
    ----------
    seed : int
        In [0, 2**64).
    n_jobs : int
        The reference figures have 4000.
    n_resources : int
        Usually 2, 4 or 8.
    variance_per_mille : int
        Variance of the demands, in thousandths: usually 10, 100 or 1000. See `k_resource_demand`.
    demand_factor : int
        1 makes the mean demand half the size, 2 the size.
    estimate_factor : int
        1 for exact estimates, otherwise up to this many times the processing time. See `estimates`.
    mean_gap : int, optional
        Mean seconds between arrivals.
    average_queue : int, optional
        Instead: the gap is calibrated to this average queue of FCFS/FF-EASY. See `calibrate_gap`. Without
        either, the most demanded resource is offered a load of 0.7.

    Returns
    -------
    Instance
        Jobs in the order of their arrival.

    Raises
    ------
    InvalidInstanceError
        For an argument out of range, and where both or an unreachable load are given; names it.

    Notes
    -----
    O(n_jobs * n_resources) time, and about 10 simulations for an `average_queue`.
    """
    base = feitelson(n_jobs, seed)
    jobs = _jobs(base, seed, n_resources, variance_per_mille, demand_factor, estimate_factor)
    return _arriving(jobs, seed, mean_gap, average_queue)


def lublin_k(
    seed: int,
    n_jobs: int,
    n_resources: int = 2,
    variance_per_mille: int = 1000,
    demand_factor: int = 1,
    estimate_factor: int = 1,
    mean_gap: int | None = None,
    average_queue: int | None = None,
) -> Instance:
    """Draw jobs of the Lublin model with demands for K resources.

    Parameters, result, errors and cost are those of `feitelson_k`; sizes and runtimes come from `lublin`.
    """
    base = lublin(n_jobs, seed)
    jobs = _jobs(base, seed, n_resources, variance_per_mille, demand_factor, estimate_factor)
    return _arriving(jobs, seed, mean_gap, average_queue)


def _jobs(
    base: tuple[IntArray, IntArray], seed: int, n_resources: int, variance: int, factor: int, estimate: int
) -> Jobs:
    """Sizes and processing times as jobs with estimates, all released at 0."""
    at_least(1, variance_per_mille=variance, demand_factor=factor, estimate_factor=estimate)
    size, processing_time = base
    estimated = None if estimate == 1 else estimates(processing_time, estimate, seed)
    demand = k_resource_demand(size, n_resources, variance / 1000, seed, factor)
    return Jobs(processing_time, demand, estimated_processing_time=estimated)


def _arriving(jobs: Jobs, seed: int, mean_gap: int | None, average_queue: int | None) -> Instance:
    """Jobs that arrive at the load asked for, and the machine that all of them run on."""
    if mean_gap is not None and average_queue is not None:
        raise InvalidInstanceError(
            f"mean_gap = {mean_gap} and average_queue = {average_queue} exclude each other"
        )
    machines = Machines.identical(1, [UNITS_PER_MACHINE] * jobs.n_resources)
    arrivals = unit_arrivals(jobs.n_jobs, seed)
    if mean_gap is not None:
        at_least(0, mean_gap=mean_gap)
        gap = float(mean_gap)
    elif average_queue is not None:
        at_least(1, average_queue=average_queue)
        gap = calibrate_gap(jobs, arrivals, average_queue).gap
    else:
        gap = gap_of_load(jobs, machines, _DEFAULT_LOAD)
    return Instance(jobs.replace(release_time=submit_times(gap, arrivals)), machines)
