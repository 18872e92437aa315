"""The columns of a table of jobs for people and programs: what each looks like, and which role its name gives it."""

import contextlib
import dataclasses
import os
from collections.abc import Mapping
from typing import Any

from schedcore.errors import InvalidInstanceError
from schedcore.problems.presentation import Column, Table, quantity
from schedcore.workloads.reading.needed_choice import ChoiceNeededError
from schedcore.workloads.reading.source_file import FilePath
from schedcore.workloads.tables.cells import Cells
from schedcore.workloads.tables.column_choice import ChosenColumn, choose_columns, possible_roles
from schedcore.workloads.tables.column_looks import ColumnLook, look_of
from schedcore.workloads.tables.role_values import is_guessed_flag
from schedcore.workloads.tables.table_file import TableFile
from schedcore.workloads.tables.units import BYTES, SECONDS

__all__ = ["columns_table", "looks_of_columns"]

_COLUMNS = (
    Column("column", "column", is_text=True),
    Column("role", "read as", is_text=True),
    Column("kind", "looks like", is_text=True),
    Column("missing", "missing", "{:,}".format),
    Column("distinct", "different", "{:,}".format),
    Column("least", "from", is_text=True),
    Column("most", "to", is_text=True),
    Column("examples", "such as", ", ".join, is_text=True),
)


def looks_of_columns(path: FilePath, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return rows and columns of a table; rows that are no rows of it count as well.

    Raises
    ------
    InvalidInstanceError
        For a file that is no table.
    """
    table = TableFile.open(path)
    n_rows, cells = _cells(table)
    roles = _roles(table, options, cells)
    columns = []
    for name in table.names:
        column = cells.get(name)
        look = ColumnLook(name, "lists or the like", 0, 0, "", "", ()) if column is None else look_of(column)
        role, unit = roles.get(name, (None, ""))
        columns.append({"column": name, "role": role, "unit": unit, **dataclasses.asdict(look)})
        del columns[-1]["name"]
    return {"rows": n_rows, "delimiter": table.delimiter, "columns": columns}


def columns_table(name: str, found: Mapping[str, Any]) -> Table:
    """Return the columns for people."""
    between = {",": ", between commas", ";": ", between semicolons", "\t": ", between tabs", "": ""}
    rows: list[dict[str, Any]] = []
    for column in found["columns"]:
        row = {key: value for key, value in column.items() if value not in ("", ())}
        if "unit" in row:
            row["role"] = f"{row['role']} ({row['unit']})"
        rows.append(row)
    title = (
        f"{name}: {quantity(found['rows'], 'row')} of {quantity(len(rows), 'column')}"
        f"{between[found['delimiter']]}"
    )
    return Table(rows, _COLUMNS, title)


def _cells(table: TableFile) -> tuple[int, dict[str, Cells]]:
    """Return how many rows there are, and the columns that hold single values."""
    try:
        read = table.read(table.names, "error")
    except ChoiceNeededError:  # about rows of other numbers of fields, which the reader tells
        read = table.read(table.names, "skip")
    except InvalidInstanceError:
        if table.delimiter:
            raise
        n_rows = table.read((), "error").ledger.n_read
        cells: dict[str, Cells] = {}
        for name in table.names:
            with contextlib.suppress(InvalidInstanceError):
                cells |= table.read([name], "error").cells
        return n_rows, cells
    return read.ledger.n_read, read.cells


def _roles(
    table: TableFile, options: Mapping[str, Any], cells: Mapping[str, Cells]
) -> dict[str, tuple[str, str]]:
    """Return column -> its role and unit; where some cannot be told, what each name may mean."""
    try:
        chosen = choose_columns(os.fspath(table.path), table.names, options.get("columns")).chosen.values()
    except InvalidInstanceError:
        return {name: (f"{roles[0]}?", "") for name in table.names if (roles := possible_roles(name))}
    return {
        column.column: (column.role.name, _unit(column))
        for column in chosen
        if column.column not in cells or not is_guessed_flag(column, cells[column.column])
    }


def _unit(column: ChosenColumn) -> str:
    is_memory = column.role.kind == "bytes" or (column.unit in BYTES and column.unit not in SECONDS)
    unit = column.unit.upper() if is_memory else column.unit
    return " ".join(filter(None, (unit, column.part and f"for each {column.part}")))
