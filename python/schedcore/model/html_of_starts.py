"""What a notebook shows of a schedule alone, without its jobs: when how many start, and on how many machines.

O(n_jobs), without sorting but for machine indices far above the number of jobs.
"""

import numpy as np

from .arrays import FloatArray, IntArray
from .html_text import Html, sparkline
from .readable import readable_time
from .time_bins import N_BINS, sums_in_bins

__all__ = ["picture_of_starts", "start_facts"]


def start_facts(start_time: FloatArray, machine: IntArray) -> list[tuple[str, object]]:
    """Return when the jobs of a schedule start, how many do not, and how many machines the others use."""
    starts = start_time[np.isfinite(start_time)]
    waiting = len(start_time) - len(starts)
    pairs: list[tuple[str, object]] = [("not started", waiting if waiting else "")]
    if len(starts):
        pairs.append(
            ("starts", f"from {readable_time(float(starts.min()))} to {readable_time(float(starts.max()))}")
        )
    return [*pairs, ("machines used", _n_distinct(machine[machine >= 0]))]


def picture_of_starts(start_time: FloatArray) -> Html:
    """Return how many jobs start over time; nothing where all start at once."""
    starts = start_time[np.isfinite(start_time)]
    if not len(starts):
        return Html("")
    first, last = float(starts.min()), float(starts.max())
    counts = sums_in_bins(starts, None, first, last)
    part = readable_time(last / N_BINS - first / N_BINS)
    return sparkline(counts.tolist(), f"starts, in parts of {part}; at most {counts.max():,.0f}")


def _n_distinct(machine: IntArray) -> int:
    if not len(machine):
        return 0
    if machine.max() < 10 * len(machine) + 1000:
        return int(np.count_nonzero(np.bincount(machine)))
    return len(np.unique(machine))
