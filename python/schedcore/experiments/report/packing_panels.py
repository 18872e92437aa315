"""Usage over time, one panel a policy below each other, from the schedules that cells kept."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from schedcore.errors import InvalidInstanceError
from schedcore.experiments.report.figure_texts import label, time_unit
from schedcore.experiments.results.figure_data import FigureData
from schedcore.experiments.results.outcomes import Outcomes
from schedcore.experiments.running.instances import InstanceCache
from schedcore.model import Schedule
from schedcore.plotting import plot_packing
from schedcore.plotting.layout import name_panel
from schedcore.plotting.style import legend_above
from schedcore.problems import problem_of
from schedcore.problems.kept_columns import STARTS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw_packing"]


def draw_packing(outcomes: Outcomes, data: FigureData, ax: Axes) -> None:
    """One panel a policy, below each other, of the first job set that any has finished."""
    job_set = min(
        cell.job_set
        for points in data.series.values()
        for cell in points[0].cells
        if cell.job_set in points[0].values
    )
    drawn = {
        policy: cell
        for policy, points in data.series.items()
        for cell in points[0].cells
        if cell.job_set == job_set and job_set in points[0].values
    }
    panels = [ax]
    if len(drawn) > 1:
        ax.set_axis_off()
        height = 1 / len(drawn)
        panels = [
            ax.inset_axes((0.0, 1 - (row + 0.9) * height, 1.0, 0.8 * height)) for row in range(len(drawn))
        ]
    instances = InstanceCache()
    large = outcomes.large_columns("start_time", "machine")
    rows = {row["cell"]: row for row in outcomes.rows}
    for panel, (policy, cell) in zip(panels, drawn.items(), strict=True):
        # Whether to run on it was decided when it ran.
        inst: Any = instances.get(replace(cell, allow_loss=True), outcomes.files)
        if inst.content_hash() != rows[cell.key]["workload_hash"]:
            raise InvalidInstanceError(
                f"{cell.source} makes another instance now than when the experiment ran"
            )
        assert STARTS in problem_of(inst).keeps, "a packing is shown of what starts once, on one machine"
        schedule = Schedule(large[cell.key]["start_time"], large[cell.key]["machine"])
        plot_packing(
            inst, schedule, highlight=data.figure.highlight, between=_all_of(inst, large, drawn.values()),
            unit=time_unit(data), ax=panel,
        )  # fmt: skip
        name_panel(panel, label(policy))
        for rectangles in panel.collections:
            rectangles.set_rasterized(True)  # thousands of them: an SVG of megabytes otherwise
        legend = panel.get_legend()
        if panel is not ax and legend is not None:
            legend.remove()
        if panel is not panels[-1]:
            panel.set_xlabel("")
            panel.tick_params(labelbottom=False)
    if len(panels) > 1:
        legend_above(ax, panels)


def _all_of(inst: Any, large: dict[str, dict[str, Any]], cells: Iterable[Any]) -> tuple[float, float]:
    """From 0 until the last of the policies has completed all jobs, so that the panels share one axis."""
    ends = [float((large[cell.key]["start_time"] + inst.processing_time).max(initial=0.0)) for cell in cells]
    return 0.0, max(ends, default=0.0)
