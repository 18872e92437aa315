"""A synthetic stand-in for the Azure packing trace of 2020, for users without the data set.

Lifetimes follow a table fitted to the published figures, in integers; the rest of a request is drawn by
`azure_requests`. So the same seed gives the same instance everywhere. One time unit is a second, a machine has
1,000,000 units of each resource. Lifetimes go from 5 seconds to 90 days (median 2.5 h, mean 0.6 days).
"""

import numpy as np

from schedcore.model import Instance
from schedcore.model.arrays import FloatArray
from schedcore.workloads.draws.splitmix import UInt64Array, scaled_u53, u53
from schedcore.workloads.standins.azure_requests import LONGEST, SHORTEST, drawn_requests

__all__ = ["azure_like"]

# Quantile function of the lifetime: (per mille, seconds), linear in between.
_LIFETIME = np.array(
    [
        (0, SHORTEST),
        (20, 120),
        (80, 300),
        (200, 900),
        (350, 2700),
        (500, 9000),
        (620, 21600),
        (720, 43200),
        (820, 75600),
        (900, 108000),
        (950, 172800),
        (980, 259200),
        (993, 518400),
        (998, 1296000),
        (1000, LONGEST),
    ],
    dtype=np.uint64,
)


def azure_like(seed: int, n_jobs: int, n_machines: int = 20, n_resources: int = 4) -> Instance:
    """Draw a workload in the image of AzureTracesForPacking2020.

    Parameters
    ----------
    seed : int
        In [0, 2**64); the customary ten job sets are the seeds 1..10.
    n_jobs : int
        May be 0.
    n_machines : int
        Identical machines with 1,000,000 units of every resource.
    n_resources : int
        1..4 keep the first of core, memory, storage, nic. Each one beyond four gives every job the core
        demand of a job drawn at random.

    Returns
    -------
    Instance
        Jobs by release time (seconds); equal release times in the order of the draws.

    Raises
    ------
    InvalidInstanceError
        For an argument out of range; names it.

    Notes
    -----
    O(n_jobs log n_jobs) time for the sort and about 300 bytes per job at four resources.
    """
    return drawn_requests(seed, n_jobs, n_machines, n_resources, _lifetimes)


def _lifetimes(draws: UInt64Array) -> FloatArray:
    """Interpolate the quantile function at a 53-bit fraction, exactly.

    With x = 1000 u in units of 2**-53 and the interval [q0, q1) that holds it, nested floors collapse:
    floor(floor((x - q0 2^53) (s1 - s0) / (q1 - q0)) / 2^53) = floor((x - q0 2^53) (s1 - s0) / ((q1 - q0)
    2^53)).
    """
    quantile, seconds = _LIFETIME.T
    x = u53(draws) * np.uint64(1000)
    interval = np.searchsorted(quantile[1:] << np.uint64(53), x, side="right")
    x -= quantile[interval] << np.uint64(53)
    result = scaled_u53(x, np.diff(seconds)[interval], np.diff(quantile)[interval])
    result += seconds[interval]
    return result.astype(np.float64)
