"""Where tasks may run: on one random machine, or on all, but slower where their data is not.

The evaluation of the SynchPack algorithms [Shafiee2020]_ gives every task a few random local machines; elsewhere it
takes a constant factor longer. Its linear program sees the local machines and some of the others. What is drawn for a
task depends on the seed, its row and the number of machines alone, and fewer machines are always some of those that
more would be.

.. [Shafiee2020] M. Shafiee, J. Ghaderi, "Scheduling parallel-task jobs subject to packing and placement constraints",
   arXiv:2004.00518; Operations Research 70(6), 2022.
"""

import math
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from schedcore.errors import InvalidInstanceError
from schedcore.model import ParallelTaskInstance
from schedcore.model.arrays import EXACT_BOUND, IntArray
from schedcore.model.integers import checked_integer
from schedcore.model.real_numbers import finite_number
from schedcore.workloads.draws.splitmix import Draws, check_seed, draws_at

__all__ = [
    "Placement",
    "check_placement",
    "draw_placements",
    "placement_columns",
    "random_machines",
    "restrict_machines",
]

Placement = Literal["single", "local_remote"]

# What a seed is xored with, for the local machines of a task and for the remote ones that are kept.
_LOCAL_STREAM = 0x8A5CD789635D2DFF
_REMOTE_STREAM = 0xC5A98A3D1F2E4B67
_STRIDE = 2**40  # draws between those of the first machine of a task and those of the second
_LARGEST_PENALTY = 1_000_000
_PENALTY_DENOMINATOR = 1_000_000


def draw_placements(
    inst: ParallelTaskInstance, n_local: int = 3, remote_penalty: float = 2.0, seed: int = 1
) -> ParallelTaskInstance:
    """Let every task run on all machines, at its full speed on some random ones only.

    Parameters
    ----------
    inst : ParallelTaskInstance
        Whatever its tasks may run on now is forgotten, but for the shortest processing time of each.
    n_local : int
        Distinct local machines of every task, uniformly random; at least 1 and at most as many as there are.
    remote_penalty : float
        At least 1. On the other machines a task takes ``ceil(remote_penalty * p)``, of its decimal value: 1.1 is 11/10.
    seed : int
        In [0, 2**64).

    Raises
    ------
    InvalidInstanceError
        For an argument out of range, and for processing times above 2**53.

    Notes
    -----
    O(n_tasks * n_machines): there are as many placements.
    """
    shortest = (
        np.minimum.reduceat(inst.placement_time, inst.placement_start[:-1])
        if inst.n_tasks
        else inst.placement_time
    )
    columns = placement_columns(shortest, inst.n_machines, "local_remote", n_local, remote_penalty, seed)
    return inst.replace(**columns)


def restrict_machines(inst: ParallelTaskInstance, n_remote: int, seed: int = 1) -> ParallelTaskInstance:
    """Keep the local machines of every task, and some random ones of its others.

    Parameters
    ----------
    inst : ParallelTaskInstance
    n_remote : int
        Remote machines that each task keeps, if it has as many; at least 0.
    seed : int
        In [0, 2**64).

    Raises
    ------
    InvalidInstanceError
        For an argument out of range, and if a task without local machines would be left with none.

    Notes
    -----
    O(n_placements log n_placements). A schedule of the restricted instance is one of the whole; a bound on its value is
    none on that of the whole.
    """
    at_most = checked_integer("n_remote", n_remote, 0)
    task = inst.placement_task
    remote = np.flatnonzero(~inst.placement_local)
    key = draws_at(
        check_seed(seed) ^ _REMOTE_STREAM, task[remote] * inst.n_machines + inst.placement_machine[remote]
    )
    order = np.lexsort((key, task[remote]))
    n_remote_of = np.bincount(task[remote], minlength=inst.n_tasks)
    first = np.cumsum(n_remote_of) - n_remote_of
    rank = np.arange(len(remote)) - np.repeat(first, n_remote_of)
    kept = inst.placement_local.copy()
    kept[remote[order[rank < at_most]]] = True
    counts = np.bincount(task[kept], minlength=inst.n_tasks)
    if not counts.all():
        row = int(np.argmin(counts > 0))
        raise InvalidInstanceError(
            f"{inst.task_name(row)} has no local machine: n_remote = {n_remote} leaves it none"
        )
    return inst.replace(
        placement_start=_starts(counts),
        placement_machine=inst.placement_machine[kept],
        placement_time=inst.placement_time[kept],
        placement_local=inst.placement_local[kept],
    )


def check_placement(n_machines: int, placement: Placement, n_local: int, remote_penalty: float) -> None:
    """Raise an error for a number out of range, where tasks may run on all machines."""
    if placement == "single":
        return
    checked_integer("n_local", n_local, 1, n_machines)
    if not 1 <= finite_number("remote_penalty", remote_penalty, above_0=True) <= _LARGEST_PENALTY:
        raise InvalidInstanceError(f"remote_penalty = {remote_penalty} is outside [1, {_LARGEST_PENALTY:,}]")


def placement_columns(
    processing_time: IntArray,
    n_machines: int,
    placement: Placement,
    n_local: int,
    remote_penalty: float,
    seed: int,
    machine: IntArray | None = None,
) -> dict[str, Any]:
    """Return the columns of the placements of tasks, and the remote penalty, as `ParallelTaskInstance` takes them.

    With ``placement="single"`` each task runs on `machine`, by default the first of its local machines; otherwise as
    `draw_placements` says.
    """
    check_placement(n_machines, placement, n_local, remote_penalty)
    n_tasks = len(processing_time)
    if placement == "single":
        one = random_machines(n_tasks, n_machines, 1, seed)[:, 0] if machine is None else machine
        return {
            "placement_start": np.arange(n_tasks + 1, dtype=np.int64),
            "placement_machine": one,
            "placement_time": processing_time,
            "placement_local": np.ones(n_tasks, dtype=np.bool_),
        }
    elsewhere = _times_elsewhere(processing_time, remote_penalty)
    local = random_machines(n_tasks, n_machines, n_local, seed)
    rows = np.arange(n_tasks, dtype=np.int64)[:, np.newaxis]
    time = np.repeat(elsewhere[:, np.newaxis], n_machines, axis=1)
    time[rows, local] = processing_time[:, np.newaxis]
    is_local = np.zeros((n_tasks, n_machines), dtype=np.bool_)
    is_local[rows, local] = True
    return {
        "placement_start": np.arange(n_tasks + 1, dtype=np.int64) * n_machines,
        "placement_machine": np.tile(np.arange(n_machines, dtype=np.int64), n_tasks),
        "placement_time": time.reshape(-1),
        "placement_local": is_local.reshape(-1),
        "remote_penalty": float(remote_penalty),
    }


def random_machines(n_tasks: int, n_machines: int, n_chosen: int, seed: int) -> IntArray:
    """(n_tasks, n_chosen) Return distinct machines for every task, in the order in which they are drawn.

    O(n_tasks * n_chosen**2).
    """
    chosen = np.empty((n_tasks, n_chosen), dtype=np.int64)
    for number in range(n_chosen):
        draws = Draws(check_seed(seed) ^ _LOCAL_STREAM, n_tasks, per_job=1, skip=number * _STRIDE)
        machine = draws.below(0, n_machines - number).astype(np.int64)
        # The draw counts the machines that are not chosen yet.
        for earlier in np.sort(chosen[:, :number], axis=1).T:
            machine += machine >= earlier
        chosen[:, number] = machine
    return chosen


def _times_elsewhere(processing_time: IntArray, remote_penalty: float) -> IntArray:
    factor = Fraction(remote_penalty).limit_denominator(_PENALTY_DENOMINATOR)
    longest = math.ceil(factor * int(processing_time.max(initial=0)))
    if longest > EXACT_BOUND:
        raise InvalidInstanceError(
            f"remote_penalty = {remote_penalty} makes the longest processing time {longest}, above 2**53"
        )
    units, rest = np.divmod(
        processing_time, factor.denominator
    )  # products with the numerator stay below 2**63
    elsewhere: IntArray = units * factor.numerator - (-rest * factor.numerator // factor.denominator)
    return elsewhere


def _starts(counts: IntArray) -> IntArray:
    starts: IntArray = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    return starts
