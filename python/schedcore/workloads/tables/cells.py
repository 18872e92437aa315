"""The cells of one column: the distinct ones, and which of them each row has.

What a column means is found out for the distinct cells, whole columns at a time, and handed out to the rows. So a
million rows of a few users cost little, and a million different times not much more.
"""

import dataclasses
import functools
from typing import Any

import numpy as np

from schedcore.model.arrays import BoolArray, FloatArray, IntArray
from schedcore.model.extras import import_extra
from schedcore.workloads.reading.csv_table import are_numbers

__all__ = ["Cells", "Numbers", "float_values"]

_SAMPLE = 4096  # rows
_MOSTLY = 0.5
_FLAG = "(?i)^(0|1|true|false)$"
_NUMBER_WITH_SIGNS = r"^[+-]?\d[\d.]*(,\d+)?$"
_GROUPED = r"^[+-]?[1-9]\d{0,2}(\.\d{3})+(,\d+)?$"
_MISSING = "(?i)^(|na|n/a|nan|nat|null|none|unknown|-|--)$"


@dataclasses.dataclass(frozen=True, eq=False)
class Cells:
    """A column.

    Parameters
    ----------
    name : str
    distinct : pyarrow.Array
        Of whatever type; texts without blanks around them. Some may come twice, where looking for the same costs more
        than it saves.
    codes : (n_rows,) int64
        Which of them each row has.
    decimal_comma : bool
        Whether numbers may be written as ``1,5``.
    points_may_group : bool
        Whether a thousand may be written as ``1.000``.
    """

    name: str
    distinct: Any
    codes: IntArray
    decimal_comma: bool = False
    points_may_group: bool = False

    @classmethod
    def of(
        cls, name: str, values: Any, *, decimal_comma: bool = False, points_may_group: bool = False
    ) -> "Cells":
        """Return the cells of an Arrow array.

        Raises
        ------
        TypeError
            For values that are neither texts nor numbers nor dates nor the like, such as lists.
        """
        pyarrow = import_extra("pyarrow", "traces")
        types = pyarrow.types
        if types.is_dictionary(values.type):
            values = values.cast(values.type.value_type)
        if (
            types.is_large_string(values.type)
            or types.is_string_view(values.type)
            or types.is_null(values.type)
        ):
            values = values.cast(pyarrow.string())
        if not any(is_kind(values.type) for is_kind in (
            types.is_string, types.is_integer, types.is_floating, types.is_decimal, types.is_temporal, types.is_boolean
        )):  # fmt: skip
            raise TypeError(f"{values.type}, no single values")
        if isinstance(values, pyarrow.ChunkedArray):
            values = values.combine_chunks()
        if _differ_mostly(values):
            distinct, codes = values, np.arange(len(values))
        else:
            encoded = values.dictionary_encode(null_encoding="encode")
            distinct, codes = (
                encoded.dictionary,
                encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64),
            )
        if types.is_string(distinct.type):
            distinct = import_extra("pyarrow.compute", "traces").utf8_trim_whitespace(distinct)
        return cls(name, distinct, codes, decimal_comma, points_may_group)

    @property
    def is_text(self) -> bool:
        """Whether the cells are texts, as all of a CSV file are."""
        return bool(import_extra("pyarrow", "traces").types.is_string(self.distinct.type))

    @property
    def is_number(self) -> bool:
        """Whether the cells are numbers by their type."""
        types = import_extra("pyarrow", "traces").types
        of_type = self.distinct.type
        return bool(types.is_integer(of_type) or types.is_floating(of_type) or types.is_decimal(of_type))

    @functools.cached_property
    def missing(self) -> BoolArray:
        """(n_distinct,) Which of the distinct cells hold nothing."""
        compute = import_extra("pyarrow.compute", "traces")
        nothing = compute.is_null(self.distinct, nan_is_null=self.is_number)
        if self.is_text:
            nothing = compute.or_(
                nothing, compute.match_substring_regex(self.distinct.fill_null(""), _MISSING)
            )
        found: BoolArray = nothing.to_numpy(zero_copy_only=False)
        return found

    @functools.cached_property
    def are_flags(self) -> bool:
        """Whether nothing stands in it but 0 or 1, or true or false."""
        types = import_extra("pyarrow", "traces").types
        present = self.distinct.filter(import_extra("pyarrow", "traces").array(~self.missing))
        if not len(present):
            return False
        if types.is_boolean(present.type):
            return True
        if not (self.is_text or self.is_number):
            return False
        texts = present.cast(import_extra("pyarrow", "traces").string())
        found = import_extra("pyarrow.compute", "traces").match_substring_regex(texts, _FLAG)
        return bool(found.to_numpy(zero_copy_only=False).all())

    @functools.cached_property
    def grouped(self) -> str:
        """The first number such as 1.000 where it may be a thousand; empty where a point is that of a decimal number.

        So it is where any number begins with 0, has other than three digits behind its point, or four before it.
        """
        if not (self.points_may_group and self.is_text):
            return ""
        compute = import_extra("pyarrow.compute", "traces")
        present = self.distinct.filter(import_extra("pyarrow", "traces").array(~self.missing))
        numbers = present.filter(compute.match_substring_regex(present, _NUMBER_WITH_SIGNS))
        dotted = numbers.filter(compute.match_substring(numbers, "."))
        others = numbers.filter(compute.match_substring_regex(numbers, r"^[+-]?[\d]{4,}(,|$)"))
        is_grouped = compute.match_substring_regex(dotted, _GROUPED)
        if not len(dotted) or len(others) or not compute.all(is_grouped).as_py():
            return ""
        return str(dotted[0].as_py())

    def texts(self) -> Any:
        """Return the distinct cells as Arrow texts, "" for none; numbers as they are written."""
        pyarrow = import_extra("pyarrow", "traces")
        if pyarrow.types.is_duration(self.distinct.type):
            texts = [None if value is None else str(value) for value in self.distinct.to_pylist()]
            return pyarrow.array(texts, pyarrow.string()).fill_null("")
        return self.distinct.cast(pyarrow.string()).fill_null("")

    def first_row(self, wrong: BoolArray) -> int:
        """Return the first row of one of the `wrong` distinct cells."""
        return int(np.argmax(wrong[self.codes]))

    def example(self, chosen: BoolArray) -> str:
        """Return the first of some distinct cells, as it is written."""
        return str(self.texts()[int(np.argmax(chosen))].as_py())

    @functools.cached_property
    def numbers(self) -> "Numbers":
        """The distinct cells as numbers."""
        missing = self.missing
        if self.is_number:
            values = float_values(self.distinct)
            return Numbers(np.where(missing, np.nan, values), np.isinf(values), missing)
        if not self.is_text:
            return Numbers(np.full(len(missing), np.nan), ~missing, missing)
        return plain_numbers(self.texts(), missing, self.decimal_comma)


@dataclasses.dataclass(frozen=True, eq=False)
class Numbers:
    """Distinct cells as numbers.

    Parameters
    ----------
    values : (n_distinct,) float64
        NaN where there is none.
    bad, missing : (n_distinct,) bool
        Where something else stands, and where nothing does.
    """

    values: FloatArray
    bad: BoolArray
    missing: BoolArray


def _differ_mostly(values: Any) -> bool:
    """Whether nearly all of the first values are different ones."""
    sample = values.slice(0, _SAMPLE)
    return len(sample) == _SAMPLE and len(sample.unique()) > _MOSTLY * _SAMPLE


def plain_numbers(texts: Any, missing: BoolArray, decimal_comma: bool) -> Numbers:
    """Return texts as decimal numbers."""
    compute, pyarrow = import_extra("pyarrow.compute", "traces"), import_extra("pyarrow", "traces")
    if decimal_comma:
        texts = compute.replace_substring_regex(texts, r"^([+-]?\d+),(\d+)$", r"\1.\2")
    texts = compute.if_else(pyarrow.array(missing), "nan", texts)
    try:  # which finds inf as well as decimal numbers
        numbers = texts.cast(pyarrow.float64())
    except pyarrow.ArrowInvalid:
        numbers = compute.if_else(are_numbers(texts), texts, "nan").cast(pyarrow.float64())
    values: FloatArray = numbers.to_numpy(zero_copy_only=False)
    values = np.where(missing, np.nan, values)
    return Numbers(values, ~missing & ~np.isfinite(values), missing)


def float_values(values: Any) -> FloatArray:
    """Return Arrow numbers as float64, NaN where there is none."""
    pyarrow = import_extra("pyarrow", "traces")
    converted: FloatArray = values.cast(pyarrow.float64(), safe=False).to_numpy(zero_copy_only=False)
    return converted
