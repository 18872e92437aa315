"""The quadratic program in its published form: every type on every machine is a variable.

For type s on machine k let x[s, k] be its share of the load there and u[s, k] = 1 if it may be there. In units of
V = sum of W[s] a[s, s], with b[s, d] = W[s] a[s, d] / V:

    min c;   sum over s of b[s, d] x[s, k] <= c + M[d] (1 - u[d, k]);   sum over k of x[s, k] = 1;
    0 <= x[s, k] <= u[s, k], u binary;   c_lo <= c <= c_hi;   sum over s of 2**s u[s, k] does not increase with k.

M[d] is the most by which the cost of an absent type d can exceed c on a machine: the largest value, over the sets S of
other types, of the linear program max sum over s in S of b[s, d] x[s] - c with the constraints of a machine that holds
S. All of them together are one block-diagonal program.
"""

import math
import time
from fractions import Fraction
from typing import NamedTuple

import highspy
import numpy as np
from numpy.typing import NDArray

from schedcore.bounds.sparse_program import Program, quiet_solver

from .type_loads import TypeLoads

__all__ = ["PerMachineBound", "solve_per_machine"]

_TIGHT_UP_TO = 6  # types; beyond, the sets S are too many and each M is a sum of single maxima
_NODES_TIMES_BINARIES = 400_000  # of the search: about half a minute
_MOST_BINARIES = 20_000
_LOWERED = 1e-7  # of c_hi: a hundred times the solver's feasibility tolerances


class PerMachineBound(NamedTuple):
    """A bound on the optimum as a cost numerator, and whether the program was solved to optimality."""

    bound: Fraction
    is_exact: bool


def solve_per_machine(loads: TypeLoads, at_least: Fraction, deadline: float = math.inf) -> PerMachineBound:
    """Solve the program by HiGHS, within a fixed number of nodes or until `deadline` (of `time.monotonic`).

    Parameters
    ----------
    loads : TypeLoads
        At least one type.
    at_least : Fraction
        A proven bound; c_lo, and what is returned at least.

    Notes
    -----
    n_machines * n_types binaries and weak relaxations: for cross-checks, and for many types on few machines. Above
    20,000 binaries it is not tried.
    """
    volume = sum(load * int(own) for load, own in zip(loads.load, loads.alpha.diagonal(), strict=True))
    cost = np.array(
        [[load * a / volume for a in row] for load, row in zip(loads.load, loads.alpha.tolist(), strict=True)]
    )
    n_binaries = len(cost) * loads.n_machines
    low = float(at_least / volume) * (1 - 1e-9)
    high = float(cost.sum(axis=0).max()) / loads.n_machines * (1 + 1e-9)  # all types on all machines
    if low >= high * (1 - 2e-9):
        return PerMachineBound(at_least, True)
    if n_binaries > _MOST_BINARIES:
        return PerMachineBound(at_least, False)
    program = _program(cost, loads.n_machines, low, high, _switches(cost, low, high))
    solver = quiet_solver()
    for option, value in (
        ("mip_rel_gap", 0.0),
        # with a tighter one HiGHS has called feasible programs infeasible; a looser one only relaxes the program
        ("mip_feasibility_tolerance", 1e-7),
        ("mip_max_nodes", _NODES_TIMES_BINARIES // n_binaries),
        ("time_limit", max(deadline - time.monotonic(), 0.0)),
    ):
        solver.setOptionValue(option, value)
    solver.passModel(program.model())
    solver.run()
    is_exact = solver.getModelStatus() == highspy.HighsModelStatus.kOptimal
    dual_bound = float(solver.getInfoValue("mip_dual_bound")[1])
    if not math.isfinite(dual_bound):
        return PerMachineBound(at_least, False)
    proven = Fraction(dual_bound - _LOWERED * high) * volume
    return PerMachineBound(max(proven, at_least), is_exact)


def _switches(cost: NDArray[np.float64], low: float, high: float) -> NDArray[np.float64]:
    """Return M[d], raised by the solver's tolerance."""
    n_types = len(cost)
    capacity = np.minimum(1.0, high / cost.diagonal())  # share of a type that one machine can hold
    loose = np.maximum((cost * capacity[:, None]).sum(axis=0) - cost.diagonal() * capacity - low, 0.0)
    if n_types > _TIGHT_UP_TO:
        return np.asarray(loose * (1 + 1e-9) + 1e-9 * high)
    masks = np.arange(1, 2**n_types)
    holds = (masks[:, None] >> np.arange(n_types) & 1).astype(np.bool_)
    pattern, absent = np.nonzero(~holds)
    if len(pattern) == 0:
        return np.zeros(n_types)
    # block i: the shares of its types, then c
    block, kind = np.nonzero(holds[pattern])
    n_blocks, n_shares = len(pattern), len(block)
    place = np.full((n_blocks, n_types), -1)
    place[block, kind] = np.arange(n_shares)
    share, destination = np.nonzero(holds[pattern[block]])
    objective = np.concatenate([-cost[kind, absent[block]], np.ones(n_blocks)])
    program = Program(
        cost=objective,
        column_upper=np.concatenate([capacity[kind], np.full(n_blocks, high)]),
        column_lower=np.concatenate([np.zeros(n_shares), np.full(n_blocks, low)]),
        row_lower=np.full(n_shares, -np.inf),
        row_upper=np.zeros(n_shares),
        row=np.concatenate([place[block[share], destination], np.arange(n_shares)]),
        column=np.concatenate([share, n_shares + block]),
        value=np.concatenate([cost[kind[share], destination], np.full(n_shares, -1.0)]),
    )
    solver = quiet_solver()
    solver.passModel(program.model())
    solver.run()
    if solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        return np.asarray(loose * (1 + 1e-9) + 1e-9 * high)
    terms = -objective * np.array(solver.getSolution().col_value)
    excess = np.bincount(block, terms[:n_shares], n_blocks) + terms[n_shares:]
    largest = np.zeros(n_types)
    np.maximum.at(largest, absent, excess)
    return np.asarray(np.minimum(largest + 1e-7 * high, loose * (1 + 1e-9) + 1e-9 * high))


def _program(
    cost: NDArray[np.float64], n_machines: int, low: float, high: float, switch: NDArray[np.float64]
) -> Program:
    """Columns: c, x by types then machines, u likewise; rows: costs, x <= u, shares, symmetry."""
    n_types = len(cost)
    n = n_types * n_machines
    kind = np.repeat(np.arange(n_types), n_machines)
    at = np.arange(n)
    source, destination, on = (part.ravel() for part in np.indices((n_types, n_types, n_machines)))
    n_pairs = n_machines - 1  # of neighbouring machines, k and k + 1
    pair_kind, pair = (part.ravel() for part in np.indices((n_types, n_pairs)))
    first = 1 + n + pair_kind * n_machines + pair
    pair_row = 2 * n + n_types + pair
    entries = [
        # row, column, value
        (at, np.zeros(n), np.full(n, -1.0)),
        (destination * n_machines + on, 1 + source * n_machines + on, cost[source, destination]),
        (at, 1 + n + at, switch[kind]),
        (n + at, 1 + at, np.ones(n)),
        (n + at, 1 + n + at, np.full(n, -1.0)),
        (2 * n + kind, 1 + at, np.ones(n)),
        (pair_row, first, 2.0**pair_kind),
        (pair_row, first + 1, -(2.0**pair_kind)),
    ]
    row, column, value = (np.concatenate(part) for part in zip(*entries, strict=True))
    objective = np.zeros(1 + 2 * n)
    objective[0] = 1.0
    return Program(
        cost=objective,
        column_lower=np.concatenate([[low], np.zeros(2 * n)]),
        column_upper=np.concatenate([[high], np.ones(2 * n)]),
        row_lower=np.concatenate([np.full(2 * n, -np.inf), np.ones(n_types), np.zeros(n_pairs)]),
        row_upper=np.concatenate([switch[kind], np.zeros(n), np.ones(n_types), np.full(n_pairs, np.inf)]),
        row=row.astype(np.int64),
        column=column.astype(np.int64),
        value=value,
        is_integer=np.arange(1 + 2 * n) > n,
    )
