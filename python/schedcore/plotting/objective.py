"""Average weighted completion time of several policies as bars, with the proven lower bound."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from schedcore.plotting.readable import TimeUnit, percent, readable_unit, significant
from schedcore.plotting.style import INK, axes_or_new, lighten, series

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_awct_bars(
    awct: Mapping[str, float],
    lower_bound: float | None = None,
    *,
    unit: TimeUnit | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the average weighted completion time of each policy as a horizontal bar.

    Parameters
    ----------
    awct : mapping of str to float
        Policy to value, in seconds; the first one is drawn on top.
    lower_bound : float, optional
        No schedule has a smaller value; drawn as a dashed line. Each bar then also tells how far it is above.
    unit : TimeUnit, optional
        Unit of the axis; by default seconds to days, whichever reads best.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure.

    Returns
    -------
    matplotlib.axes.Axes
    """
    largest = max(awct.values(), default=0.0)
    unit = readable_unit(largest) if unit is None else unit
    ax = axes_or_new(ax, height=1.25 + 0.42 * max(len(awct), 1))
    for index, (policy, seconds) in enumerate(awct.items()):
        look = series(index)
        ax.barh(
            policy, seconds / unit.length, height=0.68,
            facecolor=(look.colour, 0.25), edgecolor=look.colour, hatch=look.hatch, linewidth=1.0,
        )  # fmt: skip
        ax.annotate(
            _bar_label(seconds, unit, lower_bound), (seconds / unit.length, index),
            xytext=(5, 0), textcoords="offset points", va="center", fontsize="small", color=INK,
        )  # fmt: skip
    ax.invert_yaxis()
    lighten(ax, grid_axis="x")
    ax.tick_params(axis="y", length=0)
    ax.set_xlim(0, 1.3 * largest / unit.length or 1.0)
    ax.set_xlabel(f"average weighted completion time ({unit.name})")
    if lower_bound is not None:
        ax.axvline(lower_bound / unit.length, color=INK, linestyle=(0, (4, 2)), linewidth=1.2)
        ax.annotate(
            f"lower bound {significant(lower_bound / unit.length)}", (lower_bound / unit.length, 1.0),
            xycoords=ax.get_xaxis_transform(), xytext=(0, 3), textcoords="offset points",
            ha="center", va="bottom", fontsize="small", color=INK,
        )  # fmt: skip
    return ax


def _bar_label(seconds: float, unit: TimeUnit, lower_bound: float | None) -> str:
    value = significant(seconds / unit.length)
    if not lower_bound:
        return value
    return f"{value}  (+{percent(seconds / lower_bound - 1)})"
