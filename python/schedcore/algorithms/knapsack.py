"""Which items to pack: 0/1 knapsacks that always return the same set.

The building block of MRIS, whose analysis [Fan and Liang, ICPP 2024, section 6.1] needs a knapsack that
outweighs the optimum at the price of a slightly exceeded capacity. The kernels run in ``src/cpp``; this
module checks the input.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from schedcore import _core
from schedcore.errors import InvalidInstanceError
from schedcore.model.arrays import EXACT_BOUND, first_index, numeric_array, place
from schedcore.model.choices import check_choice
from schedcore.model.epsilon import Epsilon, decimal_fraction

__all__ = ["knapsack"]

_METHODS = ("exact", "cadp", "greedy", "greedy_union", "greedy_prefix")
_INT64_MAX = 2**63 - 1


def knapsack(
    weight: ArrayLike,
    size: ArrayLike,
    capacity: float,
    method: str = "exact",
    epsilon: Epsilon = 0.1,
    memory_limit: int = 1 << 30,
    progress: Callable[[int, int], object] | None = None,
) -> NDArray[np.int64]:
    """Choose items of large total weight whose sizes add up to about `capacity`.

    Parameters
    ----------
    weight : (n_items,) int or float
        What an item is worth; positive.
    size : (n_items,) int or float
        What an item takes; positive. Integers are exact up to 2**63 - 1, floats count as the fractions they
        are.
    capacity : int or float
        Same unit as `size`; non-negative.
    method : {"exact", "cadp", "greedy", "greedy_union", "greedy_prefix"}
        "exact" returns the canonical optimum: maximum weight, then minimum size, then the latest items left
        out. The next three weigh at least as much, for which they may exceed the capacity:

        - "cadp": size at most (1 + epsilon) * capacity; the canonical optimum for sizes rounded down to
          multiples of epsilon * capacity / n_items.
        - "greedy": the densest items up to twice the capacity, those larger than `capacity` left aside.
        - "greedy_union": the densest items up to and including the one that overflows the capacity.
        - "greedy_prefix": the densest items that fit, or the item that overflows if it alone weighs more;
          within the capacity, at least half of the optimum's weight.
    epsilon : float, Fraction or (numerator, denominator)
        Read by "cadp" alone; in (0, 1). A float means the fraction a person would write.
    memory_limit : int
        Bytes that the dynamic program of "exact" and "cadp" may take; bounds its work too, see Notes.
    progress : callable, optional
        ``progress(done, total)`` now and then, in items that the dynamic program has decided.

    Returns
    -------
    (n_chosen,) int64
        Indices of the chosen items, ascending.

    Raises
    ------
    InvalidInstanceError
        For a weight or size that is not positive and finite, a negative capacity, unequal lengths, an integer
        beyond int64, an unknown method, an epsilon outside (0, 1). Names the item, the value and the bound.
    UnsupportedError
        If the dynamic program would exceed `memory_limit` or the work that goes with it; raised before
        allocating, with the number of items, the bytes, the limit and the alternatives.

    Notes
    -----
    O(n log n) for the greedy forms, and for "exact" and "cadp" where everything fits or at most two weights
    occur. Otherwise a dynamic program over the few items that bounds cannot decide: 64,000 items with
    unrelated weights take less than 0.1 s, but the worst case (many distinct weights that follow the sizes
    closely) is exponential and refused.

    The dynamic program reads each of its states, of 32 bytes (48 or 80 for sums beyond 62 or 120 bits), once
    for every item it decides. It ends when it has read 16 * max(memory_limit, 2**30) bytes, or sooner, when
    the states of the moment, read for an eighth of the items to come, would exceed that. So "exact" ends
    within about ten seconds at the default limit, and the same call is refused or answered on every machine.
    """
    check_choice("method", method, _METHODS)
    fraction = decimal_fraction(epsilon)
    weights = _column(weight, "weight").astype(np.float64, copy=False)
    sizes = _column(size, "size")
    if weights.size != sizes.size:
        raise InvalidInstanceError(f"weight has {weights.size} entries, size has {sizes.size}")
    limit = operator.index(memory_limit)
    if not 0 < limit <= _INT64_MAX:
        raise InvalidInstanceError(f"memory_limit = {memory_limit} must lie between 1 and 2**63 - 1")
    room = _checked_capacity(capacity)
    options: dict[str, Any] = {
        "method": method,
        "epsilon": fraction.as_integer_ratio(),
        "memory_limit": limit,
        "progress": progress,
    }
    if sizes.dtype.kind != "f" and isinstance(room, int):
        return _core.packing.knapsack_of_integers(
            weights, sizes.astype(np.int64, copy=False), room, **options
        )
    return _core.packing.knapsack_of_reals(weights, _as_floats(sizes), float(room), **options)


def _column(values: ArrayLike, name: str) -> NDArray[Any]:
    array = numeric_array(values, name)
    if array.size == 0 and array.ndim == 1:
        return np.empty(0, dtype=np.int64)
    if array.ndim != 1:
        raise InvalidInstanceError(f"{name} has shape {array.shape}; one number per item is needed")
    if array.dtype.kind in "Ou" and np.any(array > _INT64_MAX):
        index = first_index(np.asarray(array > _INT64_MAX, dtype=np.bool_))
        raise InvalidInstanceError(
            f"{place(name, array, index)} exceeds 2**63 - 1; scale it down or give floats"
        )
    valid = array > 0
    if array.dtype.kind == "f":
        valid &= np.isfinite(array)
    if not np.all(valid):
        index = first_index(np.asarray(~valid.astype(np.bool_)))
        raise InvalidInstanceError(f"{place(name, array, index)} must be positive and finite")
    if name == "weight" and array.dtype.kind in "iu" and np.any(array > EXACT_BOUND):
        index = first_index(np.asarray(array > EXACT_BOUND))
        raise InvalidInstanceError(f"{place(name, array, index)} exceeds 2**53 and would be rounded")
    return array


def _checked_capacity(capacity: float | SupportsIndex) -> int | float:
    """An int where the capacity is a whole number, as exact sizes need it."""
    if isinstance(capacity, (bool, np.bool_)):
        raise TypeError("capacity must be a number, not a boolean")
    if isinstance(capacity, SupportsIndex):
        whole = operator.index(capacity)
    else:
        real = float(capacity)
        if not np.isfinite(real):
            raise InvalidInstanceError(f"capacity = {real} must be finite")
        if real != np.floor(real) or abs(real) > EXACT_BOUND:
            if real < 0:
                raise InvalidInstanceError(f"capacity = {real} must not be negative")
            return real
        whole = int(real)
    if whole < 0:
        raise InvalidInstanceError(f"capacity = {whole} must not be negative")
    if whole > _INT64_MAX:
        raise InvalidInstanceError(f"capacity = {whole} exceeds 2**63 - 1")
    return whole


def _as_floats(sizes: NDArray[Any]) -> NDArray[np.float64]:
    if sizes.dtype.kind != "f" and np.any(sizes > EXACT_BOUND):
        index = first_index(np.asarray(sizes > EXACT_BOUND))
        raise InvalidInstanceError(
            f"{place('size', sizes, index)} exceeds 2**53 and needs an integer capacity"
        )
    return sizes.astype(np.float64, copy=False)
