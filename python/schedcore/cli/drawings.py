"""The PNG files that ``schedcore compare --plot`` writes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from schedcore.cli.evaluation import FIGURE_OF, Bounds, Evaluation
from schedcore.cli.workload_choice import slot_unit, unit_of
from schedcore.experiments.slotted_runs import curves_of
from schedcore.model import ColocationInstance, Instance, MapReduceInstance, ParallelTaskInstance
from schedcore.model.extras import import_extra
from schedcore.plotting import (
    most_demanded,
    plot_assignment,
    plot_awct_bars,
    plot_curves,
    plot_pieces,
    plot_queuing_delay_cdf,
    plot_task_usage,
    plot_utilisation,
    until_most_are_done,
)
from schedcore.plotting.panel import FEW_JOBS, FEW_MACHINES
from schedcore.workloads import DataReport

#: Objective -> file and axis; drawn where a policy is made for the objective.
_OBJECTIVES = {
    "awct": ("awct.png", "average weighted completion time"),
    "average_response_time": ("response.png", "mean response time"),
}
_DELAYS, _USE = "queuing_delay.png", "utilisation.png"
DRAWINGS = (*(name for name, _ in _OBJECTIVES.values()), _DELAYS, _USE)
#: Drawn of tasks to colocate.
ASSIGNMENTS = "assignments.png"
#: Drawn of jobs of parallel tasks and of runs in slots.
PIECES = "pieces.png"
#: Drawn of runs in slots.
CURVES = "curves.png"

_DPI = 160


def check_drawing_is_possible() -> None:
    """Raise an ImportError that names the extra if matplotlib is missing."""
    import_extra("matplotlib.figure", "plot")


def write_drawings(
    folder: Path, inst: Instance, report: DataReport, bounds: Bounds, evaluations: list[Evaluation]
) -> None:
    """Write those of `DRAWINGS` that concern the policies which did not fail into `folder`; nothing if all failed."""
    schedules = {e.policy: e.schedule for e in evaluations if e.schedule is not None}
    if not schedules:
        return
    figure_class = import_extra("matplotlib.figure", "plot").Figure
    longest_wait = max(e.figures["max_wait"] for e in evaluations if e.policy in schedules)

    for objective, (name, label) in _OBJECTIVES.items():
        if all(e.objective != objective for e in evaluations if e.policy in schedules):
            continue
        values = {e.policy: e.figures[FIGURE_OF[objective]] for e in evaluations if e.policy in schedules}
        unit = unit_of(report, max(values.values()))
        figure = figure_class(figsize=(6.6, 1.25 + 0.42 * len(values)), layout="constrained")
        ax = plot_awct_bars(values, bounds[objective] or None, unit=unit, ax=figure.subplots())
        ax.set_xlabel(f"{label} ({unit.name})")
        figure.savefig(folder / name, dpi=_DPI)

    figure = figure_class(figsize=(6.6, 3.9), layout="constrained")
    plot_queuing_delay_cdf(inst, schedules, unit=unit_of(report, longest_wait), ax=figure.subplots())
    figure.savefig(folder / _DELAYS, dpi=_DPI)

    between = until_most_are_done(inst, schedules.values())
    figure = figure_class(figsize=(6.6, 0.7 + 1.45 * len(schedules)), layout="constrained")
    panels = figure.subplots(len(schedules), 1, sharex=True, sharey=True, squeeze=False)[:, 0]
    for panel, (policy, schedule) in zip(panels, schedules.items(), strict=True):
        plot_utilisation(
            inst, schedule, resources=most_demanded(inst), between=between,
            unit=unit_of(report, between[1]), ax=panel,
        )  # fmt: skip
        panel.set_title(policy, loc="right", fontsize="medium")
        if panel is not panels[0]:
            panel.get_legend().remove()
        if panel is not panels[-1]:
            panel.set_xlabel("")
        panel.set_ylabel("")
    figure.supylabel("capacity in use (%)", fontsize="medium")
    figure.savefig(folder / _USE, dpi=_DPI)


def write_assignments(folder: Path, inst: ColocationInstance, evaluations: list[Evaluation]) -> None:
    """Draw the valid assignments below each other, on the same axes, into `folder`; nothing without any."""
    drawn = [e for e in evaluations if e.schedule is not None and e.problem is None]
    if not drawn:
        return
    figure_class = import_extra("matplotlib.figure", "plot").Figure
    figure = figure_class(figsize=(8.2, 0.6 + 2.3 * len(drawn)), layout="constrained")
    panels = figure.subplots(len(drawn), 1, sharex=True, sharey=True, squeeze=False)[:, 0]
    for panel, evaluation in zip(panels, drawn, strict=True):
        plot_assignment(inst, evaluation.schedule, lower_bound=evaluation.figures["lower_bound"], ax=panel)
        panel.set_title(evaluation.policy, loc="right", fontsize="medium")
        legend = panel.get_legend()
        if panel is not panels[0] and legend is not None:
            legend.remove()
        if panel is not panels[-1]:
            panel.set_xlabel("")
    figure.savefig(folder / ASSIGNMENTS, dpi=_DPI)


def write_pieces_drawing(
    folder: Path,
    inst: ParallelTaskInstance | Instance | MapReduceInstance,
    report: DataReport,
    evaluations: list[Evaluation],
) -> None:
    """Draw the valid schedules below each other, on the same axes, into `folder`; nothing without any.

    Pieces where all have few of them on few machines, otherwise how much of the machines is in use.
    """
    drawn = [e for e in evaluations if e.schedule is not None and (e.problem is None or e.is_cut_short)]
    if not drawn or not inst.n_jobs:
        return
    figure_class = import_extra("matplotlib.figure", "plot").Figure
    last = max(float(e.schedule.end_time.max()) for e in drawn)
    unit = unit_of(report, last) if isinstance(inst, ParallelTaskInstance) else slot_unit(report)
    in_pieces = inst.n_machines <= FEW_MACHINES and all(len(e.schedule) <= FEW_JOBS for e in drawn)
    height = 0.8 + 0.45 * inst.n_machines if in_pieces else 1.6
    figure = figure_class(figsize=(8.2, 0.6 + height * len(drawn)), layout="constrained")
    panels = figure.subplots(len(drawn), 1, sharex=True, sharey=True, squeeze=False)[:, 0]
    for panel, evaluation in zip(panels, drawn, strict=True):
        if in_pieces:
            plot_pieces(inst, evaluation.schedule, unit=unit, ax=panel)
        else:
            plot_task_usage(inst, evaluation.schedule, until=last, unit=unit, ax=panel)
        panel.set_title(evaluation.policy, loc="right", fontsize="medium")
        legend = panel.get_legend()
        if panel is not panels[0] and legend is not None:
            legend.remove()
        if panel is not panels[-1]:
            panel.set_xlabel("")
        figure.supylabel(panel.get_ylabel(), fontsize="medium")
        panel.set_ylabel("")
    panels[-1].set_xlim(0, last / unit.length)
    figure.savefig(folder / PIECES, dpi=_DPI)


def write_curves(
    folder: Path, inst: Instance | MapReduceInstance, report: DataReport, evaluations: list[Evaluation]
) -> None:
    """Draw how norms of flow times and unfinished work go on over time, side by side; nothing without any schedule."""
    drawn = {
        e.policy: e.schedule
        for e in evaluations
        if e.schedule is not None and (e.problem is None or e.is_cut_short)
    }
    if not drawn or not inst.n_jobs:
        return
    kept: dict[str, dict[str, Any]] = {
        policy: curves_of(inst, schedule) for policy, schedule in drawn.items()
    }
    first = next(iter(kept.values()))
    figure_class = import_extra("matplotlib.figure", "plot").Figure
    figure = figure_class(figsize=(11.0, 4.4), layout="constrained")
    panels = figure.subplots(1, 2)
    time = f"time ({slot_unit(report).name})"
    for panel, column, label, reference, name in (
        (
            panels[0],
            "curve_l2_norm",
            "l2 norm of the flow times of complete jobs",
            "curve_l2_least",
            "no waiting",
        ),
        (panels[1], "curve_unfinished_volume", "work (core-slots)", "curve_offered_volume", "offered"),
    ):
        plot_curves(
            {policy: (curves["curve_time"], curves[column]) for policy, curves in kept.items()},
            also={name: (first["curve_time"], first[reference])}, x_label=time, y_label=label, ax=panel,
        )  # fmt: skip
    figure.savefig(folder / CURVES, dpi=_DPI)
