"""What a drawing with a given vertical axis cannot show: told at its edge, so that nothing is missing unseen."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from schedcore.model.extras import import_extra

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LEVEL, _TO_MARKER, _TO_TEXT = 15.0, 4.0, 10.5  # points, from the edge inwards
_MARKER_AREA = 26.0


class Value(NamedTuple):
    """One value of a series and the colour of the series."""

    x: float
    y: float
    colour: str


def mark_outside(ax: Axes, values: Iterable[Value], y_range: tuple[float, float]) -> None:
    """Mark each value beyond `y_range` by a triangle at the edge where it leaves, with the number.

    Several at one x stand one above another, the farthest next to the edge. NaN is nowhere. The axis must already
    have this range.
    """
    bottom, top = y_range
    beyond = [value for value in values if value.y < bottom or value.y > top]
    beyond.sort(key=lambda value: (value.y > top, value.x, -abs(value.y)))
    for (is_above, _), at_one_place in groupby(beyond, key=lambda value: (value.y > top, value.x)):
        for level, value in enumerate(at_one_place):
            _mark(ax, value, top if is_above else bottom, level, is_above)


def _mark(ax: Axes, value: Value, edge: float, level: int, is_above: bool) -> None:
    inwards = -1.0 if is_above else 1.0
    shifted = import_extra("matplotlib.transforms", "plot").offset_copy(
        ax.transData, ax.figure, y=inwards * (_TO_MARKER + _LEVEL * level), units="points"
    )
    ax.scatter(
        [value.x], [edge], s=_MARKER_AREA, marker="^" if is_above else "v", color=value.colour, linewidths=0,
        transform=shifted, clip_on=False, zorder=4,
    )  # fmt: skip
    halo = import_extra("matplotlib.patheffects", "plot").withStroke(linewidth=2.0, foreground="white")
    ax.annotate(
        short_number(value.y), (value.x, edge), xytext=(0, inwards * (_TO_TEXT + _LEVEL * level)),
        textcoords="offset points", ha="center", va="center", fontsize="x-small", color=value.colour,
        path_effects=[halo], annotation_clip=False, zorder=4.1,
    )  # fmt: skip


def short_number(value: float) -> str:
    """`value` in a few letters, with a typographic minus: 62, -1,234, 2.5."""
    text = f"{value:,.0f}" if abs(value) >= 10 else f"{value:.2g}"
    return text.replace("-", "\N{MINUS SIGN}")
