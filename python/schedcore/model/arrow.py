"""Columns in, columns out: Arrow tables, Parquet files, pandas and Polars frames.

A round trip through Arrow or Parquet is exact, the content hash included. What is no column (capacities,
resource names) travels as JSON in the schema metadata under the key ``schedcore``. One-dimensional columns
pass between NumPy and Arrow without a copy. A pandas frame carries the same JSON in its `attrs`, which Arrow takes
along; a polars frame has no place for it. pyarrow, pandas and polars come with the extra
``schedcore[traces]`` and are imported on first use.
"""

import json
import os
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from schedcore.errors import InvalidInstanceError, SchedcoreError, one_line

from .extras import import_extra
from .identity import Record
from .integer_lists import IntegerLists
from .whole_file import whole_file

__all__ = [
    "Columnar",
    "Columns",
    "FieldTable",
    "Metadata",
    "from_table_of_file",
    "read_parquet",
    "write_parquet",
]

Columns = Mapping[str, NDArray[Any]]
Metadata = Mapping[str, Any]

_METADATA_NAME = "schedcore"
_METADATA_KEY = _METADATA_NAME.encode()
_FORMAT = 1


class Columnar(Record, ABC):
    """A record whose content is a table: a row a job, named columns, and metadata beside them."""

    __slots__ = ()
    _nullable: ClassVar[frozenset[str]] = (
        frozenset()
    )  # columns in which a text, a list or a float may be missing

    @abstractmethod
    def _columns(self) -> Columns: ...

    def _metadata(self) -> Metadata | None:
        return None

    @classmethod
    @abstractmethod
    def _from_columns(cls, columns: Columns, metadata: Metadata | None) -> Self: ...

    def to_arrow(self) -> Any:
        """Return a ``pyarrow.Table``, a row a job."""
        pyarrow = import_extra("pyarrow", "traces")
        table = pyarrow.table({name: pyarrow.array(column) for name, column in self._columns().items()})
        text = self._metadata_text()
        return table if text is None else table.replace_schema_metadata({_METADATA_KEY: text.encode()})

    def _metadata_text(self) -> str | None:
        metadata = self._metadata()
        return None if metadata is None else json.dumps({"format": _FORMAT, **metadata})

    @classmethod
    def from_arrow(cls, table: Any) -> Self:
        """Build from a ``pyarrow.Table`` or anything with the Arrow stream interface (a Polars frame, say).

        Raises
        ------
        InvalidInstanceError
            For missing, repeated or unknown columns, nulls, and every value that the constructor refuses.
        """
        pyarrow = import_extra("pyarrow", "traces")
        if not isinstance(table, pyarrow.Table):
            table = pyarrow.table(table)
        columns: dict[str, Any] = {}
        for name, column in zip(table.column_names, table.columns, strict=True):
            if name in columns:
                raise InvalidInstanceError(f"the table has two columns named {name!r}")
            columns[name] = _numpy_column(name, column, cls._may_be_null(name))
        return cls._from_columns(columns, _read_metadata(table.schema.metadata))

    @classmethod
    def _may_be_null(cls, column: str) -> bool:
        return column in cls._nullable

    def to_parquet(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write a Parquet file; an existing one is replaced only with ``overwrite=True``, and as a whole.

        Raises
        ------
        FileExistsError
            If `path` exists and `overwrite` is false; the file is left as it was.
        OSError
            If it cannot be written; what stood there before is left.
        """
        write_parquet(self.to_arrow(), path, overwrite=overwrite)

    @classmethod
    def from_parquet(cls, path: str | os.PathLike[str]) -> Self:
        """Read what `to_parquet` wrote, or any Parquet file with the same columns.

        Raises
        ------
        InvalidInstanceError
            If the file is not Parquet or a column holds something else than numbers, and as `from_arrow` does.
        """
        return from_table_of_file(cls, read_parquet(path), path)

    def to_pandas(self) -> Any:
        """Return a ``pandas.DataFrame``, a row a job, with the metadata of the table in its `attrs`."""
        frame = import_extra("pandas", "traces").DataFrame(dict(self._columns()))
        text = self._metadata_text()
        if text is not None:
            frame.attrs[_METADATA_NAME] = text
        return frame

    def to_polars(self) -> Any:
        """Return a ``polars.DataFrame``, a row a job."""
        columns = {
            name: column.tolist() if column.dtype.kind == "O" else column
            for name, column in self._columns().items()
        }
        return import_extra("polars", "traces").DataFrame(columns)


class FieldTable(Columnar):
    """A record all of whose fields are columns of its table."""

    __slots__ = ()
    _called: ClassVar[str]  # what messages call it

    def _columns(self) -> Columns:
        return {name: getattr(self, name) for name in self._fields}

    @classmethod
    def _from_columns(cls, columns: Columns, metadata: Metadata | None) -> Self:
        if set(columns) != set(cls._fields):
            raise InvalidInstanceError(
                f"a table of {cls._called} has the columns {list(cls._fields)}, not {list(columns)}"
            )
        return cls(**columns)


def write_parquet(table: Any, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
    """Write a ``pyarrow.Table`` as a Parquet file that is there whole or not at all."""
    parquet = import_extra("pyarrow.parquet", "traces")
    with whole_file(path, overwrite=overwrite) as file:
        parquet.write_table(table, file)


def read_parquet(path: str | os.PathLike[str]) -> Any:
    """Return a Parquet file as a ``pyarrow.Table``, or raise an `InvalidInstanceError` that names it."""
    pyarrow = import_extra("pyarrow", "traces")
    parquet = import_extra("pyarrow.parquet", "traces")
    with open(path, "rb") as file:
        try:
            table = parquet.ParquetFile(file).read()
            table.validate(full=True)
            table.column_names  # noqa: B018  a name that is no UTF-8 shows here
        except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
            raise InvalidInstanceError(
                f"{os.fspath(path)} is not a readable Parquet file: {one_line(error)}"
            ) from error
    return table


_Kind = TypeVar("_Kind", bound=Columnar)


def from_table_of_file(kind: type[_Kind], table: Any, path: str | os.PathLike[str]) -> _Kind:
    """Return ``kind.from_arrow(table)``; a wrong type in a file is an `InvalidInstanceError` that names the file."""
    try:
        return kind.from_arrow(table)
    except SchedcoreError:
        raise
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidInstanceError(f"{os.fspath(path)}: {one_line(error)}") from error


def _numpy_column(name: str, column: Any, nullable: bool) -> Any:
    """The column as NumPy has it; lists of integers, a list a row, as `IntegerLists`."""
    if column.null_count and (not nullable or str(column.type).removeprefix("u").startswith("int")):
        row = column.is_null().to_pylist().index(True)
        raise InvalidInstanceError(f"{name}[{row}] is null; every job needs a value")
    whole = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
    pyarrow = import_extra("pyarrow", "traces")
    kind = whole.type
    if pyarrow.types.is_list(kind) and pyarrow.types.is_integer(kind.value_type):
        values = whole.flatten()  # without those of rows that are null
        if not values.null_count:
            lengths = import_extra("pyarrow.compute", "traces").list_value_length(whole).fill_null(0)
            offsets = np.concatenate([[0], np.cumsum(lengths.to_numpy(zero_copy_only=False))])
            return IntegerLists(offsets.astype(np.int64), values.to_numpy(zero_copy_only=False))
    return whole.to_numpy(zero_copy_only=False)


def _read_metadata(metadata: Mapping[bytes, bytes] | None) -> Metadata | None:
    try:
        text = (metadata or {}).get(_METADATA_KEY) or _attribute_of_frame(metadata or {})
        if text is None:
            return None
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidInstanceError("the schema metadata of the table is not schedcore's JSON") from error
    if not isinstance(content, dict) or content.get("format") != _FORMAT:
        raise InvalidInstanceError(
            "the table's schedcore metadata has a format that this version does not read"
        )
    return content


def _attribute_of_frame(metadata: Mapping[bytes, bytes]) -> str | None:
    """What `to_pandas` left in the `attrs` of a frame, where Arrow puts it."""
    frame = json.loads(metadata.get(b"pandas", b"{}"))
    attributes = frame.get("attributes") if isinstance(frame, dict) else None
    text = attributes.get(_METADATA_NAME) if isinstance(attributes, dict) else None
    return text if isinstance(text, str) else None
