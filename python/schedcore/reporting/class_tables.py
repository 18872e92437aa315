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
_HEADINGS = {"shape": "by shape", "share": "by share of a machine", "user": "by user"}
#: Units in which eight of a resource are few.
_WHOLE = ("processors", "vCPUs", "cores")
_WHAT_SHAPES_ARE = "narrow: at most 8 {unit}; short: at most an hour"


def class_tables(comparison: Comparison) -> list[Table]:
    """By what was asked for, by size and length, and by user where there are some: of many those with most jobs.

    None where jobs may not complete: which of them belong to a class then depends on the policy.
    """
    inst, report = comparison.inst, comparison.report
    if comparison.incidents is not None:
        return []
    tables = []
    if comparison.classes is not None:
        about = comparison.column or " and ".join(comparison.classes.measures).replace("_", " ")
        tables.append(_table(comparison, f"by {about}", comparison.column or "class"))
    unit = report.units.get(inst.machines.resource_names[0])
    has_shapes = report.units.get("time", "s") == "s" and unit in _WHOLE
    note = _WHAT_SHAPES_ARE.format(unit=unit) if has_shapes else ""
    tables.append(_of_kind(comparison, "shape" if has_shapes else "share", note))
    if inst.jobs.coded("user").names and comparison.column != "user":
        tables.append(_of_kind(comparison, "user"))
    return tables


def _of_kind(comparison: Comparison, kind: str, note: str = "") -> Table:
    classes = job_classes(kind, comparison.inst, comparison.report)
    column = kind if is_about_names(kind) else None
    told = replace(comparison, classes=classes, column=column)
    return _table(told, _HEADINGS[kind], column or "class", note)


def _table(comparison: Comparison, heading: str, name: str, note: str = "") -> Table:
    by_class: dict[str, dict[str, Any]] = {}
    for row in class_rows(comparison):
        own = by_class.setdefault(row["class"], {"class": row["class"], "n_jobs": 0})
        own["n_jobs"] = max(own["n_jobs"], row["n_jobs"])  # starts may not be recorded of all
        own[row["policy"]] = row["mean_wait"]
    rows = list(by_class.values())
    n_others = len(rows) - _MOST_CLASSES
    if n_others > 0:
        rows = sorted(rows, key=lambda row: -row["n_jobs"])[:_MOST_CLASSES]
    more = f"{n_others:,} more, with fewer jobs, are left out here" if n_others > 0 else ""
    return Table(
        rows,
        _columns(rows, comparison, name),
        title=f"Mean wait {heading}",
        note="\n".join(filter(None, (note, more))),
    )


def _columns(rows: Sequence[dict[str, Any]], comparison: Comparison, name: str) -> list[Column]:
    policies = {found.policy: found.policy for found in comparison.evaluations if found.schedule is not None}
    return [
        Column("class", name, is_text=True),
        Column("n_jobs", "jobs", lambda number: f"{number:,}"),
        *time_columns(rows, comparison.report, policies, usual_unit(rows, policies)),
    ]
