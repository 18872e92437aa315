"""A trace file as bytes, decompressed; a damaged one is named."""

import gzip
import os
import zlib
from pathlib import Path

from schedcore.errors import InvalidInstanceError

__all__ = ["FilePath", "read_source"]

FilePath = str | os.PathLike[str]

_GZIP_MAGIC = b"\x1f\x8b"


def read_source(path: FilePath) -> bytes:
    """Read a whole file, gzipped or not (its first two bytes decide).

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    InvalidInstanceError
        If the gzip stream is truncated or damaged; names the file.
    """
    data = Path(path).read_bytes()
    if not data.startswith(_GZIP_MAGIC):
        return data
    try:
        return gzip.decompress(data)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise InvalidInstanceError(f"{os.fspath(path)}: truncated or damaged gzip file ({error})") from error
