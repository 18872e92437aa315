"""Amounts of resources: exact int64 units, converted once, at the boundary.

Integers are used as they are. A real amount x (a fraction of a machine, say) becomes ``floor(x * resolution +
1e-6)`` units, at least 1 where x > 0: ten demands of 0.1 fill a capacity of 1.0, and a demand equal to the
capacity still fits. Amounts lie in [0, 2**53].
"""

import operator
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from schedcore.errors import InvalidInstanceError

from .arrays import EXACT_BOUND, FloatArray, IntArray, first_index, frozen, numeric_array, place
from .small_columns import small_amounts

__all__ = ["amount_units", "check_resolution", "demand_of_jobs", "exact_total"]

_ROUNDING_ALLOWANCE = 1e-6  # units; forgives the last bits of sums such as 0.1 + 0.2, never a whole unit


def amount_units(
    values: ArrayLike, resolution: SupportsIndex | None, *, name: str, row: str, n_dims: int = 2
) -> IntArray:
    """Convert amounts to int64 units.

    Parameters
    ----------
    values : array_like with `n_dims` dimensions
        Integers (units) or floats (multiples of `resolution` units). The last axis is the resource.
    resolution : int or None
        Units per 1.0; needed for floats, unused for integers.
    name, row : str
        Column name ("demand") and what a row is ("job"), for messages.

    Returns
    -------
    ndarray of int64
        Read-only and C-contiguous; the input itself where it is both already.

    Raises
    ------
    InvalidInstanceError
        For a wrong number of dimensions, floats without a resolution, and amounts that are negative, not
        finite or above 2**53; names the entry, its row and its resource.
    """
    few = small_amounts(values) if n_dims == 2 and resolution is None else None
    if few is not None:
        return few
    scale = None if resolution is None else check_resolution(resolution)
    array = numeric_array(values, name)
    if array.ndim != n_dims:
        shape = f"(n_{row}s, n_resources)" if n_dims == 2 else "(n_resources,)"
        raise InvalidInstanceError(f"{name} must have shape {shape}, not {array.shape}")
    if array.dtype.kind == "f" and array.size:
        return _scaled(array, scale, name, row)
    if array.size and (int(array.min()) < 0 or int(array.max()) > EXACT_BOUND):
        outside = np.asarray((array < 0) | (array > EXACT_BOUND), dtype=np.bool_)
        raise InvalidInstanceError(
            f"{_entry(name, row, array, outside)} is outside [0, 2**53 = {EXACT_BOUND}]"
        )
    units: IntArray = frozen(array, np.int64)
    return units


def demand_of_jobs(
    demand: ArrayLike, n_jobs: int, resolution: SupportsIndex | None, name: str = "demand"
) -> IntArray:
    """Return the demands of jobs in units, (n_jobs, n_resources); without jobs, an empty list will do."""
    array = numeric_array(demand, name)
    if n_jobs == 0 and array.shape == (0,):
        array = array.reshape(0, 0)
    units = amount_units(array, resolution, name=name, row="job")
    if len(units) != n_jobs:
        raise InvalidInstanceError(f"{name} has {len(units)} rows for {n_jobs} jobs")
    if n_jobs > 0 and units.shape[1] == 0:
        raise InvalidInstanceError(f"{name} has no columns; jobs need at least one resource")
    return units


def check_resolution(resolution: SupportsIndex) -> int:
    """Return `resolution` as an int in [1, 2**53]."""
    if isinstance(resolution, bool):
        raise TypeError("resolution must be an integer, not bool")
    value = operator.index(resolution)
    if not 1 <= value <= EXACT_BOUND:
        raise InvalidInstanceError(f"resolution = {value} is outside [1, 2**53 = {EXACT_BOUND}]")
    return value


def exact_total(amounts: IntArray) -> int:
    """Return the sum of amounts, however many; one of int64 wraps around with 1024 machines of 2**53 units. O(n)."""
    low = amounts & 0xFFFFFFFF
    return (int((amounts >> 32).sum()) << 32) + int(low.sum())


def _scaled(array: FloatArray, resolution: int | None, name: str, row: str) -> IntArray:
    invalid = ~(np.isfinite(array) & (array >= 0))
    if invalid.any():
        raise InvalidInstanceError(f"{_entry(name, row, array, invalid)} must be finite and at least 0")
    if resolution is None:
        where = _entry(name, row, array, np.ones(array.shape, dtype=np.bool_))
        raise InvalidInstanceError(
            f"{where} is a float; amounts are integer units, so name the resolution (units per 1.0, "
            f"customary: resolution=1_000_000) or pass integers"
        )
    with np.errstate(over="ignore"):  # an overflow to infinity is above the bound and refused next
        scaled = np.floor(array * resolution + _ROUNDING_ALLOWANCE)
    above = scaled > EXACT_BOUND
    if above.any():
        raise InvalidInstanceError(
            f"{_entry(name, row, array, above)} times resolution {resolution} exceeds 2**53 = {EXACT_BOUND}"
        )
    np.maximum(scaled, 1.0, out=scaled, where=array > 0)
    units = scaled.astype(np.int64, order="C")
    units.setflags(write=False)
    return units


def _entry(name: str, row: str, array: NDArray[Any], mask: NDArray[np.bool_]) -> str:
    index = first_index(mask)
    of_row = f"{row} {index[0]}, " if len(index) == 2 else ""
    return f"{place(name, array, index)} ({of_row}resource {index[-1]})"
