"""Utilisation of the machines over time, one line a resource."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from schedcore.errors import InvalidInstanceError
from schedcore.metrics import binned_utilisation, horizon
from schedcore.plotting.readable import TimeUnit, readable_unit
from schedcore.plotting.style import axes_or_new, legend_above, lighten, series

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from schedcore.model import Instance, Schedule


def plot_utilisation(
    inst: Instance,
    schedule: Schedule,
    *,
    resources: Sequence[int] | None = None,
    n_bins: int = 200,
    between: tuple[float, float] | None = None,
    unit: TimeUnit | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the share of the total capacity in use over time as one step line for each resource.

    Parameters
    ----------
    inst, schedule : Instance, Schedule
        Times in seconds.
    resources : sequence of int, optional
        Which resources to draw; by default all.
    n_bins : int, default 200
        Each step is the mean over one of so many equal stretches of time.
    between : (float, float), optional
        Start and end of the time axis; by default first release to last completion.
    unit : TimeUnit, optional
        Unit of the time axis; by default seconds to days, whichever reads best.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure.

    Returns
    -------
    matplotlib.axes.Axes
    """
    drawn = range(inst.n_resources) if resources is None else resources
    for resource in drawn:
        if not 0 <= resource < inst.n_resources:
            raise InvalidInstanceError(f"resource {resource} must lie in [0, {inst.n_resources})")
    first, last = horizon(inst, schedule) if between is None else between
    unit = readable_unit(last) if unit is None else unit
    edges, share = binned_utilisation(inst, schedule, n_bins, (first, last))
    ax = axes_or_new(ax)
    for index, resource in enumerate(drawn):
        look = series(index)
        ax.stairs(
            100 * share[:, resource], edges / unit.length, baseline=None,
            label=inst.machines.resource_names[resource],
            color=look.colour, linestyle=look.line, linewidth=look.width * 0.8,
        )  # fmt: skip
    if last > first:
        ax.set_xlim(first / unit.length, last / unit.length)
    ax.set_ylim(0, 104)
    lighten(ax, grid_axis="y")
    ax.set_xlabel(f"time ({unit.name})")
    ax.set_ylabel("capacity in use (%)")
    legend_above(ax)
    return ax
