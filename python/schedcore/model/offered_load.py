"""How much work arrives, compared with what machines can do in the same time, from columns."""

import numpy as np

from .arrays import FloatArray, IntArray

__all__ = ["load_per_resource"]


def load_per_resource(release_time: FloatArray, work: FloatArray, capacity: IntArray) -> FloatArray:
    """(n_resources,) Return work over total capacity times the span of the release times.

    0 without jobs, NaN where all are released at one instant, infinite where a resource without capacity is demanded.
    """
    if len(release_time) == 0:
        return np.zeros(capacity.shape[1])
    horizon = float(release_time.max() - release_time.min())
    if horizon == 0:
        return np.full(capacity.shape[1], np.nan)
    possible = capacity.sum(axis=0, dtype=np.float64) * horizon
    load: FloatArray = np.full(capacity.shape[1], np.inf)
    np.divide(work, possible, out=load, where=possible > 0)
    load[work == 0] = 0.0
    return load
