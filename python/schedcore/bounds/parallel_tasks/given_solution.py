"""Solutions that a user hands in instead of having a program solved: checked, and brought into the form of our own."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from schedcore.errors import InvalidInstanceError
from schedcore.model import ParallelTaskInstance
from schedcore.model.arrays import numeric_array

from .intervals import Intervals
from .task_fractions import WHOLE_TASK, TaskFractions

__all__ = ["given_completion", "given_fractions"]


def given_fractions(
    instance: ParallelTaskInstance,
    lp_solution: ArrayLike,
    intervals: Intervals,
    *,
    doubling: bool,
    part: ArrayLike | None = None,
) -> TaskFractions:
    """Return the fractions that rows (job, task, machine, interval, units of 1e-9) describe.

    Parameters
    ----------
    instance : ParallelTaskInstance
        The one whose jobs and tasks the rows name; only usable placements.
    lp_solution : (n_fractions, 5) array_like of int
        In any order; the task is its number within the job.
    intervals : Intervals
    doubling : bool
        Whether no task may lie in an interval that ends before its processing time.
    part : array_like of int, optional
        Ascending rows of the tasks that the result is about, which are then numbered from 0, as in
        ``instance.take_tasks(part)``; rows of other tasks are ignored. All tasks by default.

    Raises
    ------
    InvalidInstanceError
        For rows that are not of this form, are no placement of the instance, or come twice, and for tasks whose units
        do not sum to 10**9; names the row or the task. Whether machines have the capacity is not checked.
    TypeError
        For numbers that are no integers.
    """
    rows = _integers(lp_solution)
    row = np.arange(len(rows))
    _refuse(~_within(rows[:, 0], instance.n_jobs), rows, row, f"there is no such job among {instance.n_jobs}")
    first, behind = instance.task_start[rows[:, 0]], instance.task_start[rows[:, 0] + 1]
    _refuse(~_within(rows[:, 1], behind - first), rows, row, "the job has no such task")
    task = first + rows[:, 1]
    chosen = np.arange(instance.n_tasks) if part is None else np.asarray(part, dtype=np.int64)
    number = np.searchsorted(chosen, task)
    among = np.append(chosen, -1)[number] == task
    row, rows, task, number = row[among], rows[among], task[among], number[among]

    machine, interval, units = rows[:, 2], rows[:, 3], rows[:, 4]
    _refuse(~_within(machine, instance.n_machines), rows, row, "there is no such machine")
    keys = instance.placement_task * instance.n_machines + instance.placement_machine  # ascend
    key = task * instance.n_machines + machine
    placement = np.minimum(np.searchsorted(keys, key), len(keys) - 1)
    _refuse(keys[placement] != key, rows, row, "the task may not run on this machine")
    _refuse(
        ~_within(interval, intervals.n_intervals),
        rows,
        row,
        f"intervals are numbered from 0 to {intervals.n_intervals - 1}",
    )
    _refuse(~((units >= 1) & (units <= WHOLE_TASK)), rows, row, "units must be at least 1 and at most 10**9")
    if doubling:
        late = instance.placement_time[placement] > intervals.ends[interval]
        _refuse(late, rows, row, "the interval ends before the processing time of the task there")
    fractions = TaskFractions(number, machine, interval, units)
    order = np.lexsort((machine, interval, number))
    twice = np.zeros(len(rows), dtype=np.bool_)
    twice[order[1:]] = (np.diff(rows[order][:, 2:4], axis=0) == 0).all(axis=1) & (np.diff(number[order]) == 0)
    _refuse(twice, rows, row, "another row has the same task, machine and interval")
    _check_sums(instance, chosen, fractions)
    return fractions.sorted()


def given_completion(instance: ParallelTaskInstance, lp_solution: ArrayLike) -> NDArray[np.float64]:
    """Return C_j as given: (n_jobs,) float64, finite and at least 0.

    Raises
    ------
    InvalidInstanceError
        For another number of values, and for a value that is infinite, NaN or negative; names the job.
    """
    values = numeric_array(lp_solution, "lp_solution").astype(np.float64)
    if values.shape != (instance.n_jobs,):
        raise InvalidInstanceError(
            f"lp_solution has shape {values.shape}; {instance.n_jobs} jobs need one completion time each"
        )
    wrong = ~(np.isfinite(values) & (values >= 0))
    if wrong.any():
        job = int(np.argmax(wrong))
        raise InvalidInstanceError(f"lp_solution[{job}] = {values[job]} must be finite and at least 0")
    return values


def _integers(lp_solution: ArrayLike) -> NDArray[np.int64]:
    array = numeric_array(lp_solution, "lp_solution")
    if array.size == 0:
        return np.zeros((0, 5), dtype=np.int64)
    if array.ndim != 2 or array.shape[1] != 5:
        raise InvalidInstanceError(
            f"lp_solution has shape {array.shape}; it needs rows (job, task, machine, interval, units)"
        )
    if array.dtype.kind not in "iu":
        raise TypeError(f"lp_solution must hold integers, not {array.dtype}")
    return array.astype(np.int64)


def _within(values: NDArray[np.int64], bound: NDArray[np.int64] | int) -> NDArray[np.bool_]:
    return (values >= 0) & (values < bound)


def _refuse(wrong: NDArray[np.bool_], rows: NDArray[np.int64], row: NDArray[np.int64], reason: str) -> None:
    """Raise with the first row that is wrong; `row` numbers the rows as the caller does."""
    if wrong.any():
        at = int(np.argmax(wrong))
        raise InvalidInstanceError(
            f"lp_solution[{row[at]}] = {rows[at].tolist()} (job, task, machine, interval, units): {reason}"
        )


def _check_sums(instance: ParallelTaskInstance, chosen: NDArray[np.int64], fractions: TaskFractions) -> None:
    # at most 10**9 a row, so a task would need 10**7 rows before doubles round
    total = np.bincount(fractions.task, fractions.units, len(chosen))
    if (total != WHOLE_TASK).any():
        task = int(np.argmax(total != WHOLE_TASK))
        raise InvalidInstanceError(
            f"lp_solution gives {instance.task_name(int(chosen[task]))} {total[task]:.0f} units; they must sum to 10**9"
        )
