"""A Parquet file of rows that carries its own checksum: what was changed after it was written is named, not read.

The SHA-256 of the file, with zeros where it stands itself, is in the metadata of the footer, so that the file can be
copied and renamed, and is one that anything reads which reads Parquet.
"""

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from schedcore.errors import InvalidInstanceError, one_line
from schedcore.experiments.columns import arrow_schema
from schedcore.model.extras import import_extra
from schedcore.model.whole_file import write_whole

__all__ = ["read_rows_file", "write_rows_file"]

_KEY = b"schedcore.checksum"
_DIGEST_SIZE = 64
_ZEROS = b"sha256:" + b"0" * _DIGEST_SIZE
_STANDS = re.compile(
    re.escape(_KEY) + rb"..?sha256:([0-9a-f]{64})", re.DOTALL
)  # behind the length of the text


def write_rows_file(path: Path, rows: Sequence[dict[str, Any]]) -> None:
    """Write rows as a Parquet file that is there whole or not at all, with its checksum."""
    pa, parquet = import_extra("pyarrow", "traces"), import_extra("pyarrow.parquet", "traces")
    table = pa.Table.from_pylist(list(rows), schema=arrow_schema())
    sink = pa.BufferOutputStream()
    parquet.write_table(table.replace_schema_metadata({_KEY: _ZEROS}), sink)
    content = sink.getvalue().to_pybytes()
    place = _place(content)
    if place is None:
        raise AssertionError("the Parquet writer moved the checksum")
    first, last = place
    write_whole(path, b"".join((content[:first], _digest(content, place), content[last:])))


def read_rows_file(path: Path, columns: Sequence[str], *, may_lack_checksum: bool) -> Any:
    """Return columns of the rows as a ``pyarrow.Table``; what its version did not write yet is null.

    Raises
    ------
    InvalidInstanceError
        If the file was changed after it was written, cannot be read, or has no checksum though it must; names it.
    FileNotFoundError
        If it is not there (any more).

    Notes
    -----
    The whole file is read and hashed, however few the columns.
    """
    pa, parquet = import_extra("pyarrow", "traces"), import_extra("pyarrow.parquet", "traces")
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise
    except OSError as error:
        raise InvalidInstanceError(f"{path} cannot be read: {one_line(error)}") from error
    place = _place(content)
    if place is None and not may_lack_checksum:
        raise _changed(path, "it has no checksum")
    if place is not None and content[slice(*place)] != _digest(content, place):
        raise _changed(path, "its checksum is another one")
    try:
        table = parquet.ParquetFile(pa.BufferReader(content)).read(columns=list(columns))
        table.validate(full=place is None)
        return _with_columns(table, columns)
    except (pa.ArrowException, OSError) as error:
        raise InvalidInstanceError(f"{path} is damaged: {one_line(error)}") from error


def _changed(path: Path, why: str) -> InvalidInstanceError:
    return InvalidInstanceError(
        f"{path} was changed after it was written ({why}) and is not read; put it back as it was, or take it away: "
        f"resume runs its cells again"
    )


def _place(content: bytes) -> tuple[int, int] | None:
    """Return where the checksum stands in a file, if it does."""
    found = list(_STANDS.finditer(content, max(content.rfind(_KEY), 0)))
    return found[0].span(1) if found else None


def _digest(content: bytes, place: tuple[int, int]) -> bytes:
    hasher = hashlib.sha256(content[: place[0]])
    hasher.update(b"0" * _DIGEST_SIZE)
    hasher.update(content[place[1] :])
    return hasher.hexdigest().encode()


def _with_columns(table: Any, columns: Sequence[str]) -> Any:
    """The table with these columns; those that its version did not write yet are null."""
    pa = import_extra("pyarrow", "traces")
    schema = pa.schema([arrow_schema().field(name) for name in columns])
    filled = [
        table[field.name] if field.name in table.column_names else pa.nulls(len(table), field.type)
        for field in schema
    ]
    return pa.table(filled, schema=schema)
