"""Servers of 64, 32 and 16 cores in equal numbers, as many as a load asks for.

The evaluation of OCORP [Xu2021]_ has servers of these sizes and does not say how many. Here their number follows from
the work of the jobs: a third of the servers of each size, and what is then missing in servers of 16 cores.

.. [Xu2021] H. Xu, Y. Liu, W. C. Lau, "Optimal Job Scheduling With Resource Packing for Heterogeneous Servers",
   IEEE/ACM Transactions on Networking, 2021.
"""

import logging
import math
from typing import Literal

import numpy as np

from schedcore.errors import InvalidInstanceError
from schedcore.model import Machines
from schedcore.model.arrays import EXACT_BOUND, IntArray
from schedcore.model.real_numbers import finite_number

__all__ = [
    "SlottedResources",
    "check_slotted_machines",
    "load_of_machines",
    "log_load",
    "slotted_machines",
]

SlottedResources = Literal["cores", "cores_memory"]
_RESOURCE_NAMES = ("cores", "memory")

_SIZES = (64, 32, 16)
_SMALLEST = _SIZES[-1]
_MOST_CORES = 2**30

_NEAR = 0.01  # a load further from the one that was asked for is worth a warning

_logger = logging.getLogger("schedcore")


def check_slotted_machines(load: float, memory_per_core: float = 1.0) -> None:
    """Raise an `InvalidInstanceError` for options out of range; names them."""
    finite_number("load", load, above_0=True)
    finite_number("memory_per_core", memory_per_core, above_0=True)


def slotted_machines(
    volume: int, n_slots: int, load: float, memory_per_core: float, resources: SlottedResources
) -> Machines:
    """Return the servers on which some work makes a load over some slots.

    Parameters
    ----------
    volume : int
        Core-slots of all jobs.
    n_slots : int
        Slots in which they arrive.
    load : float
        Wanted volume per core and slot.
    memory_per_core : float
        GB; servers get whole ones, rounded down.
    resources : {"cores", "cores_memory"}

    Returns
    -------
    Machines
        With C = volume / (n_slots * load) and q = floor(C / 112): q servers of 64 cores, then q of 32, then q of 16
        and round((C - 112 q) / 16), half up, further ones of 16; one of 16 at least.
    """
    cores = volume / (n_slots * load)
    if cores > _MOST_CORES:
        raise InvalidInstanceError(f"load = {load} needs {cores:g} cores; at most 2**30 can be made")
    each = math.floor(cores / sum(_SIZES))
    further = math.floor((cores - sum(_SIZES) * each) / _SMALLEST + 0.5)
    counts = [each, each, each + further]
    if not any(counts):
        counts[-1] = 1
    size: IntArray = np.repeat(np.array(_SIZES), counts)
    if resources == "cores":
        return Machines(size[:, np.newaxis], _RESOURCE_NAMES[:1])
    if _SIZES[0] * memory_per_core > EXACT_BOUND:
        raise InvalidInstanceError(f"memory_per_core = {memory_per_core} makes servers of more than 2**53 GB")
    memory = np.floor(size * memory_per_core).astype(np.int64)
    return Machines(np.column_stack([size, memory]), _RESOURCE_NAMES)


def load_of_machines(machines: Machines, volume: int, n_slots: int) -> str:
    """Return what a report should say of the load that some work makes."""
    return (
        f"{len(machines)} servers of {_cores(machines):,} cores have a load of"
        f" {_load(machines, volume, n_slots):.4f}"
    )


def log_load(generator: str, load: float, machines: Machines, volume: int, n_slots: int) -> None:
    """Log the load that some work makes: as a warning if it is more than 1% off the `load` that was asked for."""
    if not volume:
        return
    off = abs(_load(machines, volume, n_slots) - load) > _NEAR * load
    reached = load_of_machines(machines, volume, n_slots)
    _logger.log(
        logging.WARNING if off else logging.INFO, "%s: load = %s was asked for; %s", generator, load, reached
    )


def _cores(machines: Machines) -> int:
    return int(machines.capacity[:, 0].sum())


def _load(machines: Machines, volume: int, n_slots: int) -> float:
    return volume / (_cores(machines) * n_slots)
