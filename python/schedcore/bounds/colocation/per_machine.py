"""The program with divisible loads in its published form: every type on every machine is a variable.

For type s on machine k let x[s, k] be its share of the load there. In units of V = sum of W[s] a[s, s], with
b[s, d] = W[s] a[s, d] / V:

    min c;   sum over k of x[s, k] = 1;   x >= 0;
    x[d, k] = 0  or  sum over s of b[s, d] x[s, k] <= c        for every type d and machine k.

The published program says "or" by a constant that switches the row off, which a solver with tolerances cannot be
trusted with: a share of 1e-7 times a constant of 1e6. Here the search decides. In a node some types are *absent* from
some machines, others are *charged* there; for the rest only b[d, d] x[d, k] <= c is asked, which follows from both.
The relaxation picks the next pair to decide: one that is present, costs more than c and is not charged.

*What prices prove.* Let y[d, k] >= 0 be prices of the rows above, of sum 1, and g[s, k] the sum of y[d, k] b[s, d] over
d = s and the other types d that are charged there. Then c is at least the sum of y times the left sides, which is the
sum of g[s, k] x[s, k], and that is at least the sum over s of the least g[s, k] among the machines that s may be on.
The solver's dual values are only a proposal for y, its shares one for a solution. All of it is sums and products of
non-negative doubles.
"""

import heapq
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

_MOST_PAIRS = 20_000  # of type and machine
_WORK_LIMIT = 1e8  # rows times simplex steps, and a lump for every call: four or five seconds
_WORK_OF_A_CALL = 10_000
_CLOSED = 1 - 1e-10  # a node whose bound is this part of the best cost known is not searched
_EXACT = 1 - 1e-9
_DUST = (1e-9, 1e-6)  # shares that are left out to see whether the others make a solution
_TOLERANCE = 1e-10  # of the solver, which scales, and has then left rows violated by far more than 1e-9
_SMALLEST, _LARGEST = 2e-9, 1e8  # entries that the solver sees; the proof uses the true ones
_NEGLIGIBLE, _HIGHEST = 1e-12, 1e100  # prices that sum to less prove nothing; higher ones are cut

# What is decided on each machine: bit masks of charged and of absent types. Sorted, because machines are alike.
_Decisions = tuple[tuple[int, int], ...]


class PerMachineBound(NamedTuple):
    """The larger of `at_least` and a proven bound, as a numerator; whether that is the optimum but for one in 1e9."""

    bound: Fraction
    is_exact: bool


class _Node(NamedTuple):
    bound: float  # first, so that a heap yields the smallest
    number: int  # negative, so that of equals the newest comes first, and comparing ends here
    decisions: _Decisions


class _Relaxation(NamedTuple):
    """Shares (n_types, n_machines) that sum to one over the machines, who is charged, and what the prices prove."""

    shares: NDArray[np.float64]
    charged: NDArray[np.bool_]
    bound: float


def solve_per_machine(loads: TypeLoads, at_least: Fraction, deadline: float = math.inf) -> PerMachineBound:
    """Search best bound first, within a fixed amount of work or until `deadline` (of `time.monotonic`).

    Parameters
    ----------
    loads : TypeLoads
        At least one type.
    at_least : Fraction
        A proven bound, which is returned at least.

    Notes
    -----
    A node for every set of decisions that the bounds do not exclude, each a linear program of n_machines * n_types
    shares: for cross-checks, and for many types on few machines. Above 20,000 shares it is not tried.
    """
    if len(loads.load) * loads.n_machines > _MOST_PAIRS:
        return PerMachineBound(at_least, False)
    volume = sum(load * int(own) for load, own in zip(loads.load, loads.alpha.diagonal(), strict=True))
    cost = np.array(
        [[load * a / volume for a in row] for load, row in zip(loads.load, loads.alpha.tolist(), strict=True)]
    )
    search = _Search(cost, loads.n_machines, deadline)
    found = search.run(float(at_least / volume))
    rounding = (4 * len(cost) + 20) * np.finfo(np.float64).eps  # of sums of so many terms
    proven = Fraction(found * (1 - float(rounding))) * volume
    return PerMachineBound(max(proven, at_least), found >= search.best * _EXACT)


class _Search:
    """`best` is the least cost known; at first that of all types on all machines."""

    def __init__(self, cost: NDArray[np.float64], n_machines: int, deadline: float) -> None:
        self.best = float(cost.sum(axis=0).max()) / n_machines
        self._cost = cost
        self._own = cost.diagonal()[:, None]
        self._n_machines = n_machines
        self._deadline = deadline
        self._work = 0
        self._solver = quiet_solver()
        for option, value in (
            ("solver", "simplex"),
            ("primal_feasibility_tolerance", _TOLERANCE),
            ("dual_feasibility_tolerance", _TOLERANCE),
        ):
            self._solver.setOptionValue(option, value)

    def run(self, low: float) -> float:
        """Return a bound on c, at least `low`."""
        undecided: _Decisions = ((0, 0),) * self._n_machines
        waiting = [_Node(low, 0, undecided)]
        known = {undecided}
        given_up = math.inf  # the least bound of a node that could be neither closed nor divided
        while waiting and waiting[0].bound < min(self.best * _CLOSED, given_up):
            node = waiting[0]
            if self._work >= _WORK_LIMIT or time.monotonic() >= self._deadline:
                return node.bound
            heapq.heappop(waiting)
            relaxation = self._solve(node)
            if relaxation is None:
                given_up = min(given_up, node.bound)
                continue
            bound = max(node.bound, relaxation.bound)
            self._offer(relaxation.shares)
            if bound >= self.best * _CLOSED:
                heapq.heappush(waiting, node._replace(bound=bound))
                continue
            pair = self._undecided_pair(relaxation, bound)
            if pair is None:
                given_up = min(given_up, bound)
                continue
            for decisions in _decide(node.decisions, *pair):
                if decisions not in known and self._is_possible(decisions):
                    known.add(decisions)
                    heapq.heappush(waiting, _Node(bound, -len(known), decisions))
        return min(self.best, given_up, waiting[0].bound if waiting else math.inf)

    def _solve(self, node: _Node) -> _Relaxation | None:
        """None if the solver was stopped, gave up or answers nonsense."""
        charged, absent = self._masks(node.decisions)
        kind, machine = np.nonzero(~absent)
        n_types, n_pairs = len(self._cost), len(kind)
        solver = self._solver
        if self._deadline < math.inf:
            solver.setOptionValue(
                "time_limit", solver.getRunTime() + max(self._deadline - time.monotonic(), 0.0)
            )
        solver.passModel(self._program(node.bound, charged, kind, machine).model())
        solver.run()
        steps = int(solver.getInfoValue("simplex_iteration_count")[1])
        self._work += steps * (n_pairs + n_types) + _WORK_OF_A_CALL
        if solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            return None
        solution = solver.getSolution()
        shares, prices = np.zeros(absent.shape), np.zeros(absent.shape)
        shares[kind, machine] = np.clip(np.array(solution.col_value)[1:], 0.0, 1.0)
        prices[kind, machine] = np.minimum(np.abs(np.array(solution.row_dual)[:n_pairs]), _HIGHEST)
        placed = shares.sum(axis=1, keepdims=True)
        if not placed.min() > 0.5:
            return None
        return _Relaxation(shares / placed, charged, self._proven(prices, charged, absent))

    def _proven(
        self, prices: NDArray[np.float64], charged: NDArray[np.bool_], absent: NDArray[np.bool_]
    ) -> float:
        total = math.fsum(prices.ravel())
        if not _NEGLIGIBLE < total < math.inf:
            return 0.0
        caused = self._cost @ np.where(charged, prices, 0.0) + np.where(charged, 0.0, prices) * self._own
        return float(np.where(absent, math.inf, caused).min(axis=1).sum()) / total

    def _offer(self, shares: NDArray[np.float64]) -> None:
        for dust in _DUST:
            kept = np.where(shares > dust, shares, 0.0)
            kept /= kept.sum(axis=1, keepdims=True)
            self.best = min(self.best, float(np.where(kept > 0, self._cost.T @ kept, 0.0).max()))

    def _undecided_pair(self, relaxation: _Relaxation, bound: float) -> tuple[int, int] | None:
        """Return the type and machine to decide: much load of its own, far too dear; None if none is too dear."""
        shares = relaxation.shares
        excess = np.clip(self._cost.T @ shares / bound - 1.0, 0.0, 1.0)
        weight = np.where(relaxation.charged, 0.0, excess * shares * self._own)
        kind, machine = np.unravel_index(int(weight.argmax()), weight.shape)
        return (int(kind), int(machine)) if weight[kind, machine] > 0 else None

    def _masks(self, decisions: _Decisions) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Return which types are charged and which are absent, (n_types, n_machines) each."""
        kinds = range(len(self._cost))
        charged = [[charged >> kind & 1 for charged, _ in decisions] for kind in kinds]
        absent = [[absent >> kind & 1 for _, absent in decisions] for kind in kinds]
        return np.array(charged, dtype=np.bool_), np.array(absent, dtype=np.bool_)

    def _is_possible(self, decisions: _Decisions) -> bool:
        """Whether every type has a machine left."""
        nowhere = (1 << len(self._cost)) - 1
        for _, absent in decisions:
            nowhere &= absent
        return not nowhere

    def _program(
        self, low: float, charged: NDArray[np.bool_], kind: NDArray[np.int64], machine: NDArray[np.int64]
    ) -> Program:
        """Columns: c, then the shares of the pairs that are not absent; rows: their costs, then the sums of shares."""
        n_types, n_pairs = len(self._cost), len(kind)
        pair = np.arange(n_pairs)
        column = np.full(charged.shape, -1)
        column[kind, machine] = 1 + pair
        counts = charged[kind, machine][:, None] | (np.arange(n_types) == kind[:, None])
        counted, source = np.nonzero(counts & (column[:, machine].T >= 0))
        entries = self._cost[source, kind[counted]]
        return Program(
            cost=np.append(1.0, np.zeros(n_pairs)),
            column_lower=np.append(low, np.zeros(n_pairs)),
            column_upper=np.append(np.inf, np.ones(n_pairs)),
            row_lower=np.append(np.full(n_pairs, -np.inf), np.ones(n_types)),
            row_upper=np.append(np.zeros(n_pairs), np.ones(n_types)),
            row=np.concatenate([pair, counted, n_pairs + kind]),
            column=np.concatenate([np.zeros_like(pair), column[source, machine[counted]], 1 + pair]),
            value=np.concatenate(
                [
                    np.full(n_pairs, -1.0),
                    np.where(entries > 0, np.clip(entries, _SMALLEST, _LARGEST), 0.0),
                    np.ones(n_pairs),
                ]
            ),
        )


def _decide(decisions: _Decisions, kind: int, machine: int) -> list[_Decisions]:
    """Return the decisions with the type charged on the machine, and with it absent from there."""
    charged, absent = decisions[machine]
    bit = 1 << kind
    others = (*decisions[:machine], *decisions[machine + 1 :])
    return [tuple(sorted((*others, new))) for new in ((charged | bit, absent), (charged, absent | bit))]
