"""What share of all machines parallel tasks, or jobs in slots, hold over time: one step line a resource."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from schedcore.model import ParallelTaskInstance
from schedcore.plotting.held import held_amounts
from schedcore.plotting.readable import SLOTS, TimeUnit, readable_unit
from schedcore.plotting.style import axes_or_new, legend_above, lighten, series

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from schedcore.model import Instance, MapReduceInstance, PreemptiveSchedule


def plot_task_usage(
    inst: ParallelTaskInstance | Instance | MapReduceInstance,
    schedule: PreemptiveSchedule,
    *,
    n_bins: int = 200,
    until: float | None = None,
    unit: TimeUnit | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the share of the total capacity that pieces hold over time as one step line for each resource.

    Parameters
    ----------
    inst : ParallelTaskInstance, Instance or MapReduceInstance
        Times in seconds, of the latter two in slots.
    schedule : PreemptiveSchedule
    n_bins : int, default 200
        Each step is the mean over one of so many equal stretches of time.
    until : float, optional
        End of the time axis; by default the last completion.
    unit : TimeUnit, optional
        Unit of the time axis; by default seconds to days, whichever reads best, or slots.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure.

    Returns
    -------
    matplotlib.axes.Axes
    """
    last = float(schedule.end_time.max(initial=0.0)) if until is None else until
    if unit is None:
        unit = readable_unit(last) if isinstance(inst, ParallelTaskInstance) else SLOTS
    edges = np.linspace(0.0, last or 1.0, n_bins + 1)
    ax = axes_or_new(ax)
    for resource, name in enumerate(inst.machines.resource_names):
        look = series(resource)
        capacity = float(inst.machines.capacity[:, resource].sum())
        used = _held_until(inst, schedule, resource, edges)
        share = np.diff(used) / np.diff(edges) / capacity if capacity else np.zeros(n_bins)
        ax.stairs(
            100 * share, edges / unit.length, baseline=None, label=name,
            color=look.colour, linestyle=look.line, linewidth=look.width * 0.8,
        )  # fmt: skip
    ax.set_xlim(0, edges[-1] / unit.length)
    ax.set_ylim(0, 104)
    lighten(ax, grid_axis="y")
    ax.set_xlabel(f"time ({unit.name})")
    ax.set_ylabel("capacity in use (%)")
    legend_above(ax)
    return ax


def until_most_are_done(
    inst: ParallelTaskInstance | Instance | MapReduceInstance, schedule: PreemptiveSchedule
) -> float:
    """When 99 % of the jobs have run for the last time: what comes after is mostly an idle tail."""
    last_run = np.maximum(schedule.completion_time(inst.n_jobs), 0.0)  # of jobs that never ran, 0
    return float(np.quantile(last_run, 0.99)) if inst.n_jobs else 0.0


def _held_until(
    inst: ParallelTaskInstance | Instance | MapReduceInstance,
    schedule: PreemptiveSchedule,
    resource: int,
    instants: NDArray[np.float64],
) -> NDArray[np.float64]:
    """The integral of the amount in use from 0 to each instant; O((n_pieces + n_instants) log n_pieces)."""
    demand = held_amounts(inst, schedule, resource).astype(np.float64)
    total = np.zeros(len(instants))
    for times, sign in ((schedule.start_time, 1.0), (schedule.end_time, -1.0)):
        order = np.argsort(times)
        before = np.searchsorted(times[order], instants)
        amount = np.concatenate([[0.0], np.cumsum(demand[order])])
        moment = np.concatenate([[0.0], np.cumsum(demand[order] * times[order])])
        total += sign * (amount[before] * instants - moment[before])
    return total
