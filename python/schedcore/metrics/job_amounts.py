"""How much each job takes while it runs: the demand of all its tasks together, or of those on one machine."""

import numpy as np
import numpy.typing as npt

from schedcore.errors import InvalidInstanceError, UnsupportedError
from schedcore.model import Instance
from schedcore.model.arrays import EXACT_BOUND


def amounts_of_jobs(inst: Instance) -> npt.NDArray[np.int64]:
    """(n_jobs, n_resources) Number of tasks times the demand of one; the demands themselves for jobs of one task.

    An exclusive job counts with what its tasks take, not with the machines that it keeps others from.

    Raises
    ------
    UnsupportedError
        If a job takes more than 2**53 units, which sums in doubles would round; names it.
    """
    demand = inst.jobs.demand
    if not inst.jobs.uses("n_tasks"):
        return demand
    n_tasks = inst.jobs.n_tasks[:, np.newaxis]
    too_much = demand > EXACT_BOUND // n_tasks  # as n_tasks * demand > EXACT_BOUND, which could overflow
    if too_much.any():
        job, resource = (int(index) for index in np.argwhere(too_much)[0])
        total = int(inst.jobs.n_tasks[job]) * int(demand[job, resource])
        raise UnsupportedError(
            f"{inst.job_name(job)} takes {total} of {inst.machines.resource_names[resource]}, more than 2**53; "
            "use a coarser unit"
        )
    amounts: npt.NDArray[np.int64] = n_tasks * demand
    return amounts


def amounts_of_tasks(
    inst: Instance, job: npt.NDArray[np.int64], n_tasks: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    """(n_rows, n_resources) What so many tasks of a job take, for rows of an allocation.

    Raises
    ------
    InvalidInstanceError
        For more tasks than the job has, and fewer than none.
    UnsupportedError
        As `amounts_of_jobs`.
    """
    amounts = amounts_of_jobs(inst)
    if not inst.jobs.uses("n_tasks") and (n_tasks == 1).all():
        return amounts[job]
    there = (n_tasks >= 0) & (n_tasks <= inst.jobs.n_tasks[job])
    if not there.all():
        row = int(np.argmin(there))
        raise InvalidInstanceError(
            f"{n_tasks[row]} tasks of {inst.job_name(int(job[row]))} are on one machine; it has "
            f"{inst.jobs.n_tasks[job[row]]}"
        )
    product: npt.NDArray[np.int64] = inst.jobs.demand[job] * n_tasks[:, np.newaxis]
    return product
