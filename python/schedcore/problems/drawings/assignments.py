"""The valid assignments of tasks to machines below each other, on the same axes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from schedcore.plotting import plot_assignment
from schedcore.plotting.alike import group_alike, visible_distance
from schedcore.plotting.assignment import drawn_heights
from schedcore.plotting.stack import Difference, stack_panels
from schedcore.problems.evaluation import Comparison
from schedcore.problems.problem import Drawing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["ASSIGNMENTS_DRAWING"]


def _draw_assignments(comparison: Comparison) -> Figure | None:
    inst, drawn = comparison.inst, comparison.drawn
    if not drawn:
        return None
    bound = max(found.figures["lower_bound"] for found in comparison.evaluations if found.is_drawn)
    heights = {policy: drawn_heights(inst, assignment) for policy, assignment in drawn.items()}
    top = 1.05 * max(float(height.max(initial=0.0)) for height in heights.values()) or 1.0

    def draw(ax: Axes, policy: str) -> None:
        plot_assignment(inst, drawn[policy], lower_bound=bound, ax=ax)
        ax.set_ylim(0, max(top, 1.05 * bound))

    def difference(shown: str, other: str) -> Difference:
        lines = heights[other] - heights[shown]
        costs = heights[other][inst.n_types :].max(axis=0) - heights[shown][inst.n_types :].max(axis=0)
        return Difference("", costs if costs.any() else lines[np.abs(lines).max(axis=1).argmax()])

    return stack_panels(
        group_alike(heights, lambda first, second: visible_distance(first, second, top, shift=0)),
        draw, difference, edges=np.arange(inst.n_machines + 1, dtype=np.float64) - 0.5, difference_label="largest cost",
        size=(8.2, 2.1),
    )  # fmt: skip


ASSIGNMENTS_DRAWING = Drawing("assignments.png", _draw_assignments, "What each machine costs")
