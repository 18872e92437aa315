"""Which pictures can a reader tell apart? Those that cannot share one panel, with what differs told below it.

A panel shows curves over columns, such as the use of resources over time. Two panels **differ visibly** if some curve
of one leaves the same curve of the other by more than `VISIBLE` of the height of the axis anywhere, after either may be
shifted by `SHIFT` columns to either side: a step to the left of where it was is no difference that one can see. A curve
drawn in steps covers, in each column, the heights from its last step to its next one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

from schedcore.plotting.style import INK, legend_above, lighten, series

if TYPE_CHECKING:
    from matplotlib.axes import Axes

VISIBLE = (
    0.1  # of the height of the axis: some fifteen pixels, or 3 mm, of the panels that the command line draws
)
SHIFT = 1  # columns, of 200: some four pixels

Panel = TypeVar("Panel")


@dataclass(frozen=True)
class Alike:
    """Policies whose panels a reader cannot tell apart.

    Attributes
    ----------
    shown : str
        The first of them, whose panel is drawn.
    others : tuple of str
    """

    shown: str
    others: tuple[str, ...] = field(default=())


def visible_distance(
    first: NDArray[np.float64], second: NDArray[np.float64], height: float, shift: int = SHIFT
) -> float:
    """How far two panels are apart at most, as a share of the height of their axis.

    Parameters
    ----------
    first, second : (n_curves, n_columns) float64
        Heights of the same curves in both.
    height : float
        Of the axis, above 0.
    shift : int
        Over how many columns a curve may be moved.

    Returns
    -------
    float
        The largest vertical distance of a point of a curve from the heights that the other one covers within `shift`
        columns. Symmetric; O(n_curves n_columns).
    """
    return max(_outside(first, second, shift), _outside(second, first, shift)) / height


def _outside(curves: NDArray[np.float64], covered: NDArray[np.float64], shift: int) -> float:
    padded = np.pad(covered, ((0, 0), (shift, shift)), mode="edge")
    windows = np.lib.stride_tricks.sliding_window_view(padded, 2 * shift + 1, axis=1)
    beyond = np.maximum(curves - windows.max(axis=2), windows.min(axis=2) - curves)
    return max(0.0, float(beyond.max(initial=0.0)))


def share_repainted(
    first: NDArray[np.int64], second: NDArray[np.int64], shift: int = SHIFT
) -> NDArray[np.float64]:
    """How much of each column of two pictures shows something else.

    Parameters
    ----------
    first, second : (n_rows, n_columns) int64
        What lies at each pixel.
    shift : int
        Over how many columns something may be moved.

    Returns
    -------
    (n_columns,) float64
        The share of the pixels of a column whose content the other picture has nowhere in the same row within `shift`
        columns, the larger one of the two directions. O(shift n_rows n_columns).
    """
    return np.maximum(_missing(first, second, shift), _missing(second, first, shift))


def _missing(pixels: NDArray[np.int64], other: NDArray[np.int64], shift: int) -> NDArray[np.float64]:
    padded = np.pad(other, ((0, 0), (shift, shift)), mode="edge")
    n_columns = pixels.shape[1]
    there = [pixels == padded[:, start : start + n_columns] for start in range(2 * shift + 1)]
    return np.asarray(1.0 - np.logical_or.reduce(there).mean(axis=0))


def group_alike(panels: Mapping[str, Panel], distance: Callable[[Panel, Panel], float]) -> list[Alike]:
    """Put each policy to the first one whose panel it does not visibly differ from.

    Parameters
    ----------
    panels : mapping of str to Panel
        Policy to what its panel shows.
    distance : callable
        Of two panels: a share, visible above `VISIBLE`.

    Returns
    -------
    list of Alike
        In the order of the policies; as many as there are panels if all differ visibly. A distance is taken for each
        policy and each group before it.
    """
    groups: dict[str, list[str]] = {}
    for policy, panel in panels.items():
        leader = next((shown for shown in groups if distance(panels[shown], panel) <= VISIBLE), None)
        if leader is None:
            groups[policy] = []
        else:
            groups[leader].append(policy)
    return [Alike(shown, tuple(others)) for shown, others in groups.items()]


def plot_differences(
    differences: Mapping[str, NDArray[np.float64]], edges: NDArray[np.float64], *, y_label: str, ax: Axes
) -> Axes:
    """Draw what is left of differences, each a step line on one symmetric scale of their own around 0.

    Parameters
    ----------
    differences : mapping of str to (n_columns,) float64
        What the legend calls a line, and its heights.
    edges : (n_columns + 1,) float64
        Where the columns begin and end on the horizontal axis.
    y_label : str
    ax : matplotlib.axes.Axes
    """
    largest = max((float(np.abs(line).max(initial=0.0)) for line in differences.values()), default=0.0)
    for index, (name, line) in enumerate(differences.items()):
        look = series(index + 1)  # the first look is that of the panel above
        ax.stairs(
            line, edges, baseline=None, label=name, color=look.colour, linestyle=look.line,
            linewidth=look.width * 0.8,
        )  # fmt: skip
    ax.axhline(0.0, color=INK, linewidth=0.6, zorder=1.2)
    ax.set_ylim(-1.1 * (largest or 1.0), 1.1 * (largest or 1.0))
    lighten(ax, grid_axis="y")
    ax.set_ylabel(y_label)
    legend_above(ax)
    return ax
