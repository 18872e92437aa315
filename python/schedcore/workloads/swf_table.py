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
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from schedcore.errors import InvalidInstanceError
from schedcore.model.extras import import_extra

from .source_file import FilePath, line_numbers, read_source

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["SWF_FIELDS", "SwfLog", "parse_swf", "read_swf_table"]

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

_NOT_A_ROW = re.compile(rb"^([^\S\n]*)(?:;([^\n]*))?$", re.MULTILINE)  # a comment, or blank
_INDENTED_COMMENT = re.compile(rb"^[^\S\n]+;", re.MULTILINE)
_FULL_ROW = (
    b"-1 " * len(SWF_FIELDS) + b"\n"
)  # read first: pandas refuses `usecols` where every row is shorter
_HEADER_LINE = re.compile(r"\s*([A-Za-z][\w ]*?)\s*:(?:\s+(.*)|)$")


@dataclasses.dataclass(frozen=True, eq=False)
class SwfLog:
    """A parsed log, before anything is dropped or repaired.

    Parameters
    ----------
    header : dict
        Key -> value; values of a repeated key and continuation lines are joined by line breaks.
    table : pandas.DataFrame
        A row a job, columns `SWF_FIELDS`; missing and garbled values are -1. int64 where all values are
        integers.
    n_fields : (n_rows,) int64
        Fields that the line had, at most 18.
    garbled : (n_rows,) bool
        Whether a field is no finite number.
    skipped_lines : (n,) int64
        Line numbers (from 1, ascending) of comments and blank lines.
    """

    header: dict[str, str]
    table: "pd.DataFrame"
    n_fields: NDArray[np.int64]
    garbled: NDArray[np.bool_]
    skipped_lines: NDArray[np.int64]

    def field(self, name: str) -> NDArray[np.float64]:
        """Return a field of all rows, -1 where unknown."""
        return self.table[name].to_numpy(dtype=np.float64)

    def line_numbers(self, rows: NDArray[np.intp]) -> NDArray[np.int64]:
        """Return the line of each row in the file, from 1."""
        return line_numbers(rows, self.skipped_lines)

    def refuse_garbled(self, path: FilePath) -> None:
        """Raise an `InvalidInstanceError` that names the lines if there are garbled rows."""
        if self.garbled.any():
            rows = np.flatnonzero(self.garbled)
            lines = ", ".join(map(str, self.line_numbers(rows[:5])))
            raise InvalidInstanceError(
                f"{os.fspath(path)}: {len(rows)} rows with a field that is not a finite number (line {lines})"
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
        If the gzip stream is damaged or a field is not a finite number; names the lines.
    ImportError
        If pandas is missing; names the extra.
    """
    log = parse_swf(path)
    log.refuse_garbled(path)
    return log.header, log.table


def parse_swf(path: FilePath) -> SwfLog:
    """Read a log without judging its rows; O(file size), pandas' C parser does the work."""
    pandas = import_extra("pandas", "traces")
    text = read_source(path)
    comments = list(_NOT_A_ROW.finditer(text))
    line_breaks = np.flatnonzero(np.frombuffer(text, dtype=np.uint8) == ord("\n"))
    positions = np.array([match.start() for match in comments], dtype=np.int64)
    skipped_lines = np.searchsorted(line_breaks, positions, side="left") + 1
    if any(match[1] and match[2] is not None for match in comments):
        text = _INDENTED_COMMENT.sub(b";", text)  # pandas takes an indented comment for a row
    header = _header([match[2] for match in comments if match[2] is not None])
    raw = pandas.read_csv(
        io.BytesIO(_FULL_ROW + text),
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
    )
    return SwfLog(header, *_numbers(raw.iloc[1:]), skipped_lines=skipped_lines)


def _numbers(raw: "pd.DataFrame") -> "tuple[pd.DataFrame, NDArray[np.int64], NDArray[np.bool_]]":
    """Turn what pandas read into numbers; return them with the number of fields and the garbled rows."""
    pandas = import_extra("pandas", "traces")
    n_fields = np.full(len(raw), len(SWF_FIELDS), dtype=np.int64)
    garbled = np.zeros(len(raw), dtype=np.bool_)
    columns: dict[str, NDArray[np.int64] | NDArray[np.float64]] = {}
    for name in SWF_FIELDS:
        column = raw[name]
        if column.dtype == np.int64:
            columns[name] = column.to_numpy()
            continue
        missing = column.isna().to_numpy()
        values = pandas.to_numeric(column, errors="coerce").to_numpy(dtype=np.float64, copy=True)
        wrong = ~np.isfinite(values) & ~missing
        values[missing | wrong] = -1.0
        n_fields -= missing
        garbled |= wrong
        columns[name] = values.astype(np.int64) if _all_integers(values) else values
    return pandas.DataFrame(columns), n_fields, garbled


def _all_integers(values: NDArray[np.float64]) -> bool:
    return bool((np.abs(values) <= 2**53).all() and (values == np.trunc(values)).all())


def _header(comments: list[bytes]) -> dict[str, str]:
    header: dict[str, str] = {}
    key = ""
    for comment in comments:
        line = comment.decode("utf-8", errors="replace").rstrip()
        match = _HEADER_LINE.fullmatch(line)
        if match:
            key, value = match[1], (match[2] or "").strip()
        else:
            value = line.strip()
        if key and (match or value):
            header[key] = f"{header[key]}\n{value}" if key in header else value
    return header
