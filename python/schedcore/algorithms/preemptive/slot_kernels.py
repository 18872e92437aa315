"""The steps of one slot of OCORP, OCORP+M and the policies beside them: rates, packing, memory.

How many cores does each job get (Lemma 1), on which machines, and which jobs get their memory there? Source: H. Xu,
Y. Liu, W. C. Lau, "Optimal job scheduling with resource packing for heterogeneous servers", IEEE/ACM ToN 2021,
sections III.C, IV.A and IV.C. The kernels run in ``src/cpp`` (``slot_rates``, ``slot_packing``, ``memory_step``); this
module checks the input. Placements are matrices here, lists of pieces there.
"""

from typing import SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from schedcore import _core
from schedcore.errors import InvalidInstanceError
from schedcore.model.arrays import FloatArray, IntArray, first_index, place
from schedcore.model.choices import check_choice, checked_flag
from schedcore.model.columns import integer_column
from schedcore.model.integers import checked_integer

from .slot_arrays import LARGEST_TOTAL, amounts_of, costs_of, matrix_of, memories_of, total_of

__all__ = ["memory_step", "pack_slot", "slot_rates"]

_MEMORY_MODES = ("once", "twice", "backfill")


def slot_rates(
    cost: ArrayLike, demand: ArrayLike, limit: ArrayLike, total: SupportsIndex
) -> tuple[IntArray, int | None]:
    """Share the cores of a slot: the jobs with the least cost per core first, each up to its limit (Lemma 1).

    Parameters
    ----------
    cost : (n_jobs,) float
        What a slot at full rate costs: weight minus multiplier, w - lambda. Finite.
    demand : (n_jobs,) int
        Cores at full rate; at least 1. Jobs are served by ``cost / demand``, ties by index.
    limit : (n_jobs,) int
        The most cores each job can use in this slot: its demand, or what work is left. 0 leaves a job out, as
        strict OCORP does where the cost is not negative.
    total : int
        Cores of all machines together.

    Returns
    -------
    cores : (n_jobs,) int64
        What each job gets; ``min(total, limit.sum())`` in all.
    cut : int or None
        The job that got some cores, but fewer than its limit, because no more were left; None if there is none.

    Raises
    ------
    InvalidInstanceError
        For a cost that is not finite, a demand below 1, a limit or total below 0, amounts above 2**53 or that are
        not whole, and unequal lengths; names the job, the value and the bound.

    Notes
    -----
    Expected O(n_jobs): the border is found by selection, not by sorting.
    """
    costs = costs_of(cost)
    demands = amounts_of("demand", demand, costs.size, least=1)
    limits = amounts_of("limit", limit, costs.size)
    pool = checked_integer("total", total, 0, LARGEST_TOTAL)
    cores, cut = _core.preemptive.slot_rates(costs / demands, limits, pool)
    return cores, None if cut < 0 else cut


def pack_slot(
    cores: ArrayLike, cut: SupportsIndex | None, capacity: ArrayLike, previous: ArrayLike | None = None
) -> IntArray:
    """Place the cores of a slot on machines: large amounts first, whole, on the largest machines; the rest split.

    Parameters
    ----------
    cores : (n_jobs,) int
        What each job gets; 0 where it does not run. No more in total than the machines have.
    cut : int or None
        The job that got less than it could use, which is placed last; None or -1 if there is none.
    capacity : (n_machines,) int
        Cores of each machine.
    previous : (n_jobs, n_machines) int, optional
        Where the jobs ran in the slot before. Given ("sticky" packing), jobs stay first, in the order of their index,
        each on the machines on which it had most cores.

    Returns
    -------
    (n_jobs, n_machines) int64
        Cores of each job on each machine; every row sums up to `cores`.

    Raises
    ------
    InvalidInstanceError
        If there are more cores to place than all machines have; for amounts below 0, above 2**53 or that are not whole,
        and for wrong shapes or a `cut` that is no job.

    Notes
    -----
    Machines are filled in the order of (-capacity, index). Each takes, by (-cores, index), every job that fits in full
    into what is free; then the jobs that fit nowhere fill the machines one after the other, the cut job last. Without
    `previous` at most two pieces of a machine are parts of jobs. O((n_jobs + n_machines) log n_jobs), and
    O(n_jobs * n_machines) for the matrix.
    """
    amounts = amounts_of("cores", cores, None)
    room = amounts_of("capacity", capacity, None, row="machine")
    needed, available = total_of("cores", amounts), total_of("capacity", room)
    if needed > available:
        raise InvalidInstanceError(f"the jobs get {needed} cores, but all machines together have {available}")
    row = -1 if cut is None else checked_integer("cut", cut, -1, amounts.size - 1)
    before = None if previous is None else matrix_of("previous", previous, amounts.size, room.size)
    return _core.preemptive.pack_slot(amounts, row, room, before)


def memory_step(
    placed: ArrayLike,
    cost: ArrayLike | None,
    demand: ArrayLike,
    limit: ArrayLike,
    memory: ArrayLike,
    capacity: ArrayLike,
    memory_capacity: ArrayLike,
    *,
    mem_mode: str = "backfill",
    work_conserving: bool = True,
    order: ArrayLike | None = None,
) -> tuple[IntArray, NDArray[np.bool_]]:
    """Give memory to placed jobs, and say what becomes of the cores of those that get none (OCORP+M).

    A job holds all its memory on every machine on which it runs. Each machine admits the set of jobs with the greatest
    profit, ``-cost * cores / demand``, that fits into its memory, then the jobs without profit in order while they fit.

    Parameters
    ----------
    placed : (n_jobs, n_machines) int
        Cores as packed, as if memory were unlimited.
    cost : (n_jobs,) float or None
        Weight minus multiplier, w - lambda; finite. Jobs are in the order of ``cost / demand``, ties by index. Not
        read, and may be None, where `order` is given.
    demand, limit : (n_jobs,) int
        Cores at full rate, at least 1, and the most cores that each job can use in this slot.
    memory : (n_jobs,) or (n_jobs, n_memories) int
        What a job holds on each of its machines. Several columns are several resources that all behave like memory.
    capacity : (n_machines,) int
        Cores of each machine.
    memory_capacity : (n_machines,) or (n_machines, n_memories) int
        Memory of each machine.
    mem_mode : {"backfill", "once", "twice"}
        What happens after a refusal. "once": nothing, the cores idle. "twice": cores are given anew, at least cost,
        over the pairs of job and machine that were admitted. "backfill": idle cores are offered to the jobs in order,
        on machines where they are admitted or enough memory is free; the first of those with room for all that a job
        lacks gives that, otherwise each gives what it has.
    work_conserving : bool
        False: jobs whose cost is not negative get no memory and no idle cores.
    order : (n_jobs,) int, optional
        Jobs, the first to be served first: how the policies that OCORP+M is compared with admit. Each machine then
        admits in that order whatever fits, without regard to profit. It may leave out jobs that are not placed; they
        are offered no idle cores then.

    Returns
    -------
    cores : (n_jobs, n_machines) int64
        Cores that work in this slot.
    refused : (n_jobs, n_machines) bool
        Where a placed job was refused its memory, before any idle core was offered.

    Raises
    ------
    InvalidInstanceError
        For cores beyond the capacity of a machine or the limit of a job, a cost that is not finite, a demand below 1,
        amounts below 0, above 2**53 or that are not whole, wrong shapes, and an `order` that repeats a job or leaves
        out one that is placed; for ``mem_mode="twice"`` or ``work_conserving=False`` together with `order`.

    Notes
    -----
    One memory: the set comes from the dynamic program over memory that takes the items in order of their index, each
    only where that is strictly better, after division by the common divisor of all amounts; beyond 2**20 cells (memory
    in bytes) from the exact kernel of `knapsack`, where ties may fall differently. Several memories: branch and bound,
    optimal unless it ends at 2**14 nodes with the best set found. O(n_jobs * n_machines) plus these.
    """
    check_choice("mem_mode", mem_mode, _MEMORY_MODES)
    strict = not checked_flag("work_conserving", work_conserving)
    if order is not None and (mem_mode == "twice" or strict):
        option = "mem_mode='twice'" if mem_mode == "twice" else "work_conserving=False"
        raise InvalidInstanceError(f"{option} needs the cost of the jobs; an order alone has none")
    room = amounts_of("capacity", capacity, None, row="machine")
    demands = amounts_of("demand", demand, None, least=1)
    limits = amounts_of("limit", limit, demands.size)
    cores = _placed(placed, limits, room)
    memories = memories_of("memory", memory, demands.size)
    rooms = memories_of("memory_capacity", memory_capacity, room.size, row="machine")
    if demands.size == 0:  # an empty list does not say how many memories there are
        memories = memories.reshape(0, rooms.shape[1])
    if memories.shape[1] != rooms.shape[1] or rooms.shape[1] == 0:
        raise InvalidInstanceError(
            f"memory has {memories.shape[1]} columns, memory_capacity has {rooms.shape[1]}; each memory is one of both"
        )
    if order is None:
        if cost is None:
            raise InvalidInstanceError("either the cost of the jobs or their order is needed")
        costs = costs_of(cost, demands.size)
        rows = np.argsort(costs / demands, kind="stable")
        profit: FloatArray | None = -costs
        if strict:
            rows = rows[costs[rows] < 0]
    else:
        rows, profit = _order(order, cores), None
    machines = np.column_stack([room, rooms])
    return _core.preemptive.memory_step(
        placed=cores,
        profit=profit,
        demand=demands,
        limit=limits,
        memory=memories,
        capacity=machines,
        order=rows,
        mem_mode=mem_mode,
        work_conserving=not strict,
    )


def _placed(placed: ArrayLike, limit: IntArray, capacity: IntArray) -> IntArray:
    """Cores that no machine and no job have too many of."""
    cores = matrix_of("placed", placed, limit.size, capacity.size)
    total_of("capacity", capacity)
    total_of("placed", cores)
    used = cores.sum(axis=0)
    over = used > capacity
    if over.any():
        machine = first_index(over)[0]
        raise InvalidInstanceError(
            f"placed has {used[machine]} cores on machine {machine}, which has {capacity[machine]}"
        )
    given = cores.sum(axis=1)
    over = given > limit
    if over.any():
        job = first_index(over)[0]
        raise InvalidInstanceError(
            f"job {job} is placed on {given[job]} cores, above limit[{job}] = {limit[job]}"
        )
    return cores


def _order(order: ArrayLike, placed: IntArray) -> IntArray:
    """Distinct jobs, all that are placed among them."""
    rows = integer_column(order, "order")
    n_jobs = placed.shape[0]
    outside = (rows < 0) | (rows >= n_jobs)
    if outside.any():
        entry = first_index(outside)
        raise InvalidInstanceError(f"{place('order', rows, entry)} is no job; there are {n_jobs}")
    times = np.bincount(rows, minlength=n_jobs)
    if (times > 1).any():
        raise InvalidInstanceError(f"order repeats job {first_index(times > 1)[0]}")
    missing = (times == 0) & placed.any(axis=1)
    if missing.any():
        raise InvalidInstanceError(f"order leaves out job {first_index(missing)[0]}, which is placed")
    return rows
