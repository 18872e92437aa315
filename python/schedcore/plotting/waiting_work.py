"""The work that waits over time, by the reason for which it does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from schedcore.metrics.resource_choice import resource_index
from schedcore.metrics.waiting_reasons import REASONS, WaitingReasons
from schedcore.model import Instance
from schedcore.plotting.dates import label_time
from schedcore.plotting.readable import TimeUnit, readable_unit
from schedcore.plotting.style import axes_or_new, legend_above, lighten, note, series

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_waiting_reasons(
    inst: Instance,
    reasons: WaitingReasons,
    *,
    resource: int | str = 0,
    n_bins: int = 200,
    unit: TimeUnit | None = None,
    origin: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the waiting work over time, the reasons stacked on each other.

    Parameters
    ----------
    inst : Instance
        Times in seconds.
    reasons : WaitingReasons
        Of `schedcore.metrics.waiting_reasons`, of a result of this instance.
    resource : int or str, default 0
        Index or name. Whose work: the demand of the jobs that wait times how long they are going to run, shown as the
        time that the whole cluster takes for it.
    n_bins : int, default 200
        Each step is the mean over one of so many equal stretches of time.
    unit : TimeUnit, optional
        Unit of both axes; by default seconds to days, whichever reads best.
    origin : str, optional
        The date of time 0 in ISO 8601, such as `DataReport.origin`: the time axis then shows dates.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        With nothing but a note where no job waits.

    Raises
    ------
    InvalidInstanceError
        If there is no such resource, or the instance has another number of jobs than the reasons.
    """
    column = resource_index(inst, resource)
    work = reasons.waiting_work(inst, column)
    if len(reasons) == 0:
        return note("no job waits", ax)
    first, last = float(reasons.start_time.min()), float(reasons.end_time.max())
    unit = readable_unit(last) if unit is None else unit
    edges = np.linspace(first, last, n_bins + 1)
    axes = axes_or_new(ax)
    capacity = max(1.0, float(inst.machines.capacity[:, column].sum(dtype=np.float64)))
    below = np.zeros(n_bins)
    for number, reason in enumerate(REASONS):
        if reason not in work:
            continue
        above = below + work[reason].binned_mean(edges) / (capacity * unit.length)
        look = series(number)
        axes.stairs(
            above,
            edges / unit.length,
            baseline=below,
            fill=True,
            facecolor=look.colour,
            edgecolor="white",
            hatch=look.hatch,
            linewidth=0.0,
            label=reason,
        )
        below = above
    axes.set_xlim(first / unit.length, last / unit.length)
    axes.set_ylim(0, max(float(below.max(initial=0)) * 1.05, 1e-9))
    lighten(axes, "y")
    label_time(axes, unit, origin)
    axes.set_ylabel(f"waiting work ({unit.name} of all {inst.machines.resource_names[column]})")
    legend_above(axes)
    return axes
