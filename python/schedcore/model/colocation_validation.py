"""Is an assignment valid? Every task on a machine of the instance, and nothing else: there are no capacities."""

import numpy as np

from schedcore.errors import InvalidInstanceError

from .assignment import Assignment
from .colocation import ColocationInstance
from .validation_report import ValidationReport

__all__ = ["report_on_assignment"]


def report_on_assignment(instance: ColocationInstance, assignment: Assignment) -> ValidationReport:
    """Report the first task whose machine the instance does not have, or that the assignment is valid.

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
    if not misplaced.any():
        return ValidationReport(True, "the assignment is valid")
    task = int(np.argmax(misplaced))
    machine = int(assignment.machine[task])
    message = (
        f"task {task} is on machine {machine}: machines are numbered from 0 to {instance.n_machines - 1}"
    )
    return ValidationReport(False, message, "unknown_machine", task, machine)
