"""Drawings of policies on a list of jobs: the objectives as bars, queuing delays, and the use of the machines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from schedcore.metrics import binned_utilisation
from schedcore.plotting import (
    most_demanded,
    plot_awct_bars,
    plot_queuing_delay_cdf,
    until_most_are_done,
)
from schedcore.plotting.layout import new_figure
from schedcore.plotting.objective import bars_height
from schedcore.problems.drawings.usage import COLUMNS, draw_usage
from schedcore.problems.evaluation import Comparison
from schedcore.problems.problem import Drawing, Objective
from schedcore.problems.time_units import own_unit, unit_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["DELAYS_DRAWING", "USE_DRAWING", "objective_drawing"]

_WIDTH = 6.6  # inches


def objective_drawing(name: str, label: str, objective: Objective) -> Drawing:
    """A bar a policy, where one of them is made for the objective; `label` is that of the axis."""

    def draw(comparison: Comparison) -> Figure | None:
        drawn = [found for found in comparison.evaluations if found.schedule is not None]
        if all(found.objective != objective.name for found in drawn):
            return None
        values = {found.policy: found.figures[objective.figure] for found in drawn}
        unit = unit_of(comparison.report, max(values.values()))
        figure = new_figure(_WIDTH, bars_height(values))
        bound = comparison.bounds[objective.name] or None
        ax = plot_awct_bars(values, bound, unit=unit, ax=figure.subplots())
        ax.set_xlabel(f"{label} ({unit.name})")
        return figure

    return Drawing(name, draw)


def _draw_delays(comparison: Comparison) -> Figure | None:
    schedules = _schedules(comparison)
    if not schedules:
        return None
    figure = new_figure(_WIDTH, 3.9)
    plot_queuing_delay_cdf(comparison.inst, schedules, unit=own_unit(comparison.report), ax=figure.subplots())
    return figure


def _draw_use(comparison: Comparison) -> Figure | None:
    inst, schedules = comparison.inst, _schedules(comparison)
    if not schedules:
        return None
    between = until_most_are_done(inst, schedules.values())
    resources = most_demanded(inst)
    names = [inst.machines.resource_names[resource] for resource in resources]
    shares = {}
    for policy, schedule in schedules.items():
        edges, share = binned_utilisation(inst, schedule, COLUMNS, between)
        shares[policy] = 100 * share[:, resources].T
    return draw_usage(shares, edges, names, unit_of(comparison.report, between[1]), _WIDTH)


def _schedules(comparison: Comparison) -> dict[str, Any]:
    """The schedules of the policies that did not fail, infeasible ones too."""
    return {found.policy: found.schedule for found in comparison.evaluations if found.schedule is not None}


DELAYS_DRAWING = Drawing("queuing_delay.png", _draw_delays, least=(3.6, 2.6))
USE_DRAWING = Drawing("utilisation.png", _draw_use)
