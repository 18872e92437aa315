"""What is in use over time, a panel a policy as long as panels differ visibly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from schedcore.plotting import TimeUnit
from schedcore.plotting.alike import group_alike, visible_distance
from schedcore.plotting.shares import draw_shares, top_of
from schedcore.plotting.stack import Difference, stack_panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["COLUMNS", "draw_usage"]

COLUMNS = 200  # in which panels are drawn or compared
_ROUNDING = 1e-9  # percent: what sums in another order may differ by


def draw_usage(
    shares: Mapping[str, NDArray[np.float64]],
    edges: NDArray[np.float64],
    names: Sequence[str],
    unit: TimeUnit,
    width: float,
    down: NDArray[np.float64] | None = None,
    origin: str | None = None,
) -> Figure:
    """Draw percent (n_names, n_columns) in use, by policy, and what was down; over dates if that of time 0 is given."""
    is_down = down is not None and bool(down.any())
    top = top_of(100.0 if is_down else max(float(percent.max(initial=0.0)) for percent in shares.values()))

    def draw(ax: Axes, policy: str) -> None:
        draw_shares(edges, shares[policy], names, unit=unit, origin=origin, top=top, down=down, ax=ax)
        ax.set_ylabel("in use (%)")

    def difference(shown: str, other: str) -> Difference:
        lines = shares[other] - shares[shown]
        lines[np.abs(lines) < _ROUNDING] = 0.0
        most = int(np.abs(lines).max(axis=1).argmax()) if lines.size else 0
        return Difference(names[most] if len(names) > 1 else "", lines[most])

    return stack_panels(
        group_alike(shares, lambda first, second: visible_distance(first, second, top)), draw, difference,
        edges=edges / unit.length, difference_label="points", size=(width, 1.45),
    )  # fmt: skip
