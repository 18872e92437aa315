"""An instance of the cluster references through the compiled policies, answered in the words of the references."""

from collections.abc import Iterable
from math import inf
from typing import Any

import numpy as np

from reference.cluster_instance import ClusterInstance, Down, allowed_machines, preference_order, united
from reference.cluster_simulation import ClusterRun
from reference.cluster_state import RunRecord
from schedcore import _core

OUTCOMES = ("completed", "killed", "cancelled", "never", "waiting")
_OVERTAKING = {
    "fcfs": "never",
    "first_fit": "always",
    "easy": "protected_head",
    "backfill": "protected_head",
}


def compiled_policy(
    policy: str,
    *,
    heuristic: str = "wsjf",
    protected: int | None = 1,
    mode: str = "compress",
    **knobs: Any,
) -> Any:
    """The policy with the names and options of the references."""
    if policy == "pq":
        return _core.gangs.GangQueuePolicy("always", order=heuristic)
    if policy == "conservative" or (policy == "backfill" and protected != 1):
        n_protected = None if policy == "conservative" else protected
        return _core.gangs.GangReservationPolicy(
            protected_jobs=n_protected, rebuilds=mode == "rebuild", record=True, **knobs
        )
    return _core.gangs.GangQueuePolicy(_OVERTAKING[policy], record=True, **knobs)


def run(instance: ClusterInstance, policy: str, **options: Any) -> ClusterRun:
    """As `reference.cluster_simulation.run` with ``infeasible="drop"``; machines go to the core in preference order."""
    jobs, n_jobs = instance.jobs, len(instance.jobs)
    order = preference_order(instance.machines)
    rank = {machine: place for place, machine in enumerate(order)}
    demand = np.array([job.demand for job in jobs], dtype=np.int64)
    capacity = np.array([instance.machines[m].capacity for m in order], dtype=np.int64)
    cluster_jobs = cluster_columns(instance, rank)
    room = _core.gangs.tasks_on_empty_cluster(demand, capacity, cluster_jobs)
    cancellation = np.full(n_jobs, inf)
    for job, time in instance.cancellations.items():
        cancellation[job] = time
    columns, stats = _core.engine.simulate_cluster(
        compiled_policy(policy, **options),
        np.array([job.release_time for job in jobs], dtype=float),
        np.array([job.processing_time for job in jobs], dtype=float),
        np.array([job.weight for job in jobs], dtype=float),
        demand,
        capacity,
        cluster_jobs,
        outages=outage_columns(instance.outages, rank),
        failures=outage_columns(instance.failures, rank),
        cancellation=cancellation,
        killed=instance.killed,
        arrives=room >= np.array([job.n_tasks for job in jobs]),
        estimated_processing_time=None
        if policy == "pq"
        else np.array([job.estimated_processing_time for job in jobs], dtype=float),
    )
    return ClusterRun(
        runs=runs_of(columns, order),
        outcome=[OUTCOMES[code] for code in columns["job_outcome"]],
        shadow=[(time, job, start, order[machine]) for time, job, start, machine in stats.get("shadow", [])],
        reservations={
            job: [(time, start, order[machine]) for time, start, machine in rows]
            for job, rows in stats.get("reservations", {}).items()
        },
    )


def cluster_columns(instance: ClusterInstance, rank: dict[int, int]) -> Any:
    """What the jobs say beside their usual columns."""
    jobs = instance.jobs
    constraints = sorted({job.constraint for job in jobs})
    allowed = np.zeros((len(constraints), len(rank)), dtype=np.bool_)
    eligibility = []
    for job in jobs:
        eligibility.append(constraints.index(job.constraint))
        allowed[eligibility[-1], [rank[m] for m in allowed_machines(instance.machines, job)]] = True
    return _core.engine.ClusterJobs(
        len(jobs),
        len(rank),
        n_tasks=np.array([job.n_tasks for job in jobs], dtype=np.int64),
        max_tasks=np.array([job.spread for job in jobs], dtype=np.int64),
        exclusive=np.array([job.exclusive for job in jobs], dtype=np.bool_),
        eligibility=np.array(eligibility, dtype=np.int64),
        allowed=allowed,
        checkpoint_interval=np.array([job.checkpoint_interval for job in jobs], dtype=float),
        restart_cost=np.array([job.restart_cost for job in jobs], dtype=float),
    )


def outage_columns(downs: Iterable[Down], rank: dict[int, int]) -> Any:
    """Machine, start and end."""
    rows = united(downs)
    return (
        np.array([rank[row.machine] for row in rows], dtype=np.int64),
        np.array([row.start for row in rows], dtype=float),
        np.array([row.end for row in rows], dtype=float),
    )


def runs_of(columns: dict[str, Any], order: list[int]) -> list[RunRecord]:
    """The rows of the core, with machines of the instance."""
    places = iter(zip(columns["place_machine"].tolist(), columns["place_n_tasks"].tolist(), strict=True))
    names = ("job", "attempt", "start_time", "end_time", "outcome", "n_places")
    rows = zip(*(columns[name].tolist() for name in names), strict=True)
    return [
        RunRecord(
            job,
            attempt,
            start,
            end,
            OUTCOMES[outcome],
            tuple((order[m], n) for m, n in _taken(places, n_places)),
        )
        for job, attempt, start, end, outcome, n_places in rows
    ]


def _taken(places: Any, count: int) -> list[tuple[int, int]]:
    return [next(places) for _ in range(count)]
