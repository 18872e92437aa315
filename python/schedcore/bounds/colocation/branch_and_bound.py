"""Branch and bound over the numbers of machines of each pattern, with bounds that need no trust in the solver.

A node is a box ``least <= n <= most``. Its relaxation gives prices, and these prove theta <= sum of worth * n
(`pattern_lp`), so the best n of the box by worth, within m machines, bounds all that is below the node. Only such
bounds close a node. At the same prices, a pattern that is worth less than the last machine the box would use can have
only so many machines before the bound falls to the best theta known: `most` is lowered to that.

The search dives towards the nearer integer and takes the open node of the largest bound when a dive ends. It branches
on patterns of few types first: dedicated machines carry most of the load, and once their numbers are fixed little is
left to choose.
"""

import heapq
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .pattern_lp import PatternLp, Relaxation

__all__ = ["Optimum", "maximise"]

_CLOSED = 1 + 1e-10  # a node whose bound is within this factor of the best theta is not searched
_INTEGRAL = 1e-6
_ROUNDING = 1e-12  # relative, of differences between bounds


class Optimum(NamedTuple):
    """The best `theta` found, its `machines` and `shares`; no theta is above `upper`, up to rounding."""

    theta: float
    upper: float
    machines: NDArray[np.float64]
    shares: NDArray[np.float64]


def maximise(
    lp: PatternLp,
    holds: NDArray[np.bool_],
    cost: NDArray[np.float64],
    most: NDArray[np.float64],
    n_machines: int,
    work_limit: float,
    *,
    above: float | None = None,
) -> Optimum:
    """Return the optimum, or what is known when `work_limit` (of `PatternLp.work`) or the deadline of `lp` is reached.

    `cost` has a matrix for each pattern, as in `PatternLp`. `most` limits the machines of each pattern; the last
    pattern must hold all types and have no limit.

    With `above` the question is only whether theta can exceed it, which takes far fewer nodes: the search ends with the
    first solution that does, and `upper` is then infinite; otherwise `upper` may be as low as `above`.
    """
    return _Search(lp, holds, cost, n_machines, work_limit, above).run(most)


class _Box(NamedTuple):
    negative_bound: float  # first, so that a heap yields the largest bound
    number: int  # of the node, so that comparing ends here
    least: NDArray[np.float64]
    most: NDArray[np.float64]


class _Search:
    def __init__(
        self,
        lp: PatternLp,
        holds: NDArray[np.bool_],
        cost: NDArray[np.float64],
        n_machines: int,
        work_limit: float,
        above: float | None,
    ) -> None:
        self._lp = lp
        self._holds = holds
        self._cost = cost
        self._m = n_machines
        self._work_limit = work_limit
        self._size = holds.sum(axis=1)
        self._unsettled = 0.0  # the largest bound of a node that was given up
        self._n_nodes = 0
        # all types on all machines is a solution
        spread = np.zeros(len(holds))
        spread[-1] = n_machines
        self._theta, self._machines, self._shares = 0.0, spread, np.zeros(holds.shape)
        self._offer(spread, holds.astype(np.float64))
        self._enough = np.inf if above is None else above
        self._theta = max(self._theta, above or 0.0)

    def run(self, most: NDArray[np.float64]) -> Optimum:
        waiting: list[_Box] = []
        box: _Box | None = self._node(np.inf, np.zeros(len(most)), most)
        while box is not None and self._theta <= self._enough:
            dive = None
            if -box.negative_bound > self._theta * _CLOSED:
                within = self._lp.work < self._work_limit
                relaxation = self._lp.solve(box.least, box.most) if within else None
                if relaxation is None:
                    self._unsettled = max(self._unsettled, -box.negative_bound)
                else:
                    nodes = self._expand(box, relaxation)
                    dive = nodes[0] if nodes else None
                    for node in nodes[1:]:
                        heapq.heappush(waiting, node)
            box = dive or (heapq.heappop(waiting) if waiting else None)
        upper = max(self._theta * _CLOSED, self._unsettled) if self._theta <= self._enough else np.inf
        return Optimum(self._theta, upper, self._machines, self._shares)

    def _node(self, bound: float, least: NDArray[np.float64], most: NDArray[np.float64]) -> _Box:
        self._n_nodes += 1
        return _Box(-bound, self._n_nodes, least, most)

    def _expand(self, box: _Box, relaxation: Relaxation) -> list[_Box]:
        """Return the nodes that replace `box`, the one to look at next first; none if it is settled."""
        worth = relaxation.worth
        machines = np.clip(relaxation.machines, box.least, box.most)
        box_bound, last_worth = _best_of_box(worth, box.least, box.most, self._m)
        bound = min(-box.negative_bound, box_bound)
        fraction = np.abs(machines - np.rint(machines))
        branching = fraction > (_INTEGRAL if fraction.max() > _INTEGRAL else 0.0)
        if bound <= self._theta * _CLOSED:
            return []
        rounded = _round(machines, self._m)
        if rounded @ worth > self._theta:
            self._try(rounded)
        if bound <= self._theta * _CLOSED:
            return []
        if not branching.any():
            self._unsettled = max(self._unsettled, bound)
            return []

        slack = box_bound * (1 + _ROUNDING) - self._theta * _CLOSED
        less = worth < last_worth * (1 - _ROUNDING)
        allowed = np.divide(slack, last_worth - worth, out=np.full(len(worth), np.inf), where=less)
        most = np.minimum(box.most, box.least + np.floor(np.maximum(allowed, 0.0)))
        at = int(np.lexsort((-fraction, self._size, ~branching))[0])
        below = np.floor(machines[at])
        if most[at] <= below:
            return [self._node(bound, box.least, most)]
        lower, upper = most.copy(), box.least.copy()
        lower[at], upper[at] = below, below + 1
        nodes = [self._node(bound, box.least, lower)]
        if upper.sum() <= self._m:
            nodes.insert(int(machines[at] - below <= 0.5), self._node(bound, upper, most))
        return nodes

    def _try(self, machines: NDArray[np.float64]) -> None:
        """Look for the best shares for these numbers of machines."""
        relaxation = self._lp.solve(machines, machines)
        if relaxation is not None:
            self._offer(machines, relaxation.shares)

    def _offer(self, machines: NDArray[np.float64], shares: NDArray[np.float64]) -> None:
        """Keep the solution if it is the best; shares are scaled so that they fit whatever the solver's tolerance."""
        used = machines > 0
        shares = np.where(used[:, None], shares, 0.0)
        caused = (shares[:, None, :] @ self._cost)[:, 0, :]
        cost = np.where(self._holds, caused, 0.0)[used] / machines[used, None]
        largest = float(cost.max(initial=0.0))
        if largest > 0:
            theta = float(shares.sum(axis=0).min()) / largest
            if theta > self._theta:
                self._theta, self._machines, self._shares = theta, machines, shares / largest


def _best_of_box(
    worth: NDArray[np.float64], least: NDArray[np.float64], most: NDArray[np.float64], n_machines: int
) -> tuple[float, float]:
    """Return the largest worth of m machines in the box, and the worth of the last of them (0 if m is not reached)."""
    left = n_machines - least.sum()
    order = np.argsort(-worth, kind="stable")
    room = (most - least)[order]
    filled = np.cumsum(room)
    taken = np.clip(left - (filled - room), 0.0, room)
    reaching = int(np.searchsorted(filled, left))
    last_worth = float(worth[order[reaching]]) if reaching < len(order) else 0.0
    return float(worth @ least + worth[order] @ taken), last_worth


def _round(machines: NDArray[np.float64], n_machines: int) -> NDArray[np.float64]:
    """Round down, then give the machines that are left to the largest fractions."""
    rounded = np.floor(machines + _INTEGRAL)
    left = int(n_machines - rounded.sum())
    rounded[np.argsort(rounded - machines, kind="stable")[: max(left, 0)]] += 1
    return rounded
