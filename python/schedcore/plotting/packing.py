"""Which job holds how much of a resource, and when: every job a block, machine above machine.

Drawn like the figure on patience of Fan and Liang, ICPP 2024 (Figure 7): few jobs in colour, all others in grey.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from schedcore.errors import InvalidInstanceError
from schedcore.metrics import completion_time, horizon
from schedcore.model import Instance, Schedule
from schedcore.model.extras import import_extra
from schedcore.model.features import check_without
from schedcore.plotting.blocks import label_machines, outline, rectangles_by_job
from schedcore.plotting.dates import label_time
from schedcore.plotting.piling import pile_up
from schedcore.plotting.readable import TimeUnit, readable_unit
from schedcore.plotting.selection import check_rows
from schedcore.plotting.shading import shades
from schedcore.plotting.style import Series, axes_or_new, legend_above, lighten, series

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_JOBS = 20_000  # a drawing has no room for more

# Lighter than every highlight. Light beside dark, so that jobs which follow each other in turn contrast most.
_GREYS = ("0.90", "0.70", "0.83", "0.63", "0.765")
_THIN = 2.0  # points


def plot_packing(
    inst: Instance,
    schedule: Schedule,
    *,
    resource: int = 0,
    machines: Sequence[int] | None = None,
    highlight: Sequence[int] = (),
    between: tuple[float, float] | None = None,
    unit: TimeUnit | None = None,
    origin: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw what each job holds of one resource over time, as blocks piled up machine by machine.

    A block is as high as the demand of its job and as wide as its processing time. It starts at the lowest
    heights of its machine that are free. Where no free interval is high enough, though enough is free in total,
    blocks in between slide apart, as few and as little as possible, highlighted ones last. So at every instant
    each job is one interval, none overlap, and the height in use is exactly the amount in use.

    Parameters
    ----------
    inst, schedule : Instance, Schedule
        A feasible schedule; times in seconds.
    resource : int, default 0
        Which resource to draw. Jobs that do not need it are not seen.
    machines : sequence of int, optional
        Which machines to draw, the first at the bottom; by default all. Each has a band as high as its capacity.
    highlight : sequence of int
        Rows of jobs to draw in colour and to name in the legend; the i-th always has the i-th look. All others
        are grey, each of another shade than the jobs below and above it at its start.
    between : (float, float), optional
        Start and end of the time axis; by default first release to last completion. Only jobs that run within
        are placed.
    unit : TimeUnit, optional
        Unit of the time axis; by default seconds to days, whichever reads best.
    origin : str, optional
        The date of time 0 in ISO 8601, such as `DataReport.origin`: the time axis then shows dates.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        All grey jobs are one collection of polygons, a polygon a job; each highlighted job is one of its own.
        Heights are units of the resource; the ticks are percent of the capacity, or the machines if there are several.

    Raises
    ------
    InvalidInstanceError
        If a resource, machine or job does not exist, a machine is named twice or holds more than its capacity,
        or more than 20,000 jobs were to be drawn: choose `machines` or `between` then, or draw
        `plot_utilisation`.
    UnsupportedError
        If jobs have several tasks or machines for themselves: `plot_runs` draws them.

    Notes
    -----
    O(r) for each start with r running jobs.
    """
    check_without("a drawing of machines", inst, ("gangs", "exclusive"), "plot_runs draws them")
    check_rows("resource", [resource], inst.n_resources)
    check_rows("highlighted job", highlight, inst.n_jobs)
    shown = list(range(inst.n_machines) if machines is None else machines)
    check_rows("machine", shown, inst.n_machines, once=True)
    first, last = horizon(inst, schedule) if between is None else between
    if not (math.isfinite(first) and math.isfinite(last) and first <= last):
        raise InvalidInstanceError(f"between = ({first}, {last}) must be finite and ascending")
    unit = readable_unit(last) if unit is None else unit
    rows = _rows_to_draw(inst, schedule, shown, between)
    base = np.cumsum([0.0, *inst.machines.capacity[shown, resource]])
    blocks: dict[int, _Block] = {}
    for machine, bottom in zip(shown, base[:-1].tolist(), strict=True):
        here = rows[schedule.machine[rows] == machine]
        blocks |= _blocks_of_machine(inst, schedule, resource, machine, here, highlight, unit, bottom)

    ax = axes_or_new(ax)
    if last > first:
        ax.set_xlim(first / unit.length, last / unit.length)
    ax.set_ylim(0, base[-1] or 1.0)
    highlighted = set(highlight)
    _draw_plain(ax, [block for job, block in blocks.items() if job not in highlighted])
    for index, job in enumerate(highlight):
        if job in blocks:
            _draw_highlighted(ax, blocks[job], series(index), f"job {job}")
    lighten(ax, grid_axis="both")
    ax.grid(visible=False)  # nothing would be seen of it
    label_time(ax, unit, origin)
    label_machines(ax, inst.machines.resource_names[resource], shown, base)
    legend_above(ax)
    return ax


def _rows_to_draw(
    inst: Instance, schedule: Schedule, machines: list[int], between: tuple[float, float] | None
) -> NDArray[np.int64]:
    end = completion_time(inst, schedule)
    drawn = np.isin(schedule.machine, machines)
    if between is not None:
        drawn &= (schedule.start_time < between[1]) & (end > between[0])
    rows = np.flatnonzero(drawn)
    if len(rows) > MOST_JOBS:
        raise InvalidInstanceError(
            f"{len(rows)} jobs are more than the {MOST_JOBS} that a packing can show; choose machines or a "
            "shorter stretch with between, or use plot_utilisation"
        )
    return rows


@dataclass(frozen=True)
class _Block:
    """A job as it is drawn."""

    outline: NDArray[np.float64]  # corners (k, 2) of a polygon in the coordinates of the Axes
    sides: tuple[float, float]
    grey: str


def _blocks_of_machine(
    inst: Instance,
    schedule: Schedule,
    resource: int,
    machine: int,
    rows: NDArray[np.int64],
    keep: Sequence[int],
    unit: TimeUnit,
    bottom: float,
) -> dict[int, _Block]:
    capacity = int(inst.machines.capacity[machine, resource])
    demand = inst.jobs.demand[:, resource]
    pile = pile_up(rows, schedule.start_time, completion_time(inst, schedule), demand, capacity, keep)
    shade = shades(pile, capacity, len(_GREYS))
    blocks = {}
    for pieces in rectangles_by_job(pile):
        job = int(pile.job[pieces[0]])
        sides = float(inst.jobs.processing_time[job] / unit.length), float(demand[job])
        blocks[job] = _Block(outline(pile, pieces, unit, bottom), sides, _GREYS[shade[pieces[0]]])
    return blocks


def _draw_plain(ax: Axes, blocks: list[_Block]) -> None:
    """White edges, thinner around thin blocks: in a dense place edges must not cover what they frame."""
    widths = np.minimum(0.12 * _thickness(ax, blocks), 0.4)
    _add_blocks(ax, blocks, facecolors=[b.grey for b in blocks], edgecolors="white", linewidths=widths)


def _draw_highlighted(ax: Axes, block: _Block, look: Series, label: str) -> None:
    """A block too thin for a hatch is filled plainly, with an edge of its own colour so that it is seen at all."""
    thin = _thickness(ax, [block])[0] < _THIN
    _add_blocks(
        ax, [] if thin else [block], facecolors=look.colour, edgecolors="white", linewidths=0.4,
        hatch=look.hatch, label=label, zorder=1.5,
    )  # fmt: skip
    if thin:
        _add_blocks(ax, [block], facecolors=look.colour, edgecolors=look.colour, linewidths=1.0, zorder=1.5)


def _thickness(ax: Axes, blocks: list[_Block]) -> NDArray[np.float64]:
    """The smaller side of each block in points, about: a layout may still change the size of the Axes."""
    extent = ax.get_window_extent()
    pixels = np.array([extent.width, extent.height]) / np.ptp([ax.get_xlim(), ax.get_ylim()], axis=1)
    sides = np.array([block.sides for block in blocks]).reshape(-1, 2)
    return np.asarray((sides * pixels).min(axis=1) * 72.0 / ax.figure.dpi)


def _add_blocks(ax: Axes, blocks: list[_Block], **look: Any) -> None:
    collections = import_extra("matplotlib.collections", "plot")
    ax.add_collection(collections.PolyCollection([b.outline for b in blocks], **look), autolim=False)
