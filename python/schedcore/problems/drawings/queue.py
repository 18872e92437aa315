"""How long the queue was over time, in jobs and in work, a line a policy."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from schedcore.plotting import most_demanded
from schedcore.plotting.layout import new_figure
from schedcore.plotting.queue import draw_queue, mean_queue
from schedcore.plotting.style import legend_of_figure
from schedcore.problems.drawings.jobs import shown_stretch
from schedcore.problems.drawings.usage import COLUMNS
from schedcore.problems.evaluation import Comparison
from schedcore.problems.problem import Drawing
from schedcore.problems.time_units import origin_of, own_unit

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["QUEUE_DRAWING"]

_WIDTH, _HEIGHT = 6.6, 5.6  # inches


def _draw_queue(comparison: Comparison) -> Figure | None:
    """Jobs above, the work for the most demanded resource below; nothing where no job waits."""
    ran = comparison.completed
    if not ran:
        return None
    between = shown_stretch(ran)
    edges = np.linspace(*between, COLUMNS + 1)
    (resource,) = most_demanded(comparison.inst, 1)
    jobs, work = (
        {policy: mean_queue(*found, edges, column) for policy, found in ran.items()}
        for column in (None, resource)
    )
    if not any(line.any() for line in jobs.values()):
        return None
    unit, origin = own_unit(comparison.report), origin_of(comparison.report)
    figure = new_figure(_WIDTH, _HEIGHT)
    above, below = figure.subplots(2, 1, sharex=True)
    draw_queue(edges, jobs, unit=unit, origin=origin, ax=above)
    name = comparison.inst.machines.resource_names[resource]
    draw_queue(edges, work, unit=unit, origin=origin, work_of=name, ax=below)
    above.set_xlabel("")
    legend_of_figure(figure, (above, below))
    return figure


QUEUE_DRAWING = Drawing("queue.png", _draw_queue, "The queue over time", least=(3.6, 1.6))
