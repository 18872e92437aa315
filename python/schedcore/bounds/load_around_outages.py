"""When can the load of a cluster be done at the earliest, if its machines are out of service at times?"""

import numpy as np
from numpy.typing import NDArray

from schedcore.model import Instance
from schedcore.model.arrays import FloatArray, IntArray

__all__ = ["load_around_outages"]

# More than all roundings of sums and differences of instants cost together, relatively.
_ROUNDING = 1e-11


def load_around_outages(inst: Instance, release_time: FloatArray, amounts: IntArray) -> float:
    """Return a time before which the machines cannot have done all the work, for every resource and release time.

    Work that is released at t or later is done after t, and at most at the rate of what is not in an outage. 0.0 for no
    jobs, and where an endless outage leaves the work undone. O((n + d) log(n + d)) for n jobs and d outages.
    """
    if inst.n_jobs == 0 or inst.outages is None:
        return 0.0
    order = np.argsort(release_time, kind="stable")
    release = release_time[order]
    length = inst.jobs.processing_time[order]
    instants, capacity = _steps(inst)
    spans = np.diff(instants)
    latest = 0.0
    for resource in range(inst.n_resources):
        work = length * amounts[order, resource]
        to_come = np.cumsum(work[::-1])[::-1]
        rate = capacity[:, resource].astype(np.float64)
        done = np.concatenate([[0.0], np.cumsum(rate[:-1] * spans)])  # possible work from 0 to each instant
        step = np.searchsorted(instants, release, side="right") - 1
        goal = done[step] + (release - instants[step]) * rate[step] + to_come * (1 - _ROUNDING)
        reached = np.searchsorted(done, goal, side="left") - 1  # in this step, or in the last one
        left = goal - done[reached]
        ends = instants[reached] + np.divide(
            left, rate[reached], out=np.zeros_like(left), where=rate[reached] > 0
        )
        latest = max(latest, float(ends[to_come > 0].max(initial=0.0)))
    return latest * (1 - _ROUNDING)


def _steps(inst: Instance) -> tuple[FloatArray, NDArray[np.int64]]:
    """Instants from 0 on, and what is in service from each of them to the next, by resource."""
    assert inst.outages is not None
    down = inst.outages.united()
    amounts = inst.machines.capacity[down.machine]
    ends = np.isfinite(down.end_time)
    times = np.concatenate([[0.0], down.start_time, down.end_time[ends]])
    whole = inst.machines.capacity.sum(axis=0, keepdims=True)
    changes = np.concatenate([whole, -amounts, amounts[ends]])
    instants, step = np.unique(times, return_inverse=True)
    summed = np.zeros((len(instants), inst.n_resources), dtype=np.int64)
    np.add.at(summed, step.reshape(-1), changes)
    return instants, np.cumsum(summed, axis=0)
