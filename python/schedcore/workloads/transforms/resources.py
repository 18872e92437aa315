"""Another number of resources: the first ones, or further ones in which jobs demand what others do.

Further resources are step 7 of the experiments of the MRIS paper (Section 7.1), for any instance [Fan2024]_.

.. [Fan2024] X. Fan, B. Liang, "Online Non-preemptive Multi-Resource Scheduling for Weighted Completion Time on
   Multiple Machines", ICPP 2024.
"""

import itertools

import numpy as np

from schedcore.errors import InvalidInstanceError
from schedcore.model import Instance
from schedcore.model.arrays import IntArray, unmasked
from schedcore.model.integers import at_least
from schedcore.workloads.draws.splitmix import Draws

__all__ = ["draw_extra_demands", "draw_more_resources", "first_resources"]


def first_resources(inst: Instance, n_resources: int) -> Instance:
    """Return the jobs with their demands for the first resources alone, on machines that have no others.

    Unlike `draw_more_resources` it keeps jobs that demand nothing of these resources.

    Raises
    ------
    InvalidInstanceError
        For a number below 1, and one above the number of resources.
    """
    at_least(1, n_resources=n_resources)
    if n_resources > inst.n_resources:
        raise InvalidInstanceError(f"first {n_resources} resources: the workload has only {inst.n_resources}")
    jobs, machines = inst.jobs, inst.machines
    believed = jobs.estimated_demand[:, :n_resources] if jobs.has_demand_estimates else None
    return inst.replace(
        demand=jobs.demand[:, :n_resources],
        estimated_demand=believed,
        machines=machines.replace(
            capacity=machines.capacity[:, :n_resources], resource_names=machines.resource_names[:n_resources]
        ),
    )


def draw_more_resources(
    inst: Instance, n_resources: int, seed: int = 1, donors: IntArray | None = None
) -> Instance:
    """Bring an instance to a number of resources: keep the first ones, or draw demands for new ones.

    In each new resource every job independently gets the demand in resource 0 of a job drawn uniformly, and
    every machine has its capacity of resource 0.

    Parameters
    ----------
    inst : Instance
        Its first resources, or all, are kept as they are.
    n_resources : int
        At least 1.
    seed : int
        In [0, 2**64). Draws are made resource by resource, in each job by job.
    donors : (n_donors,) int64, optional
        The demands to draw from, for job sets thinned out of a list: those of the list in resource 0.
        Default: those of `inst`.

    Returns
    -------
    Instance
        New resources are named ``extra_0``, ``extra_1``, ..., without names that `inst` has already.

    Raises
    ------
    InvalidInstanceError
        For an argument out of range, no donors, demands out of range among those drawn, and a job that loses
        its last demand with a resource; names the values.
    TypeError
        For donors that are no integers.

    Notes
    -----
    O(n_jobs * n_resources) time and memory. The extra resources of `azure_like` and `read_azure_packing` are
    drawn alike, but come after the other draws of their seed.
    """
    at_least(1, n_resources=n_resources)
    pool = inst.jobs.demand[:, 0] if donors is None else _checked_donors(donors)
    n_kept = min(n_resources, inst.n_resources)
    demand = np.empty((inst.n_jobs, n_resources), dtype=np.int64)
    demand[:, :n_kept] = inst.jobs.demand[:, :n_kept]
    _refuse_lost_demand(inst, demand[:, :n_kept])
    draw_extra_demands(demand[:, n_kept:], pool, seed)
    demand.setflags(write=False)
    new = n_resources - n_kept
    extra_names = (f"extra_{index}" for index in itertools.count())
    unused = (name for name in extra_names if name not in inst.machines.resource_names)
    capacity = inst.machines.capacity
    machines = inst.machines.replace(
        capacity=np.hstack([capacity[:, :n_kept], np.repeat(capacity[:, :1], new, axis=1)]),
        resource_names=(*inst.machines.resource_names[:n_kept], *itertools.islice(unused, new)),
    )
    return inst.replace(demand=demand, machines=machines)


def draw_extra_demands(columns: IntArray, donors: IntArray, seed: int, skip: int = 0) -> None:
    """Fill `columns`, shape (n_jobs, n_extra), with donors drawn uniformly: column by column, job by job.

    The draws are those of the stream of `seed` after the first `skip`. Requires a donor if there are jobs.
    """
    n_jobs, n_extra = columns.shape
    for extra in range(n_extra if n_jobs else 0):
        drawn = Draws(seed, n_jobs, 1, skip=skip + extra * n_jobs).below(0, len(donors))
        columns[:, extra] = donors[drawn.astype(np.intp)]


def _checked_donors(donors: IntArray) -> IntArray:
    array = np.asarray(unmasked(donors, "donors"))
    if array.ndim != 1 or not len(array):
        raise InvalidInstanceError(f"donors has shape {array.shape}; need one demand or more")
    if array.dtype.kind not in "iu":
        raise TypeError(f"donors are demands in units, integers, not {array.dtype}")
    return array


def _refuse_lost_demand(inst: Instance, kept: IntArray) -> None:
    lost = ~kept.any(axis=1) & inst.jobs.demand.any(axis=1)
    if lost.any():
        job = int(np.argmax(lost))
        names = ", ".join(inst.machines.resource_names[: kept.shape[1]])
        raise InvalidInstanceError(
            f"job {job} (id {inst.jobs.id[job]}) has no demand in {names}, which are to be kept; "
            f"{np.count_nonzero(lost)} of {inst.n_jobs} jobs would need nothing"
        )
