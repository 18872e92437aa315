"""The linear relaxation of the pattern program, and what its prices prove.

With b[s, d] = W[s] a[s, d] / V, V = sum of W[s] a[s, s], and theta = V / c the program reads

    max theta;   sum over S of z[S, s] >= theta            for every type s
                 sum over s in S of b[s, d] z[S, s] <= n[S] for every pattern S and d in S
                 sum of n[S] <= m;   n[S] integer,

where z[S, s] / theta is the share of type s that is on machines of pattern S. Its size does not depend on m. The
matrix b may differ from pattern to pattern; everything below holds for b[S, s, d].

*What prices prove.* Let prices p[s] >= 0 of the first rows sum to 1, and let u[S, d] >= 0 satisfy
sum over d of b[s, d] u[S, d] >= p[s] for s in S. Then

    theta <= sum of p[s] sum of z[S, s] <= sum over S, d of u[S, d] sum over s of b[s, d] z[S, s] <= sum of v[S] n[S]

with v[S] = sum of u[S, d]: at these prices a machine of pattern S is worth at most v[S]. The solver's dual values are
only a proposal for p and u: u is raised where it falls short, or scaled, whichever costs less, so v holds whatever the
solver did. All of it is sums and products of non-negative doubles, correct to some n_types + 2**n_types units in the
last place.
"""

import time
from typing import NamedTuple

import highspy
import numpy as np
from numpy.typing import NDArray

from schedcore.bounds.sparse_program import Program, quiet_solver

__all__ = ["PatternLp", "Relaxation", "proven_worth"]

_WORK_OF_A_CALL = 10_000
_NEGLIGIBLE = 1e-100  # far from where doubles lose their precision
_SMALLEST, _LARGEST = 1e-8, 1e8  # entries that the solver sees; the proof uses the true ones


class Relaxation(NamedTuple):
    """A solution of the relaxation: `machines` n, `shares` z, and the proven `worth` v of a machine of each pattern."""

    machines: NDArray[np.float64]
    shares: NDArray[np.float64]
    worth: NDArray[np.float64]


class PatternLp:
    """The relaxation between bounds on n that change from call to call; each call starts from the last basis.

    Parameters
    ----------
    holds : (n_patterns, n_types) bool
    cost : (n_patterns, n_types, n_types) float64
        The matrix b of every pattern.
    n_machines : int
    deadline : float
        Instant of `time.monotonic` at which a call stops.
    """

    def __init__(
        self, holds: NDArray[np.bool_], cost: NDArray[np.float64], n_machines: int, deadline: float
    ) -> None:
        self._holds = holds
        self._cost = cost
        self._deadline = deadline
        self._counts = np.arange(1, len(holds) + 1, dtype=np.int32)
        self._n_rows = holds.shape[1] + int(holds.sum()) + 1
        self._work = 0
        self._solver = quiet_solver()
        self._solver.setOptionValue("solver", "simplex")
        self._solver.passModel(_program(holds, cost, n_machines).model())

    @property
    def work(self) -> int:
        """Rows times simplex steps so far, and a lump for every call; ten million take a second or so."""
        return self._work

    def solve(self, least: NDArray[np.float64], most: NDArray[np.float64]) -> Relaxation | None:
        """Solve with ``least <= n <= most``; None if the solver was stopped or gave up."""
        solver = self._solver
        if self._deadline < np.inf:
            left = self._deadline - time.monotonic()
            if left <= 0:
                return None
            solver.setOptionValue("time_limit", solver.getRunTime() + left)
        solver.changeColsBounds(len(self._counts), self._counts, least, most)
        solver.run()
        steps = int(solver.getInfoValue("simplex_iteration_count")[1])
        self._work += steps * self._n_rows + _WORK_OF_A_CALL
        if solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            return None
        solution = solver.getSolution()
        values = np.array(solution.col_value)
        prices = np.abs(solution.row_dual)
        n_patterns, n_types = self._holds.shape
        shares, unit_costs = np.zeros(self._holds.shape), np.zeros(self._holds.shape)
        shares[self._holds] = np.maximum(values[n_patterns + 1 :], 0.0)
        unit_costs[self._holds] = prices[n_types:-1]
        worth = proven_worth(self._holds, self._cost, prices[:n_types], unit_costs)
        return Relaxation(values[1 : n_patterns + 1], shares, worth) if np.isfinite(worth).all() else None


def proven_worth(
    holds: NDArray[np.bool_],
    cost: NDArray[np.float64],
    price: NDArray[np.float64],
    unit_cost: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return v from proposals for p (n_types,) and u (n_patterns, n_types), non-negative, u 0 outside S; b as above.

    Infinite or NaN where the proposal is useless.
    """
    total = price.sum()
    if not _NEGLIGIBLE < total < np.inf:
        return np.full(len(holds), np.inf)
    price = np.where(price > total * _NEGLIGIBLE, price, 0.0)
    wanted = np.where(holds, price / price.sum(), 0.0)
    unit_cost = np.minimum(unit_cost, total / _NEGLIGIBLE) / total
    missing = np.maximum(wanted - _covered(unit_cost, cost), 0.0)
    raised = unit_cost + missing / cost.diagonal(axis1=1, axis2=2)
    # A little is missing dearly where the own coefficient is small beside those that the proposal lives on.
    return np.minimum(_scaled(unit_cost, cost, wanted), _scaled(raised, cost, wanted))


def _scaled(
    unit_cost: NDArray[np.float64], cost: NDArray[np.float64], wanted: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return v of the multiple of u that reaches all that is wanted; infinite where it is more than twice u."""
    reached = _covered(unit_cost, cost)
    far = wanted > 2 * reached
    factor = np.divide(wanted, reached, out=np.zeros_like(wanted), where=(wanted > 0) & ~far).max(axis=1)
    return np.where(far.any(axis=1), np.inf, unit_cost.sum(axis=1) * factor)


def _covered(unit_cost: NDArray[np.float64], cost: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the sum over d of b[S, s, d] u[S, d]."""
    return np.asarray((cost @ unit_cost[:, :, None])[:, :, 0])


def _program(holds: NDArray[np.bool_], cost: NDArray[np.float64], n_machines: int) -> Program:
    """Columns: theta, n, z in row-major order; rows: types, costs in the same order, machines."""
    n_patterns, n_types = holds.shape
    pattern, kind = np.nonzero(holds)
    n_shares = len(kind)
    place = np.full(holds.shape, -1)  # of (S, s) among the shares and of (S, d) among the costs
    place[pattern, kind] = np.arange(n_shares)
    share, destination = np.nonzero(holds[pattern])
    seen = np.where(cost > 0, np.clip(cost, _SMALLEST, _LARGEST), 0.0)
    last = n_types + n_shares
    entries = [
        # row, column, value
        (np.arange(n_types), np.zeros(n_types), -np.ones(n_types)),
        (n_types + np.arange(n_shares), 1 + pattern, -np.ones(n_shares)),
        (np.full(n_patterns, last), 1 + np.arange(n_patterns), np.ones(n_patterns)),
        (kind, 1 + n_patterns + np.arange(n_shares), np.ones(n_shares)),
        (
            n_types + place[pattern[share], destination],
            1 + n_patterns + share,
            seen[pattern[share], kind[share], destination],
        ),
    ]
    row, column, value = (np.concatenate(part) for part in zip(*entries, strict=True))
    objective = np.zeros(1 + n_patterns + n_shares)
    objective[0] = -1.0
    upper = np.full(len(objective), np.inf)
    upper[1 : n_patterns + 1] = n_machines
    return Program(
        cost=objective,
        column_upper=upper,
        row_lower=np.concatenate([np.zeros(n_types), np.full(n_shares + 1, -np.inf)]),
        row_upper=np.concatenate([np.full(n_types, np.inf), np.zeros(n_shares), [float(n_machines)]]),
        row=row.astype(np.int64),
        column=column.astype(np.int64),
        value=value,
    )
