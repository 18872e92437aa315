"""What the kernels of one slot are given: columns and matrices of whole cores and memory, checked at the boundary.

Amounts are integers from 0 to 2**53; floats are refused, because cores and memory are whole units here.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from schedcore.errors import InvalidInstanceError
from schedcore.model.arrays import (
    EXACT_BOUND,
    FloatArray,
    IntArray,
    first_fraction,
    first_index,
    frozen,
    numeric_array,
    place,
)
from schedcore.model.columns import float_column

__all__ = [
    "LARGEST_TOTAL",
    "amounts_of",
    "costs_of",
    "matrix_of",
    "memories_of",
    "refuse_floats",
    "total_of",
]

LARGEST_TOTAL = 2**62  # the kernels add up in int64


def costs_of(cost: ArrayLike, n_jobs: int | None = None) -> FloatArray:
    """Return one finite cost a job."""
    costs = float_column(cost, "cost", n_jobs)
    finite = np.isfinite(costs)
    if not finite.all():
        job = first_index(~finite)
        raise InvalidInstanceError(f"{place('cost', costs, job)} (job {job[0]}) must be finite")
    return costs


def amounts_of(
    name: str, values: ArrayLike, n_rows: int | None = None, *, row: str = "job", least: int = 0
) -> IntArray:
    """Return one amount a job or machine, `least` or more; `n_rows` of them where given."""
    array = _whole_units(name, values, row, least)
    if array.ndim != 1 or (n_rows is not None and array.size != n_rows):
        shape = f"(n_{row}s,)" if n_rows is None else f"({n_rows},)"
        raise InvalidInstanceError(f"{name} must have shape {shape}, one number a {row}, not {array.shape}")
    return array


def memories_of(name: str, values: ArrayLike, n_rows: int, *, row: str = "job") -> IntArray:
    """Return amounts of every memory, (n_rows, n_memories); one dimension stands for one memory."""
    array = _whole_units(name, values, row)
    if array.ndim == 1:
        array = array[:, np.newaxis]
    if array.ndim != 2 or array.shape[0] != n_rows:
        raise InvalidInstanceError(
            f"{name} must have shape ({n_rows},) or ({n_rows}, n_memories), not {np.shape(values)}"
        )
    return array


def matrix_of(name: str, values: ArrayLike, n_jobs: int, n_machines: int) -> IntArray:
    """Return amounts of every job on every machine."""
    array = _whole_units(name, values, "job")
    if n_jobs == 0 and array.shape == (0,):
        array = array.reshape(0, n_machines)  # a list of no rows cannot tell how long they are
    if array.shape != (n_jobs, n_machines):
        raise InvalidInstanceError(f"{name} must have shape ({n_jobs}, {n_machines}), not {array.shape}")
    return array


def total_of(name: str, amounts: IntArray) -> int:
    """Return the sum of amounts, refused where int64 could not hold it."""
    if amounts.sum(dtype=np.float64) >= LARGEST_TOTAL:
        raise InvalidInstanceError(f"{name} must be below 2**62 in total")
    return int(amounts.sum())


def refuse_floats(name: str, amounts: NDArray[Any]) -> None:
    """Raise an error that names the first amount which is no whole number, or the first of all."""
    if amounts.dtype.kind != "f" or amounts.size == 0:
        return
    where = place(name, amounts, first_fraction(amounts))
    raise InvalidInstanceError(f"{where} is a float; cores and memory are whole units")


def _whole_units(name: str, values: ArrayLike, row: str, least: int = 0) -> IntArray:
    array = numeric_array(values, name)
    if array.size == 0:
        return np.zeros(array.shape, dtype=np.int64)
    refuse_floats(name, array)
    if int(array.min()) < least or int(array.max()) > EXACT_BOUND:
        index = first_index(np.asarray((array < least) | (array > EXACT_BOUND), dtype=np.bool_))
        of_row = f" ({row} {index[0]})" if index else ""
        raise InvalidInstanceError(
            f"{place(name, array, index)}{of_row} must be at least {least} and at most 2**53"
        )
    units: IntArray = frozen(array, np.int64)
    return units
