"""What share of all machines parallel tasks, or jobs in slots, hold over time: one step line a resource."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from schedcore.model import Instance, MapReduceInstance, ParallelTaskInstance, PreemptiveSchedule
from schedcore.model.amounts import exact_total
from schedcore.plotting.readable import SLOTS, TimeUnit, readable_unit
from schedcore.plotting.shares import draw_shares

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_task_usage(
    inst: ParallelTaskInstance | Instance | MapReduceInstance,
    schedule: PreemptiveSchedule,
    *,
    n_bins: int = 200,
    until: float | None = None,
    unit: TimeUnit | None = None,
    origin: str | None = None,
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
    origin : str, optional
        The date of time 0 in ISO 8601, such as `DataReport.origin`: the time axis then shows dates. Not of slots, whose
        length is not known.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure.

    Returns
    -------
    matplotlib.axes.Axes
    """
    last = float(schedule.end_time.max(initial=0.0)) if until is None else until
    if unit is None:
        unit = SLOTS if schedule.in_slots else readable_unit(last)
    edges, share = task_shares(inst, schedule, n_bins, last)
    return draw_shares(
        edges,
        100 * share.T,
        inst.machines.resource_names,
        unit=unit,
        origin=None if schedule.in_slots else origin,
        ax=ax,
    )


def task_shares(
    inst: ParallelTaskInstance | Instance | MapReduceInstance,
    schedule: PreemptiveSchedule,
    n_bins: int,
    until: float,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Edges (n_bins + 1,) from 0 to `until`, and the mean shares (n_bins, n_resources) in use between them."""
    edges = np.linspace(0.0, until or 1.0, n_bins + 1)
    share = np.zeros((n_bins, inst.n_resources))
    for resource in range(inst.n_resources):
        capacity = float(exact_total(inst.machines.capacity[:, resource]))
        used = _held_until(inst, schedule, resource, edges)
        share[:, resource] = np.diff(used) / np.diff(edges) / capacity if capacity else 0.0
    return edges, share


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
    demand = inst.held_amounts(schedule, resource).astype(np.float64)
    total = np.zeros(len(instants))
    for times, sign in ((schedule.start_time, 1.0), (schedule.end_time, -1.0)):
        order = np.argsort(times)
        before = np.searchsorted(times[order], instants)
        amount = np.concatenate([[0.0], np.cumsum(demand[order])])
        moment = np.concatenate([[0.0], np.cumsum(demand[order] * times[order])])
        total += sign * (amount[before] * instants - moment[before])
    return total
