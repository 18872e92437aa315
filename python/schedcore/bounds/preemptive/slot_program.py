"""P2 as a linear program over stretches of equal length, for prices that prove a bound; solved from coarse to fine.

With stretches of one slot the program is P2 itself and its prices prove its optimum. With longer ones a rate stands for
all slots of a stretch and its weight for the one in the middle, prices are interpolated, and what they prove
(`slot_prices`) is somewhat below. A job has columns for the stretches up to a slot only, and one that stands for a slot
after the latest it can need, at no price: the program is feasible with any choice of stretches. Coarse prices say how
far the jobs reach; where finer ones say that a job would like a later slot, the program grows and is solved again.
"""

import time

import numpy as np

from schedcore.bounds.linear_solver import solve_linear
from schedcore.bounds.proven import Proven
from schedcore.bounds.ranges import Ranges
from schedcore.bounds.sparse_program import Program
from schedcore.model.arrays import FloatArray, IntArray

from .fractional_rates import FractionalRates
from .slot_prices import SlotProof, prove

__all__ = ["bound_by_program"]

_COARSE, _COARSEST = 64, 16  # stretches of the first program, and of that for many jobs
_COARSE_SHARE = 8  # how many times more columns the first program may have: it is quickly solved
_SMALL = 20_000  # columns that are solved in less than a second
_ROUNDS = 16
# Of the simplex method, by columns and rows; it needs less than one for each.
_FEWEST_ITERATIONS, _ITERATIONS_PER_COLUMN = 1000, 10
# Relative gains of a round that end the rounds, with stretches of one slot and with longer ones.
_CLOSE, _CLOSE_IF_COARSE = 1e-8, 1e-5


def bound_by_program(rates: FractionalRates, most_columns: int, time_limit: float | None) -> Proven:
    """Return the best bound that prices prove within a limit of time (None: no limit), and how it was found.

    Parameters
    ----------
    rates : FractionalRates
    most_columns : int
        Stretches are as short as makes a program of so many columns, or twice as many once it has grown.
    time_limit : float, optional
        Seconds.
    """
    if rates.n_jobs == 0:
        return Proven(0.0, "optimal")
    deadline = np.inf if time_limit is None else time.monotonic() + time_limit
    n_slots = int(rates.latest.max(initial=0))
    best = prove(rates, np.zeros((0, rates.n_resources))).bound
    n_stretches = min(max(_COARSE_SHARE * most_columns // rates.n_jobs, _COARSEST), _COARSE)
    coarsest = -(-n_slots // n_stretches)
    length, reach, is_final = coarsest, rates.latest, False
    for _ in range(_ROUNDS):
        prices, ended = _slot_prices(rates, reach, length, deadline - time.monotonic())
        if prices is None:
            return Proven(best, ended)
        proof = prove(rates, prices)
        gain, best = proof.bound - best, max(best, proof.bound)
        close = _CLOSE if length == 1 else _CLOSE_IF_COARSE
        is_inside = (proof.last_slot <= reach).all()
        if (is_final or length == 1) and (is_inside or 0 <= gain <= close * best):
            return Proven(best, "restricted" if ended == "optimal" and length > 1 else ended)
        reach = (
            _next_reach(rates, proof, reach) if is_final else np.minimum(proof.near_slot + 1, rates.latest)
        )
        shortest = length if is_final else 1
        length = _finest(rates, reach, shortest, coarsest, (1 + is_final) * most_columns)
        is_final = True
    return Proven(best, "restricted")


def _next_reach(rates: FractionalRates, proof: SlotProof, reach: IntArray) -> IntArray:
    """Return how far the columns go next of jobs that would like slots beyond.

    The prices may rest on too few columns and ask for too many more: no job reaches more than twice as far as before.
    """
    wanted = np.minimum(proof.near_slot + 1, 2 * reach - rates.release_time)
    return np.where(proof.last_slot > reach, np.minimum(wanted, rates.latest), reach)


def _finest(rates: FractionalRates, reach: IntArray, length: int, coarsest: int, most_columns: int) -> int:
    """Return the shortest length of stretches with few enough columns: `length` doubled, up to `coarsest`."""
    while length < coarsest and int(((reach - rates.release_time) // length + 2).sum()) > most_columns:
        length *= 2
    return min(length, coarsest)


def _slot_prices(
    rates: FractionalRates, reach: IntArray, length: int, seconds: float
) -> tuple[FloatArray | None, str]:
    """Solve the program of stretches of `length` slots.

    Return the price of every slot and resource, None if the solver found none, and how it ended.
    """
    job, stretch = Ranges(rates.release_time // length, (reach - 1) // length).places()
    start, end = np.maximum(stretch * length, rates.release_time[job]), (stretch + 1) * length
    cost = rates.waiting_weight(job, (start + 1 + end) / 2)
    scale = float(cost.mean())
    late = rates.waiting_weight(np.arange(rates.n_jobs), rates.latest + 1)
    used, number = np.unique(stretch, return_inverse=True)  # gaps between releases need no rows
    n_jobs, n_columns, n_used = rates.n_jobs, len(job), len(used)
    users = [np.flatnonzero(rates.demand[job, r]) for r in range(rates.n_resources)]
    of_resources = [n_jobs + r * n_used + number[users[r]] for r in range(rates.n_resources)]
    room = np.repeat(rates.capacity * length, n_used)
    needed = rates.processing_time.astype(np.float64)
    program = Program(
        cost=np.concatenate([cost, late]) / scale,
        column_upper=np.concatenate([(end - start).astype(np.float64), np.full(n_jobs, np.inf)]),
        row_lower=np.concatenate([needed, np.full(len(room), -np.inf)]),
        row_upper=np.concatenate([needed, room]),
        row=np.concatenate([job, np.arange(n_jobs), *of_resources]),
        column=np.concatenate([np.arange(n_columns + n_jobs), *users]),
        value=np.concatenate(
            [np.ones(n_columns + n_jobs), *(rates.demand[job[users[r]], r] for r in range(rates.n_resources))]
        ),
    )
    found = solve_linear(  # simplex beats interior points here
        program,
        "simplex",
        seconds,
        is_small=n_columns <= _SMALL,
        most_iterations=_FEWEST_ITERATIONS
        + _ITERATIONS_PER_COLUMN * (len(program.cost) + len(program.row_lower)),
    )
    ended = "optimal" if found.is_optimal else "time_limit" if found.out_of_time else "failed"
    if found.row_prices is None:
        return None, ended
    n_stretches = int(used[-1]) + 1
    prices = np.zeros((rates.n_resources, n_stretches))
    prices[:, used] = -scale * found.row_prices[n_jobs:].reshape(rates.n_resources, n_used)
    if length == 1:
        return prices.T, ended
    middle = np.arange(n_stretches) * length + (length + 1) / 2
    slots = np.arange(1, n_stretches * length + 1)
    return np.column_stack([np.interp(slots, middle, of_resource) for of_resource in prices]), ended
