"""The output of Slurm's ``sacct -P`` as columns of text, with the lines that its rows stand on.

Fields are separated by ``|`` and never quoted; the first line names the columns, in any order. pyarrow reads the
columns that a reader asks for and hands over the rows that have another number of fields than the first line.
Names are compared without regard to case, because ``--format`` accepts them so.
"""

import dataclasses
import io
import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schedcore.errors import InvalidInstanceError
from schedcore.model.extras import import_extra

from .source_file import FilePath, line_numbers, read_source

__all__ = ["SacctTable", "is_sacct_header", "parse_sacct"]


def is_sacct_header(first_line: str) -> bool:
    """Whether a line can be the first one of an output of sacct: names between ``|``, a job id among them."""
    names = {name.lower() for name in first_line.strip("\r\n").split("|")}
    return len(names) > 1 and not names.isdisjoint({"jobid", "jobidraw"})


@dataclasses.dataclass(frozen=True, eq=False)
class SacctTable:
    """A parsed file, before anything is dropped or repaired.

    Parameters
    ----------
    columns : dict
        Canonical name -> pyarrow string array, for those of the columns asked for that the file has.
    n_rows : int
        Rows with as many fields as the first line.
    ragged_lines : (n,) int64
        Line numbers (from 1) of the other rows.
    """

    columns: dict[str, Any]
    n_rows: int
    ragged_lines: NDArray[np.int64]

    def __contains__(self, name: str) -> bool:
        return name in self.columns

    @property
    def id_column(self) -> str:
        """The column that names the jobs: JobIDRaw, else JobID."""
        return "JobIDRaw" if "JobIDRaw" in self else "JobID"

    def line_numbers(self, rows: NDArray[np.intp]) -> NDArray[np.int64]:
        """Return the line of each row in the file, from 1."""
        return line_numbers(rows, np.concatenate([np.ones(1, dtype=np.int64), self.ragged_lines]))

    def matches(self, name: str, pattern: str) -> NDArray[np.bool_]:
        """Return the rows of which the field matches a regular expression somewhere."""
        found: NDArray[np.bool_] = (
            import_extra("pyarrow.compute", "traces")
            .match_substring_regex(self.columns[name], pattern)
            .to_numpy(zero_copy_only=False)
        )
        return found

    def values(self, name: str, value_of: Callable[[str], float]) -> NDArray[np.float64]:
        """Return `value_of` each field, called once for each distinct text; all unknown (-1) without the column."""
        if name not in self.columns:
            return np.full(self.n_rows, -1.0)
        encoded = self.columns[name].dictionary_encode()
        distinct = np.array([value_of(text) for text in encoded.dictionary.to_pylist()], dtype=np.float64)
        values: NDArray[np.float64] = distinct[encoded.indices.to_numpy()]
        return values

    def words(self, name: str, word_of: Callable[[str], str]) -> NDArray[np.str_]:
        """Return `word_of` each field, called once for each distinct text."""
        encoded = self.columns[name].dictionary_encode()
        distinct = np.array([word_of(text) for text in encoded.dictionary.to_pylist()], dtype=np.str_)
        words: NDArray[np.str_] = distinct[encoded.indices.to_numpy()]
        return words

    def instants(self, name: str) -> NDArray[np.float64]:
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
        values: NDArray[np.float64] = seconds.to_numpy(zero_copy_only=False).copy()
        values[self.matches(name, "^(Unknown|None|N/A|)$") | (values < 0)] = -1.0
        return values

    def identifiers(self, name: str) -> NDArray[np.float64]:
        """Return job numbers, -1 where the field is more than a number, as ``123_4``."""
        compute, pyarrow = import_extra("pyarrow.compute", "traces"), import_extra("pyarrow", "traces")
        texts = self.columns[name]
        plain = compute.if_else(compute.match_substring_regex(texts, r"^\d{1,15}$"), texts, "-1")
        numbers: NDArray[np.float64] = plain.cast(pyarrow.int64()).to_numpy().astype(np.float64)
        return numbers

    def repeats(self) -> NDArray[np.bool_]:
        """Return the rows that equal an earlier row in every column that was read."""
        encoded = self.columns[self.id_column].dictionary_encode().indices.to_numpy()
        seen_again = np.flatnonzero(np.bincount(encoded, minlength=1)[encoded] > 1)
        table = import_extra("pandas", "traces").DataFrame(
            {column: texts.take(seen_again).to_pandas() for column, texts in self.columns.items()}
        )
        repeated = np.zeros(self.n_rows, dtype=np.bool_)
        repeated[seen_again] = table.duplicated().to_numpy()
        return repeated


def parse_sacct(path: FilePath, names: Sequence[str]) -> SacctTable:
    """Read the columns `names`, as far as the file has them, without judging its rows; O(file size)."""
    csv, pyarrow = import_extra("pyarrow.csv", "traces"), import_extra("pyarrow", "traces")
    source, text = os.fspath(path), read_source(path)
    first_line = text.partition(b"\n")[0].partition(b"\r")[0].decode("latin-1")
    if not is_sacct_header(first_line):
        raise InvalidInstanceError(
            f"{source}: the first line does not name the columns of sacct -P (JobIDRaw|Submit|...); "
            "was it written with --noheader, or without -P?"
        )
    written = {name.lower(): name for name in reversed(first_line.split("|"))}
    present = {name: written[name.lower()] for name in names if name.lower() in written}
    ragged: list[int] = []

    def note_ragged_row(row: Any) -> str:
        ragged.append(row.number)
        return "skip"

    try:
        table = csv.read_csv(
            io.BytesIO(text),
            read_options=csv.ReadOptions(use_threads=False, encoding="latin-1"),  # one thread counts lines
            parse_options=csv.ParseOptions(
                delimiter="|", quote_char=False, ignore_empty_lines=False, invalid_row_handler=note_ragged_row
            ),
            convert_options=csv.ConvertOptions(
                strings_can_be_null=False,
                include_columns=list(present.values()),
                column_types=dict.fromkeys(present.values(), pyarrow.string()),
            ),
        )
    except pyarrow.ArrowException as error:
        raise InvalidInstanceError(f"{source} cannot be read: {error}") from error
    columns = {name: table.column(column).combine_chunks() for name, column in present.items()}
    return SacctTable(columns, table.num_rows, np.array(ragged, dtype=np.int64))
