"""What runs in slots have in common, whether jobs consist of tasks or not: norms of flow times are to be small."""

import math
from collections.abc import Sequence
from typing import Any, ClassVar, TypeVar

from schedcore import registry
from schedcore.bounds.preemptive.processing_powers import processing_bound
from schedcore.model import Instance, MapReduceInstance, PreemptiveResult, PreemptiveSchedule, Result
from schedcore.model.slot_validation import SLOT_SCHEDULE_KINDS
from schedcore.plotting.readable import percent, rounded_count
from schedcore.problems.drawings.curves import CURVES_DRAWING
from schedcore.problems.drawings.pieces import pieces_drawing
from schedcore.problems.evaluation import Bounds, Evaluation
from schedcore.problems.policy_choice import PolicyChoice
from schedcore.problems.presentation import Column, Row
from schedcore.problems.problem import Objective, Problem
from schedcore.problems.slot_figures import SLOT_COLUMNS, figures_of_slots
from schedcore.problems.time_units import slot_unit, time_columns
from schedcore.workloads.reading.report import DataReport

__all__ = ["ProblemInSlots"]

SlottedT = TypeVar("SlottedT", Instance, MapReduceInstance)

_POWER_SUM = Objective("flow_power_sum", "flow_power_sum")
_NORM = Objective("l2_norm", "l2_norm", "l2 norm of\nflow times")


class ProblemInSlots(Problem[SlottedT]):
    """Jobs that may be interrupted, and split over machines, slot by slot."""

    distinction = "interrupts and splits jobs, slot by slot"
    in_slots = True
    objectives = (_POWER_SUM, _NORM)
    columns = SLOT_COLUMNS
    bound_seconds = 60.0
    schedule_kinds = SLOT_SCHEDULE_KINDS
    accepts = frozenset({"slots"})
    drawings = (pieces_drawing(slot_unit), CURVES_DRAWING)
    questions: ClassVar[list[tuple[str, str]]] = [("flow_time", "alone"), (_NORM.name, "alone")]

    def figures(self, result: PreemptiveResult, tau: float) -> dict[str, Any]:
        return figures_of_slots(self.inst, result)

    def shortfall(self, result: Result) -> str | None:
        if result.stats.get("status") != "max_slots":
            return super().shortfall(result)
        n_unfinished = result.stats["n_unfinished"]
        return f"{n_unfinished} jobs are not complete after the slots that the run may have (max_slots)"

    def schedule_kind(self, policy: str, result: Result) -> str | None:
        return "partial" if self.shortfall(result) else registry.get(policy).schedule_class

    def certify(
        self, choices: Sequence[PolicyChoice], evaluations: Sequence[Evaluation]
    ) -> tuple[Bounds, tuple[str, ...]]:
        """Measure each against its own bound, as policies may minimise different powers."""
        for evaluation in filter(lambda found: found.figures, evaluations):
            figures = evaluation.figures
            if not math.isfinite(figures[_POWER_SUM.figure]):  # of a run that was cut short
                figures[_POWER_SUM.figure] = None
            evaluation.measure_against(_POWER_SUM.figure, figures["lower_bound"])
        return {_NORM.name: math.sqrt(processing_bound(self.inst.processing_time, 2))}, ()

    def comparison_columns(self, report: DataReport, rows: Sequence[Row], bounds: Bounds) -> list[Column]:
        """The norm of the flow times and what it is above its bound, waiting times, interruptions."""

        def times(headings: dict[str, str]) -> list[Column]:
            return time_columns(rows, report, headings, slot_unit)

        return [
            Column("policy", "policy", is_text=True),
            *times({"avg_flow_time": "mean\nflow time", _NORM.figure: _NORM.heading}),
            Column("l2_ratio", "above\nbound", lambda ratio: percent(ratio - 1)),
            *times({"avg_wait": "mean\nwait", "max_wait": "longest\nwait", "max_gap": "longest\ngap"}),
            *times({"makespan": "make-\nspan"}),
            Column("n_preemptions", "preemp-\ntions", rounded_count),
            Column("n_migrations", "migra-\ntions", rounded_count),
            Column("jobs_per_second", "jobs/s", rounded_count),
            Column("verdict", "check", is_text=True),
        ]

    def bound_questions(self) -> list[tuple[str, str]]:
        return self.questions

    def schedule_table(self, schedule: PreemptiveSchedule) -> Any:
        return schedule.to_arrow()
