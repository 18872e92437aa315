"""Blocks piled up machine by machine: their outlines, and the axis that names the machines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from schedcore.model.extras import import_extra
from schedcore.plotting.piling import Pile
from schedcore.plotting.readable import TimeUnit
from schedcore.plotting.style import INK, SERIES, series

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_FONT = 7.0  # points, of the number of a job in its block
_DIGIT = 0.65  # width of a digit in font sizes


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


def label_machines(
    ax: Axes,
    resource_name: str,
    machines: list[int],
    base: NDArray[np.float64],
    names: tuple[str, ...] | None = None,
) -> None:
    """Ticks in percent of the capacity, or a tick a machine if there are several; `base` are their lower ends.

    Machines are numbers, or the names that are given of all.
    """
    called = machines if names is None else [names[machine] for machine in machines]
    if len(machines) == 1:
        ax.set_yticks((base[-1] or 1.0) * np.linspace(0, 1, 5), ["0", "25", "50", "75", "100"])
        ax.set_ylabel(f"{resource_name} in use (%)")
        return
    visible = np.flatnonzero(np.diff(base) > 0)
    ax.set_yticks((base[:-1] + base[1:])[visible] / 2, [str(called[band]) for band in visible])
    ax.tick_params(axis="y", length=0)
    ax.hlines(base[1:-1], 0, 1, transform=ax.get_yaxis_transform(), colors=INK, linewidths=0.8)
    ax.set_ylabel(f"{resource_name} in use, by machine")


def draw_by_job(ax: Axes, blocks: list[tuple[int, NDArray[np.float64]]], *, named: bool = True) -> None:
    """All blocks of a job in its look, and the number of the job where both sides of the block have room for it."""
    collections = import_extra("matplotlib.collections", "plot")
    extent = ax.get_window_extent()
    points = np.array([extent.width, extent.height]) * 72.0 / ax.figure.dpi
    points /= np.ptp([ax.get_xlim(), ax.get_ylim()], axis=1)
    by_job: dict[int, list[NDArray[np.float64]]] = {}
    for job, corners in blocks:
        by_job.setdefault(job, []).append(corners)
        width, height = np.ptp(corners, axis=0) * points
        if height >= 1.3 * _FONT and width >= (len(str(job)) + 1) * _DIGIT * _FONT and len(corners) == 4:
            middle_x, middle_y = corners.mean(axis=0)
            look: dict[str, Any] = {"fontsize": _FONT, "ha": "center", "va": "center", "color": INK}
            ax.text(middle_x, middle_y, str(job), clip_on=True, **look)
    hatched = len(by_job) <= len(SERIES)
    for job, outlines in sorted(by_job.items()):
        style = series(job)
        ax.add_collection(
            collections.PolyCollection(
                outlines, facecolors=[(style.colour, 0.45)], edgecolors="white", linewidths=0.5,
                hatch=style.hatch if hatched else "", label=f"job {job}" if named else None,
            ),
            autolim=False,
        )  # fmt: skip
