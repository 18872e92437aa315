"""Distribution of the queuing delay of several policies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from schedcore.errors import InvalidInstanceError
from schedcore.metrics import queuing_delay
from schedcore.model.arrays import unmasked
from schedcore.plotting.readable import TimeUnit, readable_unit
from schedcore.plotting.style import axes_or_new, legend_above, lighten, series

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
    return _draw_shares(
        {policy: np.sort(queuing_delay(inst, schedule)) for policy, schedule in schedules.items()}, unit, ax
    )


def plot_delay_quantiles(
    quantiles: Mapping[str, ArrayLike], *, unit: TimeUnit | None = None, ax: Axes | None = None
) -> Axes:
    """Draw distribution functions of the queuing delay from quantiles, such as means over several job sets.

    Parameters
    ----------
    quantiles : mapping of str to (k,) array_like
        Policy to delays in seconds, ascending: the i-th is the delay that the share (i + 1) / k of the jobs
        did not exceed. Every policy may have a k of its own.
    unit : TimeUnit, optional
        Unit of the time axis; by default seconds to days, whichever suits the longest delay.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        As from `plot_queuing_delay_cdf`, to which the quantiles of one job set with k = n_jobs are the same.

    Raises
    ------
    InvalidInstanceError
        If the delays of a policy are not one ascending column of numbers.
    """
    return _draw_shares(
        {policy: _ascending(policy, delays) for policy, delays in quantiles.items()}, unit, ax
    )


def _ascending(policy: str, delays: ArrayLike) -> NDArray[np.float64]:
    column = np.asarray(unmasked(delays, f"the quantiles of {policy!r}"), dtype=np.float64)
    if column.ndim != 1:
        raise InvalidInstanceError(f"the quantiles of {policy!r} have shape {column.shape}; need one column")
    wrong = np.flatnonzero(~np.isfinite(column) | (np.diff(column, prepend=-np.inf) < 0))
    if len(wrong):
        raise InvalidInstanceError(
            f"quantile {wrong[0]} of {policy!r} = {column[wrong[0]]} must be finite and ascending"
        )
    return column


def _draw_shares(delays: Mapping[str, NDArray[np.float64]], unit: TimeUnit | None, ax: Axes | None) -> Axes:
    """One step line for each policy's ascending delays; each of k delays stands for 1 / k of the jobs."""
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
    legend_above(ax)
    return ax
