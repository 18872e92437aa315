"""What a schedule is worth once the system has filled up, and whether it was in a steady state at all.

A run begins with an empty system. Its first jobs wait less than those that come later, so they are left out of the
means. Where more work arrives than the policy can serve, there is no steady state: the queue grows as long as jobs
arrive, and every mean tells of the length of the run.
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from schedcore.errors import InvalidInstanceError
from schedcore.metrics.exact_sums import exact_dot, exact_mean, exact_sum
from schedcore.metrics.over_time import waits
from schedcore.metrics.per_job import flow_time
from schedcore.metrics.summaries import volume
from schedcore.model import Instance, Runs, Schedule

__all__ = ["SteadyState", "steady_state"]


class SteadyState(NamedTuple):
    """Means without the first jobs, and the queue in both halves of the time in which the others arrive.

    Attributes
    ----------
    avg_response, weighted_avg_response : float
        Mean flow time, and that in which each job weighs its volume: processing time times its summed shares of the
        total capacity.
    first_queue, second_queue : float
        Mean number of waiting jobs in the first and in the second half.
    queue_growth : float
        The second over the first; 1 if both are 0, infinite if only the first is. It is about 1 in a steady state.
    """

    avg_response: float
    weighted_avg_response: float
    first_queue: float
    second_queue: float
    queue_growth: float


def steady_state(inst: Instance, schedule: Schedule | Runs, warm_up: float = 0.1) -> SteadyState:
    """Measure a schedule without the jobs that found the system empty.

    Parameters
    ----------
    inst : Instance
    schedule : Schedule or Runs
        A schedule with one row for every job of the instance, or the runs of its jobs, all of which completed.
    warm_up : float, default 0.1
        Share of the jobs that are left out: so many of those that were released first, rounded down, equal release
        times in the order of the jobs. In [0, 1).

    Returns
    -------
    SteadyState
        Times in the unit of the instance. The halves are those of the time from the release of the first job that
        counts to the last release; all waiting jobs are in the queues. All numbers are 0, and the growth 1, without
        jobs; the queues also where all those that count are released at one instant.

    Raises
    ------
    InvalidInstanceError
        If `warm_up` is out of range, or the schedule is one of another number of jobs.

    Notes
    -----
    O(n log n + n * n_resources).
    """
    if not 0 <= warm_up < 1:
        raise InvalidInstanceError(f"warm_up = {warm_up} must be at least 0 and below 1")
    response = flow_time(inst, schedule)
    if inst.n_jobs == 0:
        return SteadyState(0.0, 0.0, 0.0, 0.0, 1.0)
    release = inst.jobs.release_time
    counted = np.argsort(release, kind="stable")[math.floor(warm_up * inst.n_jobs) :]
    weight = volume(inst)[counted]
    total = exact_sum(weight)
    since, until = waits(inst, schedule)
    first, last = float(release[counted[0]]), float(release[counted[-1]])
    middle = first + (last - first) / 2
    first_queue = _mean_queue(since, until, first, middle)
    second_queue = _mean_queue(since, until, middle, last)
    return SteadyState(
        exact_mean(response[counted]),
        exact_dot(weight, response[counted]) / total if total > 0 else 0.0,
        first_queue,
        second_queue,
        _growth(first_queue, second_queue),
    )


def _mean_queue(
    since: npt.NDArray[np.float64], until: npt.NDArray[np.float64], first: float, last: float
) -> float:
    if not first < last:
        return 0.0
    waited = np.clip(until, first, last) - np.clip(since, first, last)
    return exact_sum(waited) / (last - first)


def _growth(first_queue: float, second_queue: float) -> float:
    if first_queue > 0:
        return second_queue / first_queue
    return math.inf if second_queue > 0 else 1.0
