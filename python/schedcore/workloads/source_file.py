"""A trace file as bytes, decompressed, and the lines that its rows stand on; a damaged file is named."""

import codecs
import gzip
import os
import zlib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from schedcore.errors import InvalidInstanceError

__all__ = ["FilePath", "line_numbers", "read_head", "read_source", "refuse_other_encodings"]

FilePath = str | os.PathLike[str]

_GZIP_MAGIC = b"\x1f\x8b"
_GZIP_FORMAT = 31  # of zlib's window bits


def read_source(path: FilePath) -> bytes:
    """Read a whole text, gzipped or not (its first two bytes decide), without a byte order mark of UTF-8.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    InvalidInstanceError
        If the gzip stream is truncated or damaged; names the file.
    """
    data = Path(path).read_bytes()
    if data.startswith(_GZIP_MAGIC):
        try:
            data = gzip.decompress(data)
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise _damaged(path, error) from error
    return data.removeprefix(codecs.BOM_UTF8)


def read_head(path: FilePath, size: int) -> bytes:
    """Return the beginning of what `read_source` returns, at most `size` bytes, without reading the rest."""
    with open(path, "rb") as file:
        data = file.read(size)
    if data.startswith(_GZIP_MAGIC):
        try:
            data = zlib.decompressobj(_GZIP_FORMAT).decompress(data, size)
        except zlib.error as error:
            raise _damaged(path, error) from error
    return data.removeprefix(codecs.BOM_UTF8)


def refuse_other_encodings(source: str, text: bytes) -> None:
    """Raise an `InvalidInstanceError` with the first line that is not UTF-8, if there is one."""
    try:
        text.decode("utf-8")
    except UnicodeDecodeError as error:
        line = text.count(b"\n", 0, error.start) + 1
        raise InvalidInstanceError(
            f"{source}: line {line} is not UTF-8 (byte 0x{text[error.start]:02x}); is it a CSV file?"
        ) from None


def _damaged(path: FilePath, error: Exception) -> InvalidInstanceError:
    return InvalidInstanceError(f"{os.fspath(path)}: truncated or damaged gzip file ({error})")


def line_numbers(rows: NDArray[np.intp], skipped_lines: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the line (from 1) of each row of a file in which the lines `skipped_lines`, ascending, are no rows."""
    # Row i stands behind the skipped line s[k] exactly if at most i rows precede it, i.e. s[k] - 1 - k <= i.
    rows_before = skipped_lines - 1 - np.arange(len(skipped_lines))
    lines: NDArray[np.int64] = rows + 1 + np.searchsorted(rows_before, rows, side="right")
    return lines
