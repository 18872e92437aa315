"""A workload through a compiled policy on a cluster as it is: gangs, constraints, outages, failures, cancellations.

The core numbers machines by preference: by weight, then by index. So what is "lowest" to it is what is preferred.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schedcore import _core, metrics
from schedcore.bounds import lower_bound
from schedcore.errors import InfeasibleError
from schedcore.metrics.run_columns import run_length
from schedcore.model import Incidents, Instance, Result, Runs, Schedule, Site
from schedcore.model.allocation import Allocation, RunAllocation
from schedcore.model.arrays import BoolArray, FloatArray, IntArray
from schedcore.model.cluster_workload import ClusterWorkload, can_never_run, tasks_with_room
from schedcore.model.coded_texts import CodedTexts
from schedcore.model.dependencies import AFTER
from schedcore.model.runs import JOB_OUTCOMES
from schedcore.model.site_checks import check_site, forbidden_by
from schedcore.model.site_columns import constraints_under, site_rules

__all__ = [
    "cluster_result",
    "jobs_that_never_run",
    "never_stats",
    "of_rows",
    "on_machines",
    "refuse_infeasible",
]

# JOB_OUTCOMES are in the order of the numbers of the core.
_COMPLETED, _NEVER = JOB_OUTCOMES.index("completed"), JOB_OUTCOMES.index("never")


def jobs_that_never_run(instance: Instance, site: Site | None, room: IntArray, infeasible: str) -> BoolArray:
    """(n_jobs,) Return which jobs can never run.

    Raises
    ------
    InfeasibleError
        With `infeasible` "refuse", for the first of them, with the reason.
    """
    never = can_never_run(instance, site, room)
    if infeasible != "refuse" or not never.any():
        return never
    job = int(np.argmax(never))
    for mask, reason in [] if site is None else forbidden_by(site, instance.jobs, instance.machines):
        if mask[job]:
            raise InfeasibleError(f"{instance.job_name(job)} can never run: {reason(job)}")
    refuse_infeasible(instance, room, site)
    return never


def refuse_infeasible(instance: Instance, room: IntArray, site: Site | None = None) -> None:
    """Raise an `InfeasibleError` that names the first job that does not fit the empty cluster, and why."""
    short = room < instance.jobs.n_tasks
    if not short.any():
        return
    job = int(np.argmax(short))
    jobs, name = instance.jobs, instance.job_name(int(np.argmax(short)))
    demand = ", ".join(
        f"{amount} {resource}"
        for amount, resource in zip(jobs.demand[job].tolist(), instance.machines.resource_names, strict=True)
        if amount
    )
    conditions = []
    constraint = jobs.constraint[job] if site is None else constraints_under(site, jobs).texts()[job]
    if constraint:
        conditions.append(f"constraint {constraint!r}")
    if jobs.max_tasks_per_machine[job]:
        conditions.append(f"at most {jobs.max_tasks_per_machine[job]} on one machine")
    where = f" ({'; '.join(conditions)})" if conditions else ""
    raise InfeasibleError(
        f"{name} can never run: of its {jobs.n_tasks[job]} task(s) of {demand}{where}, {room[job]} fit the empty "
        "cluster"
    )


def never_stats(instance: Instance, never: BoolArray) -> dict[str, Any]:
    """Return how many jobs never run, and their work for each resource."""
    if not never.any():
        return {"never_jobs": 0, "never_work": dict.fromkeys(instance.machines.resource_names, 0.0)}
    lost = instance.jobs.processing_time * instance.jobs.n_tasks * never
    work = {
        name: float(lost @ instance.demand[:, resource])
        for resource, name in enumerate(instance.machines.resource_names)
    }
    return {"never_jobs": int(never.sum()), "never_work": work}


def cluster_result(
    algorithm: str,
    instance: Instance,
    policy: _core.engine.Policy,
    incidents: Incidents | None,
    infeasible: str,
    site: Site | None = None,
    *,
    progress: Any = None,
    custom_key: NDArray[np.float64] | None = None,
    uses_estimates: bool = False,
    predicted_by: IntArray | None = None,
    objective: str = "awct",
    options: Mapping[str, Any],
) -> Result:
    """Simulate `policy` with incidents and rules; what is proven is about the jobs that completed."""
    told = incidents
    incidents = incidents or Incidents()
    incidents.check_for(instance)
    jobs = instance.jobs
    if site is not None:
        check_site(site, jobs, instance.machines, instance.job_name)
    workload = ClusterWorkload.of(instance, site)
    never = jobs_that_never_run(instance, site, tasks_with_room(instance, workload), infeasible)
    columns, stats = _core.engine.simulate_cluster(
        policy=policy,
        release_time=jobs.release_time,
        processing_time=jobs.processing_time,
        weight=jobs.weight,
        demand=jobs.demand,
        capacity=workload.capacity,
        cluster_jobs=workload.jobs,
        outages=workload.outages(instance.outages),
        failures=workload.outages(incidents.failures),
        cancellation=_cancellation_column(instance, incidents),
        killed=incidents.killed,
        arrives=~never if never.any() else None,
        custom_key=custom_key,
        progress=progress,
        estimated_processing_time=jobs.estimated_processing_time
        if uses_estimates and jobs.has_estimates
        else None,
        machine_number=workload.machine_number,
        machine_weight=workload.weight,
        site=None if site is None else site_rules(site, instance.machines),
        predicted_by=predicted_by,
    )
    runs = _runs(columns, workload.order)
    last = _last_rows(jobs.n_jobs, runs)
    outcome = columns["job_outcome"]
    return Result(
        _schedule_of_last_runs(last, runs),
        objective,
        _value_of_completed(objective, instance, runs, last, outcome == _COMPLETED),
        stats={**on_machines(stats, workload.order), **never_stats(instance, outcome == _NEVER)},
        lower_bound=lambda: _bound_of_completed(objective, instance, incidents, outcome == _COMPLETED),
        algorithm=algorithm,
        options=options,
        instance=instance,
        runs=runs,
        outcome=CodedTexts(outcome, JOB_OUTCOMES),
        incidents=told,
        site=site,
    )


def _cancellation_column(instance: Instance, incidents: Incidents) -> FloatArray | None:
    if not incidents.cancellations:
        return None
    column = np.full(instance.n_jobs, np.inf)
    ids, times = incidents.cancellation_columns()
    order = np.argsort(instance.jobs.id, kind="stable")
    column[order[np.searchsorted(instance.jobs.id[order], ids)]] = times
    return column


def _runs(columns: dict[str, Any], order: IntArray) -> Runs:
    run = np.repeat(np.arange(len(columns["job"])), columns["n_places"])
    allocation = RunAllocation(run, order[columns["place_machine"]], columns["place_n_tasks"])
    outcome = CodedTexts(columns["outcome"], JOB_OUTCOMES)
    return Runs(
        columns["job"], columns["attempt"], columns["start_time"], columns["end_time"], outcome, allocation
    )


def _last_rows(n_jobs: int, runs: Runs) -> IntArray:
    """(n_jobs,) The row of the last run of each job, -1 where it never ran."""
    last = np.full(n_jobs, -1, dtype=np.int64)
    last[runs.job] = np.arange(len(runs))  # rows are by start time, and of equal indices the last one stays
    return last


def _schedule_of_last_runs(last: IntArray, runs: Runs) -> Schedule:
    n_jobs, places = len(last), runs.allocation
    machine = np.full(n_jobs, -1, dtype=np.int64)
    if len(runs) == n_jobs and (last >= 0).all():  # each ran once
        start = runs.start_time[last]
        allocation = Allocation(runs.job[places.run], places.machine, places.n_tasks)
    else:
        ran = last >= 0
        start = np.full(n_jobs, np.nan)
        start[ran] = runs.start_time[last[ran]]
        is_last = last[runs.job[places.run]] == places.run
        allocation = Allocation(
            runs.job[places.run[is_last]], places.machine[is_last], places.n_tasks[is_last]
        )
    is_first = np.ones(len(allocation.job), dtype=np.bool_)
    is_first[1:] = allocation.job[1:] != allocation.job[:-1]
    machine[allocation.job[is_first]] = allocation.machine[is_first]
    return Schedule(start, machine, allocation)


def _value_of_completed(
    objective: str, instance: Instance, runs: Runs, last: IntArray, completed: BoolArray
) -> float:
    """The objective over the jobs that completed, each as long as its last run was."""
    row, jobs, plain = last, instance.jobs, instance
    if not completed.all() or (runs.attempt > 0).any():
        row = last[completed]
        plain = Instance(
            type(jobs)(
                run_length(instance, runs)[row],
                jobs.demand[completed],
                jobs.release_time[completed],
                weight=jobs.weight[completed],
            ),
            instance.machines,
        )
    return metrics.OBJECTIVES[objective](
        plain, Schedule(runs.start_time[row], np.zeros(len(row), dtype=np.int64))
    )


def _bound_of_completed(
    objective: str, instance: Instance, incidents: Incidents, completed: BoolArray
) -> float | None:
    """What no schedule of the jobs that completed can beat, None where there are jobs and none completed.

    Runs that were killed only add to the work. Where checkpoints save it, no run needs to be as long as its job. Bounds
    build on that around outages, so these are left out then.
    """
    if instance.n_jobs and not completed.any():
        return None
    part = instance if completed.all() else _without_dependencies(instance).take_jobs(completed)
    if incidents.failures is not None and incidents.killed == "checkpoint":
        part = part.replace(outages=None)
    return lower_bound(part, objective).value


def _without_dependencies(instance: Instance) -> Instance:
    used = [name for name in AFTER if instance.jobs.uses(name)]
    return instance.replace(**dict.fromkeys(used)) if used else instance


def on_machines(stats: dict[str, Any], order: IntArray) -> dict[str, Any]:
    """Return the records of a policy with the machines of the instance in place of those of the core."""
    return _renamed(stats, lambda job: job, lambda machine: int(order[machine]))


def of_rows(stats: dict[str, Any], rows: NDArray[np.intp]) -> dict[str, Any]:
    """Return the records of a policy with the rows of the whole instance in place of those that it was given."""
    return _renamed(stats, lambda job: int(rows[job]), lambda machine: machine)


def _renamed(
    stats: dict[str, Any], job_name: Callable[[int], int], machine_name: Callable[[int], int]
) -> dict[str, Any]:
    if "shadow" in stats:
        stats["shadow"] = [
            (now, job_name(head), time, machine_name(machine)) for now, head, time, machine in stats["shadow"]
        ]
    if "reservations" in stats:
        stats["reservations"] = {
            job_name(job): [(*row, machine_name(machine)) for *row, machine in rows]
            for job, rows in stats["reservations"].items()
        }
    for iteration in stats.get("iterations", ()):
        iteration["chosen"] = [job_name(job) for job in iteration["chosen"]]
    return stats
