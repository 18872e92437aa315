"""Distribution of the queuing delay of several policies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from schedcore.errors import InvalidInstanceError
from schedcore.metrics import queuing_delay
from schedcore.model import Instance, Schedule
from schedcore.model.arrays import unmasked
from schedcore.plotting.readable import TimeUnit, readable_time
from schedcore.plotting.scales import choose_scale, round_up
from schedcore.plotting.style import INK, axes_or_new, legend_above, lighten, series

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Shares of the diagonal of the Axes; lines that coincide are told apart by markers at different places.
_MARKER_SPACING = 0.25
_MARKER_STAGGER = 0.04
_LEAST_SPAN = 1e-4  # of the vertical axis: less cannot be labelled


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
        Unit of the time axis; by default seconds to days, whichever suits, and on a logarithmic axis several of
        them, each at its ticks.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        What lies between the 5th and the 95th percentile of the delays above 0 takes up at least half of the time
        axis; for this it is linear, or logarithmic beyond a short linear stretch from 0, or does not show the longest
        delays, which its label then tells. The vertical axis begins above 0 if all lines lie in its upper half. Each
        line has one step for every distinct delay; its value at 0 is the share of jobs that did not wait.
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
        Unit of the time axis; by default seconds to days, whichever suits, and on a logarithmic axis several of
        them, each at its ticks.
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
    scale = choose_scale(delays.values())
    longest = readable_time(scale.largest, unit)
    length = scale.unit_of_times(unit).length
    ax = axes_or_new(ax)
    lowest = 1.0
    for index, (policy, ascending) in enumerate(delays.items()):
        distinct = np.unique(np.append(ascending, 0.0))
        share = np.searchsorted(ascending, distinct, side="right") / max(len(ascending), 1)
        lowest = min(lowest, float(share[np.searchsorted(distinct, scale.low, side="right") - 1]))
        look = series(index)
        # to the right end only, which is where the markers are counted to
        shown = max(1, int(np.searchsorted(distinct, scale.high, side="right")))
        ax.step(
            np.append(distinct[:shown] / length, scale.high / length),
            np.append(share[:shown], share[shown - 1]),
            where="post", label=policy, color=look.colour, linestyle=look.line, linewidth=look.width,
            marker=look.marker, markersize=5, markerfacecolor="white",
            markevery=(_MARKER_STAGGER * index, _MARKER_SPACING),
        )  # fmt: skip
    label = scale.set_times(ax.xaxis, "queuing delay", unit)
    _set_shares(ax, lowest)
    lighten(ax, grid_axis="both")
    ax.set_xlabel(
        label if scale.largest <= scale.high else f"{label}; the longest, {longest}, is beyond the right end"
    )
    ax.set_ylabel("share of jobs")
    legend_above(ax)
    if scale.largest == 0.0 and any(len(column) for column in delays.values()):
        ax.text(0.5, 0.5, "no job waits", transform=ax.transAxes, ha="center", va="center", color=INK)
    return ax


def _set_shares(ax: Axes, lowest: float) -> None:
    """The vertical axis from 0, or from higher up if all lines lie in the upper half."""
    span = 1.0 if lowest < 0.5 else min(1.0, round_up(max(1.1 * (1.0 - lowest), _LEAST_SPAN)))
    if lowest == 1.0:
        span = 1.0
    ax.set_ylim(1.0 - span, 1.0 + 0.02 * span)
