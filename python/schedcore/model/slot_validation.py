"""Is a schedule in slots feasible? Words for what the sweep in ``src/cpp/validation/slot_validator.cpp`` finds.

In every slot the cores of the pieces on a machine add up to at most its cores, and what the jobs on it hold of every
other resource, once each, to at most its capacity; no job has more cores than it asks for or than it can still use, and
none before its release; reduce tasks wait for all map work of their job. A complete schedule does all work, a partial
one need not. Where the instance has estimates, the scheduler was told those: they count for what jobs may hold, and the
true demand for the work that the cores do.
"""

import numpy as np

from schedcore import _core

from .arrays import IntArray
from .choices import check_choice
from .instance import Instance
from .map_reduce import MapReduceInstance
from .preemptive_schedule import PreemptiveSchedule, cores_of_pieces
from .slots import slot_columns
from .validation_report import FEASIBLE, ValidationReport

__all__ = ["SLOT_SCHEDULE_KINDS", "report_on_slots", "slot_tasks"]

SLOT_SCHEDULE_KINDS = ("complete", "partial")


def slot_tasks(instance: Instance | MapReduceInstance) -> _core.model.SlotTasks:
    """Return the columns of what pieces in slots work off, for the kernels; O(n_jobs + n_tasks).

    Raises
    ------
    InvalidInstanceError
        For times that are no whole slots and jobs without cores (see `slot_columns`).
    TypeError
        For anything but the two kinds of instances.
    """
    if not isinstance(instance, MapReduceInstance):
        columns = slot_columns(instance)
        return _core.model.SlotTasks(
            columns.release_time,
            None,
            None,
            columns.processing_time,
            columns.demand,
            columns.estimated_demand,
            columns.capacity,
        )
    return _core.model.SlotTasks(
        instance.release_time,
        instance.task_start,
        instance.map_tasks,
        _of_tasks(instance, instance.map_time, instance.reduce_time),
        _of_tasks(instance, instance.map_cores, instance.reduce_cores)[:, np.newaxis],
        None,
        instance.machines.capacity,
    )


def report_on_slots(
    instance: Instance | MapReduceInstance, schedule: PreemptiveSchedule, kind: str
) -> ValidationReport:
    """Report the first violation of a schedule that is "complete" or "partial", or that it is feasible.

    A time that is no whole number comes before everything else. Pieces are then visited by (start, job, task, machine);
    only if none of them breaks a rule, the work of the tasks is followed, and the first slot named that gives a task
    more cores than it can use; at last comes what is missing, by (job, task).
    O(n_pieces (log c + n_resources)) for c pieces at a time, without the GIL, however long pieces are.

    Raises
    ------
    InvalidInstanceError
        For an unknown `kind`, and for an instance whose times are no whole slots.
    TypeError
        For a schedule without amounts.
    """
    check_choice("kind", kind, SLOT_SCHEDULE_KINDS)
    cores = cores_of_pieces(schedule)
    found = _core.validation.find_first_slot_violation(
        slot_tasks(instance),
        schedule.job,
        schedule.task,
        schedule.machine,
        schedule.start_time,
        schedule.end_time,
        cores,
        kind == "complete",
    )
    return FEASIBLE if found is None else _report(instance, *found)


def _of_tasks(instance: MapReduceInstance, of_map: IntArray, of_reduce: IntArray) -> IntArray:
    """(n_tasks,) One value a job and phase, repeated for its tasks."""
    counts = np.column_stack([instance.map_tasks, instance.reduce_tasks]).ravel()
    return np.repeat(np.column_stack([of_map, of_reduce]).ravel(), counts)


def _report(
    instance: Instance | MapReduceInstance,
    kind: str,
    job: int,
    task: int,
    machine: int,
    instant: float,
    resource: int,
    excess: int,
) -> ValidationReport:
    number: int | None = task
    who = f"task {task} of job {job}"
    if isinstance(instance, Instance) and task == -1:
        number, who = None, instance.job_name(job)
    match kind:
        case "work_missing":
            message = f"{who} still lacks {excess} core-slots in the end"
            return ValidationReport(False, message, kind, job, excess=excess, task=number)
        case "work_exceeded":
            message = f"{who} gets {excess} cores more than it can use in the slot that starts at {instant!r}"
            return ValidationReport(False, message, kind, job, None, instant, None, excess, number)
        case "time_not_integer":
            what = "its start or its end is no whole number of slots of at most 2**53"
        case "unknown_job":
            what = f"jobs are numbered from 0 to {instance.n_jobs - 1}"
        case "unknown_task":
            what = _task_numbers(instance, job)
        case "unknown_machine":
            what = f"machines are numbered from 0 to {instance.n_machines - 1}"
        case "no_progress":
            what = "it does not end later than it starts"
        case "no_cores":
            what = "it holds no core"
        case "start_before_release":
            what = f"that is {excess} slots before the release of its job"
        case "reduce_before_map":
            what = "the map tasks of its job are not all done by then"
        case "piece_overlaps":
            what = f"another piece of it holds cores of the same machine in the first {excess} slots"
        case "demand_exceeded":
            what = f"its cores on all machines are {excess} more than it asks for"
        case _:
            capacity = int(instance.machines.capacity[machine, resource])
            name = instance.machines.resource_names[resource]
            what = f"{name} (resource {resource}) rises to {capacity + excess}, {excess} above capacity {capacity}"
    message = f"a piece of {who} starts at {instant!r} on machine {machine}: {what}"
    exceeded = resource if kind == "capacity_exceeded" else None
    return ValidationReport(False, message, kind, job, machine, instant, exceeded, excess or None, number)


def _task_numbers(instance: Instance | MapReduceInstance, job: int) -> str:
    if isinstance(instance, Instance):
        return "a piece of a job without tasks says task -1"
    first, end = instance.task_start[job : job + 2].tolist()
    return f"the tasks of the job are numbered from 0 to {end - first - 1}"
