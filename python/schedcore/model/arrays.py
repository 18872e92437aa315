"""User input becomes a NumPy array of numbers without losing information.

Lists, tuples, NumPy, Arrow, pandas and Polars columns are accepted. What would silently change a number is
refused: booleans, integers that float64 cannot hold, long doubles, ragged rows, and masked entries, which are
missing values.

Copies: an array that is already read-only, C-contiguous and of the right dtype is kept as it is (Arrow and
pandas columns are); handing one over promises that nobody writes to its memory any more. Everything else is
copied once, so that a later write to the caller's array cannot reach a model object.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from schedcore.errors import InvalidInstanceError

__all__ = [
    "EXACT_BOUND",
    "BoolArray",
    "FloatArray",
    "IntArray",
    "first_fraction",
    "first_index",
    "frozen",
    "numeric_array",
    "place",
    "selection",
    "summed_products",
    "unmasked",
]

BoolArray = NDArray[np.bool_]
FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

# Every integer up to here is exact in float64; amounts, and times given as integers, stay at or below it.
EXACT_BOUND = 2**53


def numeric_array(values: ArrayLike, name: str) -> NDArray[Any]:
    """Return `values` as an array of int64, uint64, smaller integers, float64 or (huge) Python integers.

    Raises
    ------
    InvalidInstanceError
        For booleans, ragged rows, masked entries, and integers above 2**53 in a list that also holds floats.
    TypeError
        For anything that is not a number.
    """
    values = unmasked(values, name)
    array = values if isinstance(values, np.ndarray) else _from_object(values, name)
    if array.dtype.kind == "O":
        array = _from_object(array.tolist(), name)
    if array.dtype.kind == "b":
        raise InvalidInstanceError(f"{name} holds booleans; numbers are needed")
    if array.dtype.kind in "iu":
        return array
    if array.dtype.kind == "f" and np.can_cast(array.dtype, np.float64):
        return array if array.dtype == np.float64 else frozen(array, np.float64)
    if array.dtype.kind == "O" and array.size and all(_is_integer(value) for value in array.flat):
        return array
    raise TypeError(f"{name} must hold integers or floats, not {array.dtype}")


def unmasked(values: Any, name: str) -> Any:
    """Return `values` with masked arrays, also as rows of a list, turned into plain ones.

    NumPy drops masks without a word wherever it makes an array of something, so this comes first.

    Raises
    ------
    InvalidInstanceError
        For a masked entry; names the first.
    """
    if isinstance(values, np.ma.MaskedArray):
        mask = np.ma.getmaskarray(values)
        if mask.any():
            index = first_index(mask)
            where = f"[{', '.join(map(str, index))}]" if index else ""
            raise InvalidInstanceError(f"{name}{where} is masked; every entry needs a value")
        return np.ma.getdata(values)
    if isinstance(values, (list, tuple)) and _holds_masked_array(values):
        return [unmasked(row, f"{name}[{index}]") for index, row in enumerate(values)]
    return values


def selection(key: slice | ArrayLike) -> Any:
    """Return what selects jobs as NumPy takes it: a slice as it is, indices or a mask as an array.

    Raises
    ------
    InvalidInstanceError
        For a masked entry.
    TypeError
        For anything else.
    """
    if isinstance(key, slice):
        return key
    plain = unmasked(key, "the selection")
    chosen = np.asarray(plain, dtype=np.intp) if np.size(plain) == 0 else np.asarray(plain)
    if chosen.ndim != 1 or chosen.dtype.kind not in "iub":
        raise TypeError("select jobs with a slice, a list of indices or a boolean mask")
    return chosen


def frozen(array: NDArray[Any], dtype: type[np.generic]) -> NDArray[Any]:
    """Return `array` read-only, C-contiguous and of `dtype`; copied unless it is all of that already."""
    flags = array.flags
    if array.dtype == dtype and flags.c_contiguous and flags.aligned and not flags.writeable:
        return np.asarray(array).view()
    result = np.array(array, dtype=dtype, order="C", copy=True, subok=False)
    result.setflags(write=False)
    return result


def first_index(mask: NDArray[np.bool_]) -> tuple[int, ...]:
    """Return the index of the first true entry in row-major order; there must be one."""
    return tuple(int(i) for i in np.unravel_index(int(np.argmax(mask)), mask.shape))


def first_fraction(array: NDArray[Any]) -> tuple[int, ...]:
    """Return the index of the first entry that is no whole number, of the first of all where each is one."""
    whole = np.asarray(np.isfinite(array) & (array == np.floor(array)), dtype=np.bool_)
    return (0,) * array.ndim if whole.all() else first_index(~whole)


def place(name: str, array: NDArray[Any], index: tuple[int, ...]) -> str:
    """Return ``name[i, j] = value``, the beginning of every message about a single entry."""
    value = array[index]
    shown = value.item() if isinstance(value, np.generic) else value
    where = f"[{', '.join(map(str, index))}]" if index else ""
    return f"{name}{where} = {shown}"


def _from_object(values: ArrayLike, name: str) -> NDArray[Any]:
    try:
        array = np.asarray(values)
    except (ValueError, OverflowError) as error:
        raise InvalidInstanceError(
            _ragged_message(values, name) or f"{name} is not an array of numbers"
        ) from error
    if isinstance(values, (list, tuple)):
        if array.dtype.kind == "f" and array.size and not np.all(np.abs(array) < EXACT_BOUND):
            array = _unrounded(array, np.asarray(values, dtype=object), name)
        array.setflags(write=False)  # made here from a list: nobody else can write to it
    return array


def _holds_masked_array(rows: list[Any] | tuple[Any, ...]) -> bool:
    kinds = set(map(type, rows))
    return any(issubclass(kind, np.ma.MaskedArray) for kind in kinds) or (
        not kinds.isdisjoint((list, tuple))
        and any(_holds_masked_array(row) for row in rows if isinstance(row, (list, tuple)))
    )


def _is_integer(value: object) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def _unrounded(rounded: FloatArray, values: NDArray[Any], name: str) -> NDArray[Any]:
    """NumPy makes floats of a list with a float, or with integers of no common type: undo or refuse it."""
    if all(_is_integer(value) for value in values.flat):
        return values
    for index, value in np.ndenumerate(values):
        if _is_integer(value) and abs(value) > EXACT_BOUND:
            raise InvalidInstanceError(
                f"{place(name, values, index)} is an integer above 2**53 among floats and would be rounded"
            )
    return rounded


def _ragged_message(values: object, name: str) -> str | None:
    """Say which row differs from row 0, or nothing if the rows are not the trouble."""
    if not isinstance(values, (list, tuple)) or not values:
        return None
    sizes = [np.size(row) if isinstance(row, np.ndarray) else _length(row) for row in values]
    for row, size in enumerate(sizes):
        if size != sizes[0]:
            return f"{name} is ragged: {name}[{row}] has {_entries(size)}, {name}[0] has {_entries(sizes[0])}"
    return f"{name} is ragged"


def _length(row: object) -> int | None:
    return len(row) if isinstance(row, (list, tuple)) else None


def _entries(size: int | None) -> str:
    return "no list of entries" if size is None else f"{size} entries"


def summed_products(time: FloatArray, amounts: NDArray[Any]) -> FloatArray:
    """(n_columns,) Return the sum of time times amount for each column of amounts, in float64."""
    return np.array([float(time @ column) for column in amounts.T], dtype=np.float64)
