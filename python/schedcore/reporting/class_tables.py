"""Mean waits by class of jobs and by who sent them: a row a class, a column a policy."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from schedcore.problems.evaluation import Comparison
from schedcore.problems.job_classes import class_rows, is_about_names, job_classes
from schedcore.problems.presentation import Column, Table
from schedcore.problems.time_units import time_columns, usual_unit

__all__ = ["class_tables"]

_MOST_CLASSES = 12
_HEADINGS = {"shape": "by shape", "share": "by share of the cluster", "user": "by user"}


def class_tables(comparison: Comparison) -> list[Table]:
    """By size and length, and by user where there are some: of many those with most jobs.

    None where jobs may not complete: which of them belong to a class then depends on the policy.
    """
    inst, report = comparison.inst, comparison.report
    if comparison.incidents is not None:
        return []
    is_in_seconds = report.units.get("time", "s") == "s"
    kinds = ["shape" if is_in_seconds else "share", *(["user"] if inst.jobs.coded("user").names else [])]
    return [_table(comparison, kind) for kind in kinds]


def _table(comparison: Comparison, kind: str) -> Table:
    classes = job_classes(kind, comparison.inst, comparison.report)
    column = kind if is_about_names(kind) else None
    found = class_rows(replace(comparison, classes=classes, column=column))
    by_class: dict[str, dict[str, Any]] = {}
    for row in found:
        own = by_class.setdefault(row["class"], {"class": row["class"], "n_jobs": 0})
        own["n_jobs"] = max(own["n_jobs"], row["n_jobs"])  # starts may not be recorded of all
        own[row["policy"]] = row["mean_wait"]
    rows = list(by_class.values())
    n_others = len(rows) - _MOST_CLASSES
    if n_others > 0:
        rows = sorted(rows, key=lambda row: -row["n_jobs"])[:_MOST_CLASSES]
    return Table(
        rows,
        _columns(rows, comparison, kind),
        title=f"Mean wait {_HEADINGS[kind]}",
        note=f"{n_others:,} more, with fewer jobs, are left out here" if n_others > 0 else "",
    )


def _columns(rows: Sequence[dict[str, Any]], comparison: Comparison, kind: str) -> list[Column]:
    policies = {found.policy: found.policy for found in comparison.evaluations if found.schedule is not None}
    return [
        Column("class", "user" if kind == "user" else "class", is_text=True),
        Column("n_jobs", "jobs", lambda number: f"{number:,}"),
        *time_columns(rows, comparison.report, policies, usual_unit(rows, policies)),
    ]
