"""The output of Slurm's ``sacct -P`` as columns of text, with the lines that its rows stand on.

Fields are separated by ``|`` and never quoted; the first line names the columns, in any order, without regard to case,
because ``--format`` accepts them so.
"""

import dataclasses
import itertools
import os
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from schedcore.errors import InvalidInstanceError
from schedcore.model.arrays import BoolArray, FloatArray, IntArray
from schedcore.model.extras import import_extra
from schedcore.workloads.reading.row_ledger import N_EXAMPLES
from schedcore.workloads.reading.source_file import (
    FilePath,
    TextBlock,
    refuse_nothing_but_bad_lines,
    text_blocks,
)
from schedcore.workloads.reading.text_table import TextTable, matches, text_rows

__all__ = ["SacctTable", "is_sacct_header", "parse_sacct", "sacct_header"]


def is_sacct_header(first_line: str) -> bool:
    """Whether a line can be the first one of an output of sacct: names between ``|``, a job id among them."""
    names = {name.lower() for name in first_line.strip("\r\n").split("|")}
    return len(names) > 1 and not names.isdisjoint({"jobid", "jobidraw"})


class LeftOut(NamedTuple):
    """How many lines were left out, and the first few of them."""

    n_lines: int
    first_lines: tuple[int, ...]

    def with_more(self, lines: IntArray) -> "LeftOut":
        """Return the account with further lines, behind those that it has."""
        first = (*self.first_lines, *lines[:N_EXAMPLES].tolist())[:N_EXAMPLES]
        return LeftOut(self.n_lines + len(lines), first)


@dataclasses.dataclass(frozen=True, eq=False)
class SacctTable(TextTable):
    """Those of the columns asked for that a file has, by their canonical names, before anything is judged or repaired.

    Parameters
    ----------
    left_out : dict
        Reason -> what was left out for it. ragged_row: not as many fields as the first line; repeated_header,
        blank_row, job_step: no job at first sight.
    """

    left_out: dict[str, LeftOut]

    @property
    def id_column(self) -> str:
        """The column that names the jobs: JobIDRaw, else JobID."""
        return "JobIDRaw" if "JobIDRaw" in self else "JobID"

    def line_numbers(self, rows: NDArray[np.intp]) -> IntArray:
        """Return the line of each row in the file, from 1."""
        return self.lines[rows]

    @property
    def n_rows(self) -> int:
        """Rows that may be jobs."""
        return len(self.lines)

    def values(self, name: str, value_of: Callable[[str], float]) -> FloatArray:
        """Return `value_of` each field, called once for each distinct text; all unknown (-1) without the column."""
        if name not in self.columns:
            return np.full(self.n_rows, -1.0)
        encoded = self.columns[name].dictionary_encode()
        distinct = np.array([value_of(text) for text in encoded.dictionary.to_pylist()], dtype=np.float64)
        values: FloatArray = distinct[encoded.indices.to_numpy()]
        return values

    def words(self, name: str, word_of: Callable[[str], str]) -> NDArray[np.str_]:
        """Return `word_of` each field, called once for each distinct text."""
        encoded = self.columns[name].dictionary_encode()
        distinct = np.array([word_of(text) for text in encoded.dictionary.to_pylist()], dtype=np.str_)
        words: NDArray[np.str_] = distinct[encoded.indices.to_numpy()]
        return words

    def words_as_texts(self, name: str, word_of: Callable[[str], str]) -> Any:
        """Return what `words` does as an Arrow array of few distinct texts."""
        pyarrow = import_extra("pyarrow", "traces")
        encoded = self.columns[name].dictionary_encode()
        distinct = [word_of(text) for text in encoded.dictionary.to_pylist()]
        return pyarrow.array(distinct, pyarrow.string()).take(encoded.indices)

    def instants(self, name: str) -> FloatArray:
        """Return points of time in seconds since 1970: -1 where there is none, NaN where it cannot be read.

        Numbers count as they are; dates and clock times without a zone count as if they were UTC.
        """
        if name not in self.columns:
            return np.full(self.n_rows, -1.0)
        compute, pyarrow = import_extra("pyarrow.compute", "traces"), import_extra("pyarrow", "traces")
        texts = self.columns[name]
        clock = compute.strptime(texts, format="%Y-%m-%dT%H:%M:%S", unit="s", error_is_null=True)
        is_number = compute.match_substring_regex(texts, r"^\d{1,15}$")
        numbers = compute.if_else(is_number, texts, None).cast(pyarrow.int64())
        seconds = compute.coalesce(numbers, clock.cast(pyarrow.int64())).cast(pyarrow.float64())
        values: FloatArray = seconds.to_numpy(zero_copy_only=False).copy()
        values[self.matches(name, "^(Unknown|None|N/A|)$") | (values < 0)] = -1.0
        return values

    def identifiers(self, name: str) -> FloatArray:
        """Return job numbers, -1 where the field is more than a number, as ``123_4``."""
        compute, pyarrow = import_extra("pyarrow.compute", "traces"), import_extra("pyarrow", "traces")
        texts = self.columns[name]
        plain = compute.if_else(compute.match_substring_regex(texts, r"^\d{1,15}$"), texts, "-1")
        numbers: FloatArray = plain.cast(pyarrow.int64()).to_numpy().astype(np.float64)
        return numbers

    def job_codes(self) -> IntArray:
        """Return a number for each row, the same in rows of one job: by JobIDRaw, where that is no number by JobID."""
        compute = import_extra("pyarrow.compute", "traces")
        names = self.columns[self.id_column]
        if "JobID" in self:
            is_number = compute.match_substring_regex(names, r"^\d+$")
            names = compute.if_else(is_number, names, self.columns["JobID"])
        codes: IntArray = names.dictionary_encode().indices.to_numpy().astype(np.int64)
        return codes

    def repeats(self, without: Collection[str] = ()) -> BoolArray:
        """Return the rows that equal an earlier row in every column that was read, but for some."""
        encoded = self.columns[self.id_column].dictionary_encode().indices.to_numpy()
        seen_again = np.flatnonzero(np.bincount(encoded, minlength=1)[encoded] > 1)
        table = import_extra("pandas", "traces").DataFrame(
            {
                column: texts.take(seen_again).to_pandas()
                for column, texts in self.columns.items()
                if column not in without
            }
        )
        repeated = np.zeros(self.n_rows, dtype=np.bool_)
        repeated[seen_again] = table.duplicated().to_numpy()
        return repeated


def sacct_header(path: FilePath) -> list[str]:
    """Return the names of the columns of a file."""
    _, first_line = _first_block(os.fspath(path), text_blocks(path))
    return first_line.decode("latin-1").split("|")


def _first_block(source: str, blocks: Iterator[TextBlock]) -> tuple[TextBlock, bytes]:
    """Return the first part of a file and its first line, which has to name the columns."""
    first = next(blocks, None)
    first_line = b"" if first is None else first.text.partition(b"\n")[0]
    if first is None or not is_sacct_header(first_line.decode("latin-1")):
        raise InvalidInstanceError(
            f"{source}: the first line does not name the columns of sacct -P (JobIDRaw|Submit|...); "
            "was it written with --noheader, or without -P?"
        )
    return first, first_line


def parse_sacct(path: FilePath, names: Sequence[str]) -> SacctTable:
    """Read the columns `names`, as far as the file has them, without judging its rows; O(file size)."""
    pyarrow = import_extra("pyarrow", "traces")
    source, blocks = os.fspath(path), text_blocks(path)
    first, first_line = _first_block(source, blocks)
    written = {name.lower(): name for name in reversed(first_line.decode("latin-1").split("|"))}
    present = {name: written[name.lower()] for name in names if name.lower() in written}
    fields: dict[str, list[Any]] = {name: [] for name in present}
    lines: list[IntArray] = []
    left_out: dict[str, LeftOut] = {}

    def leave_out(reason: str, of_block: IntArray) -> None:
        if len(of_block):
            left_out[reason] = left_out.get(reason, LeftOut(0, ())).with_more(of_block)

    for block in itertools.chain((first.without_first_line(),), blocks):
        table, n_other_fields = text_rows(
            source, first_line, block, list(present.values()), delimiter="|", encoding="latin-1"
        )
        is_row = n_other_fields == 0
        refuse_nothing_but_bad_lines(source, block.lines, table.num_rows)
        texts = {name: table[column].combine_chunks() for name, column in present.items()}
        leave_out("ragged_row", block.lines[~is_row])
        of_rows, kept = block.lines[is_row], np.ones(table.num_rows, dtype=np.bool_)
        for reason, rows in _no_jobs(texts).items():
            leave_out(reason, of_rows[rows & kept])
            kept &= ~rows
        for name, column in texts.items():
            fields[name].append(column if kept.all() else column.filter(kept))
        lines.append(of_rows[kept])
    columns = {
        name: pyarrow.chunked_array(fields.pop(name), pyarrow.string()).combine_chunks() for name in present
    }
    return SacctTable(source, columns, np.concatenate(lines), left_out)


def _no_jobs(texts: dict[str, Any]) -> dict[str, BoolArray]:
    """Return reason -> rows that are no jobs at first sight."""
    identifier = texts["JobIDRaw" if "JobIDRaw" in texts else "JobID"]
    blank = matches(identifier, "^$")
    if "State" in texts:
        blank &= matches(texts["State"], r"^\s*$")
    return {
        "repeated_header": matches(identifier, "(?i)^jobid(raw)?$"),
        "blank_row": blank,
        "job_step": matches(identifier, r"\."),
    }
