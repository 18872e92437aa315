"""A list of integers a row: one column of all entries, and where the list of each row begins."""

from collections.abc import Iterable
from itertools import chain, pairwise
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from schedcore.errors import InvalidInstanceError

from .arrays import IntArray
from .coded_texts import check_length, listed
from .columns import integer_column
from .identity import Record
from .integers import INT64_MAX

__all__ = ["IntegerLists", "rows_of_groups"]


class IntegerLists(Record):
    """Lists of integers, a list a row, immutable: row i is ``values[offsets[i]:offsets[i + 1]]``.

    Parameters
    ----------
    offsets : (n_rows + 1,) array_like of int
        From 0 to the number of values, not descending.
    values : (n_values,) array_like of int

    Raises
    ------
    InvalidInstanceError
        For offsets that do not say where lists begin.
    TypeError
        For what are no integers.

    Notes
    -----
    O(n_rows + n_values), also of `of` and `take`. `rows` is made when first asked for, and kept.
    """

    __slots__ = ("_rows", "offsets", "values")
    _fields: ClassVar[tuple[str, ...]] = ("offsets", "values")

    offsets: IntArray
    values: IntArray
    _rows: tuple[tuple[int, ...], ...] | None

    def __init__(self, offsets: ArrayLike, values: ArrayLike) -> None:
        begins, entries = (
            integer_column(offsets, "offsets", row="row"),
            integer_column(values, "values", row="row"),
        )
        if not len(begins) or begins[0] != 0 or begins[-1] != len(entries) or (np.diff(begins) < 0).any():
            raise InvalidInstanceError(f"offsets must go from 0 to {len(entries)} without descending")
        self._assign(offsets=begins, values=entries, _rows=None)

    @classmethod
    def of(cls, rows: Any, name: str, n_rows: int, *, what: str, least: int = 0, row: str = "job") -> Self:
        """Return the lists of a column of iterables; None is an empty one, and sets are sorted.

        `what` is what the entries are, as messages call them ("ids of jobs").

        Raises
        ------
        InvalidInstanceError
            For another number of rows, and for an entry below `least` or beyond int64; names the job and the entry.
        TypeError
            For a row that is no iterable, and an entry that is no integer.
        """
        if isinstance(rows, IntegerLists):
            check_length(len(rows), name, n_rows, row)
            if rows.values.min(initial=least) >= least:
                return cls._restore({"offsets": rows.offsets, "values": rows.values})
            rows = rows.rows
        given = list(rows) if isinstance(rows, np.ndarray) and rows.ndim == 2 else listed(rows, name)
        lists = _usual_lists(given)
        if lists is None:
            lists = [
                _entries(each, f"{name}[{index}]", f"{row} {index}", what) for index, each in enumerate(given)
            ]
        check_length(len(lists), name, n_rows, row)
        offsets = np.zeros(n_rows + 1, dtype=np.int64)
        np.cumsum(np.fromiter(map(len, lists), dtype=np.int64, count=n_rows), out=offsets[1:])
        flat = list(chain.from_iterable(lists))
        if set(map(type, flat)) - {int} or (flat and not least <= min(flat) <= max(flat) <= INT64_MAX):
            for index, entry in ((index, entry) for index, entries in enumerate(lists) for entry in entries):
                _check_entry(entry, f"{name}[{index}] ({row} {index})", what, least)
        return cls._restore({"offsets": offsets, "values": np.array(flat, dtype=np.int64)})

    @property
    def rows(self) -> tuple[tuple[int, ...], ...]:
        """The lists as tuples."""
        if self._rows is None:
            flat = self.values.tolist()
            made = tuple(tuple(flat[begin:end]) for begin, end in pairwise(self.offsets.tolist()))
            object.__setattr__(self, "_rows", made)
            return made
        return self._rows

    @property
    def row_of_value(self) -> IntArray:
        """(n_values,) The row that each value belongs to."""
        return np.repeat(np.arange(len(self)), np.diff(self.offsets))

    def take(self, rows: Any) -> Self:
        """Return the lists that a slice, indices or a mask selects."""
        values, offsets = rows_of_groups(self.offsets, np.arange(len(self))[rows])
        return self._restore({"offsets": offsets, "values": self.values[values]})

    def cells(self) -> NDArray[Any]:
        """(n_rows,) Return the lists as a column of a table."""
        return np.fromiter(self.rows, dtype=object, count=len(self))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __repr__(self) -> str:
        return f"IntegerLists({len(self)} rows, {len(self.values)} values)"

    @classmethod
    def _restore(cls, values: dict[str, Any]) -> Self:
        return super()._restore({**values, "_rows": None})


def rows_of_groups(starts: IntArray, groups: IntArray) -> tuple[IntArray, IntArray]:
    """Return the rows of some groups, one group after the other, and where each of them begins now."""
    counts = np.diff(starts)[groups]
    begins = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    return np.arange(begins[-1]) + np.repeat(starts[groups] - begins[:-1], counts), begins


def _usual_lists(rows: list[Any]) -> list[Any] | None:
    """Lists, tuples and None of plain integers, without a call for each row; None where anything else occurs."""
    if not set(map(type, rows)) <= {list, tuple, type(None)}:
        return None
    lists = [() if each is None else each for each in rows]
    return lists if set(map(type, chain.from_iterable(lists))) <= {int} else None


def _entries(row: Any, place: str, of_row: str, what: str) -> list[Any]:
    if row is None:
        return []
    if isinstance(row, (set, frozenset)):
        return sorted(row, key=_sort_key)
    if isinstance(row, Iterable) and not isinstance(row, (str, bytes, dict)):
        return [_plain(entry) for entry in row]
    raise TypeError(f"{place} = {row!r} ({of_row}) must be None or hold {what}")


def _plain(entry: Any) -> Any:
    """An entry as Python has it; Arrow and NumPy wrap theirs."""
    if type(entry) is int:
        return entry
    if isinstance(entry, np.integer):
        return int(entry)
    return entry.as_py() if hasattr(entry, "as_py") else entry


def _sort_key(entry: Any) -> tuple[bool, Any]:
    """Numbers first; what is none is refused later, by name."""
    is_number = isinstance(entry, (int, np.integer))
    return (False, entry) if is_number else (True, repr(entry))


def _check_entry(entry: Any, place: str, what: str, least: int) -> None:
    if type(entry) is not int:
        raise TypeError(f"{place} names {entry!r}; {what} are integers")
    if not least <= entry <= INT64_MAX:
        raise InvalidInstanceError(
            f"{place} names {entry}; {what} are at least {least} and at most 2**63 - 1"
        )
