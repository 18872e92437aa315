"""Is a schedule of parallel tasks feasible? Words for what ``src/cpp/validation/task_validator.cpp`` finds.

Pieces lie on machines of their task's placement set, from the release of the job on; those of one task never overlap,
on any machines, and add up to the whole task; and on every machine, at every time and in every resource, the demands of
the pieces add up to at most the capacity. A schedule of class "preempt" keeps each task on one machine, one of class
"nonpreempt" in one piece.
"""

from schedcore import _core
from schedcore.errors import InvalidInstanceError

from .choices import check_choice
from .kernel_columns import kernel_columns
from .parallel_tasks import ParallelTaskInstance
from .preemptive_schedule import PreemptiveSchedule
from .validation_report import FEASIBLE, ValidationReport

__all__ = ["SCHEDULE_KINDS", "report_on_tasks"]

SCHEDULE_KINDS = ("migrate", "preempt", "nonpreempt")


def report_on_tasks(
    instance: ParallelTaskInstance, schedule: PreemptiveSchedule, kind: str
) -> ValidationReport:
    """Report the first violation of a schedule of class `kind`, or that it is feasible.

    Pieces are visited by (start, job, task, machine), then tasks in their order; a time that is no finite number comes
    before everything else. O(n_pieces log n_pieces + n_pieces * n_resources), without the GIL.

    Raises
    ------
    InvalidInstanceError
        For an unknown `kind`, and for a schedule with amounts: tasks hold their whole demand.
    """
    if schedule.amount is not None:
        raise InvalidInstanceError(
            "the schedule has amounts; pieces of parallel tasks hold the whole demand of their task"
        )
    check_choice("kind", kind, SCHEDULE_KINDS)
    found = _core.validation.find_first_task_violation(
        kernel_columns(instance),
        schedule.job,
        schedule.task,
        schedule.machine,
        schedule.start_time,
        schedule.end_time,
        kind,
    )
    return FEASIBLE if found is None else _report(instance, *found)


def _report(
    instance: ParallelTaskInstance,
    kind: str,
    job: int,
    task: int,
    machine: int,
    instant: float,
    resource: int,
    units: int,
    measure: float,
) -> ValidationReport:
    if kind == "task_missing":
        return ValidationReport(False, f"task {task} of job {job} has no piece", kind, job, task=task)
    excess: float | None = None
    match kind:
        case "time_not_finite":
            what = "its start or its end is no finite number"
        case "unknown_job":
            what = f"jobs are numbered from 0 to {instance.n_jobs - 1}"
        case "unknown_task":
            first, end = instance.task_start[job : job + 2].tolist()
            what = f"the tasks of the job are numbered from 0 to {end - first - 1}"
        case "unknown_machine":
            what = f"machines are numbered from 0 to {instance.n_machines - 1}"
        case "machine_not_allowed":
            what = "the machine is not in the placement set of the task"
        case "no_progress":
            what = "it does not end later than it starts"
        case "start_before_release":
            excess = measure
            what = (
                f"that is {excess!r} before the release time {float(instance.release_time[job])!r} of its job"
            )
        case "task_overlaps_itself":
            excess = measure
            what = f"another piece of the task runs during the first {excess!r} of it"
        case "task_migrated":
            what = "the task ran on another machine before, which only class 'migrate' allows"
        case "task_interrupted":
            what = "the task has run before, and class 'nonpreempt' allows no second piece"
        case "capacity_exceeded":
            excess = units
            capacity = int(instance.machines.capacity[machine, resource])
            name = instance.machines.resource_names[resource]
            what = (
                f"{name} (resource {resource}) rises to {capacity + units}, {units} above capacity {capacity}"
            )
        case _:
            excess = measure
            message = (
                f"task {task} of job {job} ends at {instant!r} on machine {machine}: its pieces add up to "
                f"{1 + excess!r} of it, not to 1"
            )
            return ValidationReport(False, message, kind, job, machine, instant, None, excess, task)
    message = f"a piece of task {task} of job {job} starts at {instant!r} on machine {machine}: {what}"
    exceeded = resource if kind == "capacity_exceeded" else None
    return ValidationReport(False, message, kind, job, machine, instant, exceeded, excess, task)
