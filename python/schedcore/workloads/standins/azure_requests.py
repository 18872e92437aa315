"""Requests in the image of the Azure packing trace of 2020: all but their lifetimes.

Demands, weights and the daily rhythm of arrivals follow tables fitted to the published figures. All arithmetic is in
integers, so the same seed gives the same requests everywhere. One time unit is a second, a machine has 1,000,000 units
of each resource, and releases spread over 300 hours.

Each request draws its lifetime first and the rest after it. So stand-ins that differ in their lifetimes alone
(`azure_like`, `azure_heavy`) have the same requests otherwise.
"""

from collections.abc import Callable
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from schedcore.model import Instance, Jobs, Machines
from schedcore.model.arrays import FloatArray, IntArray
from schedcore.model.integers import at_least
from schedcore.workloads.azure.packing_trace import resource_names
from schedcore.workloads.draws.splitmix import Draws, UInt64Array
from schedcore.workloads.transforms.resources import draw_extra_demands

__all__ = ["LONGEST", "SHORTEST", "drawn_requests"]

_Number = TypeVar("_Number", np.int64, np.float64)

#: Lifetimes in seconds: the trace has seconds to 90 days.
SHORTEST = 5
LONGEST = 7_776_000

_CAPACITY = 1_000_000
_HOURS = 300


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


def drawn_requests(
    seed: int, n_jobs: int, n_machines: int, n_resources: int, lifetimes: Callable[[UInt64Array], FloatArray]
) -> Instance:
    """Draw requests whose lifetimes are a function of one draw each; all else is said of `azure_like`.

    Parameters
    ----------
    seed, n_jobs, n_machines, n_resources : int
        As `azure_like` takes them.
    lifetimes : callable
        Takes a column of draws, as next() gives them, and returns whole seconds, above 0.
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
        processing_time=_read_only(lifetimes(draws.column(0))[order]),
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


def _pick(draws: Draws, index: int, table: IntArray) -> IntArray:
    return table[draws.below(index, len(table)).astype(np.intp)]


def _read_only(array: NDArray[_Number]) -> NDArray[_Number]:
    """Promise that nobody writes to `array` any more, which spares `Jobs` its copy."""
    array.setflags(write=False)
    return array
