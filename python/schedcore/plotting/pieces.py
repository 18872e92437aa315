"""Which task or job runs on which machine, and when: every piece a block in the colour of its job.

Jobs of parallel tasks complete when their last task does, so what one wants to see is where the tasks of a job lie,
how far apart they end, and where they were interrupted. All blocks of a job have one look, and as far as there is
room each one has the number of its job. A job in slots that gets other cores has another block.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from schedcore.model import Instance, MapReduceInstance, ParallelTaskInstance, PreemptiveSchedule, validate
from schedcore.model.amounts import exact_total
from schedcore.plotting.blocks import draw_by_job, label_machines, outline, rectangles_by_job
from schedcore.plotting.dates import label_time
from schedcore.plotting.piling import Pile, pile_up
from schedcore.plotting.readable import SLOTS, TimeUnit, readable_unit
from schedcore.plotting.selection import check_rows
from schedcore.plotting.style import SERIES, axes_or_new, legend_above, lighten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_TOUCHING = 2e-9  # pieces whose ends and starts differ by the rounding that `validate` allows do not overlap


def plot_pieces(
    inst: ParallelTaskInstance | Instance | MapReduceInstance,
    schedule: PreemptiveSchedule,
    *,
    resource: int = 0,
    machines: Sequence[int] | None = None,
    until: float | None = None,
    unit: TimeUnit | None = None,
    origin: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw what each piece of a task holds of one resource over time, as blocks piled up machine by machine.

    A block is as high as the demand of its task, of jobs in slots as the cores that it got, and as wide as the piece is
    long; blocks of one machine lie as in `plot_packing`. The colour is that of the job and repeats after twelve jobs; a
    block that is large enough has the number of its job, and up to twelve jobs have hatches and a legend, too.

    Parameters
    ----------
    inst : ParallelTaskInstance, Instance or MapReduceInstance
        Times in seconds, of the latter two in slots.
    schedule : PreemptiveSchedule
        A feasible schedule, with or without migration; of jobs in slots some may be unfinished.
    resource : int, default 0
        Which resource to draw. Tasks that do not need it are not seen.
    machines : sequence of int, optional
        Which machines to draw, the first at the bottom; by default all. Each has a band as high as its capacity.
    until : float, optional
        End of the time axis; by default the last completion.
    unit : TimeUnit, optional
        Unit of the time axis; by default seconds to days, whichever reads best, or slots.
    origin : str, optional
        The date of time 0 in ISO 8601, such as `DataReport.origin`: the time axis then shows dates. Not of slots, whose
        length is not known.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The blocks of a job are one collection of polygons.

    Raises
    ------
    InvalidInstanceError
        If a resource or machine does not exist, a machine is named twice, or the schedule is not feasible.
    TypeError
        For a schedule of another type.

    Notes
    -----
    O(r) for each piece that starts beside r others, and one text a block that has room for it.
    """
    if not isinstance(schedule, PreemptiveSchedule):
        raise TypeError(f"schedule must be a PreemptiveSchedule, not {type(schedule).__name__}")
    shown = list(range(inst.n_machines) if machines is None else machines)
    check_rows("resource", [resource], inst.n_resources)
    check_rows("machine", shown, inst.n_machines, once=True)
    validate(inst, schedule, raise_on_error=True, kind="partial" if schedule.in_slots else None)
    last = float(schedule.end_time.max(initial=0.0)) if until is None else until
    unit = (SLOTS if schedule.in_slots else readable_unit(last)) if unit is None else unit
    base = np.cumsum([0.0, *inst.machines.capacity[shown, resource]])
    ax = axes_or_new(ax)
    ax.set_xlim(0, last / unit.length or 1.0)
    ax.set_ylim(0, base[-1] or 1.0)
    blocks = [
        (int(schedule.job[pile.job[rows[0]]]), outline(pile, rows, unit, bottom))
        for pile, bottom in _piles(inst, schedule, resource, shown)
        for rows in rectangles_by_job(pile)
    ]
    draw_by_job(ax, blocks)
    lighten(ax, grid_axis="both")
    ax.grid(visible=False)  # nothing would be seen of it
    label_time(ax, unit, None if schedule.in_slots else origin)
    label_machines(ax, inst.machines.resource_names[resource], shown, base)
    if len({job for job, _ in blocks}) <= len(SERIES):
        legend_above(ax)
    return ax


def painted_jobs(
    inst: ParallelTaskInstance | Instance | MapReduceInstance,
    schedule: PreemptiveSchedule,
    until: float,
    size: tuple[int, int],
) -> NDArray[np.int64]:
    """What `plot_pieces` shows of all machines and the first resource from 0 to `until`, in coarse pixels.

    Returns
    -------
    (rows, columns) int64
        The job whose block lies there, -1 where there is none; a block takes at least one pixel.
    """
    pixels = np.full(size, -1, dtype=np.int64)
    shown = list(range(inst.n_machines))
    up = size[0] / max(exact_total(inst.machines.capacity[:, 0]), 1)
    across = size[1] / (until or 1.0)
    for pile, bottom in _piles(inst, schedule, 0, shown):
        left = np.minimum((pile.begin * across).astype(np.int64), size[1] - 1)
        right = np.maximum((pile.until * across).astype(np.int64), left + 1)
        low = np.minimum(((pile.low + bottom) * up).astype(np.int64), size[0] - 1)
        high = np.maximum(((pile.high + bottom) * up).astype(np.int64), low + 1)
        for row in range(len(pile.job)):
            pixels[low[row] : high[row], left[row] : right[row]] = schedule.job[pile.job[row]]
    return pixels


def _piles(
    inst: ParallelTaskInstance | Instance | MapReduceInstance,
    schedule: PreemptiveSchedule,
    resource: int,
    machines: Sequence[int],
) -> Iterator[tuple[Pile, float]]:
    """The blocks of each machine, and the height at which they begin."""
    demand = inst.held_amounts(schedule, resource)
    end = schedule.end_time
    if not schedule.in_slots:
        end = end - _TOUCHING * (1.0 + end)
    bottom = 0.0
    for machine in machines:
        here = np.flatnonzero(schedule.machine == machine)
        capacity = int(inst.machines.capacity[machine, resource])
        yield (
            pile_up(here, schedule.start_time, np.maximum(end, schedule.start_time), demand, capacity),
            bottom,
        )
        bottom += capacity
