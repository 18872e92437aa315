"""How good were predictions of starts? Each against what happened, around the diagonal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from schedcore.errors import InvalidInstanceError
from schedcore.model.arrays import unmasked
from schedcore.model.extras import import_extra
from schedcore.plotting.readable import TimeUnit, percent, readable_time
from schedcore.plotting.scales import choose_scale
from schedcore.plotting.style import INK, axes_or_new, legend_above, lighten, note, series

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST_POINTS = 5_000  # more would be a blot
_CELLS = 60  # along each axis


def plot_predicted_starts(
    predicted: ArrayLike,
    actual: ArrayLike,
    *,
    since: ArrayLike = 0.0,
    unit: TimeUnit | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw how long jobs were predicted to wait against how long they did, a point for each prediction.

    Parameters
    ----------
    predicted : (n,) array_like of float
        Starts in seconds, such as those of `OnlineScheduler.estimate_start`, `Forecast.q50` or
        `PredictedStarts.expected`. NaN, where none was predicted, and inf, for a job that was not to start, are left
        out and counted.
    actual : (n,) array_like of float
        When these jobs started. NaN and inf likewise.
    since : float or (n,) array_like of float, default 0
        When that was predicted, or the jobs were released: waits count from then on.
    unit : TimeUnit, optional
        Unit of both axes; by default seconds to days, whichever suits, and on logarithmic axes several of them, each at
        its ticks.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        With the diagonal, on which a prediction was right. The legend tells the median absolute error, and the shares
        that were too early and too late: the job started after, and before what was predicted. More than 5,000
        predictions are a map of how many there are, the darker the more. With nothing but a note where none can be
        compared.

    Raises
    ------
    InvalidInstanceError
        If these are no columns of one length, and for starts before `since`.
    """
    waits = _waits(predicted, actual, since)
    known = np.isfinite(waits).all(axis=0)
    told, happened = waits[:, known]
    if not len(told):
        return note("no prediction that can be compared", ax)
    scale = choose_scale([told, happened]).whole()
    length = scale.unit_of_times(unit).length
    axes = axes_or_new(ax, width=5.0, height=5.4)
    axes.set_xlabel(scale.set_times(axes.xaxis, "predicted wait", unit))
    axes.set_ylabel(scale.set_times(axes.yaxis, "actual wait", unit))
    label = _in_words(told, happened, int((~known).sum()), unit)
    look = series(0)
    if len(told) > _MOST_POINTS:
        _draw_map(axes, told / length, happened / length)
        axes.plot([], [], linestyle="none", marker="s", color="0.35", label=label)
    else:
        axes.plot(
            told / length, happened / length, linestyle="none", marker=look.marker, markersize=3.5,
            color=look.colour, alpha=0.5, markeredgewidth=0, label=label,
        )  # fmt: skip
    ends = (0.0, scale.high / length)
    axes.plot(ends, ends, color=INK, linewidth=1.0, linestyle=(0, (4, 2)), label="as predicted")
    lighten(axes, "both")
    legend_above(axes)
    return axes


def _waits(predicted: ArrayLike, actual: ArrayLike, since: ArrayLike) -> NDArray[np.float64]:
    """(2, n) Predicted and actual waits."""
    columns = {"predicted": predicted, "actual": actual, "since": since}
    starts = {name: np.asarray(unmasked(column, name), dtype=np.float64) for name, column in columns.items()}
    shape, begin = starts["predicted"].shape, starts.pop("since")
    if len(shape) != 1 or starts["actual"].shape != shape or begin.shape not in ((), shape):
        raise InvalidInstanceError(
            f"predicted has shape {shape}, actual {starts['actual'].shape} and since {begin.shape}; need columns of "
            "one length"
        )
    begin = np.broadcast_to(begin, shape)
    for name, column in starts.items():
        wrong = np.flatnonzero(~np.isfinite(begin) | (column < begin))
        if len(wrong):
            row = int(wrong[0])
            raise InvalidInstanceError(
                f"{name}[{row}] = {column[row]} must not be before since = {begin[row]}, which must be finite"
            )
    return np.stack([column - begin for column in starts.values()])


def _in_words(
    told: NDArray[np.float64], happened: NDArray[np.float64], n_left_out: int, unit: TimeUnit | None
) -> str:
    error = readable_time(float(np.median(np.abs(happened - told))), unit)
    early, late = (percent(float(share.mean())) for share in (told < happened, told > happened))
    left_out = f" ({n_left_out:,} left out)" if n_left_out else ""
    return f"{len(told):,} predictions{left_out}: median error {error}, {early} too early, {late} too late"


def _draw_map(ax: Axes, x: NDArray[np.float64], y: NDArray[np.float64]) -> None:
    """Cells that are equally large in the drawing, in greys by the logarithm of how many points lie in them."""
    colors = import_extra("matplotlib.colors", "plot")
    greys = import_extra("matplotlib", "plot").colormaps["Greys"]
    corners = np.repeat(np.linspace(0.0, 1.0, _CELLS + 1)[:, np.newaxis], 2, axis=1)
    x_ends, y_ends = ax.transData.inverted().transform(ax.transAxes.transform(corners)).T
    x_ends[0] = y_ends[0] = 0.0  # nothing is lost by rounding
    count = np.histogram2d(x, y, bins=(x_ends, y_ends))[0].T
    ax.pcolormesh(
        x_ends, y_ends, np.ma.masked_equal(count, 0), cmap=colors.ListedColormap(greys(np.linspace(0.25, 1.0, 256))),
        norm=colors.LogNorm(1, max(2.0, float(count.max()))), rasterized=True,
    )  # fmt: skip
