"""The schedules of pieces below each other, on the same axes.

Pieces where all have few of them on few machines, otherwise how much of the machines is in use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from schedcore.plotting import plot_pieces
from schedcore.plotting.alike import group_alike, share_repainted
from schedcore.plotting.panel import FEW_JOBS, FEW_MACHINES
from schedcore.plotting.pieces import painted_jobs
from schedcore.plotting.stack import Difference, stack_panels
from schedcore.plotting.task_usage import task_shares
from schedcore.problems.drawings.usage import COLUMNS, draw_usage
from schedcore.problems.evaluation import Comparison
from schedcore.problems.problem import Drawing
from schedcore.problems.time_units import UnitChoice, origin_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["pieces_drawing"]

_ROWS = 200  # in which panels are compared
_WIDTH = 8.2  # inches


def pieces_drawing(unit_of: UnitChoice) -> Drawing:
    """The drawing, with times in the unit that `unit_of` chooses."""
    return Drawing(
        "pieces.png", lambda comparison: _draw_pieces(comparison, unit_of), "What runs when, and where"
    )


def _draw_pieces(comparison: Comparison, unit_of: UnitChoice) -> Figure | None:
    inst, drawn = comparison.inst, comparison.drawn
    if not drawn or not inst.n_jobs:
        return None
    last = max(float(schedule.end_time.max(initial=0.0)) for schedule in drawn.values())
    unit, origin = unit_of(comparison.report, last), origin_of(comparison.report)
    if inst.n_machines > FEW_MACHINES or any(len(schedule) > FEW_JOBS for schedule in drawn.values()):
        shares = {policy: task_shares(inst, schedule, COLUMNS, last) for policy, schedule in drawn.items()}
        edges = next(iter(shares.values()))[0]
        percent = {policy: 100 * share.T for policy, (_, share) in shares.items()}
        return draw_usage(percent, edges, inst.machines.resource_names, unit, _WIDTH, origin=origin)
    pixels = {
        policy: painted_jobs(inst, schedule, last, (_ROWS, COLUMNS)) for policy, schedule in drawn.items()
    }

    def draw(ax: Axes, policy: str) -> None:
        plot_pieces(inst, drawn[policy], unit=unit, origin=origin, until=last, ax=ax)

    return stack_panels(
        group_alike(pixels, lambda first, second: float(share_repainted(first, second).max(initial=0.0))),
        draw, lambda shown, other: Difference("", 100 * share_repainted(pixels[shown], pixels[other], shift=0)),
        edges=np.linspace(0.0, last or 1.0, COLUMNS + 1) / unit.length,
        difference_label="% of height", size=(_WIDTH, 0.8 + 0.45 * inst.n_machines),
    )  # fmt: skip
