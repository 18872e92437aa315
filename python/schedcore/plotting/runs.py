"""Which run of which job holds how much, on which machines, and when those could not be used: a cluster over time.

A job of several tasks is on several machines at once, so all of its blocks have one colour, and as far as there is room
its number. What ended a run before its time is marked where the run ends; announced outages and failures are hatched
over the whole height of their machine.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from schedcore.errors import InvalidInstanceError
from schedcore.metrics import horizon
from schedcore.metrics.job_amounts import amounts_of_tasks
from schedcore.model import Incidents, Instance, Outages, Runs
from schedcore.plotting.blocks import draw_by_job, label_machines, outline, rectangles_by_job
from schedcore.plotting.dates import label_time
from schedcore.plotting.piling import pile_up
from schedcore.plotting.readable import TimeUnit, readable_unit
from schedcore.plotting.selection import check_rows
from schedcore.plotting.style import DOWN, FAILED, INK, SERIES, axes_or_new, legend_above, lighten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_BLOCKS = 20_000  # a drawing has no room for more
_ENDED = {"killed": ("x", "run killed"), "cancelled": ("|", "run cancelled")}


def plot_runs(
    inst: Instance,
    runs: Runs,
    *,
    incidents: Incidents | None = None,
    resource: int = 0,
    machines: Sequence[int] | None = None,
    between: tuple[float, float] | None = None,
    unit: TimeUnit | None = None,
    origin: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw what each run holds of one resource over time, as blocks piled up machine by machine.

    A block is as high as what the tasks of its job take on the machine, and as wide as the run is long. An exclusive
    job is as high as the machine. Blocks of one machine lie as in `plot_packing`.

    Parameters
    ----------
    inst, runs : Instance, Runs
        ``result.runs`` of a result on the instance, feasible; times in seconds.
    incidents : Incidents, optional
        Its failures are shown beside the outages of the instance.
    resource : int, default 0
        Which resource to draw. Jobs that do not need it are not seen, unless they are exclusive.
    machines : sequence of int, optional
        Which machines to draw, the first at the bottom; by default all. Each has a band as high as its capacity.
    between : (float, float), optional
        Start and end of the time axis; by default first release to last end of a run.
    unit : TimeUnit, optional
        Unit of the time axis; by default seconds to days, whichever reads best.
    origin : str, optional
        The date of time 0 in ISO 8601, such as `DataReport.origin`: the time axis then shows dates.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The blocks of a job are one collection of polygons, in a colour that repeats after twelve jobs; up to twelve
        jobs have hatches and stand in the legend. A cross marks where a run was killed, a bar where it was cancelled,
        a triangle where a machine failed.

    Raises
    ------
    InvalidInstanceError
        If a resource or machine does not exist, a machine is named twice or holds more than its capacity, or more than
        20,000 blocks were to be drawn: choose `machines` or `between` then, or draw `plot_utilisation`.

    Notes
    -----
    O(r) for each start beside r others on a machine.
    """
    check_rows("resource", [resource], inst.n_resources)
    shown = list(range(inst.n_machines) if machines is None else machines)
    check_rows("machine", shown, inst.n_machines, once=True)
    first, last = horizon(inst, runs) if between is None else between
    if not (math.isfinite(first) and math.isfinite(last) and first <= last):
        raise InvalidInstanceError(f"between = ({first}, {last}) must be finite and ascending")
    unit = readable_unit(last) if unit is None else unit
    base = np.cumsum([0.0, *inst.machines.capacity[shown, resource]])
    places = runs.allocation
    rows = _places_to_draw(runs, shown, (first, last))
    run = places.run[rows]
    job, start, end = runs.job[run], runs.start_time[run], runs.end_time[run]
    height = amounts_of_tasks(inst, job, places.n_tasks[rows])[:, resource]
    if inst.jobs.uses("exclusive"):
        whole = inst.machines.capacity[places.machine[rows], resource]
        height = np.where(inst.jobs.exclusive[job], whole, height)

    ax = axes_or_new(ax)
    if last > first:
        ax.set_xlim(first / unit.length, last / unit.length)
    ax.set_ylim(0, base[-1] or 1.0)
    blocks: list[tuple[int, NDArray[np.float64]]] = []
    ends: dict[str, list[tuple[float, float]]] = {outcome: [] for outcome in _ENDED}
    outcome_of = runs.outcome[run]
    for machine, bottom in zip(shown, base[:-1].tolist(), strict=True):
        here = np.flatnonzero(places.machine[rows] == machine)
        pile = pile_up(here, start, end, height, int(inst.machines.capacity[machine, resource]))
        for pieces in rectangles_by_job(pile):
            row, last_piece = int(pile.job[pieces[0]]), pieces[-1]
            blocks.append((int(job[row]), outline(pile, pieces, unit, bottom)))
            if outcome_of[row] in ends:
                middle = bottom + (pile.low[last_piece] + pile.high[last_piece]) / 2
                ends[outcome_of[row]].append((float(end[row]) / unit.length, float(middle)))
    draw_by_job(ax, blocks, named=len({number for number, _ in blocks}) <= len(SERIES))
    _draw_down(ax, inst, incidents, shown, base, unit, (first, last))
    for outcome, (marker, label) in _ENDED.items():
        _mark(ax, ends[outcome], marker, INK, label)
    lighten(ax, grid_axis="both")
    ax.grid(visible=False)  # nothing would be seen of it
    label_time(ax, unit, origin)
    names = inst.machines.names if inst.machines.has_names else None
    label_machines(ax, inst.machines.resource_names[resource], shown, base, names)
    legend_above(ax)
    return ax


def _places_to_draw(runs: Runs, machines: list[int], between: tuple[float, float]) -> NDArray[np.intp]:
    places = runs.allocation
    drawn = np.isin(places.machine, machines)
    drawn &= (runs.start_time[places.run] < between[1]) & (runs.end_time[places.run] > between[0])
    rows = np.flatnonzero(drawn)
    if len(rows) > MOST_BLOCKS:
        raise InvalidInstanceError(
            f"{len(rows)} blocks are more than the {MOST_BLOCKS} that a picture can show; choose machines or a "
            "shorter stretch with between, or use plot_utilisation"
        )
    return rows


def _draw_down(
    ax: Axes,
    inst: Instance,
    incidents: Incidents | None,
    machines: list[int],
    base: NDArray[np.float64],
    unit: TimeUnit,
    between: tuple[float, float],
) -> None:
    """Hatch outages and failures over the height of their machine, and mark where failures begin."""
    failures = None if incidents is None else incidents.failures
    for rows, label, look in ((inst.outages, "outage", DOWN), (failures, "failure", FAILED)):
        if rows is None:
            continue
        stretches = _within(rows, machines, between)
        for number, (band, begin, until) in enumerate(stretches):
            ax.fill_between(
                [begin / unit.length, until / unit.length], base[band], base[band + 1],
                label=None if number else label, zorder=1.6, **look,
            )  # fmt: skip
        if rows is failures:
            middles = [
                (begin / unit.length, (base[band] + base[band + 1]) / 2) for band, begin, _ in stretches
            ]
            _mark(ax, middles, ">", FAILED["edgecolor"])


def _mark(
    ax: Axes, where: list[tuple[float, float]], marker: str, colour: str, label: str | None = None
) -> None:
    if where:
        times, heights = zip(*where, strict=True)
        ax.plot(
            times, heights, linestyle="none", marker=marker, markersize=6, markeredgewidth=1.6, color=colour,
            label=label, zorder=3, clip_on=False,
        )  # fmt: skip


def _within(
    rows: Outages, machines: list[int], between: tuple[float, float]
) -> list[tuple[int, float, float]]:
    """The band, the begin and the end of the outages of these machines that reach into the stretch."""
    band_of = {machine: band for band, machine in enumerate(machines)}
    united = rows.united()
    begin, end = np.maximum(united.start_time, between[0]), np.minimum(united.end_time, between[1])
    inside = np.isin(united.machine, machines) & (begin < end)
    if inside.sum() > MOST_BLOCKS:
        raise InvalidInstanceError(
            f"{int(inside.sum())} outages and failures are more than the {MOST_BLOCKS} that a picture can show; choose "
            "machines or a shorter stretch with between"
        )
    columns = (column[inside].tolist() for column in (united.machine, begin, end))
    return [(band_of[machine], low, high) for machine, low, high in zip(*columns, strict=True)]
