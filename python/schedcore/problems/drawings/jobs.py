"""Drawings of policies on a list of jobs: the objectives as bars, queuing delays, and the use of the machines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from schedcore.metrics import binned_share_down, binned_utilisation, queuing_delay
from schedcore.plotting import (
    most_demanded,
    plot_awct_bars,
    plot_delay_quantiles,
    until_most_are_done,
)
from schedcore.plotting.layout import new_figure
from schedcore.plotting.objective import bars_height
from schedcore.problems.drawings.usage import COLUMNS, draw_usage
from schedcore.problems.evaluation import Comparison
from schedcore.problems.problem import Drawing, Objective
from schedcore.problems.time_units import origin_of, own_unit, unit_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["DELAYS_DRAWING", "USE_DRAWING", "objective_drawing", "shown_stretch"]

_WIDTH = 6.6  # inches


def objective_drawing(name: str, label: str, objective: Objective) -> Drawing:
    """A bar a policy, where one of them is made for the objective; `label` is that of the axis."""

    def values_of(comparison: Comparison) -> dict[str, float]:
        drawn = [found for found in comparison.evaluations if found.schedule is not None]
        if all(found.objective != objective.name for found in drawn):
            return {}
        return {found.policy: found.figures[objective.figure] for found in drawn}

    def draw_into(comparison: Comparison, ax: Axes) -> bool:
        values = values_of(comparison)
        if values:
            unit = unit_of(comparison.report, max(values.values()))
            plot_awct_bars(values, comparison.bounds[objective.name] or None, unit=unit, ax=ax)
            ax.set_xlabel(f"{label} ({unit.name})")
        return bool(values)

    def draw(comparison: Comparison) -> Figure | None:
        values = values_of(comparison)
        if not values:
            return None
        figure = new_figure(_WIDTH, bars_height(values))
        draw_into(comparison, figure.subplots())
        return figure

    return Drawing(name, draw, f"{label[0].upper()}{label[1:]}", on_axes=draw_into)


def _draw_delays(comparison: Comparison) -> Figure | None:
    figure = new_figure(_WIDTH, 3.9)
    return figure if _draw_delays_into(comparison, figure.subplots()) else None


def _draw_delays_into(comparison: Comparison, ax: Axes) -> bool:
    ran = comparison.completed
    if ran:
        delays = {policy: np.sort(queuing_delay(*found)) for policy, found in ran.items()}
        plot_delay_quantiles(delays, unit=own_unit(comparison.report), ax=ax)
    return bool(ran)


def _draw_use(comparison: Comparison) -> Figure | None:
    inst, ran = comparison.inst, comparison.completed
    if not ran:
        return None
    between = shown_stretch(ran)
    resources = most_demanded(inst)
    names = [inst.machines.resource_names[resource] for resource in resources]
    shares = {}
    for found in comparison.evaluations:
        if found.schedule is None:
            continue
        edges, share = binned_utilisation(*found.whole(inst), COLUMNS, between)
        shares[found.policy] = 100 * share[:, resources].T
    down = 100 * binned_share_down(inst, comparison.incidents, edges)[:, resources].T
    unit = unit_of(comparison.report, between[1])
    return draw_usage(shares, edges, names, unit, _WIDTH, down, origin_of(comparison.report))


def shown_stretch(ran: dict[str, tuple[Any, Any]]) -> tuple[float, float]:
    """From the first release until every policy has completed 99 % of its jobs."""
    stretches = [until_most_are_done(part, [done]) for part, done in ran.values()]
    return min(first for first, _ in stretches), max(last for _, last in stretches)


DELAYS_DRAWING = Drawing(
    "queuing_delay.png", _draw_delays, "How long jobs wait", least=(3.6, 2.6), on_axes=_draw_delays_into
)
USE_DRAWING = Drawing("utilisation.png", _draw_use, "Use of the machines over time")
