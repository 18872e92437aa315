"""Curves that cells keep: numbers over time, or over an amount, and what several job sets have in common.

Runs on one instance keep the same places as far as they go, so there they are compared without interpolation. Beyond
its end a curve stays as it is: what was done stays done.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Curve", "mean_curve", "share_below"]

_N_PLACES = 240


class Curve(NamedTuple):
    """Numbers `y` at ascending places `x`; in between it is straight, or as at the place before if `is_stepped`."""

    x: NDArray[np.float64]
    y: NDArray[np.float64]
    is_stepped: bool

    def at(self, places: NDArray[np.float64]) -> NDArray[np.float64]:
        """The numbers at ascending places; before the first place of a stepped curve 0."""
        if not self.is_stepped:
            return np.interp(places, self.x, self.y)
        before = np.searchsorted(self.x, places, side="right")
        return np.concatenate([[0.0], self.y])[before]


def mean_curve(curves: Sequence[Curve]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Places and the mean of the curves of some job sets there: at the places of a single one, else all along."""
    if len(curves) == 1:
        return curves[0].x, curves[0].y
    if any(curve.is_stepped for curve in curves):
        places = np.unique(np.concatenate([curve.x for curve in curves]))
    else:
        places = np.linspace(min(c.x[0] for c in curves), max(c.x[-1] for c in curves), _N_PLACES + 1)
    return places, np.mean([curve.at(places) for curve in curves], axis=0)


def share_below(first: Curve, second: Curve) -> float:
    """The share of the places at which the first curve is at most the second.

    Places are those that both have, and those of either beyond the end of the other.
    """
    end = min(first.x[-1], second.x[-1])
    longer = first.x if first.x[-1] > end else second.x
    places = np.union1d(np.intersect1d(first.x, second.x), longer[longer > end])
    return float(np.mean(first.at(places) <= second.at(places))) if len(places) else float("nan")
