"""What a command has to say in each of its formats: rows for CSV, a document for JSON, tables for people.

Nothing here prints. The command line does, so that whatever is found can be looked at without it.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["Column", "Presentation", "Row", "Table", "Verbatim", "quantity"]

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Column:
    """A column of a table: which value of a row it shows, under which heading, how written.

    Attributes
    ----------
    key : str
        Key of the value in a row; a row without it, or with None, shows a dash.
    heading : str
        May have several lines; a hyphen at the end of one divides a word.
    write : callable
        Value to text.
    is_text : bool
        Text is aligned to the left, numbers to the right.
    unit : str
        A line of its own below the heading.
    """

    key: str
    heading: str
    write: Callable[[Any], str] = str
    is_text: bool = False
    unit: str = ""

    @property
    def lines(self) -> list[str]:
        """The heading as it stands above the column."""
        return [*self.heading.split("\n"), *([self.unit] if self.unit else [])]

    @property
    def name(self) -> str:
        """The heading in one line, without its unit."""
        return re.sub(r"-\n(?=[a-z])", "", self.heading).replace("\n", " ")


@dataclass(frozen=True)
class Table:
    """The chosen columns of some rows, with a title above and a note below."""

    rows: Sequence[Row]
    columns: Sequence[Column]
    title: str | None = None
    note: str = ""


class Verbatim(str):
    """A text whose lines stay as they are, however long: a command to type."""

    __slots__ = ()


@dataclass(frozen=True)
class Presentation:
    """The same findings for three kinds of readers.

    Attributes
    ----------
    rows : sequence of mapping
        For CSV: the keys of all rows become the header.
    document : object
        For JSON.
    parts : tuple of Table or str
        For people, one below the other.
    remarks : tuple of str
        For people, whatever the format: what the figures cannot tell.
    """

    rows: Sequence[Row]
    document: Any
    parts: tuple[Table | str, ...]
    remarks: tuple[str, ...] = ()


def quantity(number: int, word: str) -> str:
    """A number of things, such as "1 machine" or "1,200 machines"."""
    return f"{number:,} {word}{'s' * (number != 1)}"
