"""The schedules of a comparison as a page shows them: when each job starts, and every run with its place."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from schedcore.metrics import completion_time
from schedcore.model import Instance, Machines, Schedule
from schedcore.problems.evaluation import Comparison, Evaluation

__all__ = ["Plan", "plans_of", "run_in_one_piece"]

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Plan:
    """What one policy did, or what really happened.

    Attributes
    ----------
    label : str
        The policy.
    start : (n_jobs,) float64
        When the first run of each job of the comparison starts; NaN of those that have none.
    run_job : (n_runs,) int64
        Row of the job of each run.
    run_start, run_end : (n_runs,) float64
    place_run, place_machine, place_n_tasks : (n_places,) int64
        Where the tasks of runs are, by run.
    machines : Machines
        What the places are on.
    demand : (n_jobs, n_resources) int64
        What a task of each job takes there.
    """

    label: str
    start: Floats
    run_job: Rows
    run_start: Floats
    run_end: Floats
    place_run: Rows
    place_machine: Rows
    place_n_tasks: Rows
    machines: Machines
    demand: NDArray[np.int64]


def run_in_one_piece(comparison: Comparison) -> bool:
    """Whether the comparison has schedules, and all are of jobs that run in one piece: others have no plans."""
    schedules = [found.schedule for found in comparison.evaluations if found.schedule is not None]
    is_about_jobs = isinstance(comparison.inst, Instance) and comparison.inst.n_jobs > 0
    return is_about_jobs and bool(schedules) and all(isinstance(one, Schedule) for one in schedules)


def plans_of(comparison: Comparison) -> list[Plan]:
    """Return the plans of all evaluations that have a schedule, in their order; O(n_jobs + n_runs) each."""
    return [_plan(comparison.inst, found) for found in comparison.evaluations if found.schedule is not None]


def _plan(inst: Instance, found: Evaluation) -> Plan:
    if found.recorded is not None:
        return _of_schedule(found, found.recorded.inst, found.recorded.jobs, inst.n_jobs)
    if found.runs is None:
        return _of_schedule(found, inst, np.arange(inst.n_jobs), inst.n_jobs)
    runs = found.runs
    start = np.full(inst.n_jobs, np.nan)
    start[runs.job[::-1]] = runs.start_time[::-1]  # runs ascend by start: the first of a job is written last
    return Plan(
        found.policy,
        start,
        runs.job,
        runs.start_time,
        runs.end_time,
        runs.allocation.run,
        runs.allocation.machine,
        runs.allocation.n_tasks,
        inst.machines,
        inst.demand,
    )


def _of_schedule(found: Evaluation, inst: Instance, rows: Rows, n_jobs: int) -> Plan:
    """A run for each job that starts; `rows` are those of the jobs of `inst` in the whole instance."""
    own = found.schedule
    started = np.isfinite(own.start_time)
    start = np.full(n_jobs, np.nan)
    start[rows[started]] = own.start_time[started]
    demand = np.zeros((n_jobs, inst.n_resources), dtype=np.int64)
    demand[rows] = inst.demand
    run = np.cumsum(started) - 1
    places = own.allocation
    is_run = started[places.job]
    return Plan(
        found.policy,
        start,
        rows[started],
        own.start_time[started],
        completion_time(inst, own)[started],
        run[places.job[is_run]],
        places.machine[is_run],
        places.n_tasks[is_run],
        inst.machines,
        demand,
    )
