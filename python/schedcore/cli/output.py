"""Results on stdout, as a table for people or as CSV or JSON for programs."""

import csv
import json
import math
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Annotated, Any

import typer
from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table as Grid
from rich.text import Text

from schedcore.problems.presentation import Column, Presentation, Row, Table

_WIDTH_OF_A_PIPE = 200
_UNLIMITED = 100_000
_MANY_ROWS = 500  # beyond that, laying out costs more than finding what is in them


class Format(StrEnum):
    """How results are written."""

    table = "table"
    csv = "csv"
    json = "json"


FormatOption = Annotated[Format, typer.Option("--format", "-f", help="How results are written to stdout.")]


def present(output_format: Format, found: Presentation) -> None:
    """Print findings to stdout in a format, and what the figures cannot tell to stderr."""
    if output_format is Format.csv:
        print_csv(found.rows)
    elif output_format is Format.json:
        print_json(found.document)
    else:
        for part in found.parts:
            if isinstance(part, Table):
                print_table(part)
            else:
                print(part)
    tell(found.remarks)


def tell(sentences: Iterable[str]) -> None:
    """Print sentences to stderr, a line each."""
    for sentence in sentences:
        print(sentence, file=sys.stderr)


def print_table(table: Table) -> None:
    """Print a table and the note below; as wide as needed where stdout is no terminal.

    On a narrow terminal the columns move together and the options of a policy go below each other. Nothing is
    ever cut off: a table that still does not fit is wider than the terminal. One of many rows is as wide as needed.
    """
    if len(table.rows) > _MANY_ROWS:
        print("\n".join(_lines(table)))
        return
    console = Console(file=sys.stdout, width=None if sys.stdout.isatty() else _WIDTH_OF_A_PIPE)
    for padding, breaks in ((1, ""), (0, ":,"), (0, ":,=")):
        laid_out = _laid_out(table, padding, breaks)
        needed = Measurement.get(console, console.options.update(max_width=_UNLIMITED), laid_out).minimum
        if needed <= console.width:
            break
    console.width = max(console.width, needed)
    console.print(laid_out)
    if table.note:
        print(table.note)


def _laid_out(content: Table, padding: int, breaks: str) -> Grid:
    """A table in which texts such as ``name:option=value`` go on in a new line behind each of `breaks`."""
    table = Grid(
        box=box.SIMPLE_HEAD, show_edge=False, title=content.title, title_justify="left", title_style="",
        pad_edge=False, padding=(0, padding),
    )  # fmt: skip
    columns_of_cells = []
    for column in content.columns:
        cells = [_cell(row, column) for row in content.rows]
        if column.is_text and breaks:
            cells = [re.sub(f"([{breaks}])(?=\\S)", r"\1\n", cell) for cell in cells]
        lines = [line for text in (column.heading, *cells) for line in text.splitlines()]
        table.add_column(
            Text(column.heading),
            justify="left" if column.is_text else "right",
            overflow="fold",
            no_wrap=not column.is_text,
            min_width=None if column.is_text else max(map(cell_len, lines)),
        )
        columns_of_cells.append(cells)
    for cells_of_row in zip(*columns_of_cells, strict=True):
        table.add_row(*map(Text, cells_of_row))
    return table


def _lines(content: Table) -> Iterator[str]:
    """A table of many rows, each a line."""
    if content.title:
        yield content.title
    columns = []
    for column in content.columns:
        cells = [column.heading.replace("\n", " "), *(_cell(row, column) for row in content.rows)]
        lengths = [cell_len(cell) for cell in cells]
        width = max(lengths)
        gaps = [" " * (width - length) for length in lengths]
        columns.append(
            [cell + gap if column.is_text else gap + cell for cell, gap in zip(cells, gaps, strict=True)]
        )
    heading, *rows = ("   ".join(cells).rstrip() for cells in zip(*columns, strict=True))
    yield heading
    yield "─" * (sum(len(cells[0]) for cells in columns) + 3 * (len(columns) - 1))
    yield from rows
    if content.note:
        yield content.note


def print_csv(rows: Sequence[Row]) -> None:
    """Print all values of `rows` under the keys of all rows; a sequence becomes one column an entry."""
    flat = [_flattened(row) for row in rows]
    header = dict.fromkeys(key for row in flat for key in row)
    writer = csv.DictWriter(sys.stdout, list(header), lineterminator="\n")
    writer.writeheader()
    writer.writerows(flat)


def print_json(content: Any) -> None:
    """Print `content` as strict JSON: what is not finite becomes null."""
    print(json.dumps(_finite(content), indent=2, allow_nan=False))


def _cell(row: Row, column: Column) -> str:
    value = row.get(column.key)
    return "-" if value is None else column.write(value)


def _flattened(row: Row) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in row.items():
        if isinstance(value, Mapping):
            flat |= {f"{key}_{name}": entry for name, entry in value.items()}
        elif isinstance(value, (list, tuple)):
            flat |= {f"{key}_{index}": entry for index, entry in enumerate(value)}
        else:
            flat[key] = value
    return flat


def _finite(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _finite(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(entry) for entry in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
