"""The columns of a parallel-task instance, checked one by one; errors name the job, task or placement."""

import math
from typing import SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from schedcore.errors import InvalidInstanceError

from .amounts import amount_units
from .arrays import (
    EXACT_BOUND,
    BoolArray,
    FloatArray,
    IntArray,
    first_index,
    frozen,
    numeric_array,
    place,
)
from .real_numbers import finite_number

__all__ = [
    "check_jobs",
    "check_placements",
    "check_sums",
    "checked_penalty",
    "demand_of_tasks",
    "fastest_placements",
    "fitting_placements",
    "processing_times",
]

_LARGEST_OBJECTIVE = 1e300  # leaves room for sums of products with it


def check_jobs(task_job: IntArray, n_jobs: int) -> None:
    """Refuse jobs that do not exist, stand apart or have no task."""
    outside = (task_job < 0) | (task_job >= n_jobs)
    if outside.any():
        index = first_index(outside)
        raise InvalidInstanceError(
            f"{place('task_job', task_job, index)} must be a job, at least 0 and below {n_jobs}"
        )
    decreasing = np.diff(task_job) < 0
    if decreasing.any():
        task = int(np.argmax(decreasing)) + 1
        raise InvalidInstanceError(
            f"task_job[{task}] = {task_job[task]} comes after {task_job[task - 1]}: the tasks of a job stand "
            f"together, jobs in ascending order"
        )
    counts = np.bincount(task_job, minlength=n_jobs)
    if not counts.all():
        raise InvalidInstanceError(f"job {int(np.argmin(counts > 0))} has no task; it needs at least 1")


def demand_of_tasks(
    demand: ArrayLike, n_tasks: int, n_resources: int, resolution: SupportsIndex | None
) -> IntArray:
    """Return the demands in units, above 0 in some resource of the machines."""
    array = numeric_array(demand, "demand")
    if n_tasks == 0 and array.size == 0:
        array = np.empty((0, n_resources), dtype=np.int64)
    units = amount_units(array, resolution, name="demand", row="task")
    if units.shape != (n_tasks, n_resources):
        raise InvalidInstanceError(
            f"demand has shape {units.shape}; {n_tasks} tasks and {n_resources} resources of the machines need "
            f"{(n_tasks, n_resources)}"
        )
    empty = ~units.any(axis=1)
    if empty.any():
        task = int(np.argmax(empty))
        raise InvalidInstanceError(
            f"demand[{task}] = {units[task].tolist()} must be above 0 in some resource"
        )
    return units


def check_placements(starts: IntArray, machine: IntArray, n_tasks: int, n_machines: int) -> None:
    """Refuse placement sets that are empty, overlap, do not ascend or name machines that do not exist."""
    if len(starts) != n_tasks + 1:
        raise InvalidInstanceError(
            f"placement_start has {len(starts)} entries; {n_tasks} tasks need {n_tasks + 1}"
        )
    if starts[0] != 0 or starts[-1] != len(machine):
        raise InvalidInstanceError(
            f"placement_start must begin with 0 and end with the number of placements, {len(machine)}, not "
            f"{starts[0]} and {starts[-1]}"
        )
    counts = np.diff(starts)
    if (counts < 1).any():
        task = int(np.argmax(counts < 1))
        raise InvalidInstanceError(
            f"task row {task} has {max(0, int(counts[task]))} machines in its placement set (placement_start[{task}] = "
            f"{starts[task]}, placement_start[{task + 1}] = {starts[task + 1]}); it needs at least 1"
        )
    outside = (machine < 0) | (machine >= n_machines)
    if outside.any():
        index = first_index(outside)
        raise InvalidInstanceError(
            f"{place('placement_machine', machine, index)} must be a machine, at least 0 and below {n_machines}"
        )
    descends = np.diff(machine) <= 0
    descends[starts[1:-1] - 1] = False  # from one task to the next
    if descends.any():
        row = int(np.argmax(descends)) + 1
        task = int(np.searchsorted(starts, row, side="right")) - 1
        raise InvalidInstanceError(
            f"placement_machine[{row}] = {machine[row]} (task row {task}) comes after {machine[row - 1]}: the machines "
            f"of a task ascend"
        )


def processing_times(values: ArrayLike, starts: IntArray, n_placements: int) -> IntArray:
    """Return the processing times of the placements, whole numbers from 1 to 2**53."""
    array = numeric_array(values, "placement_time")
    if array.shape != (n_placements,):
        raise InvalidInstanceError(f"placement_time has shape {array.shape} for {n_placements} placements")
    with np.errstate(invalid="ignore"):
        wrong = ~((array >= 1) & (array <= EXACT_BOUND))  # NaN is wrong, too
        if array.dtype.kind == "f":
            wrong |= array != np.floor(array)
    if wrong.any():
        index = first_index(np.asarray(wrong, dtype=np.bool_))
        task = int(np.searchsorted(starts, index[0], side="right")) - 1
        raise InvalidInstanceError(
            f"{place('placement_time', array, index)} (task row {task}) must be a whole number of at least 1 and at "
            f"most 2**53"
        )
    times: IntArray = frozen(array, np.int64)
    return times


def check_sums(times: IntArray, starts: IntArray, release_time: FloatArray, weight: FloatArray) -> None:
    """Refuse times with which a schedule could leave the integers that float64 holds, and weights beyond all sums."""
    longest = np.maximum.reduceat(times, starts[:-1]) if len(times) else times
    total = sum(longest.tolist()) + math.ceil(release_time.max(initial=0.0))
    if total > EXACT_BOUND:
        raise InvalidInstanceError(
            f"the longest processing times of the tasks and the last release time add up to {total}, above 2**53; "
            f"use a coarser unit of time"
        )
    with np.errstate(over="ignore"):
        largest = float(weight.sum()) * total
    if not largest <= _LARGEST_OBJECTIVE:
        raise InvalidInstanceError(
            f"weights that add up to {float(weight.sum())!r} times a schedule of length {total} exceed "
            f"{_LARGEST_OBJECTIVE!r}; scale the weights"
        )


def checked_penalty(remote_penalty: object) -> float:
    """Return the remote penalty, finite and at least 1."""
    return finite_number("remote_penalty", remote_penalty, above_0=False, at_least=1)


def fitting_placements(
    demand: IntArray, capacity: IntArray, starts: IntArray, machine: IntArray
) -> BoolArray:
    """(n_placements,) Whether the empty machine holds the task."""
    fits = np.ones(len(machine), dtype=np.bool_)
    task = np.repeat(np.arange(len(demand)), np.diff(starts))
    for needed, held in zip(demand.T, capacity.T, strict=True):
        fits &= needed[task] <= held[machine]
    return fits


def fastest_placements(fits: BoolArray, times: IntArray, starts: IntArray) -> BoolArray:
    """(n_placements,) Whether the task fits the machine and runs on none that it fits in less time."""
    if len(fits) == 0:
        return fits
    fitting_times = np.where(fits, times, EXACT_BOUND + 1)
    least = np.minimum.reduceat(fitting_times, starts[:-1])
    fastest: BoolArray = fits & (times == np.repeat(least, np.diff(starts)))
    return fastest
