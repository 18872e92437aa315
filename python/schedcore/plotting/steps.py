"""Step lines of several policies from 0 up, on a vertical axis on which each of them is seen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from schedcore.plotting.scales import Scale
from schedcore.plotting.style import legend_above, lighten, series

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_HEADROOM = 1.05
_LOWEST_SHARE = 0.2  # of a linear vertical axis, for the lowest of the peaks
_LOGARITHMIC_FROM = 0.05  # of the lowest peak


def draw_steps(
    ax: Axes, edges: NDArray[np.float64], lines: Mapping[str, NDArray[np.float64]], *, length: float = 1.0
) -> None:
    """Draw a line for each policy, with a legend.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
    edges : (n_bins + 1,) float64
        Ends of the steps, as they are drawn.
    lines : mapping of str to (n_bins,) float64
        Heights of at least 0; NaN leaves a gap.
    length : float, default 1
        Of the unit in which heights are shown. The vertical axis is linear, unless the peak of some policy takes up
        less than a fifth of it; then it is logarithmic beyond a short linear stretch.
    """
    for index, (policy, line) in enumerate(lines.items()):
        look = series(index)
        ax.stairs(
            line / length, edges, baseline=None, label=policy, color=look.colour, linestyle=look.line,
            linewidth=look.width * 0.7,
        )  # fmt: skip
    peaks = [peak for line in lines.values() if (peak := float(np.nanmax(line, initial=0.0))) > 0]
    if edges[-1] > edges[0]:
        ax.set_xlim(edges[0], edges[-1])
    top = _HEADROOM * max(peaks, default=0.0)
    if peaks and min(peaks) < _LOWEST_SHARE * top:
        scale = Scale(0.0, top, _LOGARITHMIC_FROM * min(peaks))
        scale.set(ax.yaxis, length)
        scale.mark_numbers(ax.yaxis, length)
    else:
        ax.set_ylim(0, top / length or 1.0)
    lighten(ax, "y")
    legend_above(ax)
