"""Tasks to colocate on the command line: algorithms side by side, with proven bounds, and assignments as files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from schedcore.bounds.colocation import lower_bound
from schedcore.cli.evaluation import Evaluation, evaluate_certified, known_bounds, measure_against
from schedcore.cli.output import Column, Format, Row, print_csv, print_json, print_table
from schedcore.cli.progress import ProgressBars
from schedcore.cli.schedule_file import SCHEDULE_SUFFIXES, column_of
from schedcore.errors import InvalidInstanceError
from schedcore.experiments.policy_choice import PolicyChoice
from schedcore.model import Assignment, ColocationInstance
from schedcore.model.arrow import read_parquet, write_parquet
from schedcore.model.extras import import_extra
from schedcore.model.whole_file import whole_file
from schedcore.plotting.readable import percent, rounded_count, significant
from schedcore.workloads import DataReport
from schedcore.workloads.file_kind import kind_of_file
from schedcore.workloads.reading.csv_table import read_csv_table

#: What `compare` runs on tasks without --policy.
DEFAULT_ALGORITHMS = (
    "sched_mixed", "best_schedule", "fill_greedy", "fill_rebalance", "greedy_dedicated", "colocate",
)  # fmt: skip
_BOUND_SECONDS = 10.0  # for the quadratic program; reached, the best proven bound is told


def bound_rows(inst: ColocationInstance) -> list[dict[str, Any]]:
    """The lower bounds on the largest cost, a row each."""
    found = {method: lower_bound(inst, method, time_limit=_BOUND_SECONDS) for method in ("simple", "qcp")}
    return [
        {"bound": name, "objective": "max_cost", "value": bound.bound, "is_exact": bound.is_exact}
        for name, bound in found.items()
    ]


def print_bounds(output_format: Format, inst: ColocationInstance) -> None:
    """Print the lower bounds; exact is one that is the optimum of its relaxation."""
    rows = bound_rows(inst)
    columns = [
        Column("bound", "bound", is_text=True),
        Column("objective", "objective", is_text=True),
        Column("value", "value", lambda value: f"{value:,.6g}"),
        Column("is_exact", "solved\nto the end", lambda value: "yes" if value else "no"),
    ]
    _print(output_format, rows, rows, columns)


def evaluate_tasks(
    inst: ColocationInstance, choices: Sequence[PolicyChoice], bars: ProgressBars
) -> list[Evaluation]:
    """Run policies and measure their assignments against the best bound that is known of any.

    A policy that raises is a finding, not an error.
    """
    evaluations = [
        evaluate_certified(inst, choice, bars, value="max_cost", n_steps=inst.n_tasks, n_counted=inst.n_tasks)
        for choice in choices
    ]
    proven = [row["value"] for row in bound_rows(inst)]
    measure_against(evaluations, "max_cost", max(proven + known_bounds(evaluations)))
    return evaluations


def print_comparison(
    output_format: Format, inst: ColocationInstance, report: DataReport, evaluations: Sequence[Evaluation]
) -> None:
    """Print a row a policy, with the bound in the title."""
    rows = [evaluation.row() for evaluation in evaluations]
    bounds = {evaluation.figures["lower_bound"] for evaluation in evaluations if evaluation.figures}
    document = {
        "workload": {**report.to_dict(), "n_types": inst.n_types, "n_machines": inst.n_machines},
        "lower_bounds": {"max_cost": max(bounds, default=None)},
        "policies": rows,
    }
    machines = f"{inst.n_machines:,} machine{'s' * (inst.n_machines != 1)}"
    title = f"{report.source}: {inst.n_tasks:,} tasks of {inst.n_types} types on {machines}"
    columns = [
        Column("policy", "policy", is_text=True),
        Column("max_cost", "largest\ncost", significant),
        Column("gap", "above\nbound", percent),
        Column("sum_cost", "sum of\ncosts", lambda value: f"{value:,.0f}"),
        Column("tasks_per_second", "tasks/s", rounded_count),
        Column("verdict", "check", is_text=True),
    ]
    _print(output_format, document, rows, columns, title)


def write_assignment(path: Path, assignment: Assignment) -> None:
    """Write the machine of each task to `path`, replacing what is there; it is left if that fails."""
    pyarrow = import_extra("pyarrow", "traces")
    table = pyarrow.table({"task": np.arange(assignment.n_tasks), "machine": assignment.machine})
    if path.suffix == ".csv":
        with whole_file(path, overwrite=True) as file:
            import_extra("pyarrow.csv", "traces").write_csv(table, file)
    else:
        write_parquet(table, path, overwrite=True)


def read_assignment(path: Path, inst: ColocationInstance) -> Assignment:
    """Read what `write_assignment` wrote; without a column task, row j belongs to task j.

    Raises
    ------
    InvalidInstanceError
        If the file cannot be read, a column is missing or holds no integers, or the tasks are not those of the
        instance, each once.
    """
    kind = kind_of_file(path)
    if kind == "csv":
        table = read_csv_table(path, ("machine",), ("task",))
        machine = table.integers("machine")
        task = table.integers("task") if "task" in table else None
    elif kind == "parquet":
        content = read_parquet(path)
        machine = column_of(content, "machine", path, "iu")
        task = column_of(content, "task", path, "iu") if "task" in content.column_names else None
    else:
        raise InvalidInstanceError(
            f"{path}: not a known kind of assignment; known are {', '.join(SCHEDULE_SUFFIXES)}"
        )
    if task is None:
        return Assignment(machine)
    if not np.array_equal(np.sort(task), np.arange(inst.n_tasks)):
        raise InvalidInstanceError(
            f"{path}: task must name each of the {inst.n_tasks:,} tasks of the workload once, 0 to {inst.n_tasks - 1:,}"
        )
    return Assignment(machine[np.argsort(task)])


def _print(
    output_format: Format, document: Any, rows: Sequence[Row], columns: list[Column], title: str | None = None
) -> None:
    if output_format is Format.csv:
        print_csv(rows)
    elif output_format is Format.json:
        print_json(document)
    else:
        print_table(rows, columns, title)
