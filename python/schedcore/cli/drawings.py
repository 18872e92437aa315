"""The PNG files that ``schedcore compare --plot`` writes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from schedcore.cli.evaluation import FIGURE_OF, Bounds, Evaluation
from schedcore.cli.workload_choice import own_unit, slot_unit, unit_of
from schedcore.experiments.slotted_runs import curves_of
from schedcore.metrics import binned_utilisation
from schedcore.model import ColocationInstance, Instance, MapReduceInstance, ParallelTaskInstance
from schedcore.model.extras import import_extra
from schedcore.plotting import (
    TimeUnit,
    most_demanded,
    plot_assignment,
    plot_awct_bars,
    plot_curves,
    plot_pieces,
    plot_queuing_delay_cdf,
    until_most_are_done,
)
from schedcore.plotting.alike import group_alike, share_repainted, visible_distance
from schedcore.plotting.assignment import drawn_heights
from schedcore.plotting.layout import new_figure, save
from schedcore.plotting.objective import bars_height
from schedcore.plotting.panel import FEW_JOBS, FEW_MACHINES
from schedcore.plotting.pieces import painted_jobs
from schedcore.plotting.shares import draw_shares, top_of
from schedcore.plotting.stack import Difference, stack_panels
from schedcore.plotting.task_usage import task_shares
from schedcore.workloads import DataReport

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    Curves = NDArray[np.float64]

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

_WIDTH = 6.6  # inches
_LEAST = (3.6, 2.6)  # inches, of a drawing that is the only one of its row
_COLUMNS, _ROWS = 200, 200  # in which panels are drawn or compared
_ROUNDING = 1e-9  # percent: what sums in another order may differ by


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
    for objective, (name, label) in _OBJECTIVES.items():
        if all(e.objective != objective for e in evaluations if e.policy in schedules):
            continue
        values = {e.policy: e.figures[FIGURE_OF[objective]] for e in evaluations if e.policy in schedules}
        unit = unit_of(report, max(values.values()))
        figure = new_figure(6.6, bars_height(values))
        ax = plot_awct_bars(values, bounds[objective] or None, unit=unit, ax=figure.subplots())
        ax.set_xlabel(f"{label} ({unit.name})")
        save(figure, folder / name)

    figure = new_figure(6.6, 3.9)
    plot_queuing_delay_cdf(inst, schedules, unit=own_unit(report), ax=figure.subplots())
    save(figure, folder / _DELAYS, least=_LEAST)
    between = until_most_are_done(inst, schedules.values())
    resources = most_demanded(inst)
    names = [inst.machines.resource_names[resource] for resource in resources]
    shares = {}
    for policy, schedule in schedules.items():
        edges, share = binned_utilisation(inst, schedule, _COLUMNS, between)
        shares[policy] = 100 * share[:, resources].T
    save(_use(shares, edges, names, unit_of(report, between[1]), _WIDTH), folder / _USE)


def _use(
    shares: Mapping[str, Curves],
    edges: NDArray[np.float64],
    names: Sequence[str],
    unit: TimeUnit,
    width: float,
) -> Figure:
    """Percent (n_names, n_columns) in use, a panel a policy as long as panels differ visibly."""
    top = top_of(max(float(percent.max(initial=0.0)) for percent in shares.values()))

    def draw(ax: Axes, policy: str) -> None:
        draw_shares(edges, shares[policy], names, unit=unit, top=top, ax=ax)
        ax.set_ylabel("in use (%)")

    def difference(shown: str, other: str) -> Difference:
        lines = shares[other] - shares[shown]
        lines[np.abs(lines) < _ROUNDING] = 0.0
        most = int(np.abs(lines).max(axis=1).argmax()) if lines.size else 0
        return Difference(names[most] if len(names) > 1 else "", lines[most])

    return stack_panels(
        group_alike(shares, lambda first, second: visible_distance(first, second, top)), draw, difference,
        edges=edges / unit.length, difference_label="points", size=(width, 1.45),
    )  # fmt: skip


def write_assignments(folder: Path, inst: ColocationInstance, evaluations: list[Evaluation]) -> None:
    """Draw the valid assignments below each other, on the same axes, into `folder`; nothing without any."""
    drawn = {e.policy: e for e in evaluations if e.schedule is not None and e.problem is None}
    if not drawn:
        return
    heights = {policy: drawn_heights(inst, e.schedule) for policy, e in drawn.items()}
    top = 1.05 * max(float(height.max(initial=0.0)) for height in heights.values()) or 1.0

    def draw(ax: Axes, policy: str) -> None:
        bound = drawn[policy].figures["lower_bound"]
        plot_assignment(inst, drawn[policy].schedule, lower_bound=bound, ax=ax)
        ax.set_ylim(0, max(top, 1.05 * bound))

    def difference(shown: str, other: str) -> Difference:
        lines = heights[other] - heights[shown]
        costs = heights[other][inst.n_types :].max(axis=0) - heights[shown][inst.n_types :].max(axis=0)
        return Difference("", costs if costs.any() else lines[np.abs(lines).max(axis=1).argmax()])

    figure = stack_panels(
        group_alike(heights, lambda first, second: visible_distance(first, second, top, shift=0)),
        draw, difference, edges=np.arange(inst.n_machines + 1, dtype=np.float64) - 0.5, difference_label="largest cost",
        size=(8.2, 2.1),
    )  # fmt: skip
    save(figure, folder / ASSIGNMENTS)


def write_pieces_drawing(
    folder: Path,
    inst: ParallelTaskInstance | Instance | MapReduceInstance,
    report: DataReport,
    evaluations: list[Evaluation],
) -> None:
    """Draw the valid schedules below each other, on the same axes, into `folder`; nothing without any.

    Pieces where all have few of them on few machines, otherwise how much of the machines is in use.
    """
    drawn = {e.policy: e.schedule for e in evaluations if _is_drawn(e)}
    if not drawn or not inst.n_jobs:
        return
    last = max(float(schedule.end_time.max(initial=0.0)) for schedule in drawn.values())
    unit = unit_of(report, last) if isinstance(inst, ParallelTaskInstance) else slot_unit(report)
    if inst.n_machines > FEW_MACHINES or any(len(schedule) > FEW_JOBS for schedule in drawn.values()):
        shares = {policy: task_shares(inst, schedule, _COLUMNS, last) for policy, schedule in drawn.items()}
        edges = next(iter(shares.values()))[0]
        percent = {policy: 100 * share.T for policy, (_, share) in shares.items()}
        save(_use(percent, edges, inst.machines.resource_names, unit, 8.2), folder / PIECES)
        return
    pixels = {
        policy: painted_jobs(inst, schedule, last, (_ROWS, _COLUMNS)) for policy, schedule in drawn.items()
    }

    def draw(ax: Axes, policy: str) -> None:
        plot_pieces(inst, drawn[policy], unit=unit, until=last, ax=ax)

    figure = stack_panels(
        group_alike(pixels, lambda first, second: float(share_repainted(first, second).max(initial=0.0))),
        draw, lambda shown, other: Difference("", 100 * share_repainted(pixels[shown], pixels[other], shift=0)),
        edges=np.linspace(0.0, last or 1.0, _COLUMNS + 1) / unit.length,
        difference_label="% of height", size=(8.2, 0.8 + 0.45 * inst.n_machines),
    )  # fmt: skip
    save(figure, folder / PIECES)


def _is_drawn(evaluation: Evaluation) -> bool:
    return evaluation.schedule is not None and (evaluation.problem is None or evaluation.is_cut_short)


def write_curves(
    folder: Path, inst: Instance | MapReduceInstance, report: DataReport, evaluations: list[Evaluation]
) -> None:
    """Draw how norms of flow times and unfinished work go on over time, side by side; nothing without any schedule."""
    drawn = {e.policy: e.schedule for e in evaluations if _is_drawn(e)}
    if not drawn or not inst.n_jobs:
        return
    kept: dict[str, dict[str, Any]] = {
        policy: curves_of(inst, schedule) for policy, schedule in drawn.items()
    }
    first = next(iter(kept.values()))
    figure = new_figure(11.0, 4.4)
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
    save(figure, folder / CURVES, least=_LEAST)
