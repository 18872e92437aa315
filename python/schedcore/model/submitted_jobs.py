"""Jobs as a scheduler takes them: released at the instant of the submission, under the ids that it uses, and for its
machines.
"""

from collections.abc import Sequence

import numpy as np

from schedcore.errors import InvalidInstanceError

from .arrays import IntArray
from .jobs import Jobs
from .machines import Machines

__all__ = ["check_same_machines", "submitted_job", "submitted_jobs"]


def submitted_jobs(jobs: Jobs, instant: float, ids: IntArray) -> Jobs:
    """Return the same jobs released at `instant` under other ids, both checked before; shares what stays."""
    return jobs._with(release_time=np.full(jobs.n_jobs, instant), id=ids, has_ids=True)


def submitted_job(
    processing_time: float,
    demand: Sequence[int],
    instant: float,
    weight: float,
    estimated_processing_time: float | None,
    id: int,
) -> Jobs:
    """Return one job of numbers that were checked before."""
    estimate = processing_time if estimated_processing_time is None else estimated_processing_time
    times = np.array((processing_time, instant, weight, estimate), dtype=np.float64)
    times.setflags(write=False)
    amounts = np.array((demand,), dtype=np.int64)
    amounts.setflags(write=False)
    return Jobs._restore(
        {
            "processing_time": times[:1],
            "demand": amounts,
            "release_time": times[1:2],
            "weight": times[2:3],
            "estimated_processing_time": times[3:],
            "has_estimates": estimated_processing_time is not None,
            "estimated_demand": amounts,
            "has_demand_estimates": False,
            "id": np.array((id,), dtype=np.int64),
            "has_ids": True,
        }
    )


def check_same_machines(of_tasks: Machines, own: Machines) -> None:
    """Raise where tasks are for other machines than the scheduler's."""
    if of_tasks is own:
        return
    if of_tasks.resource_names != own.resource_names:
        raise InvalidInstanceError(
            f"the resources of the tasks are {', '.join(of_tasks.resource_names)}, "
            f"those of the scheduler {', '.join(own.resource_names)}"
        )
    if of_tasks.n_machines != own.n_machines:
        raise InvalidInstanceError(
            f"the tasks are for {of_tasks.n_machines} machines, the scheduler has {own.n_machines}"
        )
    differs = of_tasks.capacity != own.capacity
    if differs.any():
        machine, resource = np.argwhere(differs)[0].tolist()
        raise InvalidInstanceError(
            f"the tasks are for other machines: capacity[{machine}, {resource}] is "
            f"{of_tasks.capacity[machine, resource]} there, {own.capacity[machine, resource]} in the scheduler"
        )
