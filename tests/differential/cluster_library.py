"""The library asked what the cluster references are asked, and its answer in their words."""

from typing import Any

import schedcore
from differential.cluster_model import model_incidents, model_instance, model_site
from reference.cluster_instance import ClusterInstance
from reference.cluster_simulation import ClusterRun
from reference.cluster_site import Site
from reference.cluster_state import RunRecord
from reference.mris import Iteration

_WITH_RECORDS = ("easy", "backfill", "conservative")


def run(instance: ClusterInstance, policy: str, *, site: Site | None = None, **options: Any) -> ClusterRun:
    """As `reference.cluster_simulation.run` with ``infeasible="drop"``; the runs are validated."""
    told = {**options, "record": True} if policy in _WITH_RECORDS else dict(options)
    if callable(key := told.get("heuristic")):
        told["heuristic"] = [key(job) for job in range(len(instance.jobs))]
    model, incidents = model_instance(instance), model_incidents(instance)
    rules = None if site is None else model_site(site, model.machines, model.n_jobs)
    result = schedcore.solve(policy, model, incidents=incidents, site=rules, infeasible="drop", **told)
    assert result.runs is not None
    assert result.outcome is not None
    report = schedcore.validate(model, result.runs, incidents=incidents, outcome=result.outcome, site=rules)
    assert report.ok, report.message
    return ClusterRun(
        runs=run_records(result.runs),
        outcome=result.outcome.tolist(),
        shadow=result.stats.get("shadow", []),
        reservations=result.stats.get("reservations", {}),
        iterations=[iteration_record(**row) for row in result.stats.get("iterations", [])],
    )


def iteration_record(*, origin: float, **columns: Any) -> Iteration:
    return Iteration(**columns)


def run_records(runs: schedcore.Runs) -> list[RunRecord]:
    columns = (runs.job, runs.attempt, runs.start_time, runs.end_time, runs.outcome)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return [RunRecord(*row, tuple(runs.allocation.of(number))) for number, row in enumerate(rows)]
