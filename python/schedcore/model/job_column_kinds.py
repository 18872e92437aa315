"""The kinds of columns that jobs of a cluster may have: numbers, flags, texts and lists of ids.

A kind says how a column is checked, stored, selected and shown. Nothing is stored where every row has the default.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, Generic, Protocol, Self, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from schedcore.errors import InvalidInstanceError

from .arrays import EXACT_BOUND, BoolArray, FloatArray, IntArray, frozen
from .coded_texts import CodedTexts, check_length
from .columns import check_entries, flag_column, float_column, integer_column
from .constraints import parsed
from .integer_lists import IntegerLists

__all__ = [
    "ConstraintColumn",
    "FlagColumn",
    "IdColumn",
    "IntegerColumn",
    "JobColumn",
    "NameColumn",
    "RealColumn",
    "RecordedColumn",
    "TextColumn",
]

FullT = TypeVar("FullT")
StoredT = TypeVar("StoredT")
NumbersT = TypeVar("NumbersT", IntArray, FloatArray, BoolArray)


class _Jobs(Protocol):
    """What has such columns: `_stored` holds those that are not the default everywhere, as their kinds store them."""

    @property
    def n_jobs(self) -> int: ...
    @property
    def _stored(self) -> Mapping[str, Any]: ...


class JobColumn(ABC, Generic[StoredT, FullT]):
    """A column by its name in the table, with its default and what it means; read as an attribute of jobs.

    Parameters
    ----------
    meaning : str
        For people; what an entry says, and its bounds.
    default : object
        The entry of a job that is told nothing.
    """

    name: str
    form: str  # of the argument, as documentation calls it
    is_past: bool = False  # it tells what happened: no part of the problem, nor of what makes jobs equal
    is_name: bool = False  # it tells people which job it is: likewise

    def __init__(self, meaning: str, default: Any = None) -> None:
        self.meaning = meaning
        self.default = default
        self.__doc__ = meaning

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, jobs: None, owner: type) -> Self: ...
    @overload
    def __get__(self, jobs: _Jobs, owner: type) -> FullT: ...
    def __get__(self, jobs: _Jobs | None, owner: type) -> Self | FullT:
        if jobs is None:
            return self
        return self.full(jobs._stored.get(self.name), jobs.n_jobs)

    @property
    def may_be_null(self) -> bool:
        """Whether an entry may be missing in a table."""
        return self.default is None

    @abstractmethod
    def checked(self, values: Any, n_jobs: int) -> StoredT | None:
        """Return the column as it is stored, None where all of it is the default; errors name the job and the value."""

    @abstractmethod
    def taken(self, stored: StoredT, rows: Any) -> StoredT | None:
        """Return some rows, None where all of them are the default."""

    @abstractmethod
    def full(self, stored: StoredT | None, n_jobs: int) -> FullT:
        """Return the column as users read it."""

    def columns(self, stored: StoredT) -> dict[str, NDArray[Any]]:
        """Return the columns of a table that hold it, one as a rule."""
        return {self.name: np.asarray(stored)}


class _NumberColumn(JobColumn[NumbersT, NumbersT]):
    """One number or flag a job."""

    dtype: type[np.generic]

    @abstractmethod
    def _column(self, values: Any, n_jobs: int) -> NumbersT: ...

    def checked(self, values: Any, n_jobs: int) -> NumbersT | None:
        return None if values is None else self._unless_default(self._column(values, n_jobs))

    def taken(self, stored: NumbersT, rows: Any) -> NumbersT | None:
        return self._unless_default(frozen(stored[rows], self.dtype))

    def full(self, stored: NumbersT | None, n_jobs: int) -> NumbersT:
        if stored is not None:
            return stored
        column: NumbersT = np.full(n_jobs, self.default, dtype=self.dtype)
        column.setflags(write=False)
        return column

    def _unless_default(self, column: NumbersT) -> NumbersT | None:
        return column if (column != self.default).any() else None


class IntegerColumn(_NumberColumn[IntArray]):
    """Integers from `least` to 2**53; one value stands for all jobs if it `repeats`."""

    dtype = np.int64

    def __init__(self, meaning: str, default: int, least: int, *, repeats: bool = True) -> None:
        super().__init__(meaning, default)
        self.least = least
        self.repeats = repeats
        self.form = f"{'int or ' if repeats else ''}(n_jobs,) array_like of int"

    def _column(self, values: Any, n_jobs: int) -> IntArray:
        column = integer_column(values, self.name, n_jobs if self.repeats else None)
        check_length(len(column), self.name, n_jobs, "job")
        valid = np.asarray((column >= self.least) & (column <= EXACT_BOUND), dtype=np.bool_)
        check_entries(self.name, column, valid, f"at least {self.least} and at most 2**53")
        return column


class RealColumn(_NumberColumn[FloatArray]):
    """Finite numbers, at least `least` where there is one."""

    dtype = np.float64
    form = "float or (n_jobs,) array_like"

    def __init__(self, meaning: str, default: float = 0.0, least: float | None = None) -> None:
        super().__init__(meaning, default)
        self.least = least

    def _column(self, values: Any, n_jobs: int) -> FloatArray:
        column = float_column(values, self.name, n_jobs)
        valid = np.isfinite(column)
        if self.least is None:
            check_entries(self.name, column, valid, "finite")
        else:
            check_entries(
                self.name, column, valid & (column >= self.least), f"finite and at least {self.least:g}"
            )
        return column


class RecordedColumn(_NumberColumn[FloatArray]):
    """Times that were recorded; NaN where nothing was."""

    dtype = np.float64
    form = "(n_jobs,) array_like"
    is_past = True

    def __init__(self, meaning: str) -> None:
        super().__init__(meaning, float("nan"))

    @property
    def may_be_null(self) -> bool:
        return True

    def _column(self, values: Any, n_jobs: int) -> FloatArray:
        column = float_column(values, self.name, n_jobs)
        check_entries(self.name, column, ~np.isinf(column), "finite, or NaN where nothing was recorded")
        return column

    def _unless_default(self, column: FloatArray) -> FloatArray | None:
        return None if np.isnan(column).all() else column


class FlagColumn(_NumberColumn[BoolArray]):
    """Truth values."""

    dtype = np.bool_
    form = "bool or (n_jobs,) array_like of bool"

    def _column(self, values: Any, n_jobs: int) -> BoolArray:
        return flag_column(values, self.name, n_jobs)


class TextColumn(JobColumn[CodedTexts, NDArray[Any]]):
    """Texts, of which few differ; "" is none."""

    form = "str or (n_jobs,) array_like of str or None"

    def checked(self, values: Any, n_jobs: int) -> CodedTexts | None:
        coded = CodedTexts.of(values, self.name, n_jobs)
        return coded if coded.names else None

    def taken(self, stored: CodedTexts, rows: Any) -> CodedTexts | None:
        coded = stored.take(rows)
        return coded if coded.names else None

    def full(self, stored: CodedTexts | None, n_jobs: int) -> NDArray[Any]:
        if stored is not None:
            return stored.texts(self.default)
        column = np.full(n_jobs, self.default, dtype=object)
        column.setflags(write=False)
        return column

    def coded(self, stored: CodedTexts | None, n_jobs: int) -> CodedTexts:
        """Return the codes and the names, also where nothing is stored."""
        return CodedTexts.of(None, self.name, n_jobs) if stored is None else stored

    def columns(self, stored: CodedTexts) -> dict[str, NDArray[Any]]:
        return {self.name: stored.texts(self.default)}


class NameColumn(TextColumn):
    """What people call jobs: texts of which all may differ."""

    is_name = True


class ConstraintColumn(TextColumn):
    """Constraints over the labels of machines, each distinct one parsed once; blanks alone are none."""

    form = "str or (n_jobs,) array_like of str"

    @property
    def may_be_null(self) -> bool:
        return True

    def checked(self, values: Any, n_jobs: int) -> CodedTexts | None:
        coded = super().checked(values, n_jobs)
        if coded is None:
            return None
        blank = {}
        for code, text in enumerate(coded.names):
            try:
                if not parsed(text).postfix:
                    blank[text] = ""
            except InvalidInstanceError as error:
                job = coded.first_with(code)
                raise InvalidInstanceError(f"{self.name}[{job}] (job {job}): {error}") from None
        if blank:
            coded = coded.mapped(blank)
        return coded if coded.names else None


class IdColumn(JobColumn[IntegerLists, tuple[tuple[int, ...], ...]]):
    """Lists of ids of jobs; whether there are such jobs is a question for the instance."""

    form = "(n_jobs,) sequence of iterables of int or None"

    def checked(self, values: Any, n_jobs: int) -> IntegerLists | None:
        if values is None:
            return None
        lists = IntegerLists.of(values, self.name, n_jobs, what="ids of jobs")
        return lists if len(lists.values) else None

    def taken(self, stored: IntegerLists, rows: Any) -> IntegerLists | None:
        lists = stored.take(rows)
        return lists if len(lists.values) else None

    def full(self, stored: IntegerLists | None, n_jobs: int) -> tuple[tuple[int, ...], ...]:
        return ((),) * n_jobs if stored is None else stored.rows

    def lists(self, stored: IntegerLists | None, n_jobs: int) -> IntegerLists:
        """Return the offsets and the ids, also where nothing is stored."""
        return IntegerLists(np.zeros(n_jobs + 1, dtype=np.int64), []) if stored is None else stored

    def columns(self, stored: IntegerLists) -> dict[str, NDArray[Any]]:
        return {self.name: stored.cells()}
