"""Average weighted completion time of several policies as bars, with the proven lower bound."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

from schedcore.errors import InvalidInstanceError
from schedcore.plotting.readable import TimeUnit, percent, readable_unit, significant
from schedcore.plotting.style import INK, axes_or_new, lighten, series

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_awct_bars(
    awct: Mapping[str, float],
    lower_bound: float | None = None,
    *,
    half_width: Mapping[str, float] | None = None,
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
    half_width : mapping of str to float, optional
        Half the width of the 95 % confidence interval of a value, in seconds, drawn as a whisker. None is drawn
        for a policy that is not named or has NaN (a single replicate).
    unit : TimeUnit, optional
        Unit of the axis; by default seconds to days, whichever reads best.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    InvalidInstanceError
        If `half_width` names a policy without a value, or one is negative.
    """
    whisker = _whiskers(awct, {} if half_width is None else half_width)
    largest = max((seconds + whisker.get(policy, 0.0) for policy, seconds in awct.items()), default=0.0)
    unit = readable_unit(largest) if unit is None else unit
    ax = axes_or_new(ax, height=1.25 + 0.42 * max(len(awct), 1))
    for index, (policy, seconds) in enumerate(awct.items()):
        look = series(index)
        ax.barh(
            policy, seconds / unit.length, height=0.68,
            facecolor=(look.colour, 0.25), edgecolor=look.colour, hatch=look.hatch, linewidth=1.0,
        )  # fmt: skip
        if policy in whisker:
            ax.errorbar(
                seconds / unit.length, index, xerr=whisker[policy] / unit.length, fmt="none",
                ecolor=INK, elinewidth=1.3, capsize=3.5, capthick=1.3,
            )  # fmt: skip
        reach = seconds + whisker.get(policy, 0.0)
        ax.annotate(
            _bar_label(seconds, unit, lower_bound), (reach / unit.length, index),
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


def _whiskers(awct: Mapping[str, float], half_width: Mapping[str, float]) -> dict[str, float]:
    for policy, seconds in half_width.items():
        if policy not in awct:
            raise InvalidInstanceError(f"half_width names {policy!r}, which has no value")
        if seconds < 0:
            raise InvalidInstanceError(f"half_width of {policy!r} = {seconds} must be at least 0")
    return {policy: seconds for policy, seconds in half_width.items() if not math.isnan(seconds)}


def _bar_label(seconds: float, unit: TimeUnit, lower_bound: float | None) -> str:
    value = significant(seconds / unit.length)
    if not lower_bound:
        return value
    return f"{value}  (+{percent(seconds / lower_bound - 1)})"
