"""One schedule in one dictionary: the numbers that papers on scheduling report."""

import numpy as np
import numpy.typing as npt

from schedcore.metrics.delays import DEFAULT_QUANTILES, summarise_delays
from schedcore.metrics.exact_sums import exact_dot, exact_mean, exact_sum
from schedcore.metrics.objectives import average_response_time, awct, makespan, weighted_completion
from schedcore.metrics.over_time import horizon, queue_length, total_capacity, utilisation, waits
from schedcore.metrics.per_job import bounded_slowdown, flow_time, queuing_delay, slowdown
from schedcore.model import Instance, Runs, Schedule


def summary(
    inst: Instance, schedule: Schedule | Runs, tau: float = 10.0
) -> dict[str, float | tuple[float, ...]]:
    """All summary figures of a schedule.

    Parameters
    ----------
    inst : Instance
    schedule : Schedule or Runs
        A schedule with one row for every job of the instance, or the runs of its jobs, all of which completed.
    tau : float, default 10
        Threshold of the bounded slowdown, in the time unit of the instance.

    Returns
    -------
    dict
        In this order, times in the unit of the instance, T0 the first release, T1 the last completion:

        ==========================  ======================================================================
        n_jobs                      number of jobs
        awct                        average weighted completion time
        weighted_completion         sum of weight times completion time
        makespan                    last completion time, counted from 0
        avg_response                mean flow time
        weighted_avg_response       mean flow time, each job weighted by its volume: processing time times its
                                    summed shares of the total capacity
        avg_wait, max_wait          mean and largest queuing delay
        zero_wait_share             share of jobs that did not wait
        wait_p50, p90, p95, p99     queuing delay that this percentage of the jobs did not exceed
        avg_slowdown                mean of flow time / processing time
        avg_bounded_slowdown        mean of max(1, flow time / max(processing time, tau))
        utilisation                 per resource: demand times processing time / (capacity * (T1 - T0))
        avg_queue_all               sum of all waits / (T1 - T0): mean queue length until all is done
        avg_queue_arrivals          mean queue length from T0 to the last release; 0 if they coincide
        max_queue                   longest queue after any instant's decisions
        ==========================  ======================================================================

        Everything is 0 without jobs.

    Raises
    ------
    InvalidInstanceError
        If `tau` is negative or not finite, or the schedule is one of another number of jobs.

    Notes
    -----
    O(n log n + n * n_resources).
    """
    wait = queuing_delay(inst, schedule)
    response = flow_time(inst, schedule)
    delays = summarise_delays(wait, DEFAULT_QUANTILES)
    first, last = horizon(inst, schedule)
    since, until = waits(inst, schedule)
    figures: dict[str, float | tuple[float, ...]] = {
        "n_jobs": inst.n_jobs,
        "awct": awct(inst, schedule),
        "weighted_completion": weighted_completion(inst, schedule),
        "makespan": makespan(inst, schedule),
        "avg_response": average_response_time(inst, schedule),
        "weighted_avg_response": _average_weighted_by_volume(inst, response),
        "avg_wait": delays.mean,
        "max_wait": delays.max,
        "zero_wait_share": delays.zero_share,
    }
    figures |= {f"wait_p{round(100 * q)}": delay for q, delay in delays.quantiles.items()}
    return figures | {
        "avg_slowdown": exact_mean(slowdown(inst, schedule)),
        "avg_bounded_slowdown": exact_mean(bounded_slowdown(inst, schedule, tau)),
        "utilisation": tuple(utilisation(inst, schedule).tolist()),
        "avg_queue_all": exact_sum(until - since) / (last - first) if last > first else 0.0,
        "avg_queue_arrivals": _average_queue_during_arrivals(inst, since, until),
        "max_queue": int(queue_length(inst, schedule).maximum()),
    }


def volume(inst: Instance) -> npt.NDArray[np.float64]:
    """(n_jobs,) Processing time times the shares of the total capacity that a job takes, summed over the resources."""
    capacity = total_capacity(inst)
    offered = capacity > 0
    share = (inst.demand_of_all_tasks()[:, offered] / capacity[offered]).sum(axis=1)
    size: npt.NDArray[np.float64] = inst.jobs.processing_time * share
    return size


def _average_weighted_by_volume(inst: Instance, response: npt.NDArray[np.float64]) -> float:
    weight = volume(inst)
    total = exact_sum(weight)
    return exact_dot(weight, response) / total if total > 0 else 0.0


def _average_queue_during_arrivals(
    inst: Instance, since: npt.NDArray[np.float64], until: npt.NDArray[np.float64]
) -> float:
    if inst.n_jobs == 0:
        return 0.0
    release = inst.jobs.release_time
    first, last = float(release.min()), float(release.max())
    if last == first:
        return 0.0
    return exact_sum(np.minimum(until, last) - np.minimum(since, last)) / (last - first)
