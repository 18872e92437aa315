"""A synthetic stand-in for the Azure packing trace of 2020, for users without the data set.

Lifetimes, demands, weights and the daily rhythm of arrivals follow tables fitted to the published figures;
all arithmetic is in integers, so the same seed gives the same instance everywhere. One time unit is a second,
a machine has 1,000,000 units of each resource. Lifetimes go from 5 seconds to 90 days (median 2.5 h, mean
0.64 days); releases spread over 300 hours.
"""

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from schedcore.model import Instance, Jobs, Machines
from schedcore.model.arrays import IntArray
from schedcore.model.integers import at_least
from schedcore.workloads.azure.packing_trace import resource_names
from schedcore.workloads.draws.splitmix import Draws, UInt64Array, scaled_u53, u53
from schedcore.workloads.transforms.resources import draw_extra_demands

__all__ = ["azure_like"]

_Number = TypeVar("_Number", np.int64, np.float64)

_CAPACITY = 1_000_000
_HOURS = 300

# Quantile function of the lifetime: (per mille, seconds), linear in between.
_LIFETIME = np.array(
    [
        (0, 5),
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
        (1000, 7776000),
    ],
    dtype=np.uint64,
)


def _lookup(*shares_and_values: tuple[int, int]) -> IntArray:
    """Return the value of each x in 0..sum of shares - 1, as walking the table of (share, value) finds it."""
    shares, values = zip(*shares_and_values, strict=True)
    return np.repeat(np.array(values, dtype=np.int64), shares)


_CORE = _lookup(
    (27, 3000), (18, 8000), (10, 30000), (11, 60000), (11, 125000), (10, 250000), (8, 400000), (5, 640000)
)
_HOST = _lookup((5, 4), (3, 3), (2, 5))  # the random machine type of a VM type, in quarters
_MEMORY = _lookup((35, 2), (35, 4), (20, 5), (8, 7), (2, 10))  # quarters of the core demand, as the next two
_STORAGE = _lookup((40, 0), (30, 2), (20, 4), (10, 6))
_NIC = _lookup((50, 1), (35, 2), (15, 4))
_DAY = (8, 7, 7, 7, 7, 8, 9, 11, 12, 13, 13, 13, 13, 13, 13, 13, 12, 12, 11, 10, 9, 9, 8, 8)
_HOUR = _lookup(*((_DAY[hour % 24], hour) for hour in range(_HOURS)))

_PER_JOB = 9  # lifetime, core, host, memory, storage, nic, weight, hour, second


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
    at_least(0, n_jobs=n_jobs)
    at_least(1, n_resources=n_resources)
    draws = Draws(seed, n_jobs, _PER_JOB)
    release_time = _release_time(draws)
    order = np.argsort(release_time, kind="stable")

    demand = np.empty((n_jobs, n_resources), dtype=np.int64)
    core = np.minimum(_pick(draws, 1, _CORE) * _pick(draws, 2, _HOST) // 4, _CAPACITY)[order]
    demand[:, 0] = core
    for resource, table in enumerate((_MEMORY, _STORAGE, _NIC)[: n_resources - 1], start=1):
        factor = _pick(draws, 2 + resource, table)[order]
        np.minimum(core * factor // 4, _CAPACITY, out=demand[:, resource])
    draw_extra_demands(demand[:, 4:], core, seed, skip=_PER_JOB * n_jobs)

    jobs = Jobs(
        processing_time=_read_only(_lifetime(draws)[order].astype(np.float64)),
        demand=_read_only(demand),
        release_time=_read_only(release_time[order].astype(np.float64)),
        weight=_read_only(np.where(draws.below(6, 100) < 2, 2.0, 1.0)[order]),
    )
    machines = Machines.identical(n_machines, [_CAPACITY] * n_resources, resource_names(n_resources))
    return Instance(jobs, machines)


def _release_time(draws: Draws) -> IntArray:
    release_time = _pick(draws, 7, _HOUR) * 3600
    release_time += draws.below(8, 3600).astype(np.int64)
    return release_time


def _lifetime(draws: Draws) -> UInt64Array:
    """Interpolate the quantile function at a 53-bit fraction, exactly.

    With x = 1000 u in units of 2**-53 and the interval [q0, q1) that holds it, nested floors collapse:
    floor(floor((x - q0 2^53) (s1 - s0) / (q1 - q0)) / 2^53) = floor((x - q0 2^53) (s1 - s0) / ((q1 - q0)
    2^53)).
    """
    quantile, seconds = _LIFETIME.T
    x = u53(draws.column(0)) * np.uint64(1000)
    interval = np.searchsorted(quantile[1:] << np.uint64(53), x, side="right")
    x -= quantile[interval] << np.uint64(53)
    result = scaled_u53(x, np.diff(seconds)[interval], np.diff(quantile)[interval])
    result += seconds[interval]
    return result


def _pick(draws: Draws, index: int, table: IntArray) -> IntArray:
    return table[draws.below(index, len(table)).astype(np.intp)]


def _read_only(array: NDArray[_Number]) -> NDArray[_Number]:
    """Promise that nobody writes to `array` any more, which spares `Jobs` its copy."""
    array.setflags(write=False)
    return array
