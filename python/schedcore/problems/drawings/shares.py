"""What those who submitted the jobs had used over time, a panel a policy as long as panels differ visibly."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from schedcore.metrics import SharesOverTime, shares_over_time
from schedcore.plotting import plot_shares_over_time
from schedcore.plotting.alike import group_alike, visible_distance
from schedcore.plotting.shares import top_of
from schedcore.plotting.stack import Difference, stack_panels
from schedcore.plotting.used_shares import largest_users
from schedcore.problems.drawings.usage import COLUMNS
from schedcore.problems.evaluation import Comparison
from schedcore.problems.problem import Drawing
from schedcore.problems.time_units import origin_of, unit_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["SHARES_DRAWING"]

_WIDTH, _HEIGHT = 6.6, 1.7  # inches, of the figure and of a panel
_SHOWN = 5


def _draw_shares(comparison: Comparison) -> Figure | None:
    """All use counts alike: a workload has no site that would say how soon it is forgotten."""
    results = {found.policy: found.result for found in comparison.evaluations if found.result is not None}
    if comparison.column is None or not comparison.inst.n_jobs:
        return None
    ends = [float(result.runs.end_time.max(initial=0.0)) for result in results.values()]
    if not any(ends):
        return None
    # In the middle of each column, so that no policy is asked for the instant at which it has used nothing.
    edges = np.linspace(float(comparison.inst.release_time.min()), max(ends), COLUMNS + 1)
    middle = (edges[1:] + edges[:-1]) / 2
    shares = {
        policy: shares_over_time(result, middle, comparison.column, math.inf)
        for policy, result in results.items()
    }
    names = largest_users(list(shares.values()), _SHOWN)
    percent = {policy: 100 * _share_of(names, share) for policy, share in shares.items()}
    others = [
        100 * shares[policy].share_used.sum(axis=1) - lines.sum(axis=0) for policy, lines in percent.items()
    ]
    top = top_of(max(float(lines.max(initial=0.0)) for lines in (*percent.values(), *others)))
    unit, origin = unit_of(comparison.report, max(ends)), origin_of(comparison.report)

    def draw(ax: Axes, policy: str) -> None:
        plot_shares_over_time(shares[policy], shown=names, unit=unit, origin=origin, top=top, ax=ax)
        ax.set_ylabel("of all use (%)")

    def difference(shown: str, other: str) -> Difference:
        lines = percent[other] - percent[shown]
        most = int(np.abs(lines).max(axis=1).argmax())
        return Difference(names[most], lines[most])

    return stack_panels(
        group_alike(percent, lambda first, second: visible_distance(first, second, top)), draw, difference,
        edges=edges / unit.length, difference_label="points", size=(_WIDTH, _HEIGHT),
    )  # fmt: skip


def _share_of(names: Sequence[str], shares: SharesOverTime) -> npt.NDArray[np.float64]:
    """A row a name; of one that is nobody's of what was recorded nothing."""
    nothing = np.zeros(len(shares.share_used))
    rows = [
        shares.share_used[:, shares.names.index(name)] if name in shares.names else nothing for name in names
    ]
    return np.array(rows).reshape(len(names), len(nothing))


SHARES_DRAWING = Drawing("shares.png", _draw_shares, "Shares of all use over time")
