"""A table of results for a notebook, with the best value of each column in bold."""

from html import escape

from schedcore.problems.presentation import Presentation, Table
from schedcore.reporting.page_tables import PageCell, PageTable, page_table

__all__ = ["in_html"]


def in_html(found: Presentation) -> str:
    """What people read of findings, as HTML; all texts are escaped, and the first table, about all jobs, is marked."""
    first = next((part for part in found.parts if isinstance(part, Table)), None)
    parts = [
        _table(page_table(part, is_marked=part is first)) if isinstance(part, Table) else _paragraph(part)
        for part in found.parts
        if part
    ]
    return f"<div>{''.join(parts)}</div>"


def _paragraph(text: str) -> str:
    return f"<p>{_lines(text)}</p>"


def _lines(text: str) -> str:
    return "<br>".join(map(escape, text.split("\n")))


def _table(table: PageTable) -> str:
    caption = f"<caption>{_lines(table.title)}</caption>" if table.title else ""
    heads = "".join(
        f'<th{_side(head)} title="{escape(meaning)}">{escape(head.text)}{f"<br>{escape(unit)}" if unit else ""}</th>'
        for head, unit, meaning in table.heads
    )
    rows = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in table.rows)
    note = _paragraph(table.note) if table.note else ""
    return f"<table>{caption}<thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>{note}"


def _cell(cell: PageCell) -> str:
    text = _lines(cell.text)
    return f"<td{_side(cell)}>{f'<b>{text}</b>' if cell.is_best else text}</td>"


def _side(cell: PageCell) -> str:
    return f' style="text-align:{"left" if cell.is_text else "right"}"'
