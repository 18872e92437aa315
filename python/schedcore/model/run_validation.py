"""Are the runs of jobs on a cluster feasible? An exact check that knows nothing of the algorithms.

Feasible runs start at or after the release of their job, have its tasks on machines that it may use, fit beside each
other at every instant, leave exclusive jobs alone, and meet no outage or failure of their machines. Completed ones are
as long as the work that was left; killed and cancelled ones are shorter, and end with a failure of one of their
machines, where they may have been preempted, or with the cancellation. A job runs once at a time, and not after its
end. What it waits for has happened. No start exceeds a limit of the site, and no job runs that it forbids. The sweep
runs in ``src/cpp/validation/run_validator.cpp``; this module hands over the columns.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from schedcore import _core

from .arrays import IntArray
from .coded_texts import CodedTexts
from .constraints import allowed_machines
from .dependencies import AFTER, awaited_rows
from .features import FEATURES, features_of
from .incidents import Incidents
from .instance import Instance
from .outages import Outages
from .run_rules import rules_for_runs
from .run_violation_words import in_words
from .runs import JOB_OUTCOMES, RUN_OUTCOMES, Runs, checked_outcome, runs_of
from .schedule import Schedule
from .site import Site
from .site_checks import check_site
from .site_columns import constraints_under
from .validation_report import FEASIBLE, ValidationReport

__all__ = ["needs_runs", "report_on_runs", "report_on_whole_jobs"]

_OF_CLUSTERS = FEATURES.keys() - {"weights"}  # which machines are preferred is no question of feasibility
_RUNS_ARE_FEASIBLE = ValidationReport(True, "the runs are feasible")


def needs_runs(instance: Instance, schedule: Schedule) -> bool:
    """Whether a schedule has to be checked run by run; O(1) for jobs of one task on machines without outages."""
    return schedule.has_allocation or not _OF_CLUSTERS.isdisjoint(features_of(instance))


def report_on_whole_jobs(instance: Instance, schedule: Schedule) -> ValidationReport:
    """Report on a schedule in which every job runs once, to its end. All starts must be finite."""
    return _report(
        instance, runs_of(schedule, instance.jobs.processing_time), Incidents(), None, Site(), FEASIBLE
    )


def report_on_runs(
    instance: Instance,
    runs: Runs,
    incidents: Incidents | None = None,
    outcome: Any = None,
    site: Site | None = None,
) -> ValidationReport:
    """Report on all runs of a simulation, which may have been killed and cancelled; see `schedcore.validate`."""
    if incidents is not None and not isinstance(incidents, Incidents):
        raise TypeError(f"incidents must be Incidents, not {type(incidents).__name__}")
    if site is not None and not isinstance(site, Site):
        raise TypeError(f"site must be a Site, not {type(site).__name__}")
    happened = Incidents() if incidents is None else incidents
    happened.check_for(instance)
    ended = None if outcome is None else checked_outcome(outcome, instance.n_jobs, JOB_OUTCOMES, row="job")
    rules = Site() if site is None else site
    check_site(rules, instance.jobs, instance.machines, instance.job_name)
    return _report(instance, runs, happened, ended, rules, _RUNS_ARE_FEASIBLE)


def _report(
    instance: Instance,
    runs: Runs,
    incidents: Incidents,
    outcome: CodedTexts | None,
    site: Site,
    feasible: ValidationReport,
) -> ValidationReport:
    jobs, allocation = instance.jobs, runs.allocation
    places, _ = allocation.as_lists(runs.n_runs)
    violation = _core.validation.find_first_run_violation(
        jobs.release_time,
        jobs.processing_time,
        jobs.demand,
        instance.machines.capacity,
        runs.job,
        runs.attempt,
        runs.start_time,
        runs.end_time,
        _codes(runs.coded_outcome, RUN_OUTCOMES),
        places.offsets,
        allocation.machine,
        allocation.n_tasks,
        **_columns_of_jobs(instance, site),
        outages=_down_columns(instance.outages),
        failures=_down_columns(incidents.failures),
        cancellation=incidents.cancellation_times(instance) if incidents.cancellations else None,
        killed=incidents.killed,
        job_outcome=None if outcome is None else _codes(outcome, JOB_OUTCOMES),
        **rules_for_runs(site, instance),
    )
    return feasible if violation is None else in_words(instance, runs, outcome, site, violation)


def _columns_of_jobs(instance: Instance, site: Site) -> Mapping[str, Any]:
    """What jobs of a cluster say beside times and demands, as the kernel takes it; nothing where they say none."""
    jobs = instance.jobs
    columns: dict[str, Any] = {
        argument: getattr(jobs, column) for argument, column in _COLUMNS.items() if jobs.uses(column)
    }
    constraints = constraints_under(site, jobs)
    if constraints.names:
        allowed = allowed_machines(constraints, instance.machines)
        columns["allowed"] = allowed.masks
        columns["machine_set"] = allowed.codes.astype(np.int64)
    if any(jobs.uses(name) for name in AFTER):
        columns["first_awaited"], columns["awaited_job"], columns["awaited"] = awaited_rows(jobs)
    return columns


#: Argument of the kernel -> column of jobs.
_COLUMNS = {
    "n_tasks": "n_tasks",
    "max_tasks": "max_tasks_per_machine",
    "exclusive": "exclusive",
    "checkpoint_interval": "checkpoint_interval",
    "restart_cost": "restart_cost",
}


def _down_columns(outages: Outages | None) -> tuple[Any, Any, Any] | None:
    return None if outages is None else (outages.machine, outages.start_time, outages.end_time)


def _codes(outcome: CodedTexts, known: tuple[str, ...]) -> IntArray:
    """Return the place of each outcome among those that are known."""
    code_of = np.array([known.index(name) for name in outcome.names], dtype=np.int64)
    codes: IntArray = code_of[outcome.codes] if len(code_of) else np.zeros(0, dtype=np.int64)
    return codes
