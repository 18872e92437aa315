"""Figures as files of the same bytes whenever they are drawn, and as pictures inside a page."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterable
from typing import TYPE_CHECKING

from schedcore.model.extras import import_extra
from schedcore.plotting.layout import LEAST_HEIGHT, LEAST_WIDTH, save

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["as_data_uri", "encoded"]

_DPI = 200
_MOST = 400_000  # bytes of a drawing of lines; beyond that one of dots is smaller


def encoded(
    figure: Figure,
    formats: Iterable[str],
    salt: str,
    least: tuple[float, float] = (LEAST_WIDTH, LEAST_HEIGHT),
) -> dict[str, bytes]:
    """Lay a figure out and return its file in each of the formats; `salt` makes names in it the same every time."""
    files = {}
    with import_extra("matplotlib", "plot").rc_context({"svg.hashsalt": salt}):
        for suffix in formats:
            content = io.BytesIO()
            metadata = {"Date": None} if suffix == "svg" else {}
            save(figure, content, dpi=_DPI, format=suffix, metadata=metadata, least=least)
            files[suffix] = content.getvalue()
    return files


def as_data_uri(figure: Figure, salt: str, least: tuple[float, float] = (LEAST_WIDTH, LEAST_HEIGHT)) -> str:
    """A picture that a page holds itself: of lines, or of dots where that would be too large."""
    content = encoded(figure, ("svg",), salt, least)["svg"]
    if len(content) <= _MOST:
        return f"data:image/svg+xml;base64,{base64.b64encode(content).decode()}"
    content = encoded(figure, ("png",), salt, least)["png"]
    return f"data:image/png;base64,{base64.b64encode(content).decode()}"
