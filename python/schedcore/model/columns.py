"""One number a job: times, weights, identifiers, machine numbers and flags as checked, read-only columns.

Times and weights are float64 and exact: an integer above 2**53, which float64 would round, is refused.
Negative zero becomes zero, so that equal instants are equal bit patterns.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from schedcore.errors import InvalidInstanceError

from .arrays import (
    EXACT_BOUND,
    BoolArray,
    FloatArray,
    IntArray,
    first_fraction,
    first_index,
    frozen,
    numeric_array,
    place,
    unmasked,
)
from .small_columns import small_identifiers, small_measures

__all__ = [
    "ascends",
    "check_entries",
    "flag_column",
    "float_column",
    "identifier_column",
    "integer_column",
    "measure_column",
]

_INT64_MAX = 2**63 - 1


def float_column(values: ArrayLike, name: str, n_rows: int | None = None, *, row: str = "job") -> FloatArray:
    """Return a float64 column, `n_rows` long where given; a scalar is repeated. Any float may occur.

    `row` is what a row stands for, as messages call it.
    """
    array = _one_dimensional(numeric_array(values, name), name, n_rows, row)
    if array.dtype.kind != "f":
        inexact = _beyond(array, -EXACT_BOUND, EXACT_BOUND)
        if inexact is not None:
            raise InvalidInstanceError(
                f"{place(name, array, inexact)} is an integer beyond 2**53, which float64 would round"
            )
    column: FloatArray = frozen(array, np.float64)
    if np.signbit(column).any():
        column = column + 0.0  # -0.0 + 0.0 is 0.0; every other value stays
        column.setflags(write=False)
    return column


def measure_column(values: ArrayLike, name: str, n_jobs: int | None = None, *, positive: bool) -> FloatArray:
    """Return a column of finite numbers, above 0 where `positive`, otherwise at least 0."""
    few = small_measures(values, n_jobs, positive=positive)
    if few is not None:
        return few
    column = float_column(values, name, n_jobs)
    valid = np.isfinite(column) & ((column > 0) if positive else (column >= 0))
    check_entries(name, column, valid, f"finite and {'above 0' if positive else 'at least 0'}")
    return column


def check_entries(name: str, column: NDArray[Any], valid: BoolArray, bound: str, *, row: str = "job") -> None:
    """Raise an error that names the first entry that is not valid, and its bound; `row` is what a row stands for."""
    if not valid.all():
        index = first_index(~valid)
        raise InvalidInstanceError(f"{place(name, column, index)} ({row} {index[0]}) must be {bound}")


def integer_column(values: ArrayLike, name: str, n_rows: int | None = None, *, row: str = "job") -> IntArray:
    """Return an int64 column; floats are refused with a TypeError that names one, values outside int64 by name.

    `row` is what a row stands for, as messages call it.
    """
    array = numeric_array(values, name)
    if array.dtype.kind == "f" and array.size:
        index = first_fraction(array)
        raise TypeError(
            f"{name} must hold integers, not {array.dtype}: {place(name, array, index)}"
            + (f" ({row} {index[0]})" if index else "")
        )
    array = _one_dimensional(array, name, n_rows, row)
    outside = _beyond(array, -_INT64_MAX - 1, _INT64_MAX)
    if outside is not None:
        raise InvalidInstanceError(
            f"{place(name, array, outside)} ({row} {outside[0]}) does not fit into int64"
        )
    column: IntArray = frozen(array, np.int64)
    return column


def flag_column(values: ArrayLike, name: str, n_rows: int, *, row: str = "job") -> BoolArray:
    """Return a column of truth values, `n_rows` long; a single one is repeated, anything else is a TypeError."""
    plain = unmasked(values, name)
    try:
        array = np.asarray(plain)
    except ValueError:  # rows of different lengths
        raise TypeError(f"{name} must hold truth values") from None
    if array.size == 0:
        array = array.astype(np.bool_)
    if array.dtype.kind != "b":
        entries = np.asarray(plain, dtype=object)
        for index, entry in np.ndenumerate(entries):
            if not isinstance(entry, (bool, np.bool_)):
                of_row = f" ({row} {index[0]})" if index else ""
                raise TypeError(f"{place(name, entries, index)}{of_row} must be True or False")
        array = entries
    column: BoolArray = frozen(_one_dimensional(array, name, n_rows, row), np.bool_)
    return column


def ascends(*keys: IntArray | FloatArray) -> bool:
    """Whether the rows ascend by the keys, the first of which counts most; O(n_rows), one key where that decides."""
    tied = np.ones(max(0, len(keys[0]) - 1), dtype=np.bool_)
    for key in keys:
        if not (~tied | (key[1:] >= key[:-1])).all():  # NaN is not at least itself: such rows are sorted
            return False
        tied &= key[1:] == key[:-1]
        if not tied.any():
            break
    return True


def identifier_column(values: ArrayLike | None, n_jobs: int) -> IntArray:
    """Return unique non-negative identifiers, the job indices where `values` is None."""
    if values is None:
        default = np.arange(n_jobs, dtype=np.int64)
        default.setflags(write=False)
        return default
    few = small_identifiers(values, n_jobs)
    if few is not None:
        return few
    column = integer_column(values, "id", n_jobs)
    negative = column < 0
    if negative.any():
        index = first_index(negative)
        raise InvalidInstanceError(f"{place('id', column, index)} (job {index[0]}) is negative")
    if not (column[1:] > column[:-1]).all():
        refuse_repetition(column)
    return column


def refuse_repetition(identifiers: IntArray) -> None:
    """Raise an error that names the first job whose identifier an earlier job has."""
    order = np.argsort(identifiers, kind="stable")
    repeated = order[1:][identifiers[order[1:]] == identifiers[order[:-1]]]
    if repeated.size:
        job = int(repeated.min())
        earlier = int(np.argmax(identifiers == identifiers[job]))
        raise InvalidInstanceError(
            f"id[{job}] = {identifiers[job]} repeats id[{earlier}]; identifiers are unique"
        )


def _one_dimensional(array: NDArray[Any], name: str, n_rows: int | None, row: str = "job") -> NDArray[Any]:
    if array.ndim == 0 and n_rows is not None:
        array = np.full(n_rows, array[()])
        array.setflags(write=False)
    if array.ndim != 1:
        raise InvalidInstanceError(f"{name} must have shape (n_{row}s,), not {array.shape}")
    if n_rows is not None and len(array) != n_rows:
        raise InvalidInstanceError(f"{name} has {len(array)} entries for {n_rows} {row}s")
    return array


def _beyond(array: NDArray[Any], low: int, high: int) -> tuple[int, ...] | None:
    """Return the index of the first integer outside [low, high], or None."""
    if array.size == 0 or (int(array.min()) >= low and int(array.max()) <= high):
        return None
    return first_index(np.asarray((array < low) | (array > high), dtype=np.bool_))
