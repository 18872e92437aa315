"""A figure of merit against a parameter: one line a policy, the mean over replicates, with its 95 % confidence band.

Where many lines lie close together, bands of a few replicates cover each other; then the replicates themselves are
drawn, as small dots.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from schedcore.errors import InvalidInstanceError
from schedcore.model.extras import import_extra
from schedcore.plotting.outside import Value, mark_outside
from schedcore.plotting.style import INK, Series, axes_or_new, legend_above, lighten
from schedcore.plotting.style import series as style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_BAND_OPACITY = 0.16
_DOT_OPACITY, _DOT_AREA = 0.45, 7.0
_MARKER, _MARKER_EDGE = 6.0, 1.2
_ROOM_FOR_NUMBERS = 0.09  # left and right of the outermost x, as a share of the axis
_BOUND = Series(INK, (0, (4, 2)), 1.2, "", "")


@dataclass(frozen=True, eq=False)
class MeanSeries:
    """Means of one policy at several values of a parameter.

    Attributes
    ----------
    x : (k,) float64
        Values of the parameter, in any order.
    mean : (k,) float64
        NaN where there is none; the line has a gap there.
    low, high : (k,) float64
        Ends of the confidence interval; NaN where there is none (a single replicate).
    single : (k, s) float64, optional
        Values of up to s single replicates, NaN where there are fewer. Where given, they are drawn as small dots
        instead of the confidence interval.

    Raises
    ------
    InvalidInstanceError
        If the columns differ in length or `x` is not finite.
    """

    x: NDArray[np.float64]
    mean: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    single: NDArray[np.float64] = field(default_factory=lambda: np.empty((0, 0)))

    def __post_init__(self) -> None:
        for name in ("x", "mean", "low", "high"):
            column = np.asarray(getattr(self, name), dtype=np.float64)
            object.__setattr__(self, name, column)
            if column.ndim != 1 or column.shape != self.x.shape:
                raise InvalidInstanceError(
                    f"{name} has shape {column.shape} and x {self.x.shape}; need columns of one length"
                )
        single = np.asarray(self.single, dtype=np.float64)
        object.__setattr__(self, "single", single if single.size else np.empty((len(self.x), 0)))
        if self.single.ndim != 2 or len(self.single) != len(self.x):
            raise InvalidInstanceError(
                f"single has shape {self.single.shape} and x {self.x.shape}; need a row for each x"
            )
        if not np.isfinite(self.x).all():
            raise InvalidInstanceError("x must be finite")

    def ascending(self) -> MeanSeries:
        """The same in ascending order of `x`."""
        order = np.argsort(self.x, kind="stable")
        return MeanSeries(
            self.x[order], self.mean[order], self.low[order], self.high[order], self.single[order]
        )


def plot_means(
    series: Mapping[str, MeanSeries],
    *,
    x_label: str,
    y_label: str,
    log_x: bool = True,
    lower_bound: MeanSeries | None = None,
    y_range: tuple[float, float] | None = None,
    zero: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw means with hollow markers and shaded confidence bands or single values; the vertical axis contains 0.

    Parameters
    ----------
    series : mapping of str to MeanSeries
        What the legend calls it, and the means.
    x_label, y_label : str
        Labels of the axes, with units.
    log_x : bool, default True
        Logarithmic axis to base 2; linear all the same if some `x` is not above 0.
    lower_bound : MeanSeries, optional
        What no policy can fall below; a dashed line without markers.
    y_range : (float, float), optional
        Ends of the vertical axis; lines leave the drawing there, and a triangle at the edge tells each mean beyond it.
        By default all is shown.
    zero : str, optional
        What the line at 0 stands for, such as a baseline; the legend tells it.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        With one tick, labelled by a plain number, for each `x` that occurs, and a line at 0 where it is not the lower
        end of the vertical axis.
    """
    ax = axes_or_new(ax, height=4.1)
    drawn = [(style(index), means.ascending()) for index, means in enumerate(series.values())]
    for label, (look, means) in zip(series, drawn, strict=True):
        _draw(ax, means, look, label, y_range)
    if lower_bound is not None:
        drawn.append((_BOUND, lower_bound.ascending()))
        _draw(ax, drawn[-1][1], _BOUND, "lower bound", y_range)
    _mark_each_x(ax, np.unique(np.concatenate([np.empty(0), *(means.x for _, means in drawn)])), log_x)
    bottom, top = y_range or _ends([means for _, means in drawn])
    ax.set_ylim(bottom, top)
    if zero is not None:
        ax.axhline(0.0, color=INK, linewidth=1.2, zorder=1.2, label=zero)
    elif bottom < 0 < top:
        ax.axhline(0.0, color=INK, linewidth=0.8, zorder=1.2)
    if y_range is not None:
        ax.margins(x=_ROOM_FOR_NUMBERS)
        pairs = ((look, zip(means.x, means.mean, strict=True)) for look, means in drawn)
        mark_outside(ax, [Value(x, y, look.colour) for look, points in pairs for x, y in points], y_range)
    lighten(ax, grid_axis="y")
    ax.set_xlabel(x_label)
    ax.set_ylabel(y_label)
    legend_above(ax)
    return ax


def _draw(ax: Axes, means: MeanSeries, look: Series, label: str, y_range: tuple[float, float] | None) -> None:
    # Bands and dots of all series below all lines: where ten cross, no line is veiled.
    if means.single.size:
        _draw_single_values(ax, means, look, y_range)
    else:
        ax.fill_between(
            means.x, means.low, means.high,
            facecolor=look.colour, alpha=_BAND_OPACITY, linewidth=0, zorder=1.5,
        )  # fmt: skip
    ax.plot(
        means.x, means.mean, label=label, color=look.colour, linestyle=look.line, linewidth=look.width,
        marker=look.marker, markersize=_MARKER, markerfacecolor="white", markeredgewidth=_MARKER_EDGE,
    )  # fmt: skip
    if y_range is not None and look.marker:  # whole markers at the edges, where lines are cut
        inside = (y_range[0] <= means.mean) & (means.mean <= y_range[1])
        ax.scatter(
            means.x[inside], means.mean[inside], s=_MARKER**2, marker=look.marker, facecolor="white",
            edgecolor=look.colour, linewidths=_MARKER_EDGE, clip_on=False, zorder=2.1,
        )  # fmt: skip


def _draw_single_values(
    ax: Axes, means: MeanSeries, look: Series, y_range: tuple[float, float] | None
) -> None:
    """A dot a value; where it, but not the mean, is beyond the vertical axis, a small triangle at the edge."""
    x, y = np.repeat(means.x, means.single.shape[1]), means.single.ravel()
    mean = np.repeat(means.mean, means.single.shape[1])
    bottom, top = (-np.inf, np.inf) if y_range is None else y_range
    within, below, above = (
        (bottom <= y) & (y <= top),
        (y < bottom) & (mean >= bottom),
        (y > top) & (mean <= top),
    )
    for marker, shown in (("o", within), ("v", below), ("^", above)):
        ax.scatter(
            x[shown], np.clip(y[shown], bottom, top), s=_DOT_AREA, marker=marker, color=look.colour,
            alpha=_DOT_OPACITY, linewidths=0, clip_on=False, zorder=1.5,
        )  # fmt: skip


def _mark_each_x(ax: Axes, values: NDArray[np.float64], log_x: bool) -> None:
    ticker = import_extra("matplotlib.ticker", "plot")
    if log_x and len(values) and values[0] > 0:
        ax.set_xscale("log", base=2)
    ax.xaxis.set_major_locator(ticker.FixedLocator(values))
    ax.xaxis.set_major_formatter(lambda value, _: plain_number(value))
    ax.xaxis.set_minor_locator(ticker.NullLocator())


def _ends(drawn: Sequence[MeanSeries]) -> tuple[float, float]:
    """Ends of an axis that shows 0, all means, bands and single values, with some room beyond what is not 0.

    A band below 0 alone does not lower it: means of what cannot be negative may have one.
    """
    values = np.concatenate([np.zeros(1), *(v for m in drawn for v in (m.mean, m.single.ravel()))])
    bands = np.concatenate([np.zeros(1), *(v for m in drawn if not m.single.size for v in (m.low, m.high))])
    values, bands = values[np.isfinite(values)], bands[np.isfinite(bands)]
    top = 1.05 * float(max(values.max(), bands.max()))
    bottom = 1.05 * float(min(values.min(), bands.min())) if values.min() < 0 else 0.0
    return (bottom, top) if bottom < top else (0.0, 1.0)


def plain_number(value: float) -> str:
    """`value` without an exponent within reason, whole from four digits on: 8000, 16,000, 0.5, 0.9226, 4049."""
    if abs(value) >= 1000:
        return f"{value:,.0f}" if abs(value) >= 10_000 else f"{value:.0f}"
    return f"{value:.4g}" if abs(value) < 100 else f"{value:.10g}"
