"""Blocks piled up machine by machine: their outlines, and the axis that names the machines."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from schedcore.plotting.piling import Pile
from schedcore.plotting.readable import TimeUnit
from schedcore.plotting.style import INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def outline(pile: Pile, rectangles: NDArray[np.int64], unit: TimeUnit, bottom: float) -> NDArray[np.float64]:
    """Corners (4 k, 2) of the polygon around k rectangles that follow each other in time."""
    times = np.stack((pile.begin[rectangles], pile.until[rectangles]), axis=1).ravel() / unit.length
    low, high = np.repeat(pile.low[rectangles], 2), np.repeat(pile.high[rectangles], 2)
    return np.stack((np.append(times, times[::-1]), bottom + np.append(low, high[::-1])), axis=1)


def rectangles_by_job(pile: Pile) -> list[NDArray[np.int64]]:
    """The rows of the rectangles of each job, in the order of time; jobs ascending."""
    if not len(pile.job):
        return []
    order = np.argsort(pile.job, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(pile.job[order])) + 1)


def label_machines(ax: Axes, resource_name: str, machines: list[int], base: NDArray[np.float64]) -> None:
    """Ticks in percent of the capacity, or a tick a machine if there are several; `base` are their lower ends."""
    if len(machines) == 1:
        ax.set_yticks((base[-1] or 1.0) * np.linspace(0, 1, 5), ["0", "25", "50", "75", "100"])
        ax.set_ylabel(f"{resource_name} in use (%)")
        return
    visible = np.flatnonzero(np.diff(base) > 0)
    ax.set_yticks((base[:-1] + base[1:])[visible] / 2, [str(machines[band]) for band in visible])
    ax.tick_params(axis="y", length=0)
    ax.hlines(base[1:-1], 0, 1, transform=ax.get_yaxis_transform(), colors=INK, linewidths=0.8)
    ax.set_ylabel(f"{resource_name} in use, by machine")
