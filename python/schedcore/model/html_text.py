"""Small HTML for notebooks: facts, tables, sparklines and bars; every text of an object is escaped here.

No style sheet, no script and nothing from outside. Lines and areas have the colour of the text around them, so they
can be read on light and on dark pages.
"""

import math
from collections.abc import Iterable, Sequence
from html import escape

__all__ = [
    "MOST_ROWS",
    "Html",
    "clipped",
    "counted",
    "facts",
    "folded",
    "items",
    "lines",
    "panel",
    "share_bar",
    "sparkline",
    "table",
]

#: Rows of a table that are worth their room; what is left out, captions say.
MOST_ROWS = 10
_LONGEST_TEXT = 60
_WIDTH, _HEIGHT = 300, 36


class Html(str):
    """Markup that is ready; whatever else is shown is text, and escaped."""

    __slots__ = ()


def panel(title: str, *parts: Html) -> Html:
    """Return one object: its title, and what is said of it."""
    return Html(f"<div><b>{_shown(title)}</b>{''.join(parts)}</div>")


def facts(pairs: Iterable[tuple[str, object]]) -> Html:
    """Return pairs of a word and what it is, a row each; pairs whose second entry is "" are left out."""
    rows = "".join(
        f'<tr><th scope="row"{_LEFT}>{_shown(word)}</th><td{_LEFT}>{_shown(what)}</td></tr>'
        for word, what in pairs
        if what != ""
    )
    return Html(f"<table><tbody>{rows}</tbody></table>" if rows else "")


def table(
    heads: Sequence[str],
    rows: Iterable[Sequence[object]],
    caption: str = "",
    is_text: Sequence[bool] | None = None,
) -> Html:
    """Return a table whose columns of text stand at the left, and whose others at the right: they are numbers.

    By default the first column alone is text.
    """
    sides = [_LEFT if text else _RIGHT for text in is_text or [True] + [False] * (len(heads) - 1)]
    above = f"<caption{_LEFT_ONE_LINE}>{_shown(caption)}</caption>" if caption else ""
    head = _cells("th", heads, sides)
    body = "".join(f"<tr>{_cells('td', row, sides)}</tr>" for row in rows)
    return Html(f"<table>{above}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>")


def items(texts: Iterable[str]) -> Html:
    """Return a list of sentences, which are shown whole; nothing if there is none."""
    points = "".join(f"<li>{escape(text)}</li>" for text in texts)
    return Html(f"<ul>{points}</ul>" if points else "")


def lines(text: str) -> Html:
    """Return a text whose lines end where it says."""
    return Html("<br>".join(map(escape, text.split("\n"))))


def folded(summary: str, *parts: Html) -> Html:
    """Return what is shown when somebody opens it."""
    return Html(f"<details><summary>{_shown(summary)}</summary>{''.join(parts)}</details>")


def sparkline(values: Sequence[float], meaning: str, top: float | None = None) -> Html:
    """Return a line of steps from left to right, the largest value as high as the picture, or `top` if that is more.

    Values below 0 and what is no number count as 0, infinite ones as the largest. `meaning` is shown below, as it has
    no axis. Nothing without a value above 0.
    """
    highest = max((value for value in values if 0 < value < math.inf), default=0.0)
    highest = highest if top is None else max(highest, top)
    if highest <= 0:
        return Html("")
    width = _WIDTH / len(values)
    heights = (0.0 if not value > 0 else min(value / highest, 1.0) for value in values)
    steps = "".join(f"V{_HEIGHT - _HEIGHT * height:.1f}h{width:.4g}" for height in heights)
    drawn = (
        f'<path d="M0,{_HEIGHT}{steps}V{_HEIGHT}z" fill="currentColor" fill-opacity="0.4"></path>'
        f'<path d="M0,{_HEIGHT}h{_WIDTH}" stroke="currentColor"></path>'
    )
    return Html(f"<div>{_picture(_HEIGHT, drawn, meaning)}<br><small>{_shown(meaning)}</small></div>")


def share_bar(shares: Sequence[float], meaning: str) -> Html:
    """Return a bar whose parts are shares of its length, the first one darkest; `meaning` is its text for readers."""
    height, before = 12, 0.0
    parts = []
    for rank, share in enumerate(shares):
        length = min(max(share, 0.0), 1.0 - before) if math.isfinite(share) else 0.0
        parts.append(
            f'<rect x="{_WIDTH * before:.1f}" y="0" width="{_WIDTH * length:.1f}" height="{height}" '
            f'fill="currentColor" fill-opacity="{0.6 / (rank + 1):.2f}"></rect>'
        )
        before += length
    size = f'width="{_WIDTH - 1}" height="{height - 1}"'
    frame = f'<rect x="0.5" y="0.5" {size} fill="none" stroke="currentColor"></rect>'
    return _picture(height, "".join(parts) + frame, meaning)


def _picture(height: int, drawn: str, meaning: str) -> Html:
    return Html(
        f'<svg width="{_WIDTH}" height="{height}" viewBox="0 0 {_WIDTH} {height}" role="img" '
        f'aria-label="{_shown(meaning)}" preserveAspectRatio="none">{drawn}</svg>'
    )


_LEFT = ' style="text-align:left"'
_LEFT_ONE_LINE = ' style="text-align:left;white-space:nowrap"'
_RIGHT = ' style="text-align:right"'


def _cells(tag: str, texts: Iterable[object], sides: Iterable[str]) -> str:
    return "".join(f"<{tag}{side}>{_shown(text)}</{tag}>" for text, side in zip(texts, sides, strict=True))


def _shown(what: object) -> str:
    if isinstance(what, Html):
        return what
    if isinstance(what, float):
        return f"{what:.12g}"
    text = f"{what:,}" if isinstance(what, int) and not isinstance(what, bool) else str(what)
    return escape(text)


def clipped(text: str) -> str:
    """Return a text of the user, as long as a cell can be wide."""
    return text if len(text) <= _LONGEST_TEXT else f"{text[: _LONGEST_TEXT - 1]}…"


def counted(number: int, word: str) -> str:
    """Return how many there are of what a word says, such as ``1 job`` and ``2,000 jobs``."""
    return f"{number:,} {word}{'s' * (number != 1)}"
