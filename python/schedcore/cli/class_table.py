"""The classes of jobs that ``schedcore compare --classes`` tells apart, and their table."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from schedcore.cli.evaluation import Evaluation
from schedcore.cli.output import Column, print_table
from schedcore.cli.workload_choice import unit_of
from schedcore.errors import InvalidInstanceError
from schedcore.metrics import (
    JobClasses,
    fairness_by_class,
    length_classes,
    shape_classes,
    share_classes,
    size_classes,
)
from schedcore.model import Instance
from schedcore.model.choices import check_choice
from schedcore.plotting.readable import significant
from schedcore.workloads import DataReport

KINDS = ("size", "share", "length", "shape")

ClassesOption = Annotated[
    str | None,
    typer.Option(
        "--classes", metavar="|".join(KINDS), show_default=False,
        help="Show waits by class of jobs, too: by demand for a resource (size, size:RESOURCE), by the largest share "
        "of a machine, by processing time, or narrow and wide, short and long (shape, shape:RESOURCE).",
    ),
]  # fmt: skip


def check_classes(kind: str) -> None:
    """Refuse what names no kind of class."""
    name, colon, _ = kind.partition(":")
    check_choice("classes", name, KINDS)
    if colon and name not in ("size", "shape"):
        raise InvalidInstanceError(f"classes {kind!r}: {name} is not about one resource")


def job_classes(kind: str, inst: Instance, report: DataReport) -> JobClasses:
    """Classes of the jobs of `inst`.

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
    return share_classes(inst) if name == "share" else length_classes(inst)


def class_rows(
    inst: Instance, evaluations: list[Evaluation], classes: JobClasses, tau: float
) -> list[dict[str, Any]]:
    """One row a class and policy that did not fail, the policies of a class together."""
    figures = {
        evaluation.policy: fairness_by_class(inst, evaluation.schedule, classes, tau).rows()
        for evaluation in evaluations
        if evaluation.schedule is not None
    }
    return [
        {"policy": policy, **rows[index]}
        for index in range(classes.n_classes)
        for policy, rows in figures.items()
    ]


def print_class_table(rows: list[dict[str, Any]], classes: JobClasses, report: DataReport) -> None:
    """Print the rows; a class is named once."""
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
    heading = " and ".join(measure.replace("_", " ") for measure in classes.measures)
    columns = [
        Column("class", heading, is_text=True),
        Column("n_jobs", "jobs"),
        Column("policy", "policy", is_text=True),
        _time_column(rows, report, "mean_wait", "mean\nwait"),
        _time_column(rows, report, "max_wait", "longest\nwait"),
        Column("mean_bounded_slowdown", "bounded\nslow-\ndown", significant),
        Column("mean_times_overtaken", "times\nover-\ntaken", significant),
    ]
    print()
    print_table(shown, columns)


def _time_column(rows: list[dict[str, Any]], report: DataReport, key: str, heading: str) -> Column:
    unit = unit_of(report, max((row[key] for row in rows), default=0.0))
    return Column(key, f"{heading}\n{unit.name}", lambda value: significant(value / unit.length))
