"""Utilisation of the machines over time, one line a resource."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from schedcore.metrics import binned_share_down, binned_utilisation, horizon
from schedcore.model import Incidents, Instance, Runs, Schedule
from schedcore.plotting.readable import TimeUnit, readable_unit
from schedcore.plotting.selection import check_rows
from schedcore.plotting.shares import draw_shares

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_utilisation(
    inst: Instance,
    schedule: Schedule | Runs,
    *,
    incidents: Incidents | None = None,
    resources: Sequence[int] | None = None,
    n_bins: int = 200,
    between: tuple[float, float] | None = None,
    unit: TimeUnit | None = None,
    origin: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the share of the total capacity in use over time as one step line for each resource.

    Parameters
    ----------
    inst, schedule : Instance, Schedule or Runs
        Times in seconds. Runs, where jobs were killed or cancelled.
    incidents : Incidents, optional
        Its failures are shaded, like the outages of the instance.
    resources : sequence of int, optional
        Which resources to draw; by default all.
    n_bins : int, default 200
        Each step is the mean over one of so many equal stretches of time.
    between : (float, float), optional
        Start and end of the time axis; by default first release to last completion.
    unit : TimeUnit, optional
        Unit of the time axis; by default seconds to days, whichever reads best.
    origin : str, optional
        The date of time 0 in ISO 8601, such as `DataReport.origin`: the time axis then shows dates.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The vertical axis shows all of the capacity, or less where less than half of it is ever in use. What was down
        is hatched from above.
    """
    drawn = list(range(inst.n_resources) if resources is None else resources)
    check_rows("resource", drawn, inst.n_resources)
    first, last = horizon(inst, schedule) if between is None else between
    unit = readable_unit(last) if unit is None else unit
    edges, share = binned_utilisation(inst, schedule, n_bins, (first, last))
    return draw_shares(
        edges,
        100 * share[:, drawn].T,
        [inst.machines.resource_names[resource] for resource in drawn],
        unit=unit,
        origin=origin,
        down=100 * binned_share_down(inst, incidents, edges)[:, drawn].T,
        ax=ax,
    )
