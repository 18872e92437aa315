"""What is told of runs in slots: norms of flow times, interruptions, and on demand curves and waits by size.

Norms with the power 2 stand beside those of the power k that a policy minimises, so that policies of different powers
can be drawn in one figure. Lists have a fixed number of entries, whatever the length of a run, so that rows stay small.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schedcore.metrics import fractional_flow_time, jain_index, preemption_counts, work_over_time
from schedcore.metrics.exact_sums import exact_dot, exact_mean, exact_sum
from schedcore.metrics.preemptive import SlottedInstance
from schedcore.model import Instance, PreemptiveResult, PreemptiveSchedule
from schedcore.model.preemptive_result import power_sum
from schedcore.model.real_numbers import finite_or_none
from schedcore.workloads.reading.offered_load import offered_load

__all__ = ["SIZE_CLASSES", "SLOT_COLUMNS", "curves_of", "figures_of_slots", "waits_by_size"]

#: Figures with a column of their own in results -> type.
SLOT_COLUMNS = {
    "makespan": "float64",
    "avg_wait": "float64",
    "max_wait": "float64",
    "n_preemptions": "int64",
    "n_migrations": "int64",
    "flow_norm": "float64",  # l_k norm of the flow times, with the k of the policy
    "l2_norm": "float64",  # with k = 2, and what it is over that of the processing times
    "l2_ratio": "float64",
    "l2_fractional": "float64",  # square root of the fractional flow time with k = 2
    "avg_flow_time": "float64",
    "weighted_average_flow_time": "float64",  # sum of w f over sum of w; without weights avg_flow_time
    "avg_slowdown": "float64",  # of flow time over processing time
    "max_slowdown": "float64",
    "jain_index": "float64",  # of processing time over flow time, the mean rates at which jobs were served
    "n_live_migrations": "int64",
    "max_gap": "int64",  # longest time in slots that a job was not served
    "n_refusals": "int64",
    "n_unfinished": "int64",
    "run_status": "string",  # finished, or max_slots: cut short
    "gamma": "float64",
    "offered_load": "float64",  # of cores, until the last arrival
}
#: Lower ends of the classes of processing times: 1, 2, 5, 10, 20, 50, ...
SIZE_CLASSES = tuple(digit * 10**zeros for zeros in range(7) for digit in (1, 2, 5))

_N_SLOTS = 240  # of a curve until the last job could be done; of a long run twice as many
_SQUARE = 2


def figures_of_slots(inst: SlottedInstance, result: PreemptiveResult) -> dict[str, Any]:
    """Figures of merit by name; those of flow times are None where the run was cut short."""
    stats = result.stats
    told = {
        "makespan": stats.get("makespan"),
        "n_preemptions": stats.get("preemptions"),
        "n_migrations": stats.get("migrations"),
        "n_live_migrations": stats.get("live_migrations"),
        "max_gap": _largest(stats.get("max_gap")),
        "n_refusals": stats.get("refusals"),
        "n_unfinished": stats.get("n_unfinished"),
        "run_status": stats.get("status"),
        "gamma": stats.get("gamma"),
        "offered_load": finite_or_none(float(offered_load(inst)[0])),
    }
    if not math.isfinite(result.value) or inst.n_jobs == 0:
        return told
    flow, processing = result.completion_time - inst.release_time, inst.processing_time
    wait = flow - processing
    least = math.sqrt(power_sum(processing, _SQUARE))
    l2_norm = math.sqrt(power_sum(flow, _SQUARE))
    fractional = (
        stats["fractional"]
        if result.k == _SQUARE and "fractional" in stats
        else exact_sum(fractional_flow_time(inst, result.schedule, _SQUARE))
    )
    return told | {
        "flow_norm": result.value ** (1.0 / result.k),
        "l2_norm": l2_norm,
        "l2_ratio": l2_norm / least,
        "l2_fractional": math.sqrt(fractional),
        "avg_flow_time": exact_mean(flow),
        "weighted_average_flow_time": _weighted_mean(inst, flow),
        "avg_slowdown": exact_mean(flow / processing),
        "max_slowdown": float((flow / processing).max()),
        "jain_index": jain_index(processing / flow),
        "avg_wait": exact_mean(wait),
        "max_wait": float(wait.max()),
    }


def curves_of(inst: SlottedInstance, schedule: PreemptiveSchedule) -> dict[str, Any]:
    """Work and norms after some slots, which all runs on an instance share as far as they go, and after the last."""
    release, processing = inst.release_time.astype(np.float64), inst.processing_time.astype(np.float64)
    slots = _slots(float((release + processing).max(initial=1.0)), schedule.end_time)
    found = work_over_time(inst, schedule, k=_SQUARE, times=slots)
    alone = np.argsort(release + processing, kind="stable")
    powers = np.concatenate([[0.0], np.cumsum((processing**_SQUARE)[alone])])
    done = np.searchsorted((release + processing)[alone], slots, side="right")
    return {
        "curve_time": slots.astype(np.float64),
        "curve_offered_volume": _numbers(found.offered_volume),
        "curve_unfinished_volume": _numbers(found.unfinished_volume),
        "curve_unfinished_time": _numbers(found.unfinished_time),
        "curve_l2_norm": np.sqrt(_numbers(found.flow_power)),
        "curve_l2_fractional": np.sqrt(_numbers(found.fractional)),
        "curve_l2_least": np.sqrt(powers[done]),
    }


def waits_by_size(inst: SlottedInstance, result: PreemptiveResult) -> dict[str, Any]:
    """Waiting times and interruptions per job, by classes of processing times; classes without jobs are left out."""
    processing = inst.processing_time
    wait = result.completion_time - inst.release_time - processing
    classes = np.searchsorted(SIZE_CLASSES, processing, side="right") - 1
    order = np.argsort(classes, kind="stable")
    starts = np.flatnonzero(np.diff(classes[order], prepend=-1))
    counts = np.diff(np.append(starts, inst.n_jobs))
    events = preemption_counts(inst, result.schedule)

    def per_job(numbers: NDArray[Any]) -> NDArray[np.float64]:
        totals = np.add.reduceat(_numbers(numbers)[order], starts) if len(starts) else np.empty(0)
        return np.asarray(totals / counts, dtype=np.float64)

    def extreme(function: np.ufunc) -> NDArray[np.float64]:
        return np.asarray(function.reduceat(wait[order], starts) if len(starts) else np.empty(0))

    return {
        "size_from": np.asarray(SIZE_CLASSES, dtype=np.float64)[classes[order[starts]]],
        "size_n_jobs": counts.astype(np.float64),
        "size_mean_wait": per_job(wait),
        "size_min_wait": extreme(np.minimum),
        "size_max_wait": extreme(np.maximum),
        "size_preemptions": per_job(events.preemptions),
        "size_migrations": per_job(events.migrations),
        "size_live_migrations": per_job(events.live_migrations),
    }


def _weighted_mean(inst: SlottedInstance, flow: NDArray[np.float64]) -> float:
    """The mean in which every job counts by its weight; jobs of tasks have none, and all of 0 are alike."""
    weight = inst.jobs.weight if isinstance(inst, Instance) else None
    if weight is None or not weight.any():
        return exact_mean(flow)
    return exact_dot(weight, flow) / exact_sum(weight)


def _slots(least_horizon: float, ends: NDArray[np.float64]) -> NDArray[np.int64]:
    """Every so many slots, as many as the instance says, until the last one that is used."""
    last = int(ends.max(initial=0.0))
    step = max(1, math.ceil(least_horizon / _N_SLOTS))
    while last / step > 2 * _N_SLOTS:
        step *= 2
    return np.unique(np.append(np.arange(0, last + 1, step, dtype=np.int64), last))


def _numbers(column: Any) -> NDArray[np.float64]:
    return np.asarray(column, dtype=np.float64)


def _largest(gaps: Any) -> int | None:
    return None if gaps is None else int(np.max(gaps, initial=0))
