"""The look that all drawings share: colours of distinct brightness, line styles, hatches, light axes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from schedcore.model.extras import import_extra

if TYPE_CHECKING:
    from matplotlib.axes import Axes

INK = "#262626"
PALE = "#d9d9d9"


@dataclass(frozen=True)
class Series:
    """How one policy or resource is drawn; colour-blind safe, and told apart by style alone."""

    colour: str
    line: Any  # a matplotlib line style: a name or (offset, dashes)
    width: float
    hatch: str
    marker: str


SERIES = (
    Series("#0b3c6f", "-", 1.9, "", "o"),
    Series("#d1600f", (0, (5, 1.6)), 1.7, "///", "s"),
    Series("#2a9d8f", (0, (1, 1.1)), 2.0, "...", "^"),
    Series("#8f2d6b", (0, (6, 1.6, 1.2, 1.6)), 1.6, "xxx", "D"),
    Series("#6f8f1f", "-", 1.0, "---", "v"),
    Series("#5b8ec9", (0, (3, 1.2, 1.2, 1.2, 1.2, 1.2)), 1.6, "\\\\\\", "P"),
    Series("#c8a021", (0, (8, 2.5)), 1.3, "++", "X"),
    Series("#7a7a7a", (0, (1, 2.6)), 1.7, "oo", "*"),
    Series("#b3204d", (0, (2.5, 1.2)), 1.4, "|||", "<"),
    Series("#4b3fa8", (0, (4, 1.2, 4, 1.2, 1, 1.2)), 1.5, "*", ">"),
    Series("#b07ad6", (0, (1.2, 1.2, 1.2, 4)), 1.8, "-\\\\", "d"),
    Series("#5c3a1e", (0, (3, 3)), 1.3, "O", "h"),
)


def series(index: int) -> Series:
    """Style of the `index`-th series; the styles repeat after twelve."""
    return SERIES[index % len(SERIES)]


def axes_or_new(ax: Axes | None, width: float = 6.2, height: float = 3.7) -> Axes:
    """`ax`, or the Axes of a new pyplot figure of `width` times `height` inches."""
    if ax is not None:
        return ax
    pyplot = import_extra("matplotlib.pyplot", "plot")
    new_axes: Axes = pyplot.subplots(figsize=(width, height), layout="constrained")[1]
    return new_axes


def lighten(ax: Axes, grid_axis: str) -> None:
    """Two thin spines, no frame, a faint grid behind the data along `grid_axis` ("x", "y" or "both")."""
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        ax.spines[side].set_color(INK)
        ax.spines[side].set_linewidth(0.8)
    ax.tick_params(which="both", colors=INK, width=0.8, direction="out")
    ax.grid(visible=True, axis=grid_axis, color=PALE, linewidth=0.6)  # type: ignore[arg-type]
    ax.set_axisbelow(True)


def legend_above(ax: Axes, panels: Iterable[Axes] = ()) -> None:
    """A legend over the top edge, because curves may run anywhere inside; none where nothing has a label.

    It tells what is drawn in `ax` and in its `panels`, each label once.
    """
    named: dict[str, Any] = {}
    for drawn in (ax, *panels):
        for handle, label in zip(*drawn.get_legend_handles_labels(), strict=True):
            named.setdefault(label, handle)
    labels, handles = list(named), list(named.values())
    if not labels:
        return
    font = import_extra("matplotlib.font_manager", "plot").FontProperties(size="small")
    measure = import_extra("matplotlib.textpath", "plot").text_to_path.get_text_width_height_descent
    em = font.get_size_in_points()
    widths = [measure(label, font, False)[0] / em for label in labels]
    room = ax.get_window_extent().width * 72.0 / ax.figure.dpi / em
    ax.legend(
        handles, labels, ncols=_columns(widths, room), frameon=False, fontsize="small",
        loc="lower left", bbox_to_anchor=(0, 1.0), borderaxespad=0.2, handlelength=_HANDLE, columnspacing=_SPACING,
    )  # fmt: skip


_HANDLE, _SPACING = 3.6, 1.4  # in units of the font size, as in matplotlib


def _columns(widths: list[float], room: float) -> int:
    """The most columns, up to four, in which labels of these widths fit `room` side by side; all in font sizes."""
    for columns in range(min(len(widths), 4), 1, -1):
        rows = -(-len(widths) // columns)
        widest = [max(widths[first : first + rows]) for first in range(0, len(widths), rows)]
        if sum(_HANDLE + 0.8 + _SPACING + width for width in widest) <= room:
            return columns
    return 1
