"""A figure of merit against a parameter: mean over replicates and its 95 % confidence band, one line a policy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from schedcore.errors import InvalidInstanceError
from schedcore.model.extras import import_extra
from schedcore.plotting.style import INK, Series, axes_or_new, legend_above, lighten
from schedcore.plotting.style import series as style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_BAND_OPACITY = 0.16
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

    Raises
    ------
    InvalidInstanceError
        If the columns differ in length or `x` is not finite.
    """

    x: NDArray[np.float64]
    mean: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]

    def __post_init__(self) -> None:
        for name in ("x", "mean", "low", "high"):
            column = np.asarray(getattr(self, name), dtype=np.float64)
            object.__setattr__(self, name, column)
            if column.ndim != 1 or column.shape != self.x.shape:
                raise InvalidInstanceError(
                    f"{name} has shape {column.shape} and x {self.x.shape}; need columns of one length"
                )
        if not np.isfinite(self.x).all():
            raise InvalidInstanceError("x must be finite")

    def ascending(self) -> MeanSeries:
        """The same in ascending order of `x`."""
        order = np.argsort(self.x, kind="stable")
        return MeanSeries(self.x[order], self.mean[order], self.low[order], self.high[order])


def plot_means(
    series: Mapping[str, MeanSeries],
    *,
    x_label: str,
    y_label: str,
    log_x: bool = True,
    lower_bound: MeanSeries | None = None,
    y_range: tuple[float, float] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw means with hollow markers and shaded confidence bands; the vertical axis contains 0.

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
        Ends of the vertical axis; lines leave the drawing there. By default all means and bands are shown.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        With one tick, labelled by a plain number, for each `x` that occurs, and a line at 0 where it is not the lower
        end of the vertical axis.
    """
    ax = axes_or_new(ax, height=4.1)
    drawn = [means.ascending() for means in series.values()]
    for index, (label, means) in enumerate(zip(series, drawn, strict=True)):
        _draw(ax, means, style(index), label)
    if lower_bound is not None:
        drawn.append(lower_bound.ascending())
        _draw(ax, drawn[-1], _BOUND, "lower bound")
    _mark_each_x(ax, np.unique(np.concatenate([np.empty(0), *(means.x for means in drawn)])), log_x)
    bottom, top = y_range or _ends(drawn)
    ax.set_ylim(bottom, top)
    if bottom < 0 < top:
        ax.axhline(0.0, color=INK, linewidth=0.8, zorder=1.2)
    lighten(ax, grid_axis="y")
    ax.set_xlabel(x_label)
    ax.set_ylabel(y_label)
    legend_above(ax)
    return ax


def _draw(ax: Axes, means: MeanSeries, look: Series, label: str) -> None:
    # Bands of all series below all lines: where ten cross, no line is veiled.
    ax.fill_between(
        means.x, means.low, means.high,
        facecolor=look.colour, alpha=_BAND_OPACITY, linewidth=0, zorder=1.5,
    )  # fmt: skip
    ax.plot(
        means.x, means.mean, label=label, color=look.colour, linestyle=look.line, linewidth=look.width,
        marker=look.marker, markersize=6, markerfacecolor="white", markeredgewidth=1.2,
    )  # fmt: skip


def _mark_each_x(ax: Axes, values: NDArray[np.float64], log_x: bool) -> None:
    ticker = import_extra("matplotlib.ticker", "plot")
    if log_x and len(values) and values[0] > 0:
        ax.set_xscale("log", base=2)
    ax.xaxis.set_major_locator(ticker.FixedLocator(values))
    ax.xaxis.set_major_formatter(lambda value, _: plain_number(value))
    ax.xaxis.set_minor_locator(ticker.NullLocator())


def _ends(drawn: Iterable[MeanSeries]) -> tuple[float, float]:
    """Ends of an axis that shows 0, all means and their bands, with some room beyond what is not 0."""
    shown = np.concatenate([np.zeros(1), *(column for m in drawn for column in (m.mean, m.low, m.high))])
    shown = shown[np.isfinite(shown)]
    top = 1.05 * float(shown.max())
    means = np.concatenate([np.zeros(1), *(m.mean for m in drawn)])
    bottom = 1.05 * float(shown.min()) if np.nanmin(means) < 0 else 0.0
    return (bottom, top) if bottom < top else (0.0, 1.0)


def plain_number(value: float) -> str:
    """`value` without an exponent within reason, thousands set apart from five digits on: 8000, 16,000, 0.5."""
    return f"{value:,.10g}" if abs(value) >= 10_000 else f"{value:.10g}"
