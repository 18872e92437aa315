"""A CSV file of numbers, strictly: every row has all its fields, every field that is read is what it should be.

Whatever is wrong is told with its line. Fields stay text until somebody asks for numbers.
"""

import csv
import itertools
import os
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from schedcore.errors import InvalidInstanceError
from schedcore.model.arrays import BoolArray, FloatArray, IntArray
from schedcore.model.extras import import_extra
from schedcore.model.real_numbers import shown
from schedcore.workloads.reading.row_ledger import N_EXAMPLES, listed_rows
from schedcore.workloads.reading.source_file import (
    FilePath,
    TextBlock,
    refuse_other_encodings,
    text_blocks,
)
from schedcore.workloads.reading.text_table import TextTable, matches, text_rows

__all__ = [
    "CsvTable",
    "are_integers",
    "are_numbers",
    "csv_column_names",
    "delimiter_of",
    "header_names",
    "read_csv_table",
    "refuse_open_quotes",
    "shown_names",
]

_Value = TypeVar("_Value")

_NUMBER = r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$"
_NOTHING = "(?i)^(nan)?$"
_LARGEST_INT64 = str(2**63 - 1)
_LONGEST_LIST = 300  # characters
_DELIMITERS = (",", ";", "\t")


class CsvTable(TextTable):
    """Some columns of a CSV file, without blanks around the fields."""

    def rows(self, chosen: BoolArray) -> "CsvTable":
        """Return some of the rows."""
        columns = {name: texts.filter(chosen) for name, texts in self.columns.items()}
        return CsvTable(self.source, columns, self.lines[chosen])

    def refuse(self, name: str, bad: BoolArray, meaning: str) -> None:
        """Raise an `InvalidInstanceError` with the line and the text of the first `bad` field, if there is one."""
        if bad.any():
            row = int(np.argmax(bad))
            text = self.columns[name][row].as_py()
            wrong = f"{shown(text)!r} is {meaning}" if text else "is missing"
            raise InvalidInstanceError(f"{self.source}: line {self.lines[row]}: {name} {wrong}")

    def distinct(self, name: str) -> tuple[list[str], IntArray]:
        """Return the distinct texts of a column in order of first appearance, and which of them each row has."""
        encoded = self.columns[name].dictionary_encode()
        codes: IntArray = encoded.indices.to_numpy().astype(np.int64)
        return encoded.dictionary.to_pylist(), codes

    def values(self, name: str, value_of: Callable[[str], _Value]) -> tuple[list[_Value], IntArray]:
        """Return `value_of` each distinct text of a column, and which of the values each row has.

        What `value_of` refuses with an `InvalidInstanceError` is refused with the line and the column, too.
        """
        texts, codes = self.distinct(name)
        values = []
        for code, text in enumerate(texts):
            try:
                values.append(value_of(text))
            except InvalidInstanceError as error:
                line = self.lines[np.argmax(codes == code)]
                raise InvalidInstanceError(f"{self.source}: line {line}: {name}: {error}") from None
        return values, codes

    def texts(self, name: str) -> NDArray[Any]:
        """Return a column as it stands, an object array of str."""
        return np.array(self.columns[name].to_pylist(), dtype=object)

    def numbers(self, name: str, *, missing: float | None = None) -> FloatArray:
        """Return a column of finite numbers, or raise an `InvalidInstanceError` that names the first other field.

        With `missing` that is what a field holds in which nothing stands, or "nan".
        """
        compute, pyarrow = import_extra("pyarrow.compute", "traces"), import_extra("pyarrow", "traces")
        texts = self.columns[name]
        written = compute.if_else(are_numbers(texts), texts, "nan")
        values: FloatArray = written.cast(pyarrow.float64()).to_numpy()
        unreadable = ~np.isfinite(values)
        if missing is not None:
            nothing = matches(texts, _NOTHING)
            values, unreadable = np.where(nothing, missing, values), unreadable & ~nothing
        self.refuse(name, unreadable, "not a number")
        return values

    def integers(self, name: str) -> IntArray:
        """Return a column of integers, or raise an `InvalidInstanceError` that names the first other field."""
        pyarrow = import_extra("pyarrow", "traces")
        texts = self.columns[name]
        written = are_integers(texts).to_numpy(zero_copy_only=False)
        self.refuse(name, ~written, "not an integer below 2**63")
        values: IntArray = texts.cast(pyarrow.int64()).to_numpy()
        return values


def read_csv_table(path: FilePath, needed: Sequence[str], optional: Sequence[str] = ()) -> CsvTable:
    """Read some columns of a CSV file, gzipped or not.

    Raises
    ------
    InvalidInstanceError
        If the file is empty, damaged or not UTF-8, has a line of more than 1 MiB, lacks a column of `needed`, has a
        column to be read twice, or has rows with another number of fields than the first line, or with a quote that is
        not closed; names the lines.
    ImportError
        If pyarrow is missing; names the extra.

    Notes
    -----
    Blank lines are no rows. O(file size); memory for the columns that are read.
    """
    pyarrow = import_extra("pyarrow", "traces")
    source, blocks = os.fspath(path), text_blocks(path)
    first = _first_block(source, blocks)
    first_line = first.text.partition(b"\n")[0]
    written = _column_names(source, first)
    columns = [name for name in (*needed, *optional) if name in written]
    for name in needed:
        if name not in written:
            raise InvalidInstanceError(f"{source} has no column {name} (it has: {shown_names(written)})")
    for name in columns:
        if len(written[name]) > 1:
            raise InvalidInstanceError(f"{source} has two columns named {name}")
    fields: dict[str, list[Any]] = {name: [] for name in columns}
    lines: list[IntArray] = []
    for block in itertools.chain((first.without_first_line(),), blocks):
        refuse_other_encodings(source, block)
        refuse_open_quotes(source, block)
        rows = block.only(~block.blank)
        table, n_other_fields = text_rows(
            source, first_line, rows, [written[name][0] for name in columns], quoted=True
        )
        _refuse_ragged_rows(source, rows, n_other_fields > 0)
        for name in columns:
            fields[name] += table[written[name][0]].chunks
        lines.append(rows.lines)
    trim = import_extra("pyarrow.compute", "traces").utf8_trim_whitespace
    joined = {
        name: trim(pyarrow.chunked_array(fields.pop(name), pyarrow.string()).combine_chunks())
        for name in columns
    }
    return CsvTable(source, joined, np.concatenate(lines))


def csv_column_names(path: FilePath) -> tuple[str, ...]:
    """Return the names of the columns that the first line of a file gives, without blanks around them, each once.

    Raises
    ------
    InvalidInstanceError
        If the file is empty, damaged or not UTF-8.
    """
    source = os.fspath(path)
    return tuple(_column_names(source, _first_block(source, text_blocks(path))))


def are_numbers(texts: Any) -> Any:
    """Return, as an Arrow array of booleans, which texts are decimal numbers."""
    return import_extra("pyarrow.compute", "traces").match_substring_regex(texts, _NUMBER)


def are_integers(texts: Any) -> Any:
    """Return, as an Arrow array of booleans, which texts are integers from -2**63 on and below 2**63."""
    compute = import_extra("pyarrow.compute", "traces")
    digits = compute.replace_substring_regex(texts, r"^-?0*", "")
    length = compute.utf8_length(digits)
    most = compute.if_else(compute.starts_with(texts, "-"), str(2**63), _LARGEST_INT64)
    fits = compute.or_(
        compute.less(length, len(_LARGEST_INT64)),
        compute.and_(compute.equal(length, len(_LARGEST_INT64)), compute.less_equal(digits, most)),
    )
    return compute.and_(compute.match_substring_regex(texts, r"^-?\d+$"), fits)


def header_names(first_line: str) -> list[str]:
    """Return the names of the columns that the first line of a CSV file gives, as they are written."""
    return next(csv.reader([first_line.partition("\r")[0]]), [])


def delimiter_of(first_line: str) -> str:
    """Return which of comma, semicolon and tab stands most often between names; empty if none does."""
    outside = "".join(first_line.split('"')[::2])
    best = max(_DELIMITERS, key=outside.count)
    return best if best in outside else ""


def shown_names(names: Iterable[str]) -> str:
    """Return names for a message; of many or long ones the first few."""
    return textwrap.shorten(", ".join(names), _LONGEST_LIST, placeholder=" ...")


def _first_block(source: str, blocks: Iterator[TextBlock]) -> TextBlock:
    first = next(blocks, None)
    if first is None or first.blank.all():
        raise InvalidInstanceError(f"{source} cannot be read: it is empty")
    return first


def _column_names(source: str, first: TextBlock) -> dict[str, list[str]]:
    """Return name -> as it is written, once for each column."""
    refuse_other_encodings(source, first)
    refuse_open_quotes(source, first)
    names: dict[str, list[str]] = {}
    try:
        for name in header_names(first.text.partition(b"\n")[0].decode("utf-8")):
            names.setdefault(name.strip(), []).append(name)
    except csv.Error as error:
        raise InvalidInstanceError(f"{source}: line 1 cannot be read: {error}") from error
    return names


def _refuse_ragged_rows(source: str, rows: TextBlock, ragged: BoolArray) -> None:
    if ragged.any():
        at_least = "" if rows.is_last else "at least "
        listed = listed_rows(int(np.count_nonzero(ragged)), rows.lines[ragged][:N_EXAMPLES])
        raise InvalidInstanceError(f"{source}: {at_least}{listed}: not as many fields as column names")


def refuse_open_quotes(source: str, block: TextBlock) -> None:
    """Refuse a quote that is still open at the end of its line: what follows would be taken for one field."""
    if b'"' not in block.text:
        return
    characters = np.frombuffer(block.text, dtype=np.uint8)
    line_ends = np.flatnonzero(characters == ord("\n"))
    odd = np.searchsorted(np.flatnonzero(characters == ord('"')), line_ends) % 2 == 1
    if odd.any():
        raise InvalidInstanceError(f"{source}: line {block.lines[np.argmax(odd)]}: a quote is not closed")
