"""A file of rows and columns as cells: CSV, gzipped or not, between commas, semicolons or tabs, or Parquet.

The names of the columns are known at once, rows are read when it is clear which columns are wanted. Places in messages
are lines of a CSV file and rows of a Parquet file, both from 1.
"""

import csv
import dataclasses
import itertools
import os
import re
from collections.abc import Iterator, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from schedcore.errors import InvalidInstanceError
from schedcore.model.arrays import BoolArray, IntArray
from schedcore.model.arrow import read_parquet
from schedcore.model.extras import import_extra
from schedcore.model.real_numbers import shown
from schedcore.workloads.reading.csv_table import are_numbers, delimiter_of, refuse_open_quotes
from schedcore.workloads.reading.needed_choice import ChoiceNeededError
from schedcore.workloads.reading.row_ledger import N_EXAMPLES, RowLedger, listed_rows, way_past_bad_rows
from schedcore.workloads.reading.source_file import (
    FilePath,
    TextBlock,
    refuse_nothing_but_bad_lines,
    refuse_other_encodings,
    text_blocks,
)
from schedcore.workloads.reading.text_table import text_rows
from schedcore.workloads.tables.cells import Cells

__all__ = ["TableFile", "TableRowsRead"]

OnBadRow = Literal["error", "skip"]

_PARQUET = b"PAR1"
_OTHER_SEPARATORS = r"[|\s]"


@dataclasses.dataclass(frozen=True, eq=False)
class TableRowsRead:
    """Some columns of a table, and what becomes of its rows.

    Parameters
    ----------
    cells : dict
        Name -> cells.
    ledger : RowLedger
    line_word : str
        What places are: "line" or "row".
    """

    cells: dict[str, Cells]
    ledger: RowLedger
    line_word: str


class _LedgerOfRows(RowLedger):
    """A ledger whose places are rows."""

    def describe(self, rows: BoolArray, line_word: str = "row") -> str:
        return super().describe(rows, line_word)


@dataclasses.dataclass(frozen=True, eq=False)
class TableFile:
    """A table whose rows are not read yet.

    Parameters
    ----------
    path : path-like
    names : tuple of str
        Of the columns, without blanks around them, each once; one without a name is ``column_1`` by its place.
    delimiter : str
        What stands between the fields; empty for Parquet.
    """

    path: FilePath
    names: tuple[str, ...]
    delimiter: str

    @classmethod
    def open(cls, path: FilePath) -> "TableFile":
        """Read the names of the columns.

        Raises
        ------
        InvalidInstanceError
            For a file that is empty, damaged or no UTF-8, one without names of columns, and names that come twice.
        ImportError
            If pyarrow is missing; names the extra.
        """
        source = os.fspath(path)
        with open(path, "rb") as file:
            is_parquet = file.read(len(_PARQUET)) == _PARQUET
        if is_parquet:
            names, delimiter = _names_of_parquet(path), ""
        else:
            first = _first_block(source, text_blocks(path))
            names, delimiter = _names_of_first_line(source, first)
        named = [
            name or f"column_{place}" for place, name in enumerate(names, start=1)
        ]  # as pandas writes an index
        _check_names(source, named)
        return cls(path, tuple(named), delimiter)

    @property
    def source(self) -> str:
        """The file, as messages name it."""
        return os.fspath(self.path)

    def read(self, names: Sequence[str], on_bad_row: OnBadRow) -> TableRowsRead:
        """Read some columns.

        Raises
        ------
        InvalidInstanceError
            For a damaged file, and for rows with another number of fields than the first line, unless `on_bad_row` is
            "skip".
        """
        if not self.delimiter:
            return self._read_parquet(names)
        pyarrow = import_extra("pyarrow", "traces")
        blocks = text_blocks(self.path)
        first = _first_block(self.source, blocks)
        placeholders = [f"c{index}" for index in range(len(self.names))]  # a name may hold anything
        first_line = self.delimiter.join(placeholders).encode()
        wanted = {name: placeholders[self.names.index(name)] for name in names} or {"": placeholders[0]}
        fields: dict[str, list[Any]] = {name: [] for name in wanted}
        lines: list[IntArray] = []
        ragged: list[IntArray] = []
        for block in itertools.chain((first.without_first_line(),), blocks):
            refuse_other_encodings(self.source, block)
            refuse_open_quotes(self.source, block)
            rows = block.only(~block.blank)
            table, n_other_fields = text_rows(
                self.source, first_line, rows, list(wanted.values()), delimiter=self.delimiter, quoted=True
            )
            refuse_nothing_but_bad_lines(self.source, rows.lines, table.num_rows)
            is_row = n_other_fields == 0
            for name, placeholder in wanted.items():
                fields[name] += table[placeholder].chunks
            lines.append(rows.lines[is_row])
            ragged.append(rows.lines[~is_row])
        line, bad = np.concatenate(lines), np.concatenate(ragged)
        ledger = RowLedger(len(line), line.__getitem__)
        meaning = "not as many fields as column names"
        if len(bad) and on_bad_row != "skip":
            listed = listed_rows(len(bad), bad[:N_EXAMPLES].tolist())
            raise ChoiceNeededError(
                f"{self.source}: {listed}: {meaning}; {way_past_bad_rows()}", (("on_bad_row", "skip"),)
            )
        ledger.leave_out("ragged_row", meaning, len(bad), bad[:N_EXAMPLES].tolist())
        comma = self.delimiter != ","
        cells = {
            name: Cells.of(
                name,
                pyarrow.chunked_array(fields.pop(name), pyarrow.string()),
                decimal_comma=comma,
                points_may_group=self.delimiter
                == ";",  # which stands where a comma is that of decimal numbers
            )
            for name in wanted
        }
        return TableRowsRead(cells, ledger, "line")

    def _read_parquet(self, names: Sequence[str]) -> TableRowsRead:
        table = read_parquet(self.path)
        ledger = _LedgerOfRows(table.num_rows, _row_numbers)
        columns = dict(zip(self.names, table.columns, strict=True))
        cells = {}
        for name in names:
            try:
                cells[name] = Cells.of(name, columns[name])
            except TypeError as error:
                raise InvalidInstanceError(f"{self.source}: column {name} holds {error}") from error
        return TableRowsRead(cells, ledger, "row")


def _row_numbers(rows: NDArray[np.intp]) -> IntArray:
    return rows.astype(np.int64) + 1


def _first_block(source: str, blocks: Iterator[TextBlock]) -> TextBlock:
    first = next(blocks, None)
    if first is None or first.blank.all():
        raise InvalidInstanceError(f"{source} cannot be read: it is empty")
    return first


def _names_of_parquet(path: FilePath) -> list[str]:
    parquet, pyarrow = import_extra("pyarrow.parquet", "traces"), import_extra("pyarrow", "traces")
    try:
        return [name.strip() for name in parquet.read_schema(path).names]
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError):
        return list(read_parquet(path).column_names)  # which says what is wrong


def _names_of_first_line(source: str, first: TextBlock) -> tuple[list[str], str]:
    refuse_other_encodings(source, first)
    refuse_open_quotes(source, first)
    line = first.text.partition(b"\n")[0].decode("utf-8")
    delimiter = delimiter_of(line) or ","
    try:
        names = [name.strip() for name in next(csv.reader([line], delimiter=delimiter), [])]
    except csv.Error as error:
        raise InvalidInstanceError(f"{source}: line 1 cannot be read: {error}") from error
    pyarrow = import_extra("pyarrow", "traces")
    if 2 * sum(are_numbers(pyarrow.array(names, pyarrow.string())).to_pylist()) > len(names):
        raise InvalidInstanceError(
            f"{source}: the first line has no names of columns but values ({line[:60].strip()}); put a line such as "
            f"submit,runtime,cpus before it"
        )
    if len(names) == 1 and re.search(_OTHER_SEPARATORS, names[0]):
        raise InvalidInstanceError(
            f"{source}: the first line has one name, {shown(names[0])!r}: fields stand between commas, semicolons or "
            f"tabs"
        )
    return names, delimiter


def _check_names(source: str, names: Sequence[str]) -> None:
    repeated = next((name for place, name in enumerate(names) if names.index(name) < place), None)
    if repeated is not None:
        raise InvalidInstanceError(f"{source} has two columns named {repeated}")
