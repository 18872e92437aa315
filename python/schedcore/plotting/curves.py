"""Numbers over time, one line a policy: how work and flow times add up while schedules go on.

The lines have no markers, as their points are places where they were looked at and not measurements of their own, and
no bands, which would cover each other. What is no policy, such as the work that has arrived or a bound, is drawn in
ink, thinner.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from schedcore.errors import InvalidInstanceError
from schedcore.plotting.means import plain_number
from schedcore.plotting.scales import choose_scale
from schedcore.plotting.style import INK, Series, axes_or_new, legend_above, lighten, series

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_HEADROOM = 1.05
_LOWEST_SHARE = 0.2  # of the vertical axis, for the highest policy on a linear one
_ROOM_FOR_LAST_STEP = 0.12
_ALSO = (
    Series(INK, (0, (4, 2)), 1.2, "", ""),
    Series(INK, (0, (1, 1.6)), 1.4, "", ""),
    Series(INK, "-", 0.8, "", ""),
    Series(INK, (0, (6, 1.6, 1.2, 1.6)), 1.1, "", ""),
)


def plot_curves(
    curves: Mapping[str, tuple[ArrayLike, ArrayLike]],
    *,
    also: Mapping[str, tuple[ArrayLike, ArrayLike]] | None = None,
    x_label: str,
    y_label: str,
    log_x: bool = False,
    is_stepped: bool = False,
    ax: Axes | None = None,
) -> Axes:
    """Draw a line for each policy; the vertical axis begins at 0.

    It is linear, unless `also` reaches more than five times as high as all policies; then it is logarithmic beyond a
    short linear stretch, so that the policies are not pressed to its foot, and what is far above them leaves it.

    Parameters
    ----------
    curves : mapping of str to ((k,) array_like, (k,) array_like)
        What the legend calls a line, its ascending places and its heights there, which are not negative; it goes on at
        its last height to the end of the longest. A line without points is left out.
    also : mapping of str to ((k,) array_like, (k,) array_like), optional
        Lines that belong to no policy.
    x_label, y_label : str
        Labels of the axes, with units.
    log_x : bool, default False
        Logarithmic axis; linear all the same if some `x` is not above 0.
    is_stepped : bool, default False
        Lines stay as they are until their next point.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        With a legend if there is more than one line.

    Raises
    ------
    InvalidInstanceError
        If the places and heights of a line are no columns of one length, or places do not ascend.
    """
    ax = axes_or_new(ax, height=4.1)
    lines = [(label, series(index), points) for index, (label, points) in enumerate(curves.items())]
    lines += [
        (label, _ALSO[index % len(_ALSO)], points)
        for index, (label, points) in enumerate((also or {}).items())
    ]
    drawn = [(label, look, *_columns(label, *points)) for label, look, points in lines]
    drawn = [line for line in drawn if len(line[2])]
    first = min((float(x[0]) for _, _, x, _ in drawn), default=0.0)
    last = max((float(x[-1]) for _, _, x, _ in drawn), default=1.0)
    if is_stepped:
        last += _ROOM_FOR_LAST_STEP * (last - first)
    for label, look, x, y in drawn:
        name = label if len(drawn) > 1 else f"_{label}"  # no legend
        ax.plot(
            np.append(x, last), np.append(y, y[-1]), label=name, color=look.colour, linestyle=look.line,
            linewidth=look.width, drawstyle="steps-post" if is_stepped else "default",
        )  # fmt: skip
    n_curves = len(drawn) - sum(look in _ALSO for _, look, _, _ in drawn)
    heights = [np.maximum(y, 0.0) for _, _, _, y in drawn]
    top, highest = (
        max((float(y.max()) for y in part), default=0.0) for part in (heights, heights[:n_curves])
    )
    if log_x and first > 0:
        ax.set_xscale("log", base=2)
        ax.xaxis.set_major_formatter(lambda value, _: plain_number(value))
    if last > first:
        ax.set_xlim(first, last)
    scale = choose_scale(heights[:n_curves], reach=top) if 0 < highest < _LOWEST_SHARE * top else None
    if scale is None or scale.is_linear:
        ax.set_ylim(0, _HEADROOM * top or 1.0)
    else:
        scale.set(ax.yaxis, 1.0)
        scale.mark_numbers(ax.yaxis, 1.0)
    ax.yaxis.set_major_formatter(lambda value, _: plain_number(value))
    lighten(ax, grid_axis="y")
    ax.set_xlabel(x_label)
    ax.set_ylabel(y_label)
    legend_above(ax)
    return ax


def _columns(
    label: str, places: ArrayLike, heights: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    x, y = (np.asarray(column, dtype=np.float64) for column in (places, heights))
    if x.ndim != 1 or x.shape != y.shape or not (np.diff(x) > 0).all():
        raise InvalidInstanceError(
            f"{label!r} has places of shape {x.shape} and heights of shape {y.shape}; need ascending places and as "
            f"many heights"
        )
    return x, y
