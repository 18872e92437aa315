"""Shares of the capacity over time: one step line a resource, on an axis as high as the data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from schedcore.plotting.dates import label_time
from schedcore.plotting.readable import TimeUnit
from schedcore.plotting.scales import round_up
from schedcore.plotting.style import DOWN, axes_or_new, legend_above, lighten, series

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_WHOLE = 104.0  # percent: the line at 100 is seen
_HALF = 50.0
_ROOM = 1.04
_VISIBLE = 0.1  # percent


def top_of(percent: float) -> float:
    """The upper end of an axis for shares up to so much: all of the capacity, unless less than half is ever in use."""
    return _WHOLE if percent >= _HALF or percent <= 0 else min(_WHOLE, _ROOM * round_up(percent))


def draw_shares(
    edges: NDArray[np.float64],
    percent: NDArray[np.float64],
    names: Sequence[str],
    *,
    unit: TimeUnit,
    origin: str | None = None,
    top: float | None = None,
    down: NDArray[np.float64] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw step lines with a legend.

    Parameters
    ----------
    edges : (n_bins + 1,) float64
        Ends of the steps, in the time unit of the instance.
    percent : (n_names, n_bins) float64
    names : sequence of str
        Of the resources.
    unit : TimeUnit
    origin : str, optional
        The date of time 0: the time axis then shows dates.
    top : float, optional
        Upper end of the axis; by default `top_of` the highest share.
    down : (n_names, n_bins) float64, optional
        Percent that are down. That of the first resource is shaded from above, and named where others differ. The axis
        then shows all of the capacity, unless `top` says otherwise.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure.
    """
    ax = axes_or_new(ax)
    highest = float(percent.max(initial=0.0))
    for index, (name, line) in enumerate(zip(names, percent, strict=True)):
        look = series(index)
        ax.stairs(
            line, edges / unit.length, baseline=None, label=name, color=look.colour, linestyle=look.line,
            linewidth=look.width * 0.8,
        )  # fmt: skip
    if down is not None and down.any():
        highest = _WHOLE
        differs = bool((np.abs(down - down[0]) > _VISIBLE).any())
        ax.stairs(
            np.full(down.shape[1], 100.0), edges / unit.length, baseline=100.0 - down[0], fill=True,
            label=f"down ({names[0]})" if differs else "down", zorder=0.5, **DOWN,
        )  # fmt: skip
    if edges[-1] > edges[0]:
        ax.set_xlim(edges[0] / unit.length, edges[-1] / unit.length)
    ax.set_ylim(0, top_of(highest) if top is None else top)
    lighten(ax, grid_axis="y")
    label_time(ax, unit, origin)
    ax.set_ylabel("capacity in use (%)")
    legend_above(ax)
    return ax
