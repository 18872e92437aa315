"""The look that all drawings share: colours of distinct brightness, line styles, hatches, light axes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from schedcore.model.extras import import_extra
from schedcore.plotting.readable import wrapped_to

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK = "#262626"
PALE = "#d9d9d9"
SMALL, MEDIUM = 8.33, 10.0  # sizes of letters in points
#: How a filled area shows what has failed.
FAILED: dict[str, Any] = {"facecolor": "#f6dcdc", "edgecolor": "#b3204d", "hatch": "xxx", "linewidth": 0.0}
#: How a filled area shows what could not be used.
DOWN: dict[str, Any] = {"facecolor": "#efefef", "edgecolor": "#9a9a9a", "hatch": "////", "linewidth": 0.0}


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


def note(text: str, ax: Axes | None) -> Axes:
    """Nothing but a few words."""
    ax = axes_or_new(ax)
    ax.set_axis_off()
    ax.text(0.5, 0.5, text, transform=ax.transAxes, ha="center", va="center", color=INK)
    return ax


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

    It tells what is drawn in `ax` and in its `panels`, each label once, and is at most as wide as `ax`: long labels
    take several lines.
    """
    named = _named((ax, *panels))
    if named:
        width = ax.get_window_extent().width
        ax.legend(**_legend(named, width * 72.0 / ax.figure.dpi), loc="lower left", bbox_to_anchor=(0, 1.0))


def legend_of_figure(figure: Figure, panels: Iterable[Axes]) -> None:
    """One legend above all panels of a figure, in place of their own, which would meet the names of the panels."""
    named: dict[str, Any] = {}
    for panel in panels:
        own = panel.get_legend()
        if own is not None:
            own.remove()
            named = _named((panel,)) | named
    if named:
        room = 72.0 * (figure.get_figwidth() - _BESIDE)
        figure.legend(**_legend(named, room), loc="outside upper left")


def _named(panels: Iterable[Axes]) -> dict[str, Any]:
    named: dict[str, Any] = {}
    for drawn in panels:
        for handle, label in zip(*drawn.get_legend_handles_labels(), strict=True):
            named.setdefault(label, handle)
    return named


def _legend(named: dict[str, Any], points: float) -> dict[str, Any]:
    """What makes a legend at most so wide."""
    room = points / SMALL
    columns = 2 if len(named) > _FEW else 1
    labels = [wrapped_to(label, room / columns - _HANDLE - _GAP - _SPACING, em_width) for label in named]
    return {
        "handles": list(named.values()), "labels": labels,
        "ncols": _columns([em_width(label) for label in labels], room), "frameon": False, "fontsize": "small",
        "borderaxespad": 0.2, "handlelength": _HANDLE, "handletextpad": _GAP, "columnspacing": _SPACING,
    }  # fmt: skip


_HANDLE, _GAP, _SPACING = 3.6, 0.8, 1.4  # in units of the font size, as in matplotlib
_MOST_COLUMNS, _FEW = 4, 4  # more than a few entries take two columns or more, in several lines if need be
_BESIDE = 0.4  # inches, of labels beside the panels of a figure


def em_width(text: str) -> float:
    """Width of the widest line of a text of any size, in units of the font size."""
    font = import_extra("matplotlib.font_manager", "plot").FontProperties(size=10.0)
    measure = import_extra("matplotlib.textpath", "plot").text_to_path.get_text_width_height_descent
    return max(float(measure(line, font, False)[0]) / 10.0 for line in text.split("\n"))


def _columns(widths: list[float], room: float) -> int:
    """The most columns, up to four, in which labels of these widths fit `room` side by side; all in font sizes."""
    for columns in range(min(len(widths), _MOST_COLUMNS), 1, -1):
        widest = [max(part) for part in _split(widths, columns)]
        if sum(_HANDLE + _GAP + _SPACING + width for width in widest) <= room:
            return columns
    return 1


def _split(entries: list[float], columns: int) -> list[list[float]]:
    """How matplotlib spreads the entries of a legend over columns: the first ones have one more."""
    least, rest = divmod(len(entries), columns)
    ends = [column * least + min(column, rest) for column in range(columns + 1)]
    return [entries[first:last] for first, last in pairwise(ends)]
