"""A table of results for a notebook, with the best value of each column in bold."""

from html import escape

from schedcore.model.html_text import Html, lines, table
from schedcore.problems.presentation import Presentation, Table
from schedcore.reporting.page_tables import PageCell, PageTable, page_table

__all__ = ["in_html"]


def in_html(found: Presentation) -> Html:
    """What people read of findings, as HTML; all texts are escaped, and the first table, about all jobs, is marked."""
    first = next((part for part in found.parts if isinstance(part, Table)), None)
    parts = [
        _table(page_table(part, is_marked=part is first)) if isinstance(part, Table) else _paragraph(part)
        for part in found.parts
        if part
    ]
    return Html(f"<div>{''.join(parts)}</div>")


def _paragraph(text: str) -> Html:
    return Html(f"<p>{lines(text)}</p>")


def _table(shown: PageTable) -> Html:
    drawn = table(
        [_head(*head) for head in shown.heads],
        [[_cell(cell) for cell in row] for row in shown.rows],
        lines(shown.title),
        [head.is_text for head, _, _ in shown.heads],
    )
    return Html(drawn + (_paragraph(shown.note) if shown.note else ""))


def _head(head: PageCell, unit: str, meaning: str) -> Html:
    text = lines(f"{head.text}\n{unit}" if unit else head.text)
    return Html(f'<span title="{escape(meaning)}">{text}</span>')


def _cell(cell: PageCell) -> Html:
    return Html(f"<b>{lines(cell.text)}</b>") if cell.is_best else lines(cell.text)
