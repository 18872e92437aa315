"""Is a schedule feasible? An exact check that knows nothing of the algorithms.

A feasible schedule starts every job at or after its release time on a machine of the instance, and on every
machine, at every time and in every resource, the demands of the running jobs add up to at most the capacity.
Jobs hold their demand during [start, start + processing_time); completions of an instant come before its
starts. The sweep runs in ``src/cpp/validation/validator.cpp``; this module puts its finding into words. What a feasible
schedule of parallel tasks is, `task_validation` says, of jobs in slots, `slot_validation`, and on a cluster, where jobs
have several tasks and machines fail, `run_validation`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from schedcore import _core
from schedcore.errors import InvalidInstanceError

from .any_instance import AnyInstance
from .assignment import Assignment
from .colocation import ColocationInstance
from .colocation_validation import report_on_assignment
from .features import FEATURES, check_without
from .incidents import Incidents
from .instance import Instance
from .map_reduce import MapReduceInstance
from .parallel_tasks import ParallelTaskInstance
from .preemptive_schedule import PreemptiveSchedule
from .run_validation import needs_runs, report_on_runs, report_on_whole_jobs
from .runs import Runs
from .schedule import Schedule
from .site import Site
from .slot_validation import SLOT_SCHEDULE_KINDS, report_on_slots
from .task_validation import SCHEDULE_KINDS, report_on_tasks
from .validation_report import FEASIBLE, ValidationReport

__all__ = ["validate"]

#: Of pieces in slots. Which machines are preferred is no question of feasibility.
_UNCHECKED = FEATURES.keys() - {"weights"}


def validate(
    instance: AnyInstance,
    schedule: Schedule | Runs | Assignment | PreemptiveSchedule,
    raise_on_error: bool = False,
    *,
    kind: str | None = None,
    incidents: Incidents | None = None,
    outcome: Any = None,
    site: Site | None = None,
) -> ValidationReport:
    """Check a schedule, runs, or an assignment of tasks to colocate, exactly and name the first violation.

    Parameters
    ----------
    instance : Instance, ColocationInstance, ParallelTaskInstance or MapReduceInstance
    schedule : Schedule, Runs, Assignment or PreemptiveSchedule
        Row j is the start time and the machine of job j, or the machine of task j, or a piece of a task: the kind
        that belongs to the instance. In a `Schedule` every job runs once, to its end, where its allocation says. `Runs`
        (``result.runs``) say more: which runs were killed or cancelled, and when. To an `Instance` may also belong a
        `PreemptiveSchedule`, whose pieces hold some cores, the first resource, in whole slots, and all that the job
        demands of the others.
    raise_on_error : bool
        Raise instead of reporting an infeasible schedule.
    kind : {"migrate", "preempt", "nonpreempt"} or {"complete", "partial"}, optional
        For parallel tasks: whether the pieces of a task may be on several machines (the default), must share one, or
        are one piece. For pieces in slots: whether all jobs must be done in the end (the default), or may be
        unfinished.
    incidents : Incidents, optional
        For runs: which machines failed and which jobs were cancelled, and what became of those that were killed. By
        default nothing of it happened.
    outcome : (n_jobs,) array_like of str, optional
        For runs: ``result.outcome``, which must agree with them. Without it, any job may have been left waiting.
    site : Site, optional
        For runs: the rules that they had to obey. They say which limits hold at every start, which jobs may never run,
        where jobs of partitions may run, who may be preempted by whom, and what becomes of those. By default there are
        none. For whom jobs wait is theirs to say, and is checked without a site, too.

    Returns
    -------
    ValidationReport
        Violations are ordered by start time, then machine, then job, then resource; a start that is no finite
        number comes first. Where the jobs that start at one instant exceed a capacity together, the one named
        is the first, in order of the index, that no longer fits. Pieces are ordered by start, job, task and machine;
        what a task lacks comes after all pieces, and so does what it gets in excess in slots.

    Raises
    ------
    InvalidInstanceError
        If the schedule, or `outcome`, has another number of jobs than the instance; if `kind` or an outcome is unknown;
        if `incidents` name a machine or job that there is not; if jobs name what the `site` does not have, or a limit
        names a resource that there is not; if the times of jobs that are scheduled in slots are no
        whole numbers. With `raise_on_error`, also if the schedule is infeasible.
    UnsupportedError
        For pieces in slots, if the jobs have several tasks, are exclusive, or have constraints or dependencies, or
        outages are announced.
    TypeError
        If the schedule is not of the kind that belongs to the instance, pieces in slots have no amounts, `kind` is
        given for a schedule without pieces, or `incidents`, `outcome` or `site` for what are no runs.

    Notes
    -----
    O(n log n + n * n_resources) for n jobs, pieces, or pairs of a run and a machine, without the GIL; and O(n) for each
    limit of a site. Integers are
    compared exactly, times as the doubles they are. Only where pieces of tasks or release times are no integers, times
    t count as equal if they differ by at most 1e-9 (1 + t).
    """
    belongs = (
        one for one in _CHECKS if isinstance(instance, one.instance) and isinstance(schedule, one.schedule)
    )
    check = next(belongs, None)
    if kind is not None and not (check and check.kinds):
        raise TypeError(
            f"kind = {kind!r} is for schedules of parallel tasks or in slots, not for {type(schedule).__name__}"
        )
    if check is None:
        raise TypeError(f"{type(schedule).__name__} and {type(instance).__name__} do not belong together")
    given = {"incidents": incidents, "outcome": outcome, "site": site}
    of_runs = {name: value for name, value in given.items() if value is not None}
    if of_runs and check.schedule is not Runs:
        raise TypeError(f"{next(iter(of_runs))} is for runs, not for {type(schedule).__name__}")
    kinds = () if not check.kinds else (check.kinds[0] if kind is None else kind,)
    if check.schedule not in (Schedule, Runs):
        check_without("validate", instance, _UNCHECKED)
    report = check.report(instance, schedule, *kinds, **of_runs)
    if raise_on_error and not report.ok:
        raise InvalidInstanceError(report.message)
    return report


def _report_on_schedule(instance: Instance, schedule: Schedule) -> ValidationReport:
    if schedule.n_jobs != instance.n_jobs:
        raise InvalidInstanceError(f"the schedule has {schedule.n_jobs} jobs, the instance {instance.n_jobs}")
    jobs = instance.jobs
    if needs_runs(instance, schedule):
        finite = np.isfinite(schedule.start_time)
        if finite.all():
            return report_on_whole_jobs(instance, schedule)
        job = int(np.argmin(finite))
        machine, start = int(schedule.machine[job]), float(schedule.start_time[job])
        return _report(instance, "start_not_finite", job, machine, start, 0, 0)
    violation = _core.validation.find_first_violation(
        jobs.release_time,
        jobs.processing_time,
        jobs.demand,
        instance.machines.capacity,
        schedule.start_time,
        schedule.machine,
    )
    if violation is None:
        return FEASIBLE
    return _report(instance, *violation)


def _report(
    instance: Instance, kind: str, job: int, machine: int, instant: float, resource: int, units: int
) -> ValidationReport:
    jobs = instance.jobs
    exceeds = kind == "capacity_exceeded"
    excess: float | None = units if exceeds else None
    match kind:
        case "start_not_finite":
            what = "a start is a finite number"
        case "unknown_machine":
            what = f"machines are numbered from 0 to {instance.n_machines - 1}"
        case "start_before_release":
            release = float(jobs.release_time[job])
            excess = release - instant
            what = f"that is {excess!r} before its release time {release!r}"
        case "no_progress":
            what = f"it ends as it starts, {float(jobs.processing_time[job])!r} later is the same float64"
        case _:
            name = instance.machines.resource_names[resource]
            capacity = int(instance.machines.capacity[machine, resource])
            what = (
                f"{name} (resource {resource}) rises to {capacity + units}, {units} above capacity {capacity}"
            )
    message = f"{instance.job_name(job)} starts at {instant!r} on machine {machine}: {what}"
    return ValidationReport(
        False, message, kind, job, machine, instant, resource if exceeds else None, excess
    )


class _Check(NamedTuple):
    """Who checks schedules of one type for instances of one type, and the kinds there are, the default first."""

    instance: type[Any]
    schedule: type[Any]
    report: Callable[..., ValidationReport]
    kinds: tuple[str, ...] = ()


_CHECKS = (
    _Check(Instance, Schedule, _report_on_schedule),
    _Check(Instance, Runs, report_on_runs),
    _Check(Instance, PreemptiveSchedule, report_on_slots, SLOT_SCHEDULE_KINDS),
    _Check(MapReduceInstance, PreemptiveSchedule, report_on_slots, SLOT_SCHEDULE_KINDS),
    _Check(ParallelTaskInstance, PreemptiveSchedule, report_on_tasks, SCHEDULE_KINDS),
    _Check(ColocationInstance, Assignment, report_on_assignment),
)
