"""A column of texts of which few differ: a number a row, and the distinct texts in order of first appearance.

300,000 jobs share the names of a few users. So they are stored as int32 codes, which is what kernels read; the
texts themselves are made when somebody asks for them.
"""

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from schedcore.errors import InvalidInstanceError

from .arrays import unmasked
from .columns import integer_column
from .identity import Record

__all__ = ["CodedTexts", "check_length", "checked_text", "listed"]


_FEW = 16  # names that are looked for one by one, which is faster


class CodedTexts(Record):
    """Texts as codes into distinct names, immutable; row i is ``names[codes[i]]``, none where the code is -1.

    Parameters
    ----------
    codes : (n_rows,) array_like of int
        At least -1 and below the number of names.
    names : iterable of str
        Not empty, each once. Those that no row has are left out, and the others are put in order of first
        appearance, so that equal rows are equal objects.

    Raises
    ------
    InvalidInstanceError
        For codes out of range, and names that are empty, repeated or no Unicode text.
    TypeError
        For codes that are no integers and names that are no str.

    Notes
    -----
    O(n_rows), also of `of` and `take`. `texts` is made when first asked for, and kept.
    """

    __slots__ = ("_texts", "codes", "names")
    _fields: ClassVar[tuple[str, ...]] = ("codes", "names")

    codes: NDArray[np.int32]
    names: tuple[str, ...]
    _texts: dict[str | None, NDArray[Any]]

    def __init__(self, codes: ArrayLike, names: Iterable[str]) -> None:
        given = integer_column(codes, "codes", row="row")
        known = tuple(checked_text(name, f"names[{index}]") for index, name in enumerate(names))
        if "" in known or len(set(known)) < len(known):
            raise InvalidInstanceError("names are not empty, and each stands there once")
        outside = (given < -1) | (given >= len(known))
        if outside.any():
            row = int(np.argmax(outside))
            raise InvalidInstanceError(
                f"codes[{row}] = {given[row]} must be at least -1 and below {len(known)}"
            )
        self._set(given.astype(np.int32), known)

    @classmethod
    def of(cls, values: Any, name: str, n_rows: int | None = None, *, row: str = "job") -> Self:
        """Return a column of str or None; "" is None, and so are the missing values of pandas. One value is repeated.

        Raises
        ------
        InvalidInstanceError
            For another number of entries, masked entries, and what is no Unicode text.
        TypeError
            For an entry that is no text; names it.
        """
        if isinstance(values, CodedTexts):
            check_length(len(values.codes), name, n_rows, row)
            return cls._of_codes(values.codes, values.names)
        if n_rows is not None and (values is None or isinstance(values, str)):
            text = checked_text(values or "", name)
            codes = np.full(n_rows, 0 if text else -1, dtype=np.int32)
            return cls._restore({"codes": codes, "names": (text,) if text and n_rows else ()})
        entries = listed(values, name)
        check_length(len(entries), name, n_rows, row)
        try:
            distinct = dict.fromkeys(entries)
        except TypeError:  # something that cannot be a key, so no text
            distinct = {
                entry: None for index, entry in enumerate(entries) if _is_text(entry, index, name, row)
            }
        names: dict[str, int] = {}
        code_of: dict[Any, int] = {}
        for entry in distinct:
            if isinstance(entry, str):
                text = str(entry)
                code_of[entry] = names.setdefault(text, len(names)) if text else -1
            elif _is_missing(entry):
                code_of[entry] = -1
            else:
                _is_text(entry, entries.index(entry), name, row)
        for text in names:
            checked_text(text, name)
        codes = np.fromiter(map(code_of.__getitem__, entries), dtype=np.int32, count=len(entries))
        return cls._restore({"codes": codes, "names": tuple(names)})

    def mapped(self, change: Mapping[str, str]) -> Self:
        """Return the same rows with some names changed; "" takes the text of a row away."""
        renamed = [change.get(name, name) for name in self.names]
        known = tuple(dict.fromkeys(name for name in renamed if name))
        code_of = {name: code for code, name in enumerate(known)} | {"": -1}
        translation = np.array([*(code_of[name] for name in renamed), -1], dtype=np.int32)
        return type(self)._of_codes(translation[self.codes], known)

    def take(self, rows: Any) -> Self:
        """Return the rows that a slice, indices or a mask selects."""
        return type(self)._of_codes(self.codes[rows], self.names)

    def first_with(self, code: int) -> int:
        """Return the first row with a code, which there must be."""
        return int(np.argmax(self.codes == code))

    def text(self, row: int) -> str | None:
        """Return the text of one row, None where there is none; O(1)."""
        code = int(self.codes[row])
        return None if code < 0 else self.names[code]

    def texts(self, missing: str | None = None) -> NDArray[Any]:
        """(n_rows,) Return the texts as a read-only object array, with `missing` where there is none."""
        made = self._texts.get(missing)
        if made is None:
            made = np.array([*self.names, missing], dtype=object)[self.codes]
            made.setflags(write=False)
            self._texts[missing] = made
        return made

    def __len__(self) -> int:
        return len(self.codes)

    def __repr__(self) -> str:
        return f"CodedTexts({len(self)} rows, {len(self.names)} names)"

    @classmethod
    def _of_codes(cls, codes: NDArray[np.int32], names: tuple[str, ...]) -> Self:
        made = cls.__new__(cls)
        made._set(codes, names)
        return made

    def _set(self, codes: NDArray[np.int32], names: tuple[str, ...]) -> None:
        n_rows, n_names = len(codes), len(names)
        first = _first_rows(codes, n_names)
        order = np.argsort(first, kind="stable")
        order = order[first[order] < n_rows]
        if len(order) < n_names or (order != np.arange(n_names)).any():
            translation = np.full(n_names + 1, -1, dtype=np.int32)
            translation[order] = np.arange(len(order))
            codes = translation[codes]
        self._fill({"codes": codes, "names": tuple(names[code] for code in order), "_texts": {}})

    @classmethod
    def _restore(cls, values: dict[str, Any]) -> Self:
        return super()._restore({**values, "_texts": {}})


def _first_rows(codes: NDArray[np.int32], n_names: int) -> NDArray[np.intp]:
    """(n_names,) Return the first row of each code, the number of rows for one that none has."""
    n_rows = len(codes)
    first = np.full(n_names + 1, n_rows, dtype=np.intp)  # the last entry is that of code -1
    if n_names > _FEW:
        first[codes[::-1]] = np.arange(n_rows)[::-1]  # of equal codes the last assignment stays
    elif n_rows:
        for code in range(n_names):
            has_it = codes == code
            row = int(has_it.argmax())
            if has_it[row]:
                first[code] = row
    return first[:n_names]


def listed(values: Any, name: str) -> list[Any]:
    """Return the entries of a column, whatever its form: a list, a tuple, an array, an Arrow, pandas or Polars column.

    Raises
    ------
    InvalidInstanceError
        For a masked entry, and an array that has not one dimension.
    TypeError
        For anything else, such as a text, a set, which has no order, or a mapping.
    """
    plain = unmasked(values, name)
    if isinstance(plain, list):
        return plain
    if isinstance(plain, tuple):
        return list(plain)
    if not hasattr(plain, "__array__"):
        raise TypeError(f"{name} must be a column such as a list or an array, not {type(values).__name__}")
    array = np.asarray(plain)
    if array.ndim != 1:
        raise InvalidInstanceError(f"{name} must have one dimension, not shape {array.shape}")
    entries: list[Any] = array.tolist()
    return entries


def _is_missing(entry: Any) -> bool:
    """Whether it is None, or what pandas puts where a text is missing."""
    return entry is None or (isinstance(entry, float) and entry != entry) or type(entry).__name__ == "NAType"


def _is_text(entry: Any, index: int, name: str, row: str) -> bool:
    if isinstance(entry, str) or _is_missing(entry):
        return True
    raise TypeError(f"{name}[{index}] = {entry!r} ({row} {index}) must be a str or None")


def checked_text(text: Any, name: str) -> str:
    """Return a str, or raise an error that names it: a TypeError, or an `InvalidInstanceError` for no Unicode text."""
    if not isinstance(text, str):
        raise TypeError(f"{name} = {text!r} must be a str")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InvalidInstanceError(f"{name} holds {text!r}, which is no Unicode text") from None
    return str(text)


def check_length(length: int, name: str, n_rows: int | None, row: str) -> None:
    """Raise an error that names a column of another length than that of its table."""
    if n_rows is not None and length != n_rows:
        raise InvalidInstanceError(f"{name} has {length} entries for {n_rows} {row}s")
