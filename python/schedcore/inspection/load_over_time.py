"""How does the offered load of a workload change: by hour, day or week of release, as numbers and as a line of blocks.

The load of a stretch of time is the work that arrives in it over the work that all machines could do in it.
"""

import dataclasses
import math

import numpy as np

from schedcore.model import Instance
from schedcore.model.arrays import FloatArray

__all__ = ["LoadOverTime", "load_over_time", "sparkline"]

_WIDEST = 50  # stretches, so that a line fits on a terminal
_HOUR, _DAY, _WEEK = 3600, 86_400, 604_800
_LENGTHS = ((_HOUR, "hour"), (_DAY, "day"), (_WEEK, "week"))
_FIRST_DAYS = 2  # so many days are shown by hour
_BLOCKS = "▁▂▃▄▅▆▇█"


@dataclasses.dataclass(frozen=True, eq=False)
class LoadOverTime:
    """Offered loads of stretches of equal length, from the first release on.

    Parameters
    ----------
    seconds : int
        Length of a stretch.
    word : str
        The same in words, as "day" or "4 weeks".
    start : float
        When the first one begins.
    load : (n_stretches, n_resources) float64
        The last stretch counts as whole, although jobs may arrive in its beginning alone; a single one only until the
        last release.
    """

    seconds: int
    word: str
    start: float
    load: FloatArray


def load_over_time(instance: Instance) -> LoadOverTime | None:
    """Return the load by hour (of up to two days), by day, or by as many weeks as keep it short.

    None where all jobs come at once. O(n_jobs * n_resources).
    """
    release = instance.jobs.release_time
    if not len(release) or release.min() == release.max():
        return None
    start = float(release.min())
    span = float(release.max()) - start
    seconds, word = _length(span)
    count = math.floor(span / seconds) + 1
    stretch = np.floor((release - start) / seconds).astype(np.int64)
    work = instance.demand_of_all_tasks() * instance.jobs.processing_time[:, np.newaxis]
    arrived = np.column_stack([np.bincount(stretch, column, count) for column in work.T])
    capacity = instance.machines.capacity.sum(axis=0, dtype=np.float64)
    possible = (span if count == 1 else seconds) * capacity
    load = np.divide(arrived, possible, out=np.zeros_like(arrived), where=possible > 0)
    return LoadOverTime(seconds, word, start, load)


def _length(span: float) -> tuple[int, str]:
    if span <= _FIRST_DAYS * _DAY:
        return _LENGTHS[0]
    if span <= _WIDEST * _DAY:
        return _LENGTHS[1]
    weeks = math.ceil(span / _WEEK / _WIDEST)
    return weeks * _WEEK, "week" if weeks == 1 else f"{weeks} weeks"


def sparkline(values: FloatArray) -> str:
    """Return a block for each value, the highest for the largest, a dot for 0."""
    most = float(values.max(initial=0.0))
    if most <= 0:
        return "." * len(values)
    steps = np.minimum(np.ceil(values / most * len(_BLOCKS)).astype(np.int64), len(_BLOCKS))
    return "".join("." if step == 0 else _BLOCKS[step - 1] for step in steps.tolist())
