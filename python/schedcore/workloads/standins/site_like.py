"""Synthetic stand-ins for the logs of three supercomputers, by node: jobs over many machines, with estimates.

The machines are those of the Parallel Workloads Archive: CEA Curie, and Thunder and Atlas of LLNL. The first two ran
mostly small and medium jobs, the last one was there for large ones. What jobs are like follows tables of round numbers,
not the logs. Sizes are powers of two, mostly small. Lengths go from seconds to a day, most below an hour. People ask
for one of few time limits, often for much more than they need. Days are busier than nights, and some weeks than others,
so that queues build up and drain again. All arithmetic is in integers, but for the span of the arrivals: the same seed
gives the same instance everywhere. A time unit is a second.

They are there to measure how fast policies are on such machines. How good policies are, recorded logs tell.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from schedcore.errors import InvalidInstanceError
from schedcore.model import Instance, Jobs, Machines
from schedcore.model.arrays import IntArray
from schedcore.model.choices import check_choice
from schedcore.model.integers import at_least
from schedcore.model.real_numbers import finite_number, shown
from schedcore.workloads.draws.splitmix import Draws, draws_at, scaled_u53, u53

__all__ = ["atlas_like", "curie_like", "thunder_like"]

Tasks = Literal["nodes", "cores"]

#: Time limits that people ask for.
_LIMITS = np.array([900, 1800, 3600, 7200, 14400, 28800, 43200, 86400], dtype=np.int64)
#: Steps beyond the least limit that suffices, in percent of the jobs; the last one asks for the most there is.
_STEPS = np.repeat([0, 1, 2, 3, len(_LIMITS)], [20, 25, 15, 10, 30])
#: Hours of a day at which so many 24ths of its jobs have come.
_DAY = np.array(
    (0, 2, 4, 6, 7.5, 8.5, 9.25, 10, 10.6, 11.2, 11.9, 12.6, 13.3, 13.9, 14.5, 15.1, 15.7, 16.4, 17.1, 18, 19, 20.2,
     21.4, 22.7, 24)
)  # fmt: skip
_SECONDS = 86_400
_WEEK = 7 * _SECONDS
#: How busy a week is, for their mean.
_WEEKS = np.array([2, 3, 3, 4, 5, 6, 7], dtype=np.int64)
_SALT = 0x5EED0FEE65  # of the stream that draws them
_PER_JOB = 5  # nodes, length, limit, week, instant within


@dataclass(frozen=True)
class _Site:
    """A machine, and tables of its jobs: (share, nodes) in per mille, and (per mille, seconds), linear in between."""

    n_nodes: int
    cores: int
    nodes: tuple[tuple[int, int], ...]
    length: tuple[tuple[int, int], ...]


_CURIE = _Site(
    5544, 16,
    ((300, 1), (80, 2), (120, 4), (120, 8), (120, 16), (100, 32), (80, 64), (50, 128), (20, 256), (8, 512), (2, 1024)),
    ((0, 1), (100, 10), (250, 60), (400, 300), (550, 1200), (700, 3600), (800, 7200), (880, 18000), (940, 43200),
     (980, 79200), (1000, 86400)),
)  # fmt: skip
_THUNDER = _Site(
    1002, 4,
    ((350, 1), (150, 2), (150, 4), (140, 8), (100, 16), (60, 32), (35, 64), (12, 128), (3, 256)),
    ((0, 1), (150, 20), (300, 120), (500, 600), (650, 1800), (800, 5400), (900, 14400), (960, 36000), (1000, 43200)),
)  # fmt: skip
_ATLAS = _Site(
    1152, 8,
    ((150, 1), (80, 2), (120, 4), (150, 8), (160, 16), (140, 32), (100, 64), (60, 128), (30, 256), (9, 512), (1, 1024)),
    ((0, 1), (150, 30), (300, 300), (450, 1200), (600, 3600), (750, 10800), (880, 36000), (950, 57600), (1000, 86400)),
)  # fmt: skip


def curie_like(seed: int, n_jobs: int, load: float = 0.85, tasks: Tasks = "nodes") -> Instance:
    """Draw jobs for 5,544 nodes of 16 cores, in the image of CEA Curie.

    Parameters
    ----------
    seed : int
        In [0, 2**64).
    n_jobs : int
        May be 0. The log has some 300,000, of 20 months.
    load : float
        Offered load: the work of the jobs for what the machine can do while they arrive; above 0.
    tasks : {"nodes", "cores"}
        What a job is: a task for each whole node, or one for each core.

    Returns
    -------
    Instance
        One resource, cores. Jobs by release time.

    Raises
    ------
    InvalidInstanceError
        For an argument out of range; names it.

    Notes
    -----
    O(n_jobs log n_jobs) time, and about 100 bytes a job.
    """
    return _drawn(_CURIE, seed, n_jobs, load, tasks)


def thunder_like(seed: int, n_jobs: int, load: float = 0.85, tasks: Tasks = "nodes") -> Instance:
    """Draw jobs for 1,002 nodes of 4 cores, in the image of LLNL Thunder, as `curie_like` does.

    The log has some 120,000 jobs, of 5 months.
    """
    return _drawn(_THUNDER, seed, n_jobs, load, tasks)


def atlas_like(seed: int, n_jobs: int, load: float = 0.85, tasks: Tasks = "nodes") -> Instance:
    """Draw jobs for 1,152 nodes of 8 cores, in the image of LLNL Atlas, as `curie_like` does.

    The log has some 60,000 jobs, of 8 months, and larger ones than those of the others.
    """
    return _drawn(_ATLAS, seed, n_jobs, load, tasks)


def _drawn(site: _Site, seed: int, n_jobs: int, load: float, tasks: str) -> Instance:
    at_least(0, n_jobs=n_jobs)
    check_choice("tasks", tasks, ("nodes", "cores"))
    if not finite_number("load", load, above_0=True) >= 2.0**-20:
        raise InvalidInstanceError(f"load = {shown(load)} must be at least 2**-20")
    draws = Draws(seed, n_jobs, _PER_JOB)
    share, sizes = np.array(site.nodes, dtype=np.int64).T
    nodes = np.repeat(sizes, share)[draws.below(0, int(share.sum())).astype(np.intp)]
    length = _lengths(site, draws)
    span = int(int((nodes * length).sum()) / (load * site.n_nodes)) + 1
    release = _arrivals(draws, seed, span)
    order = np.argsort(release, kind="stable")
    by_node = tasks == "nodes"
    jobs = Jobs(
        processing_time=length[order].astype(np.float64),
        demand=np.full((n_jobs, 1), site.cores if by_node else 1, dtype=np.int64),
        release_time=release[order].astype(np.float64),
        estimated_processing_time=_limits(length, draws)[order].astype(np.float64),
        n_tasks=(nodes if by_node else nodes * site.cores)[order],
    )
    return Instance(jobs, Machines.identical(site.n_nodes, [site.cores], ["cores"]))


def _lengths(site: _Site, draws: Draws) -> IntArray:
    """Interpolate the quantile function at a 53-bit fraction, exactly, as `azure_like` does."""
    quantile, seconds = np.array(site.length, dtype=np.uint64).T
    x = u53(draws.column(1)) * np.uint64(1000)
    interval = np.searchsorted(quantile[1:] << np.uint64(53), x, side="right")
    x -= quantile[interval] << np.uint64(53)
    result = scaled_u53(x, np.diff(seconds)[interval], np.diff(quantile)[interval])
    lengths: IntArray = (result + seconds[interval]).astype(np.int64)
    return lengths


def _limits(length: IntArray, draws: Draws) -> IntArray:
    least = np.searchsorted(_LIMITS, length)
    steps = _STEPS[draws.below(2, len(_STEPS)).astype(np.intp)]
    limit: IntArray = _LIMITS[np.minimum(least + steps, len(_LIMITS) - 1)]
    return limit


def _arrivals(draws: Draws, seed: int, span: int) -> IntArray:
    """Spread over weeks that are busy or calm, evenly over their days, and within a day as `_DAY` says."""
    n_weeks = max(1, round(span / _WEEK))
    load = _WEEKS[(draws_at(seed ^ _SALT, np.arange(n_weeks)) % np.uint64(len(_WEEKS))).astype(np.intp)]
    week = np.repeat(np.arange(n_weeks), load)[draws.below(3, int(load.sum())).astype(np.intp)]
    length = np.full(week.shape, -(-span // n_weeks), dtype=np.uint64)
    within = scaled_u53(u53(draws.column(4)), length, np.uint64(1)).astype(np.int64)
    day, second = np.divmod(week * length.astype(np.int64) + within, _SECONDS)
    hour, rest = np.divmod(second, 3600)
    begin = np.round(_DAY * 3600).astype(np.int64)
    warped: IntArray = day * _SECONDS + begin[hour] + rest * np.diff(begin)[hour] // 3600
    return warped
