"""Results on stdout, as a table for people or as CSV or JSON for programs."""

import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any

import typer

from schedcore.cli.option_groups import option_group
from schedcore.errors import InvalidInstanceError
from schedcore.problems.figure_meanings import meaning_of
from schedcore.problems.presentation import Presentation, Row, Table, Verbatim
from schedcore.problems.program_formats import in_csv, in_json
from schedcore.problems.table_layout import cell, laid_out, screen_width, wrapped

__all__ = [
    "Format",
    "OutputOptions",
    "Telling",
    "print_csv",
    "print_json",
    "print_markdown",
    "print_meanings",
    "print_table",
    "print_text",
    "tell",
]

_BOLD, _PLAIN = "\x1b[1m", "\x1b[0m"


class Format(StrEnum):
    """How results are written."""

    table = "table"
    markdown = "markdown"
    csv = "csv"
    json = "json"


FormatOption = Annotated[
    Format | None,
    typer.Option("--format", "-f", help="How results are written to stdout.", show_default="table"),
]
JsonOption = Annotated[bool, typer.Option("--json", help="The same as --format json.")]
CsvOption = Annotated[bool, typer.Option("--csv", help="The same as --format csv.")]
ExplainOption = Annotated[
    bool, typer.Option("--explain-columns", help="Say below each table what its columns mean.")
]


@option_group
@dataclass(frozen=True)
class OutputOptions:
    """How a command writes what it found."""

    output_format: FormatOption = None
    as_json: JsonOption = False
    as_csv: CsvOption = False
    explain_columns: ExplainOption = False

    def __post_init__(self) -> None:
        _ = self.format  # two that differ are refused before anything runs

    @property
    def format(self) -> Format:
        """The one format that was asked for; an `InvalidInstanceError` for two that differ."""
        flags = ((self.as_json, Format.json), (self.as_csv, Format.csv))
        asked = {self.output_format, *(form for given, form in flags if given)} - {None}
        if len(asked) > 1:
            raise InvalidInstanceError(f"one format at a time, not {' and '.join(sorted(map(str, asked)))}")
        return next(iter(asked), None) or Format.table

    def present(self, found: Presentation) -> None:
        """Print findings to stdout, and what the figures cannot tell to stderr."""
        output_format = self.format
        if output_format is Format.csv:
            print_csv(found.rows)
        elif output_format is Format.json:
            print_json(found.document)
        else:
            for part in found.parts:
                if isinstance(part, Verbatim):
                    print(part)
                elif not isinstance(part, Table):
                    print_text(part)
                elif output_format is Format.markdown:
                    print_markdown(part)
                else:
                    print_table(part)
                if isinstance(part, Table) and self.explain_columns:
                    print_meanings(part)
        tell(found.remarks)


def tell(sentences: Iterable[str]) -> None:
    """Print sentences to stderr, a line each."""
    for sentence in sentences:
        print(sentence, file=sys.stderr)


class Telling:
    """Tells sentences on stderr, and remembers them for whoever writes them down, too."""

    def __init__(self) -> None:
        self.sentences: list[str] = []

    def __call__(self, sentences: Iterable[str]) -> None:
        new = list(sentences)
        self.sentences += new
        tell(new)


def print_text(text: str) -> None:
    """Print a text to stdout in lines that fit."""
    print("\n".join(wrapped(text, screen_width())))


def print_table(table: Table) -> None:
    """Print a table and the note below, as wide as the terminal, or as COLUMNS says; a pipe alone has 200.

    What finds no room is named below.
    """
    layout = laid_out(table, screen_width())
    bold, plain = (_BOLD, _PLAIN) if _is_styled() else ("", "")
    header = [f"{bold}{line}{plain}" for line in layout.header]
    print("".join(f"{line}\n" for line in (*layout.title, *header, *layout.body, *layout.note)), end="")


def print_markdown(table: Table) -> None:
    """Print a table for a page in Markdown; lines are as long as they are."""
    if table.title:
        print(f"{table.title}\n")
    heads = [f"{column.name} ({column.unit})" if column.unit else column.name for column in table.columns]
    cells = [[cell(row, column) for column in table.columns] for row in table.rows]
    lines = [heads, ["---" if column.is_text else "---:" for column in table.columns], *cells]
    for line in lines:
        print(f"| {' | '.join(_in_one_cell(text) for text in line)} |")
    if table.note:
        print(f"\n{table.note}")


def print_meanings(table: Table) -> None:
    """Print what the columns of a table mean, a line each."""
    print()
    for column in table.columns:
        unit = f" ({column.unit})" if column.unit else ""
        print_text(f"{column.name}{unit}: {meaning_of(column.key)}")


def _in_one_cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", "<br>")


def _is_styled() -> bool:
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def print_csv(rows: Sequence[Row]) -> None:
    """Print all values of `rows` under the keys of all rows; a sequence becomes one column an entry."""
    print(in_csv(rows), end="")


def print_json(content: Any) -> None:
    """Print `content` as strict JSON: what is not finite becomes null."""
    print(in_json(content))
