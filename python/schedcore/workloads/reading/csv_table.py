"""A CSV file of numbers, strictly: every row has all its fields, every field that is read is what it should be.

Whatever is wrong is told with its line. pyarrow takes the rows apart and hands over those that have another number of
fields than the first line; fields stay text until somebody asks for numbers.
"""

import csv
import dataclasses
import io
import itertools
import os
import textwrap
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from schedcore.errors import InvalidInstanceError, one_line
from schedcore.model.arrays import BoolArray, FloatArray, IntArray
from schedcore.model.extras import import_extra
from schedcore.model.real_numbers import shown
from schedcore.workloads.reading.row_ledger import N_EXAMPLES, listed_rows
from schedcore.workloads.reading.source_file import (
    FilePath,
    TextBlock,
    refuse_lost_rows,
    refuse_other_encodings,
    text_blocks,
)

__all__ = ["CsvTable", "are_integers", "are_numbers", "header_names", "read_csv_table"]

_NUMBER = r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$"
_NOTHING = "(?i)^(nan)?$"
_LARGEST_INT64 = str(2**63 - 1)
_LONGEST_LIST = 300  # characters


@dataclasses.dataclass(frozen=True, eq=False)
class CsvTable:
    """Some columns of a CSV file.

    Parameters
    ----------
    source : str
        File name.
    columns : dict
        Name -> pyarrow string array, without blanks around the fields.
    lines : (n_rows,) int64
        The line of each row, from 1.
    """

    source: str
    columns: dict[str, Any]
    lines: IntArray

    def __contains__(self, name: str) -> bool:
        return name in self.columns

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
            nothing = compute.match_substring_regex(texts, _NOTHING).to_numpy(zero_copy_only=False)
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
    first = next(blocks, None)
    if first is None or first.blank.all():
        raise InvalidInstanceError(f"{source} cannot be read: it is empty")
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
        _refuse_open_quotes(source, block)
        rows = block.only(~block.blank)
        table = _parse(source, first_line, rows, [written[name][0] for name in columns])
        for name in columns:
            fields[name] += table[written[name][0]].chunks
        lines.append(rows.lines)
    trim = import_extra("pyarrow.compute", "traces").utf8_trim_whitespace
    joined = {
        name: trim(pyarrow.chunked_array(fields.pop(name), pyarrow.string()).combine_chunks())
        for name in columns
    }
    return CsvTable(source, joined, np.concatenate(lines))


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


def shown_names(names: Iterable[str]) -> str:
    """Return names for a message; of many or long ones the first few."""
    return textwrap.shorten(", ".join(names), _LONGEST_LIST, placeholder=" ...")


def _parse(source: str, first_line: bytes, rows: TextBlock, columns: Sequence[str]) -> Any:
    """Return the columns, named as they are written, as texts; refuse rows with another number of fields."""
    arrow_csv, pyarrow = import_extra("pyarrow.csv", "traces"), import_extra("pyarrow", "traces")
    ragged: list[int] = []

    def note_ragged_row(row: Any) -> str:
        ragged.append(row.number)
        return "skip"

    try:
        table = arrow_csv.read_csv(
            io.BytesIO(first_line + b"\n" + rows.text),
            read_options=arrow_csv.ReadOptions(
                use_threads=False, block_size=len(rows.text) + len(first_line) + 1
            ),
            parse_options=arrow_csv.ParseOptions(
                ignore_empty_lines=False, invalid_row_handler=note_ragged_row
            ),
            convert_options=arrow_csv.ConvertOptions(
                strings_can_be_null=False,
                include_columns=columns,
                column_types=dict.fromkeys(columns, pyarrow.string()),
            ),
        )
    except pyarrow.ArrowException as error:
        raise InvalidInstanceError(f"{source} cannot be read: {one_line(error)}") from error
    if ragged:
        lines = rows.lines[np.sort(ragged)[:N_EXAMPLES] - 2]  # row 1 is the first line
        at_least = "" if rows.is_last else "at least "
        listed = at_least + listed_rows(len(ragged), lines)
        raise InvalidInstanceError(f"{source}: {listed}: not as many fields as column names")
    refuse_lost_rows(source, rows, table.num_rows, len(rows.lines))
    return table


def _column_names(source: str, first: TextBlock) -> dict[str, list[str]]:
    """Return name -> as it is written, once for each column."""
    refuse_other_encodings(source, first)
    _refuse_open_quotes(source, first)
    names: dict[str, list[str]] = {}
    try:
        for name in header_names(first.text.partition(b"\n")[0].decode("utf-8")):
            names.setdefault(name.strip(), []).append(name)
    except csv.Error as error:
        raise InvalidInstanceError(f"{source}: line 1 cannot be read: {error}") from error
    return names


def _refuse_open_quotes(source: str, block: TextBlock) -> None:
    """Refuse a quote that is still open at the end of its line: what follows would be taken for one field."""
    if b'"' not in block.text:
        return
    characters = np.frombuffer(block.text, dtype=np.uint8)
    line_ends = np.flatnonzero(characters == ord("\n"))
    odd = np.searchsorted(np.flatnonzero(characters == ord('"')), line_ends) % 2 == 1
    if odd.any():
        raise InvalidInstanceError(f"{source}: line {block.lines[np.argmax(odd)]}: a quote is not closed")
