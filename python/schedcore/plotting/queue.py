"""How long the queue was over time: jobs that wait, or their work, a step line a policy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from schedcore.metrics import horizon, queue_length, waiting_work
from schedcore.metrics.over_time import checked_stretch
from schedcore.metrics.resource_choice import resource_index
from schedcore.model import Instance, Runs, Schedule
from schedcore.model.choices import check_choice
from schedcore.model.integers import checked_integer
from schedcore.plotting.dates import label_time
from schedcore.plotting.readable import TimeUnit, readable_unit
from schedcore.plotting.steps import draw_steps
from schedcore.plotting.style import axes_or_new

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MEASURES = ("jobs", "work")


def plot_queue(
    inst: Instance,
    schedules: Mapping[str, Schedule | Runs],
    *,
    what: str = "jobs",
    resource: int | str = 0,
    n_bins: int = 200,
    between: tuple[float, float] | None = None,
    unit: TimeUnit | None = None,
    origin: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the jobs that are released and have not started over time, as one step line for each policy.

    Parameters
    ----------
    inst : Instance
        Times in seconds.
    schedules : mapping of str to Schedule or Runs
        Policy to schedule of `inst`, or to the runs of its jobs, all of which completed.
    what : {"jobs", "work"}, default "jobs"
        How many jobs wait, or how much work: the demand of these jobs times their processing time, shown as the time
        that the whole cluster takes for it.
    resource : int or str, default 0
        Index or name. Whose work.
    n_bins : int, default 200
        Each step is the mean over one of so many equal stretches of time.
    between : (float, float), optional
        Start and end of the time axis; by default first release to last completion.
    unit : TimeUnit, optional
        Unit of both axes; by default seconds to days, whichever reads best on each.
    origin : str, optional
        The date of time 0 in ISO 8601, such as `DataReport.origin`: the time axis then shows dates.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The vertical axis is linear, unless the peak of some policy takes up less than a fifth of it; then it is
        logarithmic beyond a short linear stretch.

    Raises
    ------
    InvalidInstanceError
        For another `what`, a resource that there is not, fewer than one step, a stretch that is no ascending pair, a
        job that did not complete, and a schedule of another number of jobs.

    Notes
    -----
    O(n log n) a policy.
    """
    check_choice("what", what, _MEASURES)
    n_bins = checked_integer("n_bins", n_bins, 1)
    column = resource_index(inst, resource)
    ends = [horizon(inst, schedule) for schedule in schedules.values()] if between is None else [between]
    first, last = checked_stretch(
        (min((start for start, _ in ends), default=0.0), max((end for _, end in ends), default=0.0))
    )
    edges = np.linspace(first, last, n_bins + 1)
    lines = {
        policy: mean_queue(inst, schedule, edges, None if what == "jobs" else column)
        for policy, schedule in schedules.items()
    }
    name = inst.machines.resource_names[column]
    return draw_queue(edges, lines, unit=unit, origin=origin, work_of=None if what == "jobs" else name, ax=ax)


def mean_queue(
    inst: Instance, schedule: Schedule | Runs, edges: NDArray[np.float64], resource: int | None
) -> NDArray[np.float64]:
    """(n_bins,) How many jobs wait; with a resource for how long they would take all of it, in the time of `inst`."""
    if resource is None:
        return queue_length(inst, schedule).binned_mean(edges)
    capacity = max(1.0, float(inst.machines.capacity[:, resource].sum(dtype=np.float64)))
    return waiting_work(inst, schedule, resource).binned_mean(edges) / capacity


def draw_queue(
    edges: NDArray[np.float64],
    lines: Mapping[str, NDArray[np.float64]],
    *,
    unit: TimeUnit | None = None,
    origin: str | None = None,
    work_of: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw lines of `mean_queue`: of the work for a resource, if one is named, otherwise of jobs."""
    axes = axes_or_new(ax)
    peak = max((float(line.max(initial=0.0)) for line in lines.values()), default=0.0)
    of_time, of_work = (unit or readable_unit(largest) for largest in (float(edges[-1]), peak))
    draw_steps(axes, edges / of_time.length, lines, length=1.0 if work_of is None else of_work.length)
    label_time(axes, of_time, origin)
    axes.set_ylabel("waiting jobs" if work_of is None else f"waiting work\n({of_work.name} of all {work_of})")
    return axes
