"""How much there is in equal parts of a stretch of time: coarse, in float64 and linear time, for small pictures.

What is not finite counts nowhere. `schedcore.metrics` has the exact functions of time.
"""

import numpy as np

from .arrays import FloatArray

__all__ = ["N_BINS", "mean_in_bins", "sums_in_bins"]

#: About as many steps as a small picture can show.
N_BINS = 60


def sums_in_bins(
    instants: FloatArray, amounts: FloatArray | None, first: float, last: float, n_bins: int = N_BINS
) -> FloatArray:
    """(n_bins,) Return the sum of the amounts (default: 1 each) at instants in each part of [first, last]; O(n)."""
    place = _places(instants, first, last, n_bins)
    kept = np.isfinite(place) & (place >= 0) & (place <= n_bins)
    bins = np.minimum(place[kept].astype(np.int64), n_bins - 1)
    return np.bincount(bins, None if amounts is None else amounts[kept], n_bins).astype(np.float64)


def mean_in_bins(
    start: FloatArray, end: FloatArray, amounts: FloatArray, first: float, last: float, n_bins: int = N_BINS
) -> FloatArray:
    """(n_bins,) Return what is held on average in each part of [first, last], where amounts are held on [start, end).

    O(n): no sorting. The area up to each edge is a sum over the bins before it.
    """
    begin, until = (np.clip(_places(instants, first, last, n_bins), 0, n_bins) for instants in (start, end))
    kept = np.isfinite(begin) & np.isfinite(until)
    begin, until, amounts = begin[kept], until[kept], amounts[kept]
    area = _area_until_edges(begin, amounts, n_bins) - _area_until_edges(until, amounts, n_bins)
    return np.maximum(np.diff(area), 0.0)


def _places(instants: FloatArray, first: float, last: float, n_bins: int) -> FloatArray:
    """Where the instants lie, in bins; NaN where the stretch has no length. Halves, as last - first may overflow."""
    length = last / 2 - first / 2
    with np.errstate(all="ignore"):
        return (instants / 2 - first / 2) / length * n_bins if length > 0 else np.full(len(instants), np.nan)


def _area_until_edges(place: FloatArray, amounts: FloatArray, n_bins: int) -> FloatArray:
    """(n_bins + 1,) The area under amounts that are held from their place on, up to each edge."""
    bins = place.astype(np.int64)
    held = np.bincount(bins, amounts, n_bins + 1)[:n_bins].cumsum()
    moment = np.bincount(bins, amounts * place, n_bins + 1)[:n_bins].cumsum()
    return np.concatenate(([0.0], np.arange(1, n_bins + 1) * held - moment))
