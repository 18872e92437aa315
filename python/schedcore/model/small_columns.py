"""Columns of a few plain numbers: the same checks without a NumPy call for each of them.

Programs that embed a scheduler submit jobs one by one, and a NumPy call costs more than a look at a number. Every
function answers None for whatever it does not know to be right; the ordinary way then decides, and has the messages.
"""

from collections.abc import Sequence
from math import copysign, inf
from typing import Any

import numpy as np

from .arrays import EXACT_BOUND, FloatArray, IntArray, frozen

__all__ = ["plain_job", "small_amounts", "small_identifiers", "small_measures"]

_FEW = 16  # from about here on NumPy is faster
_INT64_MAX = 2**63 - 1


def small_measures(values: Any, n_rows: int | None, *, positive: bool) -> FloatArray | None:
    """Return a read-only column of finite numbers, above 0 where `positive`, otherwise at least 0."""
    kind = type(values)
    if kind is np.ndarray:
        if values.ndim != 1 or values.dtype != np.float64 or values.size > _FEW:
            return None
        numbers = values.tolist()
    elif kind is list or kind is tuple:
        numbers = values
    elif (kind is int or kind is float) and n_rows is not None:
        numbers = [values] * min(n_rows, _FEW + 1)
    else:
        return None
    if len(numbers) > _FEW or (n_rows is not None and len(numbers) != n_rows):
        return None
    for number in numbers:
        if type(number) is float:
            if not 0.0 < number < inf and (positive or number != 0.0 or copysign(1.0, number) < 0):
                return None
        elif type(number) is not int or not (number > 0 or not (positive or number)) or number > EXACT_BOUND:
            return None
    if kind is np.ndarray:
        return frozen(values, np.float64)
    column = np.array(numbers, dtype=np.float64)
    column.setflags(write=False)
    return column


def small_amounts(values: Any) -> IntArray | None:
    """Return a read-only matrix of integers in [0, 2**53], a row a job."""
    kind = type(values)
    if kind is np.ndarray:
        if values.ndim != 2 or values.dtype != np.int64 or values.size > _FEW:
            return None
        rows = values.tolist()
    elif (kind is list or kind is tuple) and 0 < len(values) <= _FEW:
        rows = values
    else:
        return None
    for row in rows:
        if (type(row) is not list and type(row) is not tuple) or not 0 < len(row) == len(rows[0]) <= _FEW:
            return None
        for amount in row:
            if type(amount) is not int or not 0 <= amount <= EXACT_BOUND:
                return None
    if kind is np.ndarray:
        return frozen(values, np.int64)
    matrix = np.array(rows, dtype=np.int64)
    matrix.setflags(write=False)
    return matrix


def plain_job(
    processing_time: Any, demand: Any, weight: Any, estimated_processing_time: Any, id: Any, n_resources: int
) -> Sequence[int] | None:
    """Return the demand of one job if all of it is plain numbers above 0 that `Jobs` takes; amounts and id may be 0."""
    if type(demand) is np.ndarray and demand.ndim == 1 and demand.dtype == np.int64:
        demand = demand.tolist()
    if (type(demand) is not list and type(demand) is not tuple) or len(demand) != n_resources:
        return None
    for amount in demand:
        if type(amount) is not int or not 0 <= amount <= EXACT_BOUND:
            return None
    estimate = processing_time if estimated_processing_time is None else estimated_processing_time
    for number in (processing_time, weight, estimate):
        if type(number) is float:
            if not 0.0 < number < inf:
                return None
        elif type(number) is not int or not 0 < number <= EXACT_BOUND:
            return None
    if id is not None and (type(id) is not int or not 0 <= id <= _INT64_MAX):
        return None
    return demand


def small_identifiers(values: Any, n_rows: int) -> IntArray | None:
    """Return a read-only column of distinct integers in [0, 2**63 - 1]."""
    if (type(values) is not list and type(values) is not tuple) or not len(values) == n_rows <= _FEW:
        return None
    for number in values:
        if type(number) is not int or not 0 <= number <= _INT64_MAX:
            return None
    if len(set(values)) < n_rows:
        return None
    column = np.array(values, dtype=np.int64)
    column.setflags(write=False)
    return column
