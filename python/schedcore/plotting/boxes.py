"""Distributions side by side, a box a policy: quartiles, median and mean, 5th and 95th percentile, and all beyond.

The boxes stand on a labelled axis, so they are told apart without colours. Percentiles are interpolated linearly
between the values next to them (type 7, the default of NumPy).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from schedcore.errors import InvalidInstanceError
from schedcore.model.arrays import unmasked
from schedcore.plotting.style import INK, axes_or_new, legend_above, lighten
from schedcore.plotting.style import series as style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_WIDTH, _CAP = 0.56, 0.28  # of boxes and of the ends of whiskers; boxes stand one unit apart
_FILL, _CIRCLE_OPACITY, _CIRCLE = 0.28, 0.55, 2.6
_LETTERS_AN_INCH = 13.0  # of labels side by side
_LABEL_ANGLE = 40


@dataclass(frozen=True, eq=False)
class Box:
    """Where values lie.

    Attributes
    ----------
    n : int
    mean, median : float
    quartiles, whiskers : (float, float)
        25th and 75th, 5th and 95th percentile.
    outside : (k,) float64
        The values below and above the whiskers, in ascending order.
    largest : float
    """

    n: int
    mean: float
    median: float
    quartiles: tuple[float, float]
    whiskers: tuple[float, float]
    outside: NDArray[np.float64]
    largest: float

    @classmethod
    def of(cls, values: ArrayLike) -> Box:
        """The box of at least one number; O(n log n).

        Raises
        ------
        InvalidInstanceError
            Without a value, and for values that are no column of finite numbers.
        """
        column = np.sort(np.asarray(unmasked(values, "values"), dtype=np.float64), axis=None)
        if np.ndim(values) != 1 or not len(column) or not np.isfinite(column).all():
            raise InvalidInstanceError(
                f"a box needs a column of finite numbers, at least one; the values have shape {np.shape(values)}"
            )
        low, first, median, third, high = (float(p) for p in np.percentile(column, (5, 25, 50, 75, 95)))
        outside = column[(column < low) | (column > high)]
        mean, largest = float(column.mean()), float(column[-1])
        return cls(len(column), mean, median, (first, third), (low, high), outside, largest)


def plot_boxes(
    values: Mapping[str, ArrayLike],
    *,
    y_label: str,
    lower_bound: float | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw a box for each column of values: line = median, diamond = mean, circles = beyond the whiskers.

    Parameters
    ----------
    values : mapping of str to (n,) array_like
        What the axis calls a box, and its values; a name without values has no box.
    y_label : str
        Label of the vertical axis, with its unit.
    lower_bound : float, optional
        What no value can fall below, such as 1 for ratios to a bound; a dashed line.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The vertical axis shows all values, and need not contain 0: a box has no height that stands for a number.

    Raises
    ------
    InvalidInstanceError
        For values that are no column of finite numbers.
    """
    ax = axes_or_new(ax, height=4.1)
    columns = [np.asarray(column, dtype=np.float64) for column in values.values()]
    for place, column in enumerate(columns):
        if column.size:
            _draw(ax, place, Box.of(column))
    if lower_bound is not None:
        ax.axhline(lower_bound, color=INK, linewidth=1.0, linestyle=(0, (4, 2)), zorder=1.2)
    lighten(ax, grid_axis="y")
    ax.set_xlim(-0.6, max(len(columns), 1) - 0.4)
    room = ax.get_window_extent().width / ax.figure.dpi * _LETTERS_AN_INCH
    crowded = len(values) * (max(map(len, values), default=0) + 1) > room
    ax.set_xticks(range(len(columns)), list(values))
    if crowded:
        for label in ax.get_xticklabels():
            label.set(rotation=_LABEL_ANGLE, ha="right", rotation_mode="anchor")
    ax.tick_params(axis="x", length=0)
    ax.set_ylabel(y_label)
    legend_above(ax)
    return ax


def _draw(ax: Axes, place: int, box: Box) -> None:
    look = style(place)
    line = {"color": look.colour, "linewidth": 1.2}
    ax.bxp(
        [{"med": box.median, "q1": box.quartiles[0], "q3": box.quartiles[1], "whislo": box.whiskers[0],
          "whishi": box.whiskers[1], "fliers": box.outside, "mean": box.mean}],
        positions=[place], widths=_WIDTH, capwidths=_CAP, patch_artist=True, showmeans=True, manage_ticks=False,
        boxprops={"facecolor": (look.colour, _FILL), "edgecolor": look.colour, "linewidth": 1.2},
        whiskerprops=line, capprops=line, medianprops={"color": INK, "linewidth": 2.0},
        flierprops={"marker": "o", "markersize": _CIRCLE, "markerfacecolor": "none", "markeredgewidth": 0.6,
                    "markeredgecolor": look.colour, "alpha": _CIRCLE_OPACITY},
        meanprops={"marker": "D", "markersize": 5.0, "markerfacecolor": "white", "markeredgecolor": INK},
    )  # fmt: skip
