"""Rows of a text file with fields between delimiters, as columns of text; nothing in them is interpreted here.

Arrow takes the rows apart, block by block, and tells which of them have another number of fields than the first line.
"""

import dataclasses
import io
from collections.abc import Sequence
from typing import Any

import numpy as np

from schedcore.errors import InvalidInstanceError, one_line
from schedcore.model.arrays import BoolArray, IntArray
from schedcore.model.extras import import_extra
from schedcore.workloads.reading.source_file import TextBlock, refuse_lost_rows

__all__ = ["TextTable", "matches", "text_rows"]


@dataclasses.dataclass(frozen=True, eq=False)
class TextTable:
    """Some columns of a file.

    Parameters
    ----------
    source : str
        File name.
    columns : dict
        Name -> pyarrow string array.
    lines : (n_rows,) int64
        The line of each row, from 1.
    """

    source: str
    columns: dict[str, Any]
    lines: IntArray

    def __contains__(self, name: str) -> bool:
        return name in self.columns

    def matches(self, name: str, pattern: str) -> BoolArray:
        """Return the rows of which the field matches a regular expression somewhere."""
        return matches(self.columns[name], pattern)


def matches(texts: Any, pattern: str) -> BoolArray:
    """Return which texts match a regular expression somewhere."""
    found: BoolArray = (
        import_extra("pyarrow.compute", "traces")
        .match_substring_regex(texts, pattern)
        .to_numpy(zero_copy_only=False)
    )
    return found


def text_rows(
    source: str,
    first_line: bytes,
    block: TextBlock,
    columns: Sequence[str],
    *,
    delimiter: str = ",",
    quoted: bool = False,
    encoding: str = "utf8",
    empty_is_null: bool = False,
) -> tuple[Any, IntArray]:
    """Return the rows with as many fields as the first line, and how many fields every other line has: 0 for rows.

    Parameters
    ----------
    first_line : bytes
        The names of the columns between delimiters, without a line feed.
    columns : sequence of str
        Those of the ``pyarrow.Table`` of texts that is returned.

    Raises
    ------
    InvalidInstanceError
        If Arrow cannot take the block apart.
    """
    csv, pyarrow = import_extra("pyarrow.csv", "traces"), import_extra("pyarrow", "traces")
    n_other_fields = np.zeros(len(block.lines), dtype=np.int64)

    def note_ragged_row(row: Any) -> str:
        n_other_fields[row.number - 2] = row.actual_columns  # row 1 is the first line
        return "skip"

    text = first_line + b"\n" + block.text
    try:
        table = csv.read_csv(
            io.BytesIO(text),
            read_options=csv.ReadOptions(  # one thread counts lines; other encodings take more room in UTF-8
                use_threads=False, encoding=encoding, block_size=2 * len(text)
            ),
            parse_options=csv.ParseOptions(
                delimiter=delimiter,
                quote_char='"' if quoted else False,
                ignore_empty_lines=False,
                invalid_row_handler=note_ragged_row,
            ),
            convert_options=csv.ConvertOptions(
                null_values=[""],
                strings_can_be_null=empty_is_null,
                include_columns=columns,
                column_types=dict.fromkeys(columns, pyarrow.string()),
            ),
        )
    except pyarrow.ArrowException as error:
        raise InvalidInstanceError(f"{source} cannot be read: {one_line(error)}") from error
    refuse_lost_rows(source, block, table.num_rows, np.count_nonzero(n_other_fields == 0))
    return table, n_other_fields
