"""Nothing that is written in a picture is cut: figures grow until all legends, labels and titles lie inside.

Constrained layout shrinks drawings for the sake of labels, down to nothing, and gives up where a text has no room at
all. Here a drawing keeps a least size, and the figure grows instead.
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from schedcore.model.extras import import_extra
from schedcore.model.whole_file import write_whole
from schedcore.plotting.readable import wrapped_to
from schedcore.plotting.style import INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DPI = 160
LEAST_WIDTH, LEAST_HEIGHT = 3.0, 0.7  # inches, of a drawing
_MOST_ROUNDS = 5
_EDGE = 0.04  # inches
_ROW = 0.15  # inches, between rows
_LETTERS_AN_INCH = 12.0  # of titles


def new_figure(width: float, height: float) -> Figure:
    """A figure that no window shows, of `width` times `height` inches until it is laid out."""
    figure_class = import_extra("matplotlib.figure", "plot").Figure
    figure: Figure = figure_class(figsize=(width, height), layout="constrained")
    return figure


def fit(figure: Figure, least: tuple[float, float] = (LEAST_WIDTH, LEAST_HEIGHT)) -> None:
    """Make a figure so large that all its text lies inside and every drawing is at least `least` inches large.

    It is laid out up to six times, the last time in the size that it keeps. It never becomes smaller.
    """
    width, height = map(float, figure.get_size_inches())
    figure.set_size_inches(width, max(height, _height_of_rows(figure, least[1])))
    for _ in range(_MOST_ROUNDS):
        figure.draw_without_rendering()
        grow = np.maximum(_missing_room(figure), _missing_size(figure, least))
        if (grow <= 0).all():
            return
        width, height = np.asarray(figure.get_size_inches()) + np.where(grow > 0, grow + _EDGE, 0.0)
        figure.set_size_inches(float(width), float(height))
    figure.draw_without_rendering()


def _height_of_rows(figure: Figure, least: float) -> float:
    """About how high a figure has to be for legends, names and drawings of its rows: where it is much lower, no layout
    is found at all."""
    rows: dict[int, float] = {}
    for ax in figure.axes:
        legend = ax.get_legend()
        above = [ax._right_title, *([] if legend is None else [legend])]  # type: ignore[attr-defined]
        height = least + _ROW + sum(artist.get_window_extent().height for artist in above) / figure.dpi
        row = round(ax.get_window_extent().y0)
        rows[row] = max(rows.get(row, 0.0), height)
    legends = sum(legend.get_window_extent().height for legend in figure.legends) / figure.dpi
    return legends + sum(rows.values())


def save(
    figure: Figure, path: Path | io.BytesIO, *, least: tuple[float, float] = (LEAST_WIDTH, LEAST_HEIGHT),
    dpi: float = DPI, **options: Any,
) -> None:  # fmt: skip
    """Write a figure to a file, whole or not at all, after `fit`; the options are those of ``Figure.savefig``."""
    figure.set_dpi(dpi)  # letters are not exactly as wide in another resolution
    fit(figure, least)
    with _laid_out(figure):
        if isinstance(path, io.BytesIO):
            figure.savefig(path, dpi=dpi, **options)
            return
        content = io.BytesIO()
        figure.savefig(content, dpi=dpi, **{"format": path.suffix.removeprefix("."), **options})
    write_whole(path, content.getbuffer())


@contextlib.contextmanager
def _laid_out(figure: Figure) -> Iterator[None]:
    """Within it, everything stays where it is: to lay a figure out once more is a tenth of making a page."""
    engine = figure.get_layout_engine()
    if engine is None:  # and to set None would set what matplotlib's settings say
        yield
        return
    figure.set_layout_engine("none")
    try:
        yield
    finally:
        figure.set_layout_engine(engine)


def texts(figure: Figure) -> list[Any]:
    """Everything visible in a figure that is text, and its legends as a whole."""
    return [artist for artist, _ in _texts_and_extents(figure)]


def _texts_and_extents(figure: Figure) -> list[tuple[Any, Any]]:
    """`texts`, each with where it lies: to find that out costs as much as to draw it."""
    legend_class = import_extra("matplotlib.legend", "plot").Legend
    text_class = import_extra("matplotlib.text", "plot").Text
    unseen = {id(label) for ax in _all_axes(figure) for label in _unseen_labels(ax)}
    found = [*figure.findobj(text_class), *figure.findobj(legend_class)]
    shown = [artist for artist in found if id(artist) not in unseen and artist.get_visible()]
    extents = [artist.get_window_extent() for artist in shown]
    return [
        (artist, extent)
        for artist, extent in zip(shown, extents, strict=True)
        if extent.width > 0 and extent.height > 0 and np.isfinite(extent.get_points()).all()
    ]


def _all_axes(figure: Figure) -> list[Axes]:
    """The Axes of a figure and those inset in them."""
    axes = [*figure.axes]
    for ax in axes:
        axes += [child for child in ax.child_axes if child not in axes]  # type: ignore[misc]  # inset Axes are Axes
    return axes


def _unseen_labels(ax: Axes) -> list[Any]:
    """Labels that exist but are not drawn: of ticks beyond the ends of an axis, and of an axis that is switched off."""
    unseen = []
    for axis in (ax.xaxis, ax.yaxis):
        low, high = sorted(axis.get_view_interval())
        room = 1e-9 * (high - low)
        for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks()):
            if not (ax.axison and low - room <= tick.get_loc() <= high + room):
                unseen += [tick.label1, tick.label2]
        if not ax.axison:
            unseen += [axis.label, axis.offsetText]
    return unseen


def _missing_room(figure: Figure) -> Any:
    """By how many inches text stands out, in width and height."""
    extents = [extent for _, extent in _texts_and_extents(figure)]
    if not extents:
        return np.zeros(2)
    low = np.minimum(0.0, np.min([extent.min for extent in extents], axis=0))
    size = np.array([figure.bbox.width, figure.bbox.height])
    high = np.maximum(0.0, np.max([extent.max for extent in extents], axis=0) - size)
    return (high - low) / figure.dpi


def _missing_size(figure: Figure, least: tuple[float, float]) -> Any:
    """How many inches of width the narrowest and of height all the low drawings lack."""
    extents = [ax.get_window_extent() for ax in _all_axes(figure) if ax.axison]
    if not extents:
        return np.zeros(2)
    sizes = np.array([[extent.width, extent.height] for extent in extents]) / figure.dpi
    rows = len({round(extent.y0) for extent in extents})
    columns = len({round(extent.x0) for extent in extents})
    lacking = np.maximum(0.0, np.asarray(least) - sizes.min(axis=0))
    return np.where(lacking > 0.02, lacking * (columns, rows), 0.0)


def name_panel(panel: Axes, title: str) -> None:
    """Write what a panel shows above its right end, in as many lines as its width makes necessary."""
    letters = _LETTERS_AN_INCH * panel.get_window_extent().width / panel.figure.dpi
    panel.set_title(wrapped_to(title, letters), loc="right", fontsize="medium", color=INK)
