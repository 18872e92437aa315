"""Jobs whose times are whole slots, as the kernels of slotted algorithms take them.

Slot t = 1, 2, 3, ... is the interval [t - 1, t). The first resource is cores, of which a job may get less than it asks
for; the others are held in full on every machine on which it runs.
"""

from typing import NamedTuple

import numpy as np

from schedcore.errors import InvalidInstanceError

from .arrays import EXACT_BOUND, FloatArray, IntArray, first_index
from .instance import Instance

__all__ = ["SlotColumns", "packing_order", "slot_columns"]


class SlotColumns(NamedTuple):
    """The columns of an instance in whole slots; without estimates `estimated_demand` is None."""

    release_time: IntArray
    processing_time: IntArray
    demand: IntArray
    estimated_demand: IntArray | None
    capacity: IntArray


def slot_columns(instance: Instance) -> SlotColumns:
    """Return the columns of an instance whose times are whole numbers and whose jobs use cores; O(n_jobs).

    Raises
    ------
    InvalidInstanceError
        For a time that is no integer, a job without cores, in truth or estimated, and a job of 2**53 core-slots or
        more; names the job, the value and the bound.
    TypeError
        For anything but an `Instance`.
    """
    if not isinstance(instance, Instance):
        raise TypeError(f"jobs without phases are an Instance, not {type(instance).__name__}")
    jobs = instance.jobs
    release, processing = (_whole(instance, name) for name in ("release_time", "processing_time"))
    believed = jobs.estimated_demand if jobs.has_demand_estimates else None
    for name, demand in (("demand", jobs.demand), ("estimated_demand", believed)):
        if demand is None:
            continue
        idle = demand[:, 0] < 1
        if idle.any():
            job = first_index(idle)[0]
            raise InvalidInstanceError(
                f"{name}[{job}] = {demand[job].tolist()}: {instance.job_name(job)} needs 1 core or more, the first "
                f"resource"
            )
        volume = processing.astype(np.float64) * demand[:, 0]
        large = volume >= EXACT_BOUND
        if large.any():
            job = first_index(large)[0]
            raise InvalidInstanceError(
                f"{instance.job_name(job)} needs {volume[job]:g} core-slots (processing_time {processing[job]}, {name} "
                f"{demand[job, 0]}); it must be less than 2**53"
            )
    return SlotColumns(release, processing, jobs.demand, believed, instance.machines.capacity)


def packing_order(capacity: IntArray) -> IntArray:
    """(n_machines,) Return the machines with more cores (column 0) first, ties by index."""
    return np.argsort(-capacity[:, 0], kind="stable")


def _whole(instance: Instance, name: str) -> IntArray:
    times: FloatArray = getattr(instance, name)
    broken = ~(np.isfinite(times) & (times == np.floor(times)) & (np.abs(times) <= EXACT_BOUND))
    if broken.any():
        row = first_index(broken)[0]
        raise InvalidInstanceError(
            f"{name}[{row}] = {float(times[row])!r} ({instance.job_name(row)}) must be a whole number of slots, at "
            f"most 2**53"
        )
    return times.astype(np.int64)
