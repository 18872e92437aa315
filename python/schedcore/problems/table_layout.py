"""A table as lines of text that fit a width: where each column stands, where texts go on, and what finds no room.

Numbers are never broken. Texts go on in a new line at blanks, and behind the colons and commas of a policy's options.
Where even that is too wide, columns are left out, those on the right first, and a line says which.
"""

import re
import shutil
import textwrap
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from schedcore.problems.presentation import Column, Presentation, Row, Table, Verbatim

__all__ = ["Layout", "cell", "cell_len", "laid_out", "screen_width", "text_of", "wrapped"]

_WIDTH_OF_A_PIPE = 200

_GAPS = (3, 2, 1)  # blanks between columns, as many as there is room for
_INDENT = 2  # of what goes on in a new line, so that a row is known by what begins at column 0
_PIECES = re.compile(r"[^\s:,]*[:,]?\s*")
_SMALLER_PIECES = re.compile(r"[^=/_\-]*[=/_\-]?")


@dataclass(frozen=True)
class Layout:
    """A table as lines.

    Attributes
    ----------
    title : tuple of str
    header : tuple of str
    body : tuple of str
    note : tuple of str
        What stands below, with the columns that found no room.
    """

    title: tuple[str, ...]
    header: tuple[str, ...]
    body: tuple[str, ...]
    note: tuple[str, ...]


@dataclass
class _Column:
    """A column with the texts of its cells, and how wide it becomes."""

    column: Column
    heading: list[str]
    cells: list[str]
    least: int
    natural: int
    width: int


def laid_out(table: Table, width: int) -> Layout:
    """Lay a table out in lines of at most `width` cells, if a column of numbers is not wider by itself.

    O(number of cells) where all fits.
    """
    columns = [_measured(table, column, is_first=place == 0) for place, column in enumerate(table.columns)]
    shown, gap = list(columns), _fitting(columns, width)
    left_out: list[_Column] = []
    while gap is None and len(shown) > 1:
        last = _least_needed(shown)
        left_out.insert(0, last)
        shown.remove(last)
        gap = _fitting(shown, width)
    if gap is None:
        for column in shown:  # the first alone
            column.width = min(column.natural, width)
    note = [table.note] if table.note else []
    if left_out:
        names = ", ".join(column.column.name for column in left_out)
        needed = sum(column.least for column in columns) + _GAPS[-1] * (len(columns) - 1)
        note.append(f"no room for: {names} (COLUMNS={needed} shows them)")
    between = " " * (gap if gap is not None else _GAPS[-1])
    height = max((len(column.heading) for column in shown), default=0)
    heads = [[""] * (height - len(column.heading)) + column.heading for column in shown]
    header = [_line(shown, [head[row] for head in heads], between) for row in range(height)]
    body: list[str] = []
    for row in range(len(table.rows)):
        body += _lines_of_row(shown, [column.cells[row] for column in shown], between)
    return Layout(
        tuple(wrapped(table.title, width)) if table.title else (),
        tuple(header),
        tuple(body),
        tuple(line for text in note for line in wrapped(text, width)),
    )


def wrapped(text: str, width: int) -> Iterator[str]:
    """Break the lines of a text that are longer than `width`; what goes on is indented a bit more than its line."""
    for line in text.split("\n"):
        if cell_len(line) <= width:
            yield line
            continue
        indent = line[: len(line) - len(line.lstrip())]
        if width <= len(indent) + _INDENT:
            indent = ""
        yield from textwrap.wrap(
            line.strip(), max(width, 1 + _INDENT), initial_indent=indent, subsequent_indent=indent + " " * _INDENT,
            break_on_hyphens=False,
        ) or [""]  # fmt: skip


def text_of(found: Presentation, width: int) -> str:
    """What people read of findings: tables and texts, one below the other, in lines of at most `width` cells."""
    lines: list[str] = []
    for part in found.parts:
        if isinstance(part, Table):
            layout = laid_out(part, width)
            lines += (*layout.title, *layout.header, *layout.body, *layout.note)
        else:
            lines += [part] if isinstance(part, Verbatim) else wrapped(part, width)
    return "\n".join(lines)


def screen_width() -> int:
    """How many cells a line has: those of the terminal, or as COLUMNS says; a pipe alone has 200."""
    return max(shutil.get_terminal_size((_WIDTH_OF_A_PIPE, 24)).columns, 1)


def cell_len(text: str) -> int:
    """How many cells of a terminal a text takes: wide letters take two, and marks on other letters none."""
    if text.isascii():
        return len(text)
    return sum(
        0
        if unicodedata.category(letter) in ("Mn", "Me", "Cf")
        else 1 + (unicodedata.east_asian_width(letter) in "WF")
        for letter in text
    )


def cell(row: Row, column: Column) -> str:
    """The text of a cell; a dash where a row has no value."""
    value = row.get(column.key)
    return "-" if value is None else column.write(value)


def _measured(table: Table, column: Column, *, is_first: bool) -> _Column:
    cells = [cell(row, column) for row in table.rows]
    heading = column.lines
    natural = _widest([*heading, *(line for text in cells for line in text.split("\n"))])
    least = natural
    if column.is_text:
        indent = _INDENT if is_first else 0
        pieces = {piece for text in set(cells) for piece in _pieces(text)}
        least = min(natural, max(_widest(heading), indent + _widest(piece.rstrip() for piece in pieces)))
    return _Column(column, heading, cells, least, natural, natural)


def _pieces(cell: str) -> list[str]:
    return [piece for piece in _PIECES.findall(cell) if piece]


def _widest(lines: Iterable[str]) -> int:
    return max(map(cell_len, lines), default=0)


def _fitting(columns: Sequence[_Column], width: int) -> int | None:
    """Set the widths so that the columns fit beside each other; the gap between them, None if they do not."""
    for column in columns:
        column.width = column.natural
    for gap in _GAPS:
        if sum(column.natural for column in columns) + gap * (len(columns) - 1) <= width:
            return gap
    for gap in _GAPS[1:]:
        if sum(column.least for column in columns) + gap * (len(columns) - 1) <= width:
            _shrink(columns, width - gap * (len(columns) - 1))
            return gap
    return None


def _shrink(columns: Sequence[_Column], room: int) -> None:
    """Take from the widest columns that can give, until all fit into `room`."""
    while sum(column.width for column in columns) > room:
        givers = [column for column in columns if column.width > column.least]
        max(givers, key=lambda column: column.width).width -= 1


def _least_needed(columns: Sequence[_Column]) -> _Column:
    """The last column of numbers, or of texts where there is no other; never the first of all."""
    others = columns[1:]
    return next((column for column in reversed(others) if not column.column.is_text), others[-1])


def _line(columns: Sequence[_Column], texts: Sequence[str], between: str) -> str:
    padded = []
    for column, text in zip(columns, texts, strict=True):
        room = " " * (column.width - cell_len(text))
        padded.append(text + room if column.column.is_text else room + text)
    return between.join(padded).rstrip()


def _lines_of_row(columns: Sequence[_Column], cells: Sequence[str], between: str) -> list[str]:
    parts = [
        _broken(cell, column.width, indent=_INDENT if place == 0 else 0) if column.column.is_text else [cell]
        for place, (column, cell) in enumerate(zip(columns, cells, strict=True))
    ]
    height = max(map(len, parts), default=1)
    filled = [part + [""] * (height - len(part)) for part in parts]
    return [_line(columns, texts, between) for texts in zip(*filled, strict=True)]


def _broken(cell: str, width: int, indent: int) -> list[str]:
    """A text in lines of at most `width`; those that go on are indented."""
    lines: list[str] = []
    for text in cell.split("\n"):
        if cell_len(text) <= width - (indent if lines else 0):
            lines.append(" " * (indent if lines else 0) + text)
            continue
        current = " " * (indent if lines else 0)
        for piece in _small_enough(_pieces(text), width - indent):
            if cell_len((current + piece).rstrip()) > width:
                if current.strip():
                    lines.append(current.rstrip())
                current = " " * (indent if lines else 0)
            current += piece
        lines.append(current.rstrip())
    return lines


def _small_enough(pieces: Iterable[str], width: int) -> Iterator[str]:
    """The pieces, those that are too long cut further: at signs within words, else anywhere."""
    for piece in pieces:
        if cell_len(piece.rstrip()) <= width:
            yield piece
            continue
        for part in filter(None, _SMALLER_PIECES.findall(piece)):
            step = max(width, 1)
            yield from (part[place : place + step] for place in range(0, len(part), step))
