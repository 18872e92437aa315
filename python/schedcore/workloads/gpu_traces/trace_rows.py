"""The rows of a trace in CSV: texts and numbers by column, and an account of the rows that cannot be read.

Fields are not quoted. Which rows are bad beyond their number of fields is for the reader of the trace to say.
"""

import dataclasses
import itertools
import os
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from schedcore.errors import InvalidInstanceError
from schedcore.model.arrays import EXACT_BOUND, BoolArray, FloatArray, IntArray
from schedcore.model.extras import import_extra
from schedcore.workloads.reading.csv_table import are_numbers, shown_names
from schedcore.workloads.reading.row_ledger import N_EXAMPLES, RowLedger, listed_rows, way_past_bad_rows
from schedcore.workloads.reading.source_file import FilePath, refuse_nothing_but_bad_lines, text_blocks
from schedcore.workloads.reading.text_table import TextTable, text_rows

__all__ = ["TraceRows"]


@dataclasses.dataclass(frozen=True, eq=False)
class TraceRows(TextTable):
    """Some columns of a trace, and what becomes of its rows.

    Parameters
    ----------
    ledger : RowLedger
    """

    ledger: RowLedger

    @classmethod
    def read(
        cls, path: FilePath, needed: Sequence[str], optional: Sequence[str], on_bad_row: str
    ) -> "TraceRows":
        """Read the rows that have as many fields as the first line.

        Raises
        ------
        InvalidInstanceError
            For a file that is empty, damaged, or lacks a column (or has it twice), and for rows with another number
            of fields unless `on_bad_row` is "skip".
        """
        source, blocks = os.fspath(path), text_blocks(path)
        first = next(blocks, None)
        if first is None or first.blank.all():
            raise InvalidInstanceError(f"{source} cannot be read: it is empty")
        written = first.text.partition(b"\n")[0].decode("latin-1").split(",")
        names = [name.strip() for name in written]
        columns = _present(source, names, needed, optional)
        first_line = ",".join(names).encode("latin-1")
        pyarrow = import_extra("pyarrow", "traces")
        fields: dict[str, list[Any]] = {name: [] for name in columns}
        lines: list[IntArray] = []
        ragged: list[IntArray] = []
        for block in itertools.chain((first.without_first_line(),), blocks):
            rows = block.only(~block.blank)
            table, n_other_fields = text_rows(source, first_line, rows, columns, encoding="latin-1")
            is_row = n_other_fields == 0
            refuse_nothing_but_bad_lines(source, rows.lines, table.num_rows)
            for name in columns:
                fields[name] += table[name].chunks
            lines.append(rows.lines[is_row])
            ragged.append(rows.lines[~is_row])
        line, bad = np.concatenate(lines), np.concatenate(ragged)
        ledger = RowLedger(len(line), line.__getitem__)
        meaning = "not as many fields as column names"
        if len(bad) and on_bad_row != "skip":
            listed = listed_rows(len(bad), bad[:N_EXAMPLES].tolist())
            raise InvalidInstanceError(f"{source}: {listed}: {meaning}; {way_past_bad_rows()}")
        ledger.leave_out("ragged_row", meaning, len(bad), bad[:N_EXAMPLES].tolist())
        trim = import_extra("pyarrow.compute", "traces").utf8_trim_whitespace
        texts = {
            name: trim(pyarrow.chunked_array(parts, pyarrow.string()).combine_chunks())
            for name, parts in fields.items()
        }
        return cls(source, texts, line, ledger)

    def numbers(self, name: str) -> FloatArray:
        """Return a column, NaN where there is no finite number.

        What is far outside of what `refuse_impossible` takes is brought nearer, so that sums do not overflow.
        """
        compute, pyarrow = import_extra("pyarrow.compute", "traces"), import_extra("pyarrow", "traces")
        texts = self.columns[name]
        written = compute.if_else(are_numbers(texts), texts, "nan")
        values: FloatArray = written.cast(pyarrow.float64()).to_numpy(zero_copy_only=False)
        return np.clip(np.where(np.isfinite(values), values, np.nan), -1.0, 2.0 * EXACT_BOUND)

    def without_text(self, name: str) -> BoolArray:
        """Return where a field is empty."""
        return self.matches(name, "^$")

    def refuse(self, reason: str, meaning: str, bad: BoolArray, on_bad_row: str) -> None:
        """Drop those `bad` rows that are left, or raise an error that names their lines."""
        self.ledger.drop_bad(self.source, reason, meaning, bad, on_bad_row)

    def refuse_impossible(self, columns: Collection[FloatArray], on_bad_row: str) -> None:
        """Refuse rows in which one of some columns is no number, or is outside [0, 2**53]."""
        values = np.column_stack(list(columns))
        unknown: BoolArray = np.asarray(np.isnan(values).any(axis=1))
        self.refuse("garbled_row", "a field is missing or no finite number", unknown, on_bad_row)
        outside: BoolArray = np.asarray(((values < 0) | (values > EXACT_BOUND)).any(axis=1))
        self.refuse("impossible_value", "a number below 0 or above 2**53", outside, on_bad_row)


def _present(source: str, names: Sequence[str], needed: Sequence[str], optional: Sequence[str]) -> list[str]:
    for name in needed:
        if name not in names:
            raise InvalidInstanceError(f"{source} has no column {name} (it has: {shown_names(names)})")
    columns = [name for name in (*needed, *optional) if name in names]
    for name in columns:
        if names.count(name) > 1:
            raise InvalidInstanceError(f"{source} has two columns named {name}")
    return columns
