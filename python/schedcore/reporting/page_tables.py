"""Tables of a comparison as a page shows them: the texts of a terminal, and the best value of a column marked."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from schedcore.problems import PROBLEMS
from schedcore.problems.difference import better_direction
from schedcore.problems.figure_meanings import meaning_of
from schedcore.problems.policy_choice import RECORDED
from schedcore.problems.presentation import Column, Row, Table
from schedcore.problems.table_layout import cell

__all__ = ["PageCell", "PageTable", "best_rows", "better_values", "page_table", "variant_columns"]


@dataclass(frozen=True)
class PageCell:
    """A text, whether it stands to the left, and whether it is the best of its column."""

    text: str
    is_text: bool
    is_best: bool = False
    is_wrong: bool = False


@dataclass(frozen=True)
class PageTable:
    """What a template needs of a table: heads are (text, unit, meaning)."""

    title: str
    note: str
    heads: Sequence[tuple[PageCell, str, str]]
    rows: Sequence[Sequence[PageCell]]


def page_table(table: Table, *, is_marked: bool = True) -> PageTable:
    """Write the cells of a table; if it is to be marked, the best policies in every column with a better direction."""
    best = {column.key: set(best_rows(table, column) if is_marked else ()) for column in table.columns}
    heads = [
        (PageCell(column.name, column.is_text), column.unit, meaning_of(column.key))
        for column in table.columns
    ]
    rows = [
        [
            PageCell(
                cell(row, column),
                column.is_text,
                number in best[column.key],
                column.key == "verdict" and row.get("problem") is not None,
            )
            for column in table.columns
        ]
        for number, row in enumerate(table.rows)
    ]
    return PageTable((table.title or "").strip(), table.note, heads, rows)


def best_rows(table: Table, column: Column) -> list[int]:
    """The rows with the best value of a column; none where no direction is better, or all are alike.

    Nor where policies leave out jobs, since they are about different ones. Where rows are about variants, they are
    compared within each. What really happened does not compete, and neither do schedules that are not valid.
    """
    better = better_values(column.key)
    if better is None or any(row.get("n_left_out") for row in table.rows):
        return []
    variants: dict[Any, dict[int, Any]] = {}
    for number, row in enumerate(table.rows):
        value = row.get(column.key)
        if _competes(row) and isinstance(value, (int, float)) and math.isfinite(value):
            variants.setdefault(_variant(table, row), {})[number] = value
    best = []
    for values in variants.values():
        if len(set(values.values())) > 1:
            extreme = (min if better == "lower" else max)(values.values())
            best += [number for number, value in values.items() if value == extreme]
    return sorted(best)


def better_values(figure: str) -> str | None:
    """Return "lower" or "higher", which values of a figure are better; None where neither is, or nobody says."""
    objectives = {objective.figure for kind in PROBLEMS for objective in kind.objectives}
    return "lower" if figure.removesuffix("_gap") in {*objectives, "gap"} else better_direction(figure)


def variant_columns(table: Table) -> list[Column]:
    """The columns that say of which variant a row is; none where all are about one workload."""
    return [column for column in table.columns[1:] if column.is_text and column.key != "verdict"]


def _variant(table: Table, row: Row) -> tuple[Any, ...]:
    return tuple(row.get(column.key) for column in variant_columns(table))


def _competes(row: Row) -> bool:
    return row.get("policy") != RECORDED and row.get("problem") is None
