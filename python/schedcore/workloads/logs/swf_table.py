"""The Standard Workload Format as a table: 18 columns, header, line numbers.

One job a line, 18 blank-separated numbers, -1 for unknown; lines that start with ``;`` are comments, and
those of the form ``; Key: value`` are the header [Feitelson]_. Numbers beyond the 18th are ignored. pandas
reads the columns; only the header is taken apart here.

.. [Feitelson] D. G. Feitelson, D. Tsafrir, D. Krakov, "Experience with using the Parallel Workloads Archive",
JPDC 2014.
"""

import csv
import dataclasses
import io
import os
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from schedcore.errors import InvalidInstanceError, one_line
from schedcore.model.arrays import BoolArray, FloatArray, IntArray
from schedcore.model.extras import import_extra
from schedcore.workloads.reading.number_columns import float_column
from schedcore.workloads.reading.source_file import FilePath, TextBlock, refuse_lost_rows, text_blocks

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["SWF_FIELDS", "SwfLog", "parse_swf", "read_swf_table", "swf_parts"]

SWF_FIELDS = (
    "job_number",
    "submit_time",
    "wait_time",
    "run_time",
    "allocated_processors",
    "average_cpu_time",
    "used_memory",
    "requested_processors",
    "requested_time",
    "requested_memory",
    "status",
    "user",
    "group",
    "executable",
    "queue",
    "partition",
    "preceding_job",
    "think_time",
)

_COMMENT = ord(";")
_FULL_ROW = (
    b"-1 " * len(SWF_FIELDS) + b"\n"
)  # read first: pandas refuses `usecols` where every row is shorter
_LONGEST_HEADER = 2**24  # bytes of comments in one file
_HEADER_LINE = re.compile(r"\s*([A-Za-z][\w ]*?)\s*:(?:\s+(.*)|)$")


@dataclasses.dataclass(frozen=True, eq=False)
class SwfLog:
    """Rows of a parsed log, before anything is dropped or repaired.

    Parameters
    ----------
    header : dict
        Key -> value; values of a repeated key and continuation lines are joined by line breaks.
    columns : dict
        Each of `SWF_FIELDS` -> (n_rows,) numbers; missing and garbled values are -1. Integers, of the smallest type
        that holds them, where all values are.
    n_fields : (n_rows,) int8
        Fields that the line had, at most 18.
    garbled : (n_rows,) bool
        Whether a field is no finite number.
    lines : (n_rows,) int64
        The line of each row in the file, from 1.
    is_last : bool
        Whether the file has no more rows.
    """

    header: dict[str, str]
    columns: dict[str, NDArray[Any]]
    n_fields: NDArray[np.int8]
    garbled: BoolArray
    lines: IntArray
    is_last: bool = True

    def __len__(self) -> int:
        return len(self.lines)

    def field(self, name: str) -> FloatArray:
        """Return a field of all rows, -1 where unknown."""
        return self.columns[name].astype(np.float64)

    def line_numbers(self, rows: NDArray[np.intp]) -> IntArray:
        """Return the line of each row in the file, from 1."""
        return self.lines[rows]

    def rows(self, chosen: BoolArray) -> "SwfLog":
        """Return some of the rows."""
        columns = {name: column[chosen] for name, column in self.columns.items()}
        return SwfLog(
            self.header,
            columns,
            self.n_fields[chosen],
            self.garbled[chosen],
            self.lines[chosen],
            self.is_last,
        )

    @classmethod
    def joined(cls, header: dict[str, str], parts: "list[SwfLog]") -> "SwfLog":
        """Return the rows of all parts; takes their columns away, so that nothing is held twice for long."""
        columns = {
            name: np.concatenate([np.empty(0, np.int8), *(part.columns.pop(name) for part in parts)])
            for name in SWF_FIELDS
        }
        return cls(
            header,
            columns,
            np.concatenate([np.empty(0, np.int8), *(part.n_fields for part in parts)]),
            np.concatenate([np.empty(0, np.bool_), *(part.garbled for part in parts)]),
            np.concatenate([np.empty(0, np.int64), *(part.lines for part in parts)]),
        )


def read_swf_table(path: FilePath) -> "tuple[dict[str, str], pd.DataFrame]":
    """Read all 18 fields of an SWF log.

    Parameters
    ----------
    path : path-like
        Log file, gzipped or not.

    Returns
    -------
    header : dict of str
        Header keys as written, unknown ones too; values of a repeated key are joined by line breaks.
    table : pandas.DataFrame
        A row a job, columns `SWF_FIELDS`, in the units of the file; int64 where all values are integers, else
        float64. Lines with fewer fields are padded with -1, as the format says.

    Raises
    ------
    InvalidInstanceError
        If the gzip stream is damaged, a line is longer than 1 MiB, or a field is not a finite number; names the lines.
    ImportError
        If pandas is missing; names the extra.
    """
    pandas = import_extra("pandas", "traces")
    log = parse_swf(path)
    columns = {
        name: column.astype(np.int64 if column.dtype.kind == "i" else np.float64)
        for name, column in log.columns.items()
    }
    return log.header, pandas.DataFrame(columns, copy=False)


def parse_swf(path: FilePath) -> SwfLog:
    """Read a log without judging its rows, but for garbled ones, which are refused by line; O(file size)."""
    header: dict[str, str] = {}
    parts = []
    for part in swf_parts(path, header):
        if part.garbled.any():
            rows = np.flatnonzero(part.garbled)
            lines = ", ".join(map(str, part.lines[rows[:5]]))
            at_least = "" if part.is_last else "at least "
            raise InvalidInstanceError(
                f"{os.fspath(path)}: {at_least}{len(rows)} rows with a field that is not a finite number "
                f"(line {lines})"
            )
        parts.append(part)
    return SwfLog.joined(header, parts)


def swf_parts(path: FilePath, header: dict[str, str]) -> Iterator[SwfLog]:
    """Read a log part by part; pandas' C parser does the work. `header` grows as comments come.

    Raises
    ------
    InvalidInstanceError
        If the gzip stream is damaged, a line is too long, or comments make up more than 16 MiB.
    """
    source, comments = os.fspath(path), _Comments(header)
    for block in text_blocks(path):
        is_comment = block.first_characters == _COMMENT
        if is_comment.any():
            comments.add(source, block.only(is_comment))
        yield _parse(source, block.only(~is_comment & ~block.blank), header)


def _parse(source: str, block: TextBlock, header: dict[str, str]) -> SwfLog:
    pandas = import_extra("pandas", "traces")
    try:
        raw = pandas.read_csv(
            io.BytesIO(_FULL_ROW + block.text),
            sep=r"\s+",
            header=None,
            names=SWF_FIELDS,
            usecols=range(len(SWF_FIELDS)),
            index_col=False,
            comment=";",
            quoting=csv.QUOTE_NONE,
            keep_default_na=False,
            na_values=[""],
            encoding="latin-1",
            low_memory=False,  # else a word is read by what else stands in its chunk of rows
        ).iloc[1:]
    except pandas.errors.ParserError as error:
        raise InvalidInstanceError(f"{source} cannot be read: {one_line(error)}") from error
    refuse_lost_rows(source, block, len(raw), len(block.lines))
    n_fields = np.full(len(raw), len(SWF_FIELDS), dtype=np.int8)
    garbled = np.zeros(len(raw), dtype=np.bool_)
    columns: dict[str, NDArray[Any]] = {}
    for name in SWF_FIELDS:
        column = raw[name]
        if column.dtype == np.int64:
            columns[name] = _narrow(column.to_numpy())
            continue
        missing = column.isna().to_numpy()
        values = float_column(column)
        wrong = ~np.isfinite(values) & ~missing
        values[missing | wrong] = -1.0
        n_fields -= missing
        garbled |= wrong
        columns[name] = _narrow(values.astype(np.int64)) if _all_integers(values) else values
    return SwfLog(header, columns, n_fields, garbled, block.lines, block.is_last)


def _narrow(column: IntArray) -> NDArray[Any]:
    """Return integers as the smallest signed type that holds them."""
    if not len(column):
        return column.astype(np.int8)
    lowest = min(
        int(column.min()), -1 - int(column.max()), -1
    )  # as low as the type must reach, and then as high
    return column.astype(np.min_scalar_type(lowest))


def _all_integers(values: FloatArray) -> bool:
    return bool((np.abs(values) <= 2**53).all() and (values == np.trunc(values)).all())


class _Comments:
    """What the comments of a log say, as they come."""

    def __init__(self, header: dict[str, str]) -> None:
        self._header = header
        self._key = ""
        self._values: dict[str, list[str]] = {}
        self._size = 0

    def add(self, source: str, block: TextBlock) -> None:
        self._size += len(block.text)
        if self._size > _LONGEST_HEADER:
            raise InvalidInstanceError(
                f"{source}: up to line {block.lines[-1]} there are more than {_LONGEST_HEADER:,} bytes of comments, "
                "the most that is read"
            )
        for comment in block.split():
            line = comment.partition(b";")[2].decode("utf-8", errors="replace").rstrip()
            match = _HEADER_LINE.fullmatch(line)
            if match:
                self._key, value = match[1], (match[2] or "").strip()
            else:
                value = line.strip()
            if self._key and (match or value):
                self._values.setdefault(self._key, []).append(value)
        self._header.update({key: "\n".join(values) for key, values in self._values.items()})
