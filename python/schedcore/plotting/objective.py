"""Average weighted completion time of several policies as bars, with the proven lower bound."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING

from schedcore.errors import InvalidInstanceError
from schedcore.plotting.layout import LEAST_WIDTH
from schedcore.plotting.readable import TimeUnit, percent, readable_unit, significant, wrapped_to
from schedcore.plotting.style import INK, MEDIUM, SMALL, axes_or_new, em_width, lighten, series

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LETTERS_OF_A_NAME = 34
_BEYOND_BOUND = 1.02
_TO_LABEL = 5.0  # points, from a bar to its number
_MOST_OF_LABEL = 0.6  # of the width: the bars keep the rest
_WHOLE = 0.7  # an Axes at least as wide as that share of the figure is taken for its only column
_BESIDE = 0.45  # inches, of what else stands beside a drawing


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
    names = {policy: wrapped_to(policy, _LETTERS_OF_A_NAME) for policy in awct}
    ax = axes_or_new(ax, height=bars_height(awct))
    labels = {policy: _bar_label(seconds, unit, lower_bound) for policy, seconds in awct.items()}
    right = 0.0
    for index, (policy, seconds) in enumerate(awct.items()):
        look = series(index)
        ax.barh(
            index, seconds / unit.length, height=0.68,
            facecolor=(look.colour, 0.25), edgecolor=look.colour, hatch=look.hatch, linewidth=1.0,
        )  # fmt: skip
        if policy in whisker:
            ax.errorbar(
                seconds / unit.length, index, xerr=whisker[policy] / unit.length, fmt="none",
                ecolor=INK, elinewidth=1.3, capsize=3.5, capthick=1.3,
            )  # fmt: skip
        reach = seconds + whisker.get(policy, 0.0)
        ax.annotate(
            labels[policy], (reach / unit.length, index),
            xytext=(_TO_LABEL, 0), textcoords="offset points", va="center", fontsize="small", color=INK,
        )  # fmt: skip
        label = (em_width(labels[policy]) * SMALL + 2 * _TO_LABEL) / 72.0
        right = max(
            right, reach / unit.length / (1.0 - min(label / _room(ax, names.values()), _MOST_OF_LABEL))
        )
    ax.set_yticks(range(len(names)), list(names.values()))
    ax.invert_yaxis()
    lighten(ax, grid_axis="x")
    ax.tick_params(axis="y", length=0)
    ax.set_xlim(0, max(right, _BEYOND_BOUND * (lower_bound or 0.0) / unit.length) or 1.0)
    ax.set_xlabel(f"average weighted completion time ({unit.name})")
    if lower_bound is not None:
        ax.axvline(lower_bound / unit.length, color=INK, linestyle=(0, (4, 2)), linewidth=1.2)
        ax.annotate(
            f"lower bound {significant(lower_bound / unit.length)}", (lower_bound / unit.length, 1.0),
            xycoords=ax.get_xaxis_transform(), xytext=(0, 3), textcoords="offset points",
            ha="center", va="bottom", fontsize="small", color=INK,
        )  # fmt: skip
    return ax


def bars_height(policies: Collection[str]) -> float:
    """Height in inches of a figure of so many bars."""
    return 1.25 + 0.42 * max(len(policies), 1)


def _room(ax: Axes, names: Iterable[str]) -> float:
    """About how many inches wide the drawing will be beside the names of its bars."""
    extent = ax.get_window_extent()
    if extent.width < _WHOLE * ax.figure.bbox.width:
        return extent.width / ax.figure.dpi
    of_names = max(map(em_width, names), default=0.0) * MEDIUM / 72.0
    return max(ax.figure.bbox.width / ax.figure.dpi - of_names - _BESIDE, LEAST_WIDTH)


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
    above = percent(seconds / lower_bound - 1)
    return f"{value}  ({'' if above.startswith('-') else '+'}{above})"
