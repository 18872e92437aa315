"""Classes of jobs that a comparison tells apart, by what they ask for or who sent them, and what it says of them."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from schedcore.errors import InvalidInstanceError
from schedcore.metrics import (
    ClassFigures,
    JobClasses,
    fairness_by_class,
    fairness_by_submitter,
    length_classes,
    shape_classes,
    share_classes,
    size_classes,
)
from schedcore.metrics.submitter_classes import SUBMITTER_COLUMNS, named_classes
from schedcore.model.choices import check_choice
from schedcore.plotting.readable import percent, rounded_count, significant
from schedcore.problems.evaluation import Comparison, Evaluation
from schedcore.problems.presentation import Column, Presentation, Row, Table
from schedcore.problems.time_units import time_columns
from schedcore.workloads.reading.report import DataReport

__all__ = [
    "KINDS",
    "SUBMITTER_COLUMNS",
    "check_classes",
    "class_rows",
    "is_about_names",
    "job_classes",
    "with_classes",
]

KINDS = ("size", "share", "length", "shape", *SUBMITTER_COLUMNS)


def check_classes(kind: str, inst: Any = None) -> None:
    """Refuse what names no kind of class; of an instance, its notes are further ones, and before it is known any."""
    if kind in _notes(inst):
        return
    name, colon, _ = kind.partition(":")
    if inst is not None:
        check_choice("classes", name, (*KINDS, *_notes(inst)))
    if colon and name in KINDS and name not in ("size", "shape"):
        raise InvalidInstanceError(f"classes {kind!r}: {name} is not about one resource")


def _notes(inst: Any) -> tuple[str, ...]:
    """The notes of the jobs that are called otherwise than the usual kinds."""
    names = getattr(getattr(inst, "jobs", None), "note_names", ())
    return tuple(name for name in names if name not in KINDS)


def job_classes(kind: str, inst: Any, report: DataReport) -> JobClasses:
    """Classes of the jobs of an `Instance`.

    Raises
    ------
    InvalidInstanceError
        If there is no such resource, no job has a name in the column, or the workload does not count seconds where the
        limits of the classes do.
    """
    check_classes(kind, inst)
    if kind in _notes(inst):
        return named_classes(inst, kind)
    name, colon, resource = kind.partition(":")
    unit = report.units.get("time", "s")
    if name in ("length", "shape") and unit != "s":
        raise InvalidInstanceError(f"classes {kind!r} count in seconds, the workload in {unit}")
    of_resource = resource if colon else 0
    if name == "size":
        return size_classes(inst, of_resource)
    if name == "shape":
        return shape_classes(inst, of_resource)
    if is_about_names(kind):
        return named_classes(inst, name)
    return share_classes(inst) if name == "share" else length_classes(inst)


def is_about_names(kind: str) -> bool:
    """Whether classes are the names in a column of the jobs, rather than what jobs ask for."""
    return kind.partition(":")[0] not in ("size", "share", "length", "shape")


def with_classes(presentation: Presentation, comparison: Comparison) -> Presentation:
    """Add the classes of a comparison, if it has any; the CSV is about them alone."""
    if comparison.classes is None:
        return presentation
    rows = class_rows(comparison)
    parts = (*presentation.parts, "", _table(rows, comparison))
    return Presentation(rows, {**presentation.document, "classes": rows}, parts, presentation.remarks)


def class_rows(comparison: Comparison) -> list[dict[str, Any]]:
    """One row a class and policy that did not fail, the policies of a class together."""
    assert comparison.classes is not None
    figures = {
        found.policy: {row["class"]: row for row in _figures(comparison, found).rows()}
        for found in comparison.evaluations
        if found.schedule is not None
    }
    return [
        {"policy": policy, **rows[name]}
        for name in comparison.classes.names
        for policy, rows in figures.items()
        if name in rows  # of recorded starts some class may have none
    ]


def _figures(comparison: Comparison, found: Evaluation) -> ClassFigures:
    assert comparison.classes is not None
    if comparison.column is not None:
        return fairness_by_submitter(found.result, comparison.column, comparison.tau)
    inst, ran = found.whole(comparison.inst)
    classes = comparison.classes
    if found.recorded is not None:
        classes = replace(classes, of_job=classes.of_job[found.recorded.jobs])
    return fairness_by_class(inst, ran, classes, comparison.tau)


def _table(rows: Sequence[Row], comparison: Comparison) -> Table:
    """The rows, a class named once."""
    classes, report = comparison.classes, comparison.report
    assert classes is not None
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
        Column("class", about or (comparison.column or "class").replace("_", " "), is_text=True),
        Column("n_jobs", "jobs"),
        Column("policy", "policy", is_text=True),
        *time_columns(rows, report, {"mean_wait": "mean\nwait"}),
        *time_columns(rows, report, {"wait_p95": "wait\np95"}),
        *time_columns(rows, report, {"max_wait": "longest\nwait"}),
        Column("mean_bounded_slowdown", "bounded\nslow-\ndown", significant),
        Column("mean_times_overtaken", "times\nover-\ntaken", significant),
    ]
    if comparison.column is not None:
        columns.append(Column("share_used", "share\nof use", percent))
        if comparison.incidents is not None:
            columns.insert(3, Column("n_completed", "jobs\ndone", rounded_count))
            columns.append(Column("share_lost", "of it\nlost", percent))
    return Table(shown, columns)
