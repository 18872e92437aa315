"""What becomes of parallel tasks: when each is done, how often it is interrupted or moved, how long it waits then.

A job completes with the last of its tasks, so what a task gains by being done earlier is lost in synchronisation. All
functions take a schedule in which every task has a piece.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from schedcore.errors import InvalidInstanceError
from schedcore.metrics.exact_sums import exact_mean, exact_sum
from schedcore.metrics.objectives import (
    average_response_time,
    awct,
    makespan,
    weighted_average_completion,
    weighted_average_delay,
    weighted_completion,
    weighted_delay,
)
from schedcore.model import ParallelTaskInstance, PreemptiveSchedule
from schedcore.model.amounts import exact_total

__all__ = [
    "migrations",
    "preemptions",
    "remote_share",
    "synchronisation_delay",
    "task_completion_time",
    "task_summary",
]

Column = npt.NDArray[np.float64]


class _Pieces(NamedTuple):
    """The pieces by task row and time."""

    task: npt.NDArray[np.int64]
    machine: npt.NDArray[np.int64]
    start_time: Column
    end_time: Column


def task_completion_time(inst: ParallelTaskInstance, schedule: PreemptiveSchedule) -> Column:
    """(n_tasks,) When the last piece of each task ends.

    Raises
    ------
    InvalidInstanceError
        For a piece of a task that there is not, and a task without a piece; names it.
    """
    completion = np.full(inst.n_tasks, -np.inf)
    np.maximum.at(completion, _task_rows(inst, schedule), schedule.end_time)
    missing = completion == -np.inf
    if missing.any():
        raise InvalidInstanceError(f"the schedule has no piece of {inst.task_name(int(np.argmax(missing)))}")
    return completion


def synchronisation_delay(inst: ParallelTaskInstance, schedule: PreemptiveSchedule) -> Column:
    """(n_jobs,) How long the tasks of each job wait on average, when done, until the last one is."""
    completion = task_completion_time(inst, schedule)
    last = np.maximum.reduceat(completion, inst.task_start[:-1]) if inst.n_jobs else completion
    waits = np.bincount(inst.task_job, weights=last[inst.task_job] - completion, minlength=inst.n_jobs)
    delay: Column = waits / np.diff(inst.task_start)
    return delay


def preemptions(inst: ParallelTaskInstance, schedule: PreemptiveSchedule) -> int:
    """How often tasks were interrupted, wherever they went on: pieces without those that begin a task.

    A piece that follows the one before it on the same machine, from the very instant of its end, does not count.
    """
    pieces = _by_task(inst, schedule)
    goes_on = (pieces.machine[1:] == pieces.machine[:-1]) & (pieces.start_time[1:] == pieces.end_time[:-1])
    return int(np.count_nonzero(_is_same_task(pieces) & ~goes_on))


def migrations(inst: ParallelTaskInstance, schedule: PreemptiveSchedule) -> int:
    """How often tasks went on another machine than the one that they last ran on."""
    pieces = _by_task(inst, schedule)
    return int(np.count_nonzero(_is_same_task(pieces) & (pieces.machine[1:] != pieces.machine[:-1])))


def remote_share(inst: ParallelTaskInstance, schedule: PreemptiveSchedule) -> float:
    """Share of the time, summed over the tasks, that they ran on machines that are not local to them; 0 without tasks.

    Raises
    ------
    InvalidInstanceError
        For a piece on a machine on which its task may not run.
    """
    task = _task_rows(inst, schedule)
    pair = task * inst.n_machines + schedule.machine
    allowed = inst.placement_task * inst.n_machines + inst.placement_machine  # ascending
    row = np.searchsorted(allowed, pair)
    found = np.append(allowed, -1)[row] == pair
    if not found.all():
        piece = int(np.argmin(found))
        raise InvalidInstanceError(
            f"{inst.task_name(int(task[piece]))} may not run on machine {schedule.machine[piece]}, "
            f"where piece {piece} is"
        )
    duration = schedule.end_time - schedule.start_time
    total = exact_sum(duration)
    return exact_sum(duration[~inst.placement_local[row]]) / total if total else 0.0


def task_summary(
    inst: ParallelTaskInstance, schedule: PreemptiveSchedule
) -> dict[str, float | tuple[float, ...]]:
    """All summary figures of a schedule of parallel tasks.

    Returns
    -------
    dict
        In this order, times in the unit of the instance:

        ================================  ================================================================
        n_jobs, n_tasks                   numbers of jobs and tasks
        weighted_completion_time          sum of weight times completion time
        weighted_average_completion_time  the same over the sum of the weights
        weighted_delay                    sum of weight times (completion - release)
        weighted_average_delay            the same over the sum of the weights
        awct                              weighted_completion_time over the number of jobs
        avg_response                      mean of completion - release
        makespan                          last completion time, counted from 0
        avg_synchronisation_delay         mean over the jobs of `synchronisation_delay`
        n_preemptions, n_migrations       see `preemptions` and `migrations`
        remote_share                      see `remote_share`
        utilisation                       per resource: demand times time held / (capacity * (makespan - first
                                          release))
        ================================  ================================================================

        Everything is 0 without jobs.

    Raises
    ------
    InvalidInstanceError
        For pieces of tasks that there are not, or on machines on which they may not run, and tasks without a piece.

    Notes
    -----
    O(n log n) in the number of pieces, and linear in the placements.
    """
    return {
        "n_jobs": inst.n_jobs,
        "n_tasks": inst.n_tasks,
        "weighted_completion_time": weighted_completion(inst, schedule),
        "weighted_average_completion_time": weighted_average_completion(inst, schedule),
        "weighted_delay": weighted_delay(inst, schedule),
        "weighted_average_delay": weighted_average_delay(inst, schedule),
        "awct": awct(inst, schedule),
        "avg_response": average_response_time(inst, schedule),
        "makespan": makespan(inst, schedule),
        "avg_synchronisation_delay": exact_mean(synchronisation_delay(inst, schedule)),
        "n_preemptions": preemptions(inst, schedule),
        "n_migrations": migrations(inst, schedule),
        "remote_share": remote_share(inst, schedule),
        "utilisation": _utilisation(inst, schedule),
    }


def _utilisation(inst: ParallelTaskInstance, schedule: PreemptiveSchedule) -> tuple[float, ...]:
    duration = schedule.end_time - schedule.start_time
    demand = inst.demand[_task_rows(inst, schedule)]
    span = makespan(inst, schedule) - float(inst.release_time.min(initial=np.inf))
    available = [exact_total(column) * max(span, 0.0) for column in inst.machines.capacity.T]
    return tuple(
        exact_sum(duration * held) / total if total > 0 else 0.0
        for held, total in zip(demand.T, available, strict=True)
    )


def _task_rows(inst: ParallelTaskInstance, schedule: PreemptiveSchedule) -> npt.NDArray[np.int64]:
    """(n_pieces,) The task row of each piece."""
    n_tasks_of = np.diff(inst.task_start)
    is_job = (schedule.job >= 0) & (schedule.job < inst.n_jobs)
    is_task = is_job.copy()
    is_task[is_job] = (schedule.task[is_job] >= 0) & (
        schedule.task[is_job] < n_tasks_of[schedule.job[is_job]]
    )
    if not is_task.all():
        piece = int(np.argmin(is_task))
        raise InvalidInstanceError(
            f"piece {piece} is of task {schedule.task[piece]} of job {schedule.job[piece]}, which the instance has not"
        )
    return inst.task_start[schedule.job] + schedule.task


def _by_task(inst: ParallelTaskInstance, schedule: PreemptiveSchedule) -> _Pieces:
    task = _task_rows(inst, schedule)
    order = np.lexsort((schedule.start_time, task))
    return _Pieces(task[order], schedule.machine[order], schedule.start_time[order], schedule.end_time[order])


def _is_same_task(pieces: _Pieces) -> npt.NDArray[np.bool_]:
    """Whether each piece but the first is of the task of the one before."""
    same: npt.NDArray[np.bool_] = pieces.task[1:] == pieces.task[:-1]
    return same
