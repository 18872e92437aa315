"""One part file of a Google table: a gzipped CSV without a header, every row of which is judged.

Arrow parses it into typed columns. Where it objects, the block is parsed once more, field by field as text and with the
lines counted, to say which rows are wrong; the others come out the same. So both have to agree on what a number is:
decimal, with spaces and tabs around it or without.
"""

import os
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from schedcore.errors import InvalidInstanceError
from schedcore.model.arrays import BoolArray
from schedcore.model.extras import import_extra
from schedcore.workloads.google.schema import GoogleColumn
from schedcore.workloads.reading.csv_table import are_integers, are_numbers
from schedcore.workloads.reading.row_ledger import RowLedger
from schedcore.workloads.reading.source_file import (
    LONGEST_LINE,
    FilePath,
    TextBlock,
    refuse_nothing_but_bad_lines,
    refuse_other_encodings,
    text_blocks,
)
from schedcore.workloads.reading.text_table import text_rows

__all__ = ["OnBadRow", "read_google_part"]

OnBadRow = Literal["error", "skip"]

_BLANKS = b" \t"  # which Arrow takes for no part of a number
_PIECE = 2**16  # bytes; what is computed of so many stays in the cache
_BEFORE_A_FIELD = list(b",\n" + _BLANKS)


def read_google_part(
    path: FilePath, schema: Sequence[GoogleColumn], wanted: Sequence[GoogleColumn], on_bad_row: OnBadRow
) -> tuple[Any, RowLedger]:
    """Return some columns of a part as a ``pyarrow.Table``, and the ledger of its lines.

    Raises
    ------
    InvalidInstanceError
        If the file is empty, damaged, not UTF-8, or has no row with the fields of `schema`; and for bad rows, with
        their lines, unless ``on_bad_row="skip"``.
    """
    source, account, tables = os.fspath(path), RowLedger(0, lambda rows: rows), list[Any]()
    n_fields, fits = 0, False
    for block in text_blocks(path):
        rows = _parse_typed(block, schema, wanted) or _parse_text(source, block, schema, wanted)
        n_fields, fits = n_fields or rows.n_fields_of_first, fits or not rows.ragged.all()
        if block.is_last and not fits:
            raise InvalidInstanceError(
                f"{source}: line 1 has {n_fields} field{'s' * (n_fields != 1)} and no row has {len(schema)}; "
                f"is it a part of another table?"
            )
        table, ledger = _good_rows(source, block, rows, schema, wanted, on_bad_row)
        tables.append(table)
        account.carry_over(ledger)
    if not tables:
        raise InvalidInstanceError(f"{source} is empty")
    whole = import_extra("pyarrow", "traces").concat_tables(tables)
    ledger = RowLedger(whole.num_rows, lambda rows: rows)  # of which none is to be dropped any more
    ledger.carry_over(account)
    return whole, ledger


def _good_rows(
    source: str,
    block: TextBlock,
    rows: "_Rows",
    schema: Sequence[GoogleColumn],
    wanted: Sequence[GoogleColumn],
    on_bad_row: OnBadRow,
) -> tuple[Any, RowLedger]:
    ledger = RowLedger(rows.n_lines, block.lines.__getitem__, more_follow=not block.is_last)
    wrong: dict[tuple[str, str], dict[str, BoolArray]] = {
        ("ragged_row", f"not the {len(schema)} fields of a row"): {"": rows.ragged},
        ("garbled_row", "a field cannot be read as the number it is"): {},
        ("missing_value", "a field is empty that every row has"): {},
        ("impossible_value", "a field is below 0 or above the largest value there is"): {},
    }
    _, garbled, missing, impossible = wrong.values()
    for column in wanted:
        garbled[column.name] = rows.on_lines(rows.garbled(column))
        if column.is_needed:
            missing[column.name] = rows.on_lines(rows.missing(column.name)) & ~garbled[column.name]
        if column.kind != "text":
            impossible[column.name] = rows.on_lines(rows.impossible(column))
    for (reason, meaning), masks in wrong.items():
        bad = np.logical_or.reduce(list(masks.values())) if masks else np.zeros_like(ledger.kept)
        columns = ", ".join(name for name, mask in masks.items() if name and (mask & ledger.kept).any())
        named = f" ({columns})" if columns and on_bad_row != "skip" else ""
        ledger.drop_bad(source, reason, meaning + named, bad, on_bad_row)
    kept = ledger.kept[rows.lines]
    return rows.table if kept.all() else rows.table.filter(kept), ledger


class _Rows:
    """The rows of a block with the right number of fields, as far as they could be read."""

    def __init__(
        self,
        table: Any,
        ragged: BoolArray,
        n_fields_of_first: int,
        unreadable: dict[str, BoolArray] | None = None,
    ) -> None:
        self.table = table
        self.n_lines = len(ragged)
        self.ragged = ragged
        self.n_fields_of_first = n_fields_of_first
        self.lines = np.flatnonzero(~self.ragged)  # of the rows, from 0
        self._unreadable = unreadable or {}

    def on_lines(self, rows: BoolArray) -> BoolArray:
        """Return which lines hold the given rows."""
        if len(rows) == self.n_lines:
            return rows
        mask = np.zeros(self.n_lines, dtype=np.bool_)
        mask[self.lines] = rows
        return mask

    def garbled(self, column: GoogleColumn) -> BoolArray:
        """Return the rows whose field is not what the column holds."""
        unreadable = self._unreadable.get(column.name, np.zeros(self.table.num_rows, dtype=np.bool_))
        if column.kind != "number":
            return unreadable
        return unreadable | ~self._where("is_finite", column.name, or_null=True)

    def missing(self, name: str) -> BoolArray:
        """Return the rows without a value."""
        return self._where("is_null", name)

    def impossible(self, column: GoogleColumn) -> BoolArray:
        """Return the rows with a number out of range."""
        below = self._where("less", column.name, 0)
        return below if column.most is None else below | self._where("greater", column.name, column.most)

    def _where(self, question: str, name: str, *values: int, or_null: bool = False) -> BoolArray:
        compute = import_extra("pyarrow.compute", "traces")
        answer = getattr(compute, question)(self.table[name], *values)
        mask: BoolArray = compute.fill_null(answer, or_null).to_numpy()
        return mask


def _parse_typed(
    block: TextBlock, schema: Sequence[GoogleColumn], wanted: Sequence[GoogleColumn]
) -> _Rows | None:
    """Return all rows, or None if Arrow objects to any."""
    arrow_csv, pyarrow = import_extra("pyarrow.csv", "traces"), import_extra("pyarrow", "traces")
    types = {column.name: _arrow_type(column) for column in wanted}
    try:
        table = arrow_csv.read_csv(
            pyarrow.BufferReader(block.text),
            read_options=arrow_csv.ReadOptions(
                column_names=[column.name for column in schema], block_size=LONGEST_LINE + 1
            ),
            parse_options=arrow_csv.ParseOptions(quote_char=False, ignore_empty_lines=False),
            convert_options=arrow_csv.ConvertOptions(
                include_columns=list(types), column_types=types, null_values=[""], strings_can_be_null=True
            ),
        )
    except pyarrow.ArrowInvalid:
        return None
    if table.num_rows != len(block.lines) or _has_hexadecimal(block.text, schema, wanted):
        return None
    return _Rows(table, np.zeros(table.num_rows, dtype=np.bool_), len(schema))


def _has_hexadecimal(text: bytes, schema: Sequence[GoogleColumn], wanted: Sequence[GoogleColumn]) -> bool:
    """Whether a field of integers begins with 0x: Arrow takes it for a number of 64 bits, up to a negative one.

    Hashes hold these two characters often, begin with them seldom, and may.
    """
    integers = {index for index, column in enumerate(schema) if column.kind == "integer" and column in wanted}
    data = np.frombuffer(text, dtype=np.uint8)
    places = np.concatenate([_of_prefix(data, begin) for begin in range(0, len(data), _PIECE)])
    for at in places[(places == 0) | np.isin(data[places - 1], _BEFORE_A_FIELD)].tolist():
        before = text[text.rfind(b"\n", 0, at) + 1 : at]
        if before.rstrip(_BLANKS)[-1:] in (b"", b",") and before.count(b",") in integers:
            return True
    return False


def _of_prefix(data: NDArray[np.uint8], begin: int) -> NDArray[np.intp]:
    """Return where 0x or 0X stands in a piece of a text."""
    piece = data[begin : begin + _PIECE + 1]
    return begin + np.flatnonzero((piece[:-1] == ord("0")) & ((piece[1:] | ord(" ")) == ord("x")))


def _parse_text(
    source: str, block: TextBlock, schema: Sequence[GoogleColumn], wanted: Sequence[GoogleColumn]
) -> _Rows:
    """Return the rows with the right number of fields; a field that cannot be read is null and noted."""
    pyarrow, compute = import_extra("pyarrow", "traces"), import_extra("pyarrow.compute", "traces")
    refuse_other_encodings(source, block)
    first_line = ",".join(column.name for column in schema).encode()
    texts, n_other_fields = text_rows(
        source, first_line, block, [column.name for column in wanted], empty_is_null=True
    )
    refuse_nothing_but_bad_lines(source, block.lines, texts.num_rows)
    columns: dict[str, Any] = {}
    unreadable: dict[str, BoolArray] = {}
    for column in wanted:
        fields = texts[column.name].combine_chunks()
        if column.kind == "text":
            columns[column.name] = fields.dictionary_encode()
            continue
        fields = compute.utf8_trim(fields, _BLANKS.decode())
        readable = (are_integers if column.kind == "integer" else are_numbers)(fields)
        columns[column.name] = compute.if_else(readable, fields, None).cast(_arrow_type(column))
        unreadable[column.name] = compute.fill_null(compute.invert(readable), False).to_numpy(
            zero_copy_only=False
        )
    n_fields_of_first = int(n_other_fields[0]) or len(schema)
    return _Rows(pyarrow.table(columns), n_other_fields > 0, n_fields_of_first, unreadable)


def _arrow_type(column: GoogleColumn) -> Any:
    pyarrow = import_extra("pyarrow", "traces")
    if column.kind == "text":
        return pyarrow.dictionary(pyarrow.int32(), pyarrow.string())
    return pyarrow.int64() if column.kind == "integer" else pyarrow.float64()
