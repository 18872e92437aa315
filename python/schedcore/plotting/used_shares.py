"""What accounts used of a cluster over time beside what they were promised.

Each account is a line in its own style, and what it was promised a thin one at the same colour. Accounts beyond the
largest few are one line together, so that their number does not fill the drawing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from schedcore.metrics import SharesOverTime
from schedcore.model.choices import check_choice
from schedcore.model.integers import checked_integer
from schedcore.plotting.dates import label_time
from schedcore.plotting.readable import TimeUnit, percent, readable_unit
from schedcore.plotting.shares import top_of
from schedcore.plotting.style import INK, Series, axes_or_new, legend_above, lighten, note, series

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST = 11  # lines that differ by style, beside that of the others
_OTHERS = Series(INK, (0, (1, 1.6)), 1.4, "", "")


def plot_shares_over_time(
    shares: SharesOverTime,
    *,
    shown: int | Sequence[str] = 5,
    unit: TimeUnit | None = None,
    origin: str | None = None,
    top: float | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the shares used as lines, and those promised as thin ones.

    Parameters
    ----------
    shares : SharesOverTime
        Of `schedcore.metrics.shares_over_time`. Times in seconds.
    shown : int or sequence of str, default 5
        How many accounts have a line of their own, those of the largest mean share; or which ones. At most 11. The
        others are one line together.
    unit : TimeUnit, optional
        Unit of the time axis; by default seconds to days, whichever reads best.
    top : float, optional
        Upper end of the axis, in percent; by default as high as the lines need.
    origin : str, optional
        The date of time 0 in ISO 8601, such as `DataReport.origin`: the time axis then shows dates.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        With nothing but a note where nothing was used.

    Raises
    ------
    InvalidInstanceError
        If there are more or fewer of them, or one that the shares do not know.
    TypeError
        If `shown` is neither an integer nor names.
    """
    chosen = (
        largest_users([shares], int(shown))
        if isinstance(shown, (int, np.integer))
        else list(dict.fromkeys(shown))
    )
    checked_integer("number of accounts shown", len(chosen), 0, _MOST)
    for name in chosen:
        check_choice(shares.column, name, shares.names)
    used, promised = _in_percent(shares, chosen)
    n_others = len(shares.names) - len(chosen)
    names = [*chosen, f"{n_others} others" if n_others > 1 else "1 other"][: used.shape[1]]
    used[shares.used.sum(axis=1) == 0] = np.nan  # nobody has a share of nothing
    if np.isnan(used).all():
        return note("nothing was used", ax)
    order = np.argsort(shares.time, kind="stable")
    time, used = shares.time[order], used[order]
    unit = readable_unit(float(time[-1])) if unit is None else unit
    axes = axes_or_new(ax)
    for index, name in enumerate(names):
        look = series(index) if index < len(chosen) else _OTHERS
        share = "" if promised is None else f" (promised {percent(promised[index] / 100)})"
        axes.plot(
            time / unit.length, used[:, index], color=look.colour, linestyle=look.line, linewidth=look.width,
            label=name + share,
        )  # fmt: skip
        if promised is not None:
            axes.axhline(promised[index], color=look.colour, linewidth=0.8, linestyle=look.line, alpha=0.6)
    highest = max(float(np.nanmax(used)), 0.0 if promised is None else float(promised.max()))
    if time[-1] > time[0]:
        axes.set_xlim(time[0] / unit.length, time[-1] / unit.length)
    axes.set_ylim(0, top_of(highest) if top is None else top)
    lighten(axes, "y")
    label_time(axes, unit, origin)
    axes.set_ylabel("share of all use (%)")
    legend_above(axes)
    return axes


def largest_users(shares: Sequence[SharesOverTime], n_shown: int) -> list[str]:
    """The names of the largest mean shares of all use, over all of these, which know the same names; largest first.

    All names, if but one were left out.
    """
    n_shown = checked_integer("number of accounts shown", n_shown, 1, _MOST)
    names = shares[0].names
    if len(names) == n_shown + 1 <= _MOST:
        n_shown += 1
    mean = np.sum(
        [each.share_used.mean(axis=0) if len(each.time) else np.zeros(len(names)) for each in shares], axis=0
    )
    return [names[index] for index in np.argsort(-mean, kind="stable")[:n_shown]]


def _in_percent(
    shares: SharesOverTime, chosen: Sequence[str]
) -> tuple[NDArray[np.float64], NDArray[np.float64] | None]:
    """Shares used and promised of the chosen ones in this order, and of all others together, if there are any."""
    own = [shares.names.index(name) for name in chosen]
    others = np.setdiff1d(np.arange(len(shares.names)), own)

    def gathered(values: NDArray[np.float64]) -> NDArray[np.float64]:
        together = [values[..., others].sum(axis=-1, keepdims=True)] if len(others) else []
        return 100 * np.concatenate([values[..., own], *together], axis=-1)

    return gathered(shares.share_used), None if shares.promised is None else gathered(shares.promised)
