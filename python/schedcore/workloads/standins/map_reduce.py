"""Synthetic jobs of map and reduce tasks, in the image of those on which OCORP's extension to MapReduce was tried.

The evaluation [Xu2021]_ gives no numbers of its trace beyond a plot. Here "thin" jobs are like the single jobs of the
same paper, a few of them very long and narrow, with as many map tasks as those have cores; "bushy" jobs have many short
tasks. One time unit is a slot.

All logarithms come from `portable_functions`, so the same seed gives the same instance everywhere.

.. [Xu2021] H. Xu, Y. Liu, W. C. Lau, "Optimal job scheduling with resource packing for heterogeneous servers",
   IEEE/ACM Transactions on Networking 29(4), 2021.
"""

import math
from typing import Literal, NamedTuple

import numpy as np

from schedcore.errors import InvalidInstanceError
from schedcore.model import Machines, MapReduceInstance
from schedcore.model.arrays import IntArray
from schedcore.model.integers import checked_integer
from schedcore.model.real_numbers import finite_number
from schedcore.workloads.draws.portable_functions import exponential, normal_quantile
from schedcore.workloads.draws.splitmix import Draws, check_seed, open_uniform, scaled_u53, u53
from schedcore.workloads.models.slotted_machines import log_load
from schedcore.workloads.reading.annotated_arguments import checks_choices
from schedcore.workloads.standins.slotted_classes import (
    SLOTTED_FAMILIES,
    ClassTimes,
    class_times,
    demands,
    draw_one_of,
)

__all__ = ["MapReduceFamily", "mapreduce_standin"]

MapReduceFamily = Literal["thin", "bushy"]

_SERVER_CORES = 8
_WINDOW = {"thin": 3600, "bushy": 1200}
_MOST_SLOTS = 2**30
_MOST_CORES_IN_ALL = 2**30

_THIN_TIMES = ClassTimes(short=(3, 0.8), medium=(20, 0.7), long=(130, 1700))
_BUSHY_TASKS, _MOST_BUSHY_TASKS = (4.0, 1.0), 40
_BUSHY_MAP, _BUSHY_REDUCE = (5.0, 1.0), (6.0, 1.0)  # median and sigma
_MOST_CORES = 4

# Which draw of a job says what; a family may leave some out.
_CLASS, _MAP_TASKS, _MAP_TIME, _REDUCE_TIME, _REDUCE_TASKS, _MAP_CORES, _REDUCE_CORES, _RELEASE = range(8)
_PER_JOB = 8


class _Phases(NamedTuple):
    map_tasks: IntArray
    map_cores: IntArray
    map_time: IntArray
    reduce_cores: IntArray
    reduce_time: IntArray


@checks_choices
def mapreduce_standin(
    n_jobs: int,
    seed: int,
    *,
    family: MapReduceFamily = "thin",
    load: float = 0.8,
    window: int | None = None,
) -> MapReduceInstance:
    """Draw jobs of map and reduce tasks, and as many servers with 8 cores as the load asks for.

    Parameters
    ----------
    n_jobs : int
        At least 0; the evaluation has 2500 thin or 600 bushy ones.
    seed : int
        In [0, 2**64).
    family : {"thin", "bushy"}
        See Notes.
    load : float
        Work over what the servers can do within the window, above 0: as near as servers of 8 cores come. What came out
        is logged, as a warning if it is more than 1% off; `offered_load` of the instance has it until the last arrival.
    window : int, optional
        Slots in which jobs arrive, and by whose end each could be done; 3600 for thin and 1200 for bushy jobs unless
        given.

    Returns
    -------
    MapReduceInstance
        Jobs in the order of arrival. Jobs without reduce tasks have 0 cores and 0 slots there.

    Raises
    ------
    InvalidInstanceError
        For an argument out of range; names it.

    Notes
    -----
    O(n_jobs log n_jobs) time. The servers follow from the work that was drawn, so instances with another load
    have the same jobs.

    Thin: 69% of the jobs are short, 30% medium, 1% long. Map tasks take lognormal times with median 3 and sigma 0.8,
    median 20 and sigma 0.7, or times log-uniform between 130 and 1700, rounded, at least 1; there are 1 to 16 of them,
    of long jobs 1 or 2. Reduce tasks take a quarter or half of the time of map tasks. Every task uses one core.
    Bushy: the number of map tasks is lognormal with median 4 and sigma 1, at most 40; times of map and reduce tasks are
    lognormal with medians 5 and 6 and sigma 1, and each phase uses 1 to 4 cores a task, all equally likely.
    Both: no reduce task, one, a quarter or half as many as map tasks (rounded down, at least one), equally likely. The
    job arrives at a uniform slot from which it can still be done within the window; at 0 where it cannot.
    """
    draws = Draws(check_seed(seed), checked_integer("n_jobs", n_jobs, 0), _PER_JOB)
    finite_number("load", load, above_0=True)
    n_slots = _WINDOW[family] if window is None else checked_integer("window", window, 1, _MOST_SLOTS)
    drawn = _thin(draws, n_slots) if family == "thin" else _bushy(draws, n_slots)
    reduce_tasks = _reduce_tasks(draws, drawn.map_tasks)
    has_reduce = reduce_tasks > 0
    phases = drawn._replace(
        reduce_cores=np.where(has_reduce, drawn.reduce_cores, 0),
        reduce_time=np.where(has_reduce, drawn.reduce_time, 0),
    )
    starts = np.maximum(n_slots - phases.map_time - phases.reduce_time, 0) + 1
    release_time = scaled_u53(u53(draws.column(_RELEASE)), starts.astype(np.uint64), np.uint64(1)).astype(
        np.int64
    )
    order = np.argsort(release_time, kind="stable")
    map_volume = phases.map_tasks * phases.map_cores * phases.map_time
    reduce_volume = reduce_tasks * phases.reduce_cores * phases.reduce_time
    volume = int((map_volume + reduce_volume).sum())
    machines = _servers(volume / (n_slots * load))
    log_load("mapreduce_standin", load, machines, volume, n_slots)
    return MapReduceInstance(
        release_time=release_time[order],
        reduce_tasks=reduce_tasks[order],
        **{name: column[order] for name, column in phases._asdict().items()},
        machines=machines,
    )


def _thin(draws: Draws, longest: int) -> _Phases:
    family = SLOTTED_FAMILIES["thin"]
    job_class = draw_one_of(draws.column(_CLASS), range(3), family.percent).astype(np.int64)
    map_tasks = demands(job_class, draws.column(_MAP_TASKS), family)
    map_time = class_times(job_class, draws.column(_MAP_TIME), _THIN_TIMES, longest)
    share = draw_one_of(draws.column(_REDUCE_TIME), (0.25, 0.5), (50, 50))
    one = np.ones_like(map_tasks)
    return _Phases(
        map_tasks, one, map_time, one, np.clip(np.rint(share * map_time), 1, longest).astype(np.int64)
    )


def _bushy(draws: Draws, longest: int) -> _Phases:
    def lognormal(column: int, median: float, sigma: float, most: int) -> IntArray:
        drawn = median * exponential(sigma * normal_quantile(open_uniform(draws.column(column))))
        return np.clip(np.rint(drawn), 1, most).astype(np.int64)

    def cores(column: int) -> IntArray:
        return 1 + draws.below(column, _MOST_CORES).astype(np.int64)

    return _Phases(
        lognormal(_MAP_TASKS, *_BUSHY_TASKS, _MOST_BUSHY_TASKS),
        cores(_MAP_CORES),
        lognormal(_MAP_TIME, *_BUSHY_MAP, longest),
        cores(_REDUCE_CORES),
        lognormal(_REDUCE_TIME, *_BUSHY_REDUCE, longest),
    )


def _reduce_tasks(draws: Draws, map_tasks: IntArray) -> IntArray:
    choice = draws.below(_REDUCE_TASKS, 4).astype(np.intp)
    some = np.choose(
        choice, [np.zeros_like(map_tasks), np.ones_like(map_tasks), map_tasks // 4, map_tasks // 2]
    )
    return np.where(choice > 0, np.maximum(some, 1), 0)


def _servers(cores: float) -> Machines:
    """As many as come closest to a number of cores, one at least."""
    if cores > _MOST_CORES_IN_ALL:
        raise InvalidInstanceError(f"the load needs {cores:g} cores; at most 2**30 can be made")
    return Machines.identical(max(math.floor(cores / _SERVER_CORES + 0.5), 1), [_SERVER_CORES], ["cores"])
