"""How much the tasks of jobs take on one machine, and how much work whole jobs are."""

import numpy as np
import numpy.typing as npt

from schedcore.errors import InvalidInstanceError, UnsupportedError
from schedcore.metrics.exact_sums import exact_sum
from schedcore.model import Instance


def amounts_of_tasks(
    inst: Instance, job: npt.NDArray[np.int64], n_tasks: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    """(n_rows, n_resources) What so many tasks of a job take, for rows of an allocation.

    Raises
    ------
    InvalidInstanceError
        For more tasks than the job has, and fewer than none.
    UnsupportedError
        As `Instance.demand_of_all_tasks`.
    """
    amounts = inst.demand_of_all_tasks()
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


def work_of_jobs(inst: Instance, resource: int) -> npt.NDArray[np.int64]:
    """(n_jobs,) Demand of all tasks times processing time, rounded to whole units.

    Raises
    ------
    UnsupportedError
        If all of it together reaches 2**63, so that sums might not fit in 64 bits.
    """
    work = np.rint(inst.demand_of_all_tasks()[:, resource] * inst.processing_time)
    total = exact_sum(work)
    if total >= 2.0**63:
        raise UnsupportedError(
            f"the work of all jobs for resource {resource} is {total:.4g}, and must stay below 2**63; use coarser units"
        )
    return work.astype(np.int64)
