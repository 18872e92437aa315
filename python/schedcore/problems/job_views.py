"""What a comparison of policies on jobs is about: waits, as users of a batch system see them, or an objective."""

from collections.abc import Mapping, Sequence
from typing import Any

from schedcore.model import Instance
from schedcore.plotting import most_demanded
from schedcore.plotting.readable import percent, rounded_count, significant
from schedcore.problems.evaluation import Bounds
from schedcore.problems.policy_choice import RECORDED
from schedcore.problems.presentation import Column, Row
from schedcore.problems.problem import Objective
from schedcore.problems.time_units import time_columns, usual_unit
from schedcore.workloads.reading.report import DataReport

__all__ = [
    "AWCT",
    "BATCH_POLICIES",
    "BEST_OF_OTHERS",
    "MAKESPAN",
    "RESPONSE",
    "VIEWS",
    "WAIT",
    "columns_of_view",
]

AWCT = Objective("awct", "awct", "AWCT")
RESPONSE = Objective("average_response_time", "avg_response", "mean\nresponse")
MAKESPAN = Objective("makespan", "makespan", "make-\nspan")
#: No objective of policies: at equal processing times it differs from the mean response by a constant.
WAIT = "wait"

#: What can be asked for -> the objective that comes first, with its bound; None for waits.
VIEWS: Mapping[str, Objective | None] = {
    WAIT: None,
    "awct": AWCT,
    "response": RESPONSE,
    "makespan": MAKESPAN,
}

#: How batch systems work, what really happened, and what shortened waits on five of nine recorded logs at hardly any
#: price for large jobs.
BATCH_POLICIES = ("easy", "conservative", "fcfs", RECORDED, "bbsched")
#: In place of the last one, where it does not take the workload. It shortened waits on all logs that were tried; large
#: jobs wait longer.
BEST_OF_OTHERS = "easy:order=lxf"

_USED_AT_MOST = 3  # resources with a column of their own

_INCIDENT_COLUMNS = [
    Column("n_killed", "runs\nkilled", rounded_count),
    Column("n_left_out", "jobs not\ndone", rounded_count),
    Column("lost_share", "work\nlost", percent),
]


def columns_of_view(
    view: str | None,
    inst: Instance,
    report: DataReport,
    rows: Sequence[Row],
    bounds: Bounds,
    *,
    with_incidents: bool,
) -> list[Column]:
    """The columns of the table of a comparison.

    Without a view these are the objectives that policies are made for, each beside its bound, and the makespan.
    """
    more = _INCIDENT_COLUMNS if with_incidents else []
    policy, verdict = Column("policy", "policy", is_text=True), Column("verdict", "check", is_text=True)
    if view == WAIT:
        return [policy, *_waits(inst, report, rows), *more, verdict]
    asked = None if view is None else VIEWS[view]
    made_for = [objective for objective in (AWCT, RESPONSE) if _is_aimed_at(rows, objective)]
    first = made_for if asked is None else [asked]
    is_about_queues = RESPONSE in first
    waits = {
        "avg_wait": "mean\nwait",
        "wait_p50": "wait\np50",
        "wait_p90": "wait\np90",
        "wait_p99": "wait\np99",
    }
    return [
        policy,
        *(column for objective in first for column in _with_bound(objective, report, rows, bounds)),
        *time_columns(rows, report, waits),
        *(time_columns(rows, report, {"max_wait": "longest\nwait"}) if is_about_queues else []),
        Column("avg_bounded_slowdown", "bounded\nslow-\ndown", significant),
        *([Column("overtaken_share", "over-\ntaken", percent)] if is_about_queues else []),
        *(time_columns(rows, report, {MAKESPAN.figure: MAKESPAN.heading}) if MAKESPAN not in first else []),
        *more,
        Column("jobs_per_second", "jobs/s", rounded_count),
        verdict,
    ]


def _is_aimed_at(rows: Sequence[Row], objective: Objective) -> bool:
    return any(row["objective"] == objective.name for row in rows)


def _with_bound(
    objective: Objective, report: DataReport, rows: Sequence[Row], bounds: Bounds
) -> list[Column]:
    gap = [Column(f"{objective.figure}_gap", "above\nbound", percent)]
    value = time_columns(rows, report, {objective.figure: objective.heading})
    return [*value, *(gap if bounds[objective.name] else [])]


def _waits(inst: Instance, report: DataReport, rows: Sequence[Row]) -> list[Column]:
    """Mean and 95 % wait, slowdown, use of the most demanded resources, makespan, longest wait (who starves?)."""
    names = [inst.machines.resource_names[place] for place in most_demanded(inst, _USED_AT_MOST)]
    waits = {"avg_wait": "mean\nwait", "wait_p95": "wait\np95"}
    return [
        *time_columns(rows, report, waits, usual_unit(rows, waits)),
        Column("avg_bounded_slowdown", "bounded\nslow-\ndown", significant),
        *(Column("utilisation", f"use of\n{name}", _share_of(name)) for name in names),
        *time_columns(rows, report, {MAKESPAN.figure: MAKESPAN.heading}),
        *time_columns(rows, report, {"max_wait": "longest\nwait"}),
    ]


def _share_of(name: str) -> Any:
    return lambda shares: percent(shares[name])
