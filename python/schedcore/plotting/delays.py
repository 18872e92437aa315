"""Distribution of the queuing delay of several policies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from schedcore.metrics import queuing_delay
from schedcore.plotting.readable import TimeUnit, readable_unit
from schedcore.plotting.style import axes_or_new, lighten, series

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from schedcore.model import Instance, Schedule

# Shares of the diagonal of the Axes; lines that coincide are told apart by markers at different places.
_MARKER_SPACING = 0.25
_MARKER_STAGGER = 0.04


def plot_queuing_delay_cdf(
    inst: Instance,
    schedules: Mapping[str, Schedule],
    *,
    unit: TimeUnit | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the share of jobs that waited at most so long, one step line a policy.

    Parameters
    ----------
    inst : Instance
        Times in seconds.
    schedules : mapping of str to Schedule
        Policy to schedule of `inst`.
    unit : TimeUnit, optional
        Unit of the time axis; by default seconds to days, whichever suits the longest delay.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The time axis is linear up to one unit, so that jobs without any delay are seen, and logarithmic
        beyond. Each line has one step for every distinct delay; its value at 0 is the share of jobs that did
        not wait.
    """
    delays = {policy: np.sort(queuing_delay(inst, schedule)) for policy, schedule in schedules.items()}
    longest = max((float(delay[-1]) for delay in delays.values() if len(delay)), default=0.0)
    unit = readable_unit(longest) if unit is None else unit
    right = max(1.0, longest / unit.length) * 1.15
    ax = axes_or_new(ax)
    for index, (policy, ascending) in enumerate(delays.items()):
        distinct = np.unique(np.append(ascending, 0.0))
        share = np.searchsorted(ascending, distinct, side="right") / max(len(ascending), 1)
        look = series(index)
        ax.step(
            np.append(distinct / unit.length, right), np.append(share, share[-1]),
            where="post", label=policy, color=look.colour, linestyle=look.line, linewidth=look.width,
            marker=look.marker, markersize=5, markerfacecolor="white",
            markevery=(_MARKER_STAGGER * index, _MARKER_SPACING),
        )  # fmt: skip
    ax.set_xscale("symlog", linthresh=1.0, linscale=0.6, subs=range(2, 10))
    ax.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    ax.set_xlim(0, right)
    ax.set_ylim(0, 1.02)
    lighten(ax, grid_axis="both")
    ax.set_xlabel(f"queuing delay ({unit.name})")
    ax.set_ylabel("share of jobs")
    if delays:
        # Above the axes: a curve may run anywhere inside them.
        ax.legend(
            frameon=False, fontsize="small", loc="lower left", bbox_to_anchor=(0, 1.0), ncols=3,
            borderaxespad=0.2, handlelength=3.2, columnspacing=1.4,
        )  # fmt: skip
    return ax
