"""The columns of an instance in whole slots in which no job can wait for ever: it fits all machines, or one."""

import numpy as np

from schedcore.errors import InfeasibleError, UnsupportedError
from schedcore.model import Instance
from schedcore.model.amounts import exact_total
from schedcore.model.arrays import EXACT_BOUND, IntArray, first_index
from schedcore.model.slots import SlotColumns, packing_order, slot_columns

__all__ = ["columns_with_room", "columns_with_server"]


def columns_with_room(instance: Instance) -> SlotColumns:
    """Return the columns of an instance in whole slots, in which no job can wait for ever.

    A job may be split over all machines but needs, on one machine at least, all it asks for beside cores: it must fit
    the first machine in packing order, in truth and as its demand is estimated. An `InfeasibleError` names one that is
    too large.
    """
    columns, capacity, cores = _columns_of_cores(instance)
    first = int(packing_order(capacity)[0])
    most = np.append(cores, capacity[first, 1:])
    for name, demand in _demands(columns):
        beyond = demand > most
        if beyond.any():
            job, column = first_index(beyond)
            where = f"capacity[{first}, {column}]" if column else "the cores of all machines"
            raise InfeasibleError(
                f"{_label(instance, job)} asks for {name}[{job}, {column}] = {demand[job, column]}, more than {where} ="
                f" {most[column]}"
                + (", the first machine in packing order: it could wait for ever" if column else "")
            )
    return columns


def columns_with_server(instance: Instance) -> SlotColumns:
    """Return the columns of an instance in whole slots, of which every job fits some machine whole.

    In truth and as its demand is estimated; an `InfeasibleError` names one that does not. O(n_jobs * n_resources) where
    the largest machine holds nearly all jobs, at worst times the number of machines that differ.
    """
    columns, capacity, _ = _columns_of_cores(instance)
    for name, demand in _demands(columns):
        left = np.arange(len(demand))
        for room in np.unique(capacity, axis=0)[::-1]:
            left = left[(demand[left] > room).any(axis=1)]
            if not len(left):
                break
        else:
            job, largest = int(left[0]), capacity.max(axis=0)
            beyond = demand[job] > largest
            if beyond.any():
                column = int(np.argmax(beyond))
                amount = f"{name}[{job}, {column}] = {demand[job, column]}, more than any machine has,"
                raise InfeasibleError(
                    f"{_label(instance, job)} asks for {amount} {largest[column]}: it can never run whole"
                )
            raise InfeasibleError(
                f"{_label(instance, job)} asks for {name}[{job}] = {demand[job].tolist()}; every machine has too little"
                " of some resource: it can never run whole"
            )
    return columns


def _columns_of_cores(instance: Instance) -> tuple[SlotColumns, IntArray, int]:
    """The columns, the machines among them, and all their cores, which doubles hold exactly."""
    columns = slot_columns(instance)
    cores = exact_total(columns.capacity[:, 0])
    if cores >= EXACT_BOUND:
        raise UnsupportedError(f"all machines together have {cores} cores; it must be less than 2**53")
    return columns, columns.capacity, cores


def _demands(columns: SlotColumns) -> list[tuple[str, IntArray]]:
    """What jobs ask for, in truth and as estimated, with its name."""
    named = [("demand", columns.demand), ("estimated_demand", columns.estimated_demand)]
    return [(name, demand) for name, demand in named if demand is not None]


def _label(instance: Instance, job: int) -> str:
    number = instance.jobs.id[job]
    return f"job {job}" if number == job else f"job {job} (id {number})"
