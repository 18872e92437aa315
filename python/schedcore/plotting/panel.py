"""Which drawing shows a result best? The one that ``Result.plot`` makes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from schedcore.errors import UnsupportedError
from schedcore.metrics import completed_part
from schedcore.model import Assignment, Instance, PreemptiveSchedule, Result, Schedule, features_of
from schedcore.plotting.assignment import plot_assignment
from schedcore.plotting.packing import plot_packing
from schedcore.plotting.pieces import plot_pieces
from schedcore.plotting.runs import plot_runs
from schedcore.plotting.selection import most_demanded, until_most_are_done
from schedcore.plotting.style import note
from schedcore.plotting.task_usage import plot_task_usage
from schedcore.plotting.task_usage import until_most_are_done as until_most_jobs_are_done
from schedcore.plotting.usage import plot_utilisation

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FEW_JOBS = 2500
FEW_MACHINES = 8


def plot_result(result: Result, *, ax: Axes | None = None) -> Axes:
    """Draw a result in the way that suits its size; the same as ``result.plot(ax=ax)``.

    Parameters
    ----------
    result : Result
        With its instance; times in seconds.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        At most 2500 jobs on at most 8 machines: `plot_packing` of the most demanded resource, or `plot_runs` where
        the features of a cluster are used. Otherwise:
        `plot_utilisation` of the four most demanded resources until 99 % of the jobs are done. Tasks that share
        machines: `plot_assignment`, with the lower bound. Jobs of parallel tasks, and jobs in slots: `plot_pieces` of
        at most 2500 pieces on at most 8 machines, otherwise `plot_task_usage` until 99 % of the jobs are done. No jobs
        or tasks, or no schedule: a note.

    Raises
    ------
    UnsupportedError
        If the result does not know its instance.
    """
    inst = result.instance
    if inst is None:
        raise UnsupportedError(
            "this result does not know its instance; results of schedcore.solve do, others need Result(..., "
            "instance=...)"
        )
    match result.schedule:
        case None:
            return note("no schedule", ax)
        case Assignment() as assignment if inst.n_tasks:
            return plot_assignment(inst, assignment, lower_bound=result.lower_bound, ax=ax)
        case Assignment():
            return note("no tasks", ax)
        case PreemptiveSchedule() as pieces if inst.n_jobs:
            return _plot_pieces(inst, pieces, ax)
        case schedule if inst.n_jobs:
            if result.incidents is not None or features_of(inst):
                return _plot_runs(result, inst, ax)
            return _plot_jobs(inst, schedule, ax)
    return note("no jobs", ax)


def _plot_jobs(inst: Instance, schedule: Schedule, ax: Axes | None) -> Axes:
    if inst.n_jobs <= FEW_JOBS and inst.n_machines <= FEW_MACHINES:
        return plot_packing(inst, schedule, resource=most_demanded(inst, 1)[0], ax=ax)
    between = until_most_are_done(inst, [schedule])
    return plot_utilisation(inst, schedule, resources=most_demanded(inst), between=between, ax=ax)


def _plot_runs(result: Result, inst: Instance, ax: Axes | None) -> Axes:
    runs = result.runs
    assert runs is not None
    if len(runs) == 0:
        return note("no runs", ax)
    if len(runs) <= FEW_JOBS and inst.n_machines <= FEW_MACHINES:
        return plot_runs(inst, runs, incidents=result.incidents, resource=most_demanded(inst, 1)[0], ax=ax)
    part = completed_part(inst, runs)
    between = until_most_are_done(part.inst, [part.runs]) if part.inst.n_jobs else None
    return plot_utilisation(
        inst, runs, incidents=result.incidents, resources=most_demanded(inst), between=between, ax=ax
    )


def _plot_pieces(inst: Any, pieces: PreemptiveSchedule, ax: Axes | None) -> Axes:
    if len(pieces) <= FEW_JOBS and inst.n_machines <= FEW_MACHINES:
        return plot_pieces(inst, pieces, ax=ax)
    return plot_task_usage(inst, pieces, until=until_most_jobs_are_done(inst, pieces), ax=ax)
