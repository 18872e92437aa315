"""A table of results for a page or a notebook, with the best value of each column in bold."""

import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from schedcore.problems.presentation import Column, Presentation, Row, Table
from schedcore.problems.table_layout import cell

__all__ = ["in_html"]

_JUDGED = ("valid", "recorded")


def in_html(found: Presentation, better: Mapping[str, str]) -> str:
    """What people read of findings, as HTML; all texts are escaped.

    Parameters
    ----------
    found : Presentation
        Its first table is about all jobs.
    better : mapping
        Key of a figure -> "lower" or "higher".
    """
    parts, is_first = [], True
    for part in found.parts:
        if isinstance(part, Table):
            best = [_best(part, column, better.get(column.key)) for column in part.columns if is_first]
            parts.append(_table(part, best or [set()] * len(part.columns)))
            is_first = False
        elif part:
            parts.append(_paragraph(part))
    return f"<div>{''.join(parts)}</div>"


def _paragraph(text: str) -> str:
    return f"<p>{_lines(text)}</p>"


def _lines(text: str) -> str:
    return "<br>".join(map(escape, text.split("\n")))


def _table(table: Table, best: Sequence[set[int]]) -> str:
    caption = f"<caption>{_lines(table.title)}</caption>" if table.title else ""
    heads = "".join(f"<th{_side(c)}>{'<br>'.join(map(escape, c.lines))}</th>" for c in table.columns)
    body = "".join(
        "<tr>"
        + "".join(_cell(row, column, place in bold) for column, bold in zip(table.columns, best, strict=True))
        + "</tr>"
        for place, row in enumerate(table.rows)
    )
    note = _paragraph(table.note) if table.note else ""
    return f"<table>{caption}<thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>{note}"


def _cell(row: Row, column: Column, is_best: bool) -> str:
    text = _lines(cell(row, column))
    return f"<td{_side(column)}>{f'<b>{text}</b>' if is_best else text}</td>"


def _side(column: Column) -> str:
    return f' style="text-align:{"left" if column.is_text else "right"}"'


def _best(table: Table, column: Column, better: str | None) -> set[int]:
    """The rows with the best value of a column; none where all are alike, or none is better."""
    if better is None:
        return set()
    values: dict[int, Any] = {
        place: row[column.key]
        for place, row in enumerate(table.rows)
        if row.get("verdict") in _JUDGED and _is_number(row.get(column.key))
    }
    if len(set(values.values())) < 2:
        return set()
    best = min(values.values()) if better == "lower" else max(values.values())
    return {place for place, value in values.items() if value == best}


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and math.isfinite(value)
