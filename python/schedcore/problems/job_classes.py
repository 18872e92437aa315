"""Classes of jobs that a comparison tells apart, by what they ask for or who sent them, and what it says of them."""

from collections.abc import Sequence
from typing import Any

from schedcore.errors import InvalidInstanceError
from schedcore.metrics import (
    JobClasses,
    fairness_by_class,
    length_classes,
    shape_classes,
    share_classes,
    size_classes,
    submitter_classes,
)
from schedcore.metrics.submitter_classes import SUBMITTER_COLUMNS
from schedcore.model.choices import check_choice
from schedcore.plotting.readable import significant
from schedcore.problems.evaluation import Comparison
from schedcore.problems.presentation import Column, Presentation, Row, Table
from schedcore.problems.time_units import time_columns
from schedcore.workloads import DataReport

__all__ = ["KINDS", "check_classes", "job_classes", "with_classes"]

KINDS = ("size", "share", "length", "shape", *SUBMITTER_COLUMNS)


def check_classes(kind: str) -> None:
    """Refuse what names no kind of class."""
    name, colon, _ = kind.partition(":")
    check_choice("classes", name, KINDS)
    if colon and name not in ("size", "shape"):
        raise InvalidInstanceError(f"classes {kind!r}: {name} is not about one resource")


def job_classes(kind: str, inst: Any, report: DataReport) -> JobClasses:
    """Classes of the jobs of an `Instance`.

    Raises
    ------
    InvalidInstanceError
        If there is no such resource, or the workload does not count seconds where the limits of the classes do.
    """
    name, colon, resource = kind.partition(":")
    unit = report.units.get("time", "s")
    if name in ("length", "shape") and unit != "s":
        raise InvalidInstanceError(f"classes {kind!r} count in seconds, the workload in {unit}")
    of_resource = resource if colon else 0
    if name == "size":
        return size_classes(inst, of_resource)
    if name == "shape":
        return shape_classes(inst, of_resource)
    if name in SUBMITTER_COLUMNS:
        return submitter_classes(inst, name)
    return share_classes(inst) if name == "share" else length_classes(inst)


def with_classes(presentation: Presentation, comparison: Comparison) -> Presentation:
    """Add the classes of a comparison, if it has any; the CSV is about them alone."""
    if comparison.classes is None:
        return presentation
    rows = _rows(comparison)
    parts = (*presentation.parts, "", _table(rows, comparison.classes, comparison.report))
    return Presentation(rows, {**presentation.document, "classes": rows}, parts, presentation.remarks)


def _rows(comparison: Comparison) -> list[dict[str, Any]]:
    """One row a class and policy that did not fail, the policies of a class together."""
    inst, classes, tau = comparison.inst, comparison.classes, comparison.tau
    assert classes is not None
    figures = {
        found.policy: fairness_by_class(inst, found.schedule, classes, tau).rows()
        for found in comparison.evaluations
        if found.schedule is not None
    }
    return [
        {"policy": policy, **rows[index]}
        for index in range(classes.n_classes)
        for policy, rows in figures.items()
    ]


def _table(rows: Sequence[Row], classes: JobClasses, report: DataReport) -> Table:
    """The rows, a class named once."""
    shown = []
    for index, row in enumerate(rows):
        is_first = index == 0 or rows[index - 1]["class"] != row["class"]
        shown.append(
            {
                **row,
                "class": row["class"] if is_first else "",
                "n_jobs": f"{row['n_jobs']:,}" if is_first else "",
            }
        )
    about = " and ".join(measure.replace("_", " ") for measure in classes.measures)
    columns = [
        Column("class", about or "class", is_text=True),
        Column("n_jobs", "jobs"),
        Column("policy", "policy", is_text=True),
        *time_columns(rows, report, {"mean_wait": "mean\nwait"}),
        *time_columns(rows, report, {"max_wait": "longest\nwait"}),
        Column("mean_bounded_slowdown", "bounded\nslow-\ndown", significant),
        Column("mean_times_overtaken", "times\nover-\ntaken", significant),
    ]
    return Table(shown, columns)
