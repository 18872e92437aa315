"""What is on each machine, and what does it cost there? The drawing of tasks that share machines.

A pair of columns a machine would tell loads and costs apart, but hides which type pays; here loads by type are stacked
bars, and the cost of every type that is present is a mark above them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from schedcore.model import Assignment, ColocationInstance
from schedcore.plotting.style import INK, axes_or_new, lighten, series

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST_TICKS = 25


def plot_assignment(
    inst: ColocationInstance,
    assignment: Assignment,
    *,
    lower_bound: float | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the load of every machine by type, and the cost of the types on it.

    Parameters
    ----------
    inst : ColocationInstance
    assignment : Assignment
        Valid for `inst`.
    lower_bound : float, optional
        Drawn as a line: no assignment has a smaller largest cost.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        Machines in the order of their numbers. A bar is as high as the load of the machine, its parts are the types; a
        mark is the cost of a task of that type there, so the highest mark is the objective.
    """
    ax = axes_or_new(ax)
    load, cost = loads_and_costs(inst, assignment)
    machines = np.arange(inst.n_machines)
    base = np.zeros(inst.n_machines)
    for kind in np.flatnonzero(load.any(axis=0)):
        style = series(int(kind))
        present = load[:, kind] > 0
        label = f"type {kind}"
        ax.bar(
            machines[present],  # an empty bar would hold the axis at its foot
            load[present, kind],
            bottom=base[present],
            width=0.8,
            color=style.colour,
            alpha=0.55,
            hatch=style.hatch,
            edgecolor="white",
            linewidth=0.4,
            label=f"{label}: load",
        )
        base += load[:, kind]
        ax.plot(
            machines[present],
            cost[present, kind],
            linestyle="none",
            marker=style.marker,
            markersize=5,
            color=style.colour,
            markeredgecolor=INK,
            markeredgewidth=0.6,
            label=f"{label}: cost",
        )
    if lower_bound is not None:
        ax.axhline(
            lower_bound, color=INK, linewidth=1.2, linestyle=(0, (4, 2)), label="lower bound of the cost"
        )
    ax.set_xlabel("machine")
    ax.set_ylabel("load and cost")
    ax.set_xlim(-0.6, inst.n_machines - 0.4)
    ax.set_ylim(bottom=0)
    ax.set_xticks(machines[:: max(1, -(-inst.n_machines // _MOST_TICKS))])
    lighten(ax, "y")
    if inst.n_tasks:
        ax.legend(fontsize=8, frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return ax


def loads_and_costs(
    inst: ColocationInstance, assignment: Assignment
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(n_machines, n_types) each: how much of a type a machine holds, and what a task of the type costs there."""
    load = np.zeros((inst.n_machines, inst.n_types))
    np.add.at(load, (assignment.machine, inst.type), inst.size)
    return load, load @ (inst.alpha / inst.alpha_denominator)


def drawn_heights(inst: ColocationInstance, assignment: Assignment) -> NDArray[np.float64]:
    """(2 n_types, n_machines): where the bars and the marks of each type end; 0 for a mark that is not there."""
    load, cost = loads_and_costs(inst, assignment)
    return np.concatenate([np.cumsum(load, axis=1), np.where(load > 0, cost, 0.0)], axis=1).T
