"""Tasks that share machines and slow each other down by type: the largest cost of a task is to be small."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

from schedcore.bounds import LowerBound, lower_bound
from schedcore.model import Assignment, ColocationInstance, ColocationResult
from schedcore.plotting.readable import percent, rounded_count, significant
from schedcore.problems.drawings.assignments import ASSIGNMENTS_DRAWING
from schedcore.problems.evaluation import Bounds, Evaluation, known_bounds
from schedcore.problems.kept_columns import MACHINES
from schedcore.problems.policy_choice import PolicyChoice
from schedcore.problems.presentation import Column, Row
from schedcore.problems.problem import Objective, Problem
from schedcore.problems.schedules.assignments import read_assignment, table_of_assignment
from schedcore.workloads.reading.report import DataReport

__all__ = ["ColocationProblem"]

_COST = Objective("max_cost", "max_cost", "largest\ncost")


class ColocationProblem(Problem[ColocationInstance]):
    """Tasks with types on identical machines."""

    name = "colocation"
    title = "tasks to colocate"
    instance_type = ColocationInstance
    objectives = (_COST,)
    columns: ClassVar = {"sum_cost": "float64"}  # the sum of the costs of all tasks
    keeps = (MACHINES,)
    default_policies = (
        "sched_mixed", "best_schedule", "fill_greedy", "fill_rebalance", "greedy_dedicated", "colocate",
    )  # fmt: skip
    about = ("n_types", "n_machines")
    counted = "tasks"
    bound_seconds = 10.0  # for the quadratic program; reached, the best proven bound is told
    drawings = (ASSIGNMENTS_DRAWING,)
    help_on_comparing = """Compare policies that choose which tasks share a machine, by the largest cost of a task.

    Tasks have types, and a task costs more the more tasks of the wrong types share its machine. All policies are
    measured against the best lower bound that is known. --plot draws what every machine holds.

    schedcore compare colocation_grid:cls=3,n_types=4,n_tasks=200,n_machines=10
    """
    help_on_workloads = (
        "Tasks as Parquet, a sample of tasks as Parquet (--read says what to draw from it), or the generator "
        "colocation_grid:cls=3,n_types=4,n_tasks=200,n_machines=10."
    )

    def size(self) -> dict[str, int | None]:
        return {"n_jobs": self.inst.n_tasks, "n_machines": self.inst.n_machines, "n_resources": None}

    def contents(self) -> str:
        return f"{self.inst.n_tasks:,} tasks of {self.inst.n_types} types"

    def figures(self, result: ColocationResult, tau: float) -> dict[str, Any]:
        return {"sum_cost": result.sum_numerator / self.inst.alpha_denominator}

    def certify(
        self, choices: Sequence[PolicyChoice], evaluations: Sequence[Evaluation]
    ) -> tuple[Bounds, tuple[str, ...]]:
        """Measure all against the best bound that is known of any."""
        proven = [
            lower_bound(self.inst, objective, method, time_limit=self.bound_seconds).value
            for objective, method in self.bound_questions()
        ]
        bound = max(proven + known_bounds(evaluations))
        for evaluation in evaluations:
            evaluation.measure_against(_COST.figure, bound)
        return {_COST.name: bound if any(found.figures for found in evaluations) else None}, ()

    def comparison_columns(self, report: DataReport, rows: Sequence[Row], bounds: Bounds) -> list[Column]:
        return [
            Column("policy", "policy", is_text=True),
            Column(_COST.figure, _COST.heading, significant),
            Column("gap", "above\nbound", percent),
            Column("sum_cost", "sum of\ncosts", lambda value: f"{value:,.0f}"),
            Column("tasks_per_second", "tasks/s", rounded_count),
            Column("verdict", "check", is_text=True),
        ]

    def bound_questions(self) -> list[tuple[str, str]]:
        return [(_COST.name, "simple"), (_COST.name, "qcp")]

    def about_bound(self, bound: LowerBound) -> dict[str, Any]:
        return {"is_exact": bound.is_exact}

    def bound_columns(self, rows: Sequence[Row], report: DataReport) -> list[Column]:
        return [Column("is_exact", "solved\nto the end", lambda value: "yes" if value else "no")]

    def schedule_table(self, schedule: Assignment) -> Any:
        return table_of_assignment(schedule)

    def read_schedule(self, path: Path) -> Assignment:
        return read_assignment(path, self.inst)
