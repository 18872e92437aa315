"""A text file as blocks of whole lines, decompressed as they are read; a damaged file is named.

Nobody holds a whole file: memory is that of a block, and of what a reader keeps of it. A line has an end: one of more
than `LONGEST_LINE` bytes is refused, so that a small compressed file cannot become a field of gigabytes.
"""

import codecs
import contextlib
import dataclasses
import functools
import gzip
import os
import zlib
from collections.abc import Iterator
from typing import Any, BinaryIO, Self

import numpy as np
from numpy.typing import NDArray

from schedcore.errors import InvalidInstanceError
from schedcore.model.arrays import BoolArray, IntArray

__all__ = [
    "LONGEST_LINE",
    "FilePath",
    "TextBlock",
    "read_head",
    "refuse_lost_rows",
    "refuse_nothing_but_bad_lines",
    "refuse_other_encodings",
    "text_blocks",
]

FilePath = str | os.PathLike[str]

#: Bytes of the longest line that is read.
LONGEST_LINE = 2**20

_BLOCK_SIZE = 2**21  # bytes; large enough that what a block costs by itself does not show
_MOST_LINES = 2**16  # in a block: a reader may make much more of a line than it is long
_GZIP_MAGIC = b"\x1f\x8b"
_GZIP_FORMAT = 31  # of zlib's window bits
_BAD_LINES = 10_000
_BLANKS = b" \t\x0b\x0c"
_LINE_BREAK = ord("\n")


@dataclasses.dataclass(frozen=True, eq=False)
class TextBlock:
    r"""Some whole lines of a file.

    Parameters
    ----------
    text : bytes
        The lines, each with a line feed behind it, whatever ended it in the file.
    lines : (n_lines,) int64
        The number of each line in the file, from 1, ascending.
    is_last : bool
        Whether the file ends here.
    """

    text: bytes
    lines: IntArray
    is_last: bool

    @functools.cached_property
    def first_characters(self) -> NDArray[np.uint8]:
        """(n_lines,) The first byte of each line that is no blank, a line feed where there is none."""
        data = np.frombuffer(self.text.translate(None, _BLANKS), dtype=np.uint8)
        starts = np.flatnonzero(data == _LINE_BREAK) + 1
        starts[1:], starts[:1] = starts[:-1].copy(), 0
        return data[starts]

    @property
    def blank(self) -> BoolArray:
        """(n_lines,) Whether there is nothing on a line."""
        return np.asarray(self.first_characters == _LINE_BREAK)

    def count(self, character: bytes) -> IntArray:
        """(n_lines,) How often a character stands on each line."""
        data = np.frombuffer(self.text, dtype=np.uint8)
        before = np.searchsorted(np.flatnonzero(data == ord(character)), np.flatnonzero(data == _LINE_BREAK))
        return np.diff(before, prepend=0)

    def split(self) -> list[bytes]:
        """Return the lines without line feeds."""
        return self.text.split(b"\n")[:-1]

    def only(self, chosen: BoolArray) -> "TextBlock":
        """Return some of the lines; the block itself where that is all of them."""
        if chosen.all():
            return self
        data = np.frombuffer(self.text, dtype=np.uint8)
        lengths = np.diff(np.flatnonzero(data == _LINE_BREAK), prepend=-1)
        return TextBlock(data[np.repeat(chosen, lengths)].tobytes(), self.lines[chosen], self.is_last)

    def without_first_line(self) -> "TextBlock":
        """Return all lines but the first."""
        return TextBlock(self.text.partition(b"\n")[2], self.lines[1:], self.is_last)


def text_blocks(path: FilePath) -> Iterator[TextBlock]:
    r"""Read a text, gzipped or not (its first two bytes decide), without a byte order mark of UTF-8.

    Lines end with ``\n``, ``\r\n`` or ``\r``. An empty file has no block.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    InvalidInstanceError
        If the gzip stream is truncated or damaged, or a line has more than `LONGEST_LINE` bytes; names the file.

    Notes
    -----
    O(1) memory: a few blocks of 2 MiB.
    """
    with _Source(path) as source:
        n_lines = 0
        text = source.read()
        while text:
            following = source.read()
            if not following and not text.endswith(b"\n"):
                text += b"\n"
            rest = text.rpartition(b"\n")[2]
            if len(rest) < len(text):
                ends = np.flatnonzero(np.frombuffer(text, np.uint8, len(text) - len(rest)) == _LINE_BREAK)
                begin = 0
                for first in range(0, len(ends), _MOST_LINES):
                    some = ends[first : first + _MOST_LINES]
                    longest = np.diff(some, prepend=begin - 1) - 1
                    if longest.max() > LONGEST_LINE:
                        raise _too_long(path, n_lines + 1 + int(np.argmax(longest > LONGEST_LINE)))
                    end = int(some[-1]) + 1
                    lines = np.arange(n_lines + 1, n_lines + 1 + len(some), dtype=np.int64)
                    yield TextBlock(text[begin:end], lines, not following and end == len(text))
                    begin = end
                    n_lines += len(some)
            if len(rest) > LONGEST_LINE:
                raise _too_long(path, n_lines + 1)
            text = rest + following


class _Source(contextlib.AbstractContextManager["_Source"]):
    """The bytes of a file, a few MiB at a time, with line feeds as the only line ends."""

    def __init__(self, path: FilePath) -> None:
        self._path = path
        self._is_at_start = True
        self._held_back = b""  # a carriage return, behind which a line feed may come

    def __enter__(self) -> Self:
        self._file = open(self._path, "rb")
        is_gzipped = self._file.peek(len(_GZIP_MAGIC)).startswith(_GZIP_MAGIC)
        self._bytes: BinaryIO | gzip.GzipFile = (
            gzip.GzipFile(fileobj=self._file) if is_gzipped else self._file
        )
        return self

    def __exit__(self, *_: object) -> None:
        self._bytes.close()
        self._file.close()

    def read(self) -> bytes:
        """Return the next bytes, nothing at the end."""
        try:
            data = self._bytes.read(max(_BLOCK_SIZE, len(codecs.BOM_UTF8) + 1))
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise _damaged(self._path, error) from error
        if self._is_at_start:
            self._is_at_start = False
            data = data.removeprefix(codecs.BOM_UTF8)
        if b"\r" not in data and not self._held_back:
            return data
        text, is_end = self._held_back + data, not data
        self._held_back = b""
        if text.endswith(b"\r") and not is_end:
            text, self._held_back = text[:-1], b"\r"
        text = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        return text or self.read()  # there is something only at the end: one more read finds it


def read_head(path: FilePath, size: int) -> bytes:
    """Return the beginning of what `text_blocks` returns, at most `size` bytes, without reading the rest."""
    with open(path, "rb") as file:
        data = file.read(size)
    if data.startswith(_GZIP_MAGIC):
        try:
            data = zlib.decompressobj(_GZIP_FORMAT).decompress(data, size)
        except zlib.error as error:
            raise _damaged(path, error) from error
    return data.removeprefix(codecs.BOM_UTF8)


def refuse_lost_rows(source: str, block: TextBlock, n_rows: int, expected: int | np.integer[Any]) -> None:
    """Raise an `InvalidInstanceError` if a parser made another number of rows of a block than it should."""
    if n_rows != expected:
        raise InvalidInstanceError(
            f"{source} cannot be read: {n_rows} rows on {expected} lines from line {block.lines[0]} on"
        )


def refuse_nothing_but_bad_lines(source: str, lines: IntArray, n_good: int | np.integer[Any]) -> None:
    """Raise an `InvalidInstanceError` if none of very many lines in a row is what the file should consist of.

    Bad rows may be left out one by one; a file of nothing else is another kind of file, which may go on for gigabytes.
    """
    if not n_good and len(lines) >= _BAD_LINES:
        raise InvalidInstanceError(
            f"{source}: none of the {len(lines):,} rows from line {lines[0]} to line {lines[-1]} can be read; "
            f"it is another kind of file, or damaged"
        )


def refuse_other_encodings(source: str, block: TextBlock) -> None:
    """Raise an `InvalidInstanceError` with the first line that is not UTF-8, if there is one."""
    try:
        block.text.decode("utf-8")
    except UnicodeDecodeError as error:
        line = block.lines[block.text.count(b"\n", 0, error.start)]
        raise InvalidInstanceError(
            f"{source}: line {line} is not UTF-8 (byte 0x{block.text[error.start]:02x}); is it a CSV file?"
        ) from None


def _damaged(path: FilePath, error: Exception) -> InvalidInstanceError:
    return InvalidInstanceError(f"{os.fspath(path)}: truncated or damaged gzip file ({error})")


def _too_long(path: FilePath, line: int) -> InvalidInstanceError:
    return InvalidInstanceError(
        f"{os.fspath(path)}: line {line} is longer than {LONGEST_LINE:,} bytes, the most that is read"
    )
