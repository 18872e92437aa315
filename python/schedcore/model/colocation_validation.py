"""Is an assignment valid? Every task on a machine of the instance, and nothing else: there are no capacities."""

import numpy as np

from schedcore.errors import InvalidInstanceError

from .assignment import Assignment
from .colocation import ColocationInstance

__all__ = ["first_misplaced_task"]


def first_misplaced_task(instance: ColocationInstance, assignment: Assignment) -> int | None:
    """Return the first task whose machine the instance does not have, None if there is none.

    Raises
    ------
    InvalidInstanceError
        If the assignment has another number of tasks than the instance.
    """
    if assignment.n_tasks != instance.n_tasks:
        raise InvalidInstanceError(
            f"the assignment has {assignment.n_tasks} tasks, the instance {instance.n_tasks}"
        )
    misplaced = (assignment.machine < 0) | (assignment.machine >= instance.n_machines)
    return int(np.argmax(misplaced)) if misplaced.any() else None
