"""Jobs of parallel tasks that may run on some machines only: the sum of weight x completion time is to be small."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from schedcore import registry
from schedcore.bounds import LowerBound
from schedcore.errors import InvalidInstanceError
from schedcore.metrics import task_summary
from schedcore.model import ParallelTaskInstance, ParallelTaskResult, PreemptiveSchedule, Result, usable
from schedcore.model.task_validation import SCHEDULE_KINDS
from schedcore.plotting.readable import percent, rounded_count
from schedcore.problems.drawings.pieces import pieces_drawing
from schedcore.problems.epoch_options import with_epoch_lengths
from schedcore.problems.evaluation import Bounds, Evaluation, known_bounds
from schedcore.problems.policy_choice import PolicyChoice
from schedcore.problems.presentation import Column, Row
from schedcore.problems.problem import Objective, Problem
from schedcore.problems.schedules.pieces import read_pieces
from schedcore.problems.time_units import time_columns, unit_of
from schedcore.workloads.reading.report import DataReport

__all__ = ["ParallelTasksProblem"]

_COMPLETION = Objective("weighted_completion_time", "weighted_completion_time")
_AVERAGES = {"weighted_average_completion_time": "weighted average\ncompletion"}
_DELAYS = {"weighted_average_delay": "weighted average\ndelay"}


class ParallelTasksProblem(Problem[ParallelTaskInstance]):
    """Jobs that complete with the last of their tasks."""

    name = "parallel-tasks"
    title = "jobs of parallel tasks"
    instance_type = ParallelTaskInstance
    objectives = (_COMPLETION,)
    columns: ClassVar = {
        **dict.fromkeys(("awct", "makespan", "avg_response"), "float64"),
        "utilisation": "list<float64>",
        "weighted_average_completion_time": "float64",
        "weighted_average_delay": "float64",  # from the release of the job on
        "avg_synchronisation_delay": "float64",
        "n_preemptions": "int64",
        "n_migrations": "int64",
        "remote_share": "float64",
        "lp_status": "string",  # how the linear program of the policy ended
        "lam": "float64",  # SynchPack-1, -2: the lambda that was chosen
        "tau0": "float64",  # online: the length that epochs grow to, and how many were active
        "n_epochs": "int64",
    }
    sizes = ("n_jobs", "n_tasks", "n_machines", "n_resources")
    about = ("n_tasks", "n_machines")
    default_policies_in_words = (
        "one machine a task: synchpack3 psrs tetris_p tetris_p:scale=1; else: synchpack2 tetris_np tetris_np:scale=1 "
        "jsq_mw"
    )
    counted = "tasks"
    bound_seconds = 60.0  # for each linear program; reached, the best proven bound is told
    schedule_kinds = SCHEDULE_KINDS
    drawings = (pieces_drawing(unit_of),)
    help_on_comparing = """Compare policies on jobs of parallel tasks, by the weighted average completion time.

    A job completes with the last of its tasks. Where every task has one machine, synchpack3, psrs and tetris_p are
    compared, else synchpack2, tetris_np and jsq_mw; online where jobs arrive over time. Schedules are checked in the
    class that their policy promises, and measured against linear programs.

    schedcore compare parallel_task_standin:n_jobs=40,n_machines=10,load=none
    """
    help_on_workloads = (
        "Jobs of tasks as Parquet, or the generator parallel_task_standin:n_jobs=40,n_machines=10,load=none."
    )

    def contents(self) -> str:
        return f"{self.inst.n_jobs:,} jobs of {self.inst.n_tasks:,} tasks"

    def policies(self) -> tuple[str, ...]:
        """What takes the instance, Tetris in both scales."""
        online = ":online=true" if self.inst.release_time.any() else ""
        if self.inst.single_machine:
            return (f"synchpack3{online}", "psrs", "tetris_p", "tetris_p:scale=1")
        return (f"synchpack2{online}", "tetris_np", "tetris_np:scale=1", "jsq_mw")

    def read_options(self, options: Mapping[str, Any]) -> Mapping[str, Any]:
        return with_epoch_lengths(self.inst, options)

    def shortfall(self, result: Result) -> str | None:
        if result.schedule is not None:
            return None
        return f"no schedule: the linear program ended with the status {result.stats.get('lp_status')!r}"

    def figures(self, result: ParallelTaskResult, tau: float) -> dict[str, Any]:
        """What the algorithm tells, and what its schedule is worth, if there is one of just these tasks."""
        epochs = result.stats.get("epochs")
        told = {
            "lp_status": result.stats.get("lp_status"),
            "lam": result.stats.get("lambda"),
            "tau0": None if epochs is None else result.options.get("tau0"),
            "n_epochs": None if epochs is None else len(epochs),
        }
        if result.schedule is None:
            return told
        try:
            return told | dict(task_summary(self.inst, result.schedule))
        except (
            InvalidInstanceError
        ):  # pieces that belong nowhere, or too few of them: the validator names one
            return told

    def certify(
        self, choices: Sequence[PolicyChoice], evaluations: Sequence[Evaluation]
    ) -> tuple[Bounds, tuple[str, ...]]:
        """Measure each against the best bound that is known for it.

        Where tasks have several machines, schedules in which they move are measured against bounds on those alone;
        what bounds them bounds the others, too.
        """
        moving = [
            evaluation
            for evaluation, choice in zip(evaluations, choices, strict=True)
            if registry.get(choice.name).schedule_class == "migrate" and not self.inst.single_machine
        ]
        of_all, of_moving = (max(known_bounds(found), default=0.0) or None for found in (evaluations, moving))
        for evaluation in evaluations:
            bound = of_moving if evaluation in moving else of_all
            evaluation.measure_against(_COMPLETION.figure, bound)
        return {_COMPLETION.name: max(filter(None, known_bounds(evaluations)), default=None)}, ()

    def comparison_columns(self, report: DataReport, rows: Sequence[Row], bounds: Bounds) -> list[Column]:
        """Completion times, of jobs that arrive over time also delays."""
        averages = {**_AVERAGES, **(_DELAYS if self.inst.release_time.any() else {})}
        return [
            Column("policy", "policy", is_text=True),
            *time_columns(rows, report, averages),
            Column("gap", "above\nbound", percent),
            *time_columns(rows, report, {"makespan": "make-\nspan"}),
            Column("n_preemptions", "preemp-\ntions", rounded_count),
            Column("tasks_per_second", "tasks/s", rounded_count),
            Column("verdict", "check", is_text=True),
        ]

    def remarks(self, evaluations: Sequence[Evaluation], report: DataReport) -> tuple[str, ...]:
        """What is proven where a policy found no schedule."""
        return tuple(
            f"{found.policy}: lower bound {found.figures['lower_bound']!r}"
            for found in evaluations
            if found.schedule is None and found.figures
        )

    def bound_questions(self) -> list[tuple[str, str]]:
        order = ["lp3"] if usable(self.inst).single_machine else []
        return [(_COMPLETION.name, method) for method in ("alone", "lp1", "lp2", *order)]

    def about_bound(self, bound: LowerBound) -> dict[str, Any]:
        total = float(self.inst.weight.sum())
        average = bound.value / total if total else 0.0
        return {"weighted_average": average, "holds_for": bound.holds_for, "status": bound.status}

    def bound_columns(self, rows: Sequence[Row], report: DataReport) -> list[Column]:
        return [
            *time_columns(rows, report, {"weighted_average": "weighted\naverage"}),
            Column("holds_for", "holds\nfor", is_text=True),
            Column("status", "linear\nprogram", is_text=True),
        ]

    def schedule_table(self, schedule: PreemptiveSchedule) -> Any:
        return schedule.to_arrow()

    def read_schedule(self, path: Path) -> PreemptiveSchedule:
        return read_pieces(path, with_task=True, with_amount=False)
