"""Means side by side where the parameter is a name or a few values: a group of bars a value, a bar a policy."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from schedcore.errors import InvalidInstanceError
from schedcore.model.arrays import unmasked
from schedcore.plotting.readable import significant
from schedcore.plotting.style import INK, axes_or_new, legend_above, lighten, series

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_WIDTH = 0.84  # of a group; groups stand one unit apart
_HEADROOM = 1.16  # above the highest bar, for its number


def plot_groups(
    groups: Sequence[str],
    means: Mapping[str, ArrayLike],
    *,
    half_width: Mapping[str, ArrayLike] | None = None,
    lower_bound: ArrayLike | None = None,
    looks: Sequence[int] | None = None,
    x_label: str = "",
    y_label: str,
    ax: Axes | None = None,
) -> Axes:
    """Draw for each group one bar a policy, upright, with its number above it; the vertical axis begins at 0.

    Parameters
    ----------
    groups : sequence of str
        What the axis calls each group.
    means : mapping of str to (n_groups,) array_like
        What the legend calls a policy, and its values; NaN where it has none, which leaves a gap.
    half_width : mapping of str to (n_groups,) array_like, optional
        Half the width of the confidence interval of each value, drawn as a whisker; NaN for none.
    lower_bound : (n_groups,) array_like, optional
        What no value of a group can fall below, a dashed line across it; NaN for none.
    looks : sequence of int, optional
        Which look each policy has, where some of several panels show only some of the policies; by default 0, 1, ...
    x_label, y_label : str
        Labels of the axes, with units.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    InvalidInstanceError
        If a policy, the half widths or the bounds do not have one number a group.
    """
    bars = {policy: _checked(policy, values, groups) for policy, values in means.items()}
    whiskers = {policy: _checked(policy, values, groups) for policy, values in (half_width or {}).items()}
    ax = axes_or_new(ax, height=4.1)
    width = _WIDTH / max(len(bars), 1)
    highest = 0.0
    for index, (policy, values) in enumerate(bars.items()):
        look = series(index if looks is None else looks[index])
        places = np.arange(len(groups)) + (index - (len(bars) - 1) / 2) * width
        shown = np.isfinite(values)
        ax.bar(
            places[shown], values[shown], width=0.92 * width, label=policy,
            facecolor=(look.colour, 0.25), edgecolor=look.colour, hatch=look.hatch, linewidth=1.0,
        )  # fmt: skip
        reach = values + np.nan_to_num(whiskers.get(policy, np.zeros(len(groups))))
        drawn = shown & np.isfinite(whiskers.get(policy, np.full(len(groups), np.nan)))
        if drawn.any():
            ax.errorbar(
                places[drawn], values[drawn], yerr=whiskers[policy][drawn], fmt="none",
                ecolor=INK, elinewidth=1.1, capsize=2.5, capthick=1.1,
            )  # fmt: skip
        for place, value, top in zip(places[shown], values[shown], reach[shown], strict=True):
            ax.annotate(
                significant(float(value)), (float(place), float(top)), xytext=(0, 3),
                textcoords="offset points", ha="center", va="bottom", fontsize="x-small", color=INK,
                rotation=0 if len(bars) <= 3 and len(groups) <= 4 else 90,
            )  # fmt: skip
        highest = max(highest, *reach[shown].tolist(), 0.0)
    _draw_bounds(ax, groups, lower_bound)
    lighten(ax, grid_axis="y")
    ax.set_xlim(-0.55, max(len(groups), 1) - 0.45)
    ax.set_ylim(0, _HEADROOM * highest or 1.0)
    ax.set_xticks(range(len(groups)), list(groups))
    ax.tick_params(axis="x", length=0)
    ax.set_xlabel(x_label)
    ax.set_ylabel(y_label)
    legend_above(ax)
    return ax


def _draw_bounds(ax: Axes, groups: Sequence[str], lower_bound: ArrayLike | None) -> None:
    if lower_bound is None:
        return
    label: str | None = "lower bound"
    for place, bound in enumerate(_checked("lower_bound", lower_bound, groups).tolist()):
        if math.isfinite(bound):
            ends = (place - 0.5 * _WIDTH, place + 0.5 * _WIDTH)
            ax.plot(ends, (bound, bound), color=INK, linewidth=1.2, linestyle=(0, (4, 2)), label=label)
            label = None


def _checked(name: str, values: ArrayLike, groups: Sequence[str]) -> np.ndarray:
    column = np.asarray(unmasked(values, name), dtype=np.float64)
    if column.shape != (len(groups),):
        raise InvalidInstanceError(
            f"{name} has shape {column.shape}; need a number for each of {len(groups)} groups"
        )
    return column
