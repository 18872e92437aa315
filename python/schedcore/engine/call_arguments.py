"""What callers of an embedded scheduler hand over beside the jobs: instants, ids, and for which machines tasks are."""

from collections.abc import Sequence
from contextlib import suppress
from operator import index
from typing import Any, SupportsFloat, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from schedcore.errors import InvalidInstanceError, one_line
from schedcore.model import Machines
from schedcore.model.arrays import unmasked
from schedcore.model.real_numbers import shown

__all__ = [
    "check_same_machines",
    "id_array",
    "instant_of",
    "machine_number",
    "reservation_number",
    "task_places",
    "time_of",
    "whole_number",
]

# `float` takes most of these, or what is in them, for a number.
_NOT_NUMBERS = (str, bytes, bytearray, bool, np.bool_, np.ma.core.MaskedConstant)


def instant_of(now: SupportsFloat, called: str = "now") -> float:
    """Return `now`, which is called so in errors, as a finite, non-negative float, or raise."""
    instant = _number(now, called)
    if not 0 <= instant < float("inf"):
        raise InvalidInstanceError(f"{called} = {instant} is not a finite, non-negative time")
    return instant


def time_of(value: SupportsFloat, called: str) -> float:
    """Return a non-negative float, which may be infinite, or raise."""
    number = _number(value, called)
    if not number >= 0:
        raise InvalidInstanceError(f"{called} = {number} is no time: it must be at least 0")
    return number


def _number(value: SupportsFloat, called: str) -> float:
    """A float, or a `TypeError` that names the argument."""
    if type(value) is float:
        return value + 0.0  # not -0.0
    is_other = isinstance(value, _NOT_NUMBERS) or (
        isinstance(value, np.ndarray) and (value.ndim > 0 or value.dtype.kind not in "iuf")
    )
    if not is_other:
        try:
            return float(value) + 0.0
        except OverflowError:
            return float("inf")
        except (TypeError, ValueError):
            pass
    raise TypeError(f"{called} must be a number, not {one_line(repr(value))}")


def whole_number(value: Any) -> int | None:
    """Return an integer, or None for anything else; a truth value is no number."""
    if type(value) is int:
        return value
    if isinstance(value, (bool, np.bool_)):
        return None
    try:
        return index(value)
    except TypeError:
        return None


def machine_number(machine: SupportsIndex) -> int:
    """Return the index of one machine, or raise."""
    number = whole_number(machine)
    if number is None:
        raise InvalidInstanceError(f"machine must be an integer, not {one_line(repr(machine))}")
    if not -(2**63) <= number < 2**63:
        raise InvalidInstanceError(f"machine {shown(number)} is not there")
    return number


def id_array(ids: ArrayLike, n_jobs: int | None = None, called: str = "ids") -> NDArray[np.int64]:
    """Return a copy of `ids`, one for each of `n_jobs` jobs where these are given, or raise."""
    if n_jobs is None and isinstance(ids, list) and set(map(type, ids)) == {int}:  # few names, the usual way
        with suppress(OverflowError):
            return np.array(ids, dtype=np.int64)
    array = np.atleast_1d(np.asarray(unmasked(ids, called)))
    if array.size == 0:
        array = array.astype(np.int64)
    if array.dtype.kind not in "iu" or array.ndim != 1:
        raise InvalidInstanceError(
            f"{called} must be one-dimensional integers, not {array.dtype} of shape {array.shape}"
        )
    if n_jobs is not None and len(array) != n_jobs:
        raise InvalidInstanceError(f"{len(array)} ids for {n_jobs} jobs")
    if array.dtype == np.uint64 and array.size and int(array.max()) > np.iinfo(np.int64).max:
        raise InvalidInstanceError(f"{int(array.max())} in {called} exceeds 2**63 - 1")
    return np.array(array, dtype=np.int64, order="C")  # a copy: the caller may change or share the original


def reservation_number(reservation: SupportsIndex) -> int:
    """Return the number of a reservation, or raise."""
    number = whole_number(reservation)
    if number is None:
        raise TypeError(f"reservation must be an integer, not {one_line(repr(reservation))}")
    if not 0 <= number < 2**63:
        raise InvalidInstanceError(f"reservation {shown(number)} is unknown, or over")
    return number


def task_places(
    machine: ArrayLike | Sequence[Sequence[tuple[int, int]]], n_jobs: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return machines and numbers of tasks, and where those of each job begin.

    `machine` has an index for each job, which is then one task, or (machine, number of tasks) pairs.
    """
    given: Any = machine
    if not _is_list(given) or not any(map(_is_list, given)):
        machines = id_array(given, called="machine")
        _check_places(len(machines), n_jobs)
        return machines, np.ones(n_jobs, dtype=np.int64), np.arange(n_jobs + 1)
    lists = [list(places) if _is_list(places) else [(places, 1)] for places in given]
    _check_places(len(lists), n_jobs)
    for job, pairs in enumerate(lists):
        for pair in pairs:
            if not (_is_list(pair) and len(pair) == 2):
                raise InvalidInstanceError(
                    f"machine[{job}] (job {job}) holds {pair!r}; it must be pairs (machine, number of tasks)"
                )
    rows = [pair for pairs in lists for pair in pairs]
    machines, n_tasks = (id_array([pair[i] for pair in rows], called="machine") for i in (0, 1))
    for row in np.flatnonzero(n_tasks < 1)[:1]:
        raise InvalidInstanceError(
            f"{n_tasks[row]} tasks on machine {machines[row]}; there must be at least 1"
        )
    return machines, n_tasks, np.cumsum([0, *map(len, lists)], dtype=np.int64)


def _check_places(n_places: int, n_jobs: int) -> None:
    if n_places != n_jobs:
        raise InvalidInstanceError(f"machine has {n_places} entries for {n_jobs} jobs")


def _is_list(value: object) -> bool:
    return isinstance(value, (list, tuple))


def check_same_machines(of_tasks: Machines, own: Machines) -> None:
    """Raise where tasks are for other machines than the scheduler's."""
    if of_tasks is own:
        return
    if of_tasks.resource_names != own.resource_names:
        raise InvalidInstanceError(
            f"the resources of the tasks are {', '.join(of_tasks.resource_names)}, "
            f"those of the scheduler {', '.join(own.resource_names)}"
        )
    if of_tasks.n_machines != own.n_machines:
        raise InvalidInstanceError(
            f"the tasks are for {of_tasks.n_machines} machines, the scheduler has {own.n_machines}"
        )
    differs = of_tasks.capacity != own.capacity
    if differs.any():
        machine, resource = np.argwhere(differs)[0].tolist()
        raise InvalidInstanceError(
            f"the tasks are for other machines: capacity[{machine}, {resource}] is "
            f"{of_tasks.capacity[machine, resource]} there, {own.capacity[machine, resource]} in the scheduler"
        )
