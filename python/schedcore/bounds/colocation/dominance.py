"""Which sets of types a machine needs to be allowed to hold, and how many machines of a set are ever needed.

A *pattern* S is the set of types that a machine may hold. Its loads, in multiples of the largest cost c, form the
polytope P(S) = {y >= 0 : sum over s in S of a[s, d] y[s] <= 1 for every d in S}. Two reductions make the search short:

*Dominated.* If the constraint of a further type d holds everywhere on P(S), a machine of pattern S may as well have
pattern S + d. That is so if weights w >= 0 on S with sum at most 1 satisfy sum over e of a[s, e] w[e] >= a[s, d] for
every s in S: then the cost of d is at most a mean of costs. One e alone with weight 1 often does it, and is compared in
integers; other weights come from a linear program and are checked, to within `_SLACK`, after it. As sets only grow,
replacing ends.

*Hostile.* If every type of S costs the others of S no less than itself, |S| - 1 machines of pattern S are enough. Let
there be n >= |S|, with Y[s] of type s together, so that sum of a[s, d] Y[s] <= n. If a Y[s] a[s, s] >= 1, one machine
can hold 1 / a[s, s] of s alone: the sums fall by a[s, d] / a[s, s] >= 1 each, and n - 1 machines are left. Otherwise
|S| machines can hold one type of S each. The machines for single types then grow to the patterns that dominate
them; these must not be limited themselves, so such patterns are left without a limit.
"""

from typing import NamedTuple

import highspy
import numpy as np
from numpy.typing import NDArray

from schedcore.bounds.sparse_program import Program, quiet_solver

__all__ = ["NeededPatterns", "needed_patterns"]

_SLACK = 2.0**-41  # relative; a chain of n_types replacements may lose so much each time
_LARGEST_RATIO = 1e9  # coefficients further apart are not given to the solver


class NeededPatterns(NamedTuple):
    """Patterns that some optimum of the program is made of.

    Attributes
    ----------
    holds : (n_patterns, n_types) bool
        The types of each pattern; the last pattern holds all.
    most : (n_patterns,) float64
        How many machines of each pattern such an optimum needs at most.
    """

    holds: NDArray[np.bool_]
    most: NDArray[np.float64]


def needed_patterns(alpha: NDArray[np.int64], n_machines: int) -> NeededPatterns:
    """Return the patterns that are not dominated.

    Notes
    -----
    O(2**n_types * n_types**3) steps in NumPy, and at most one linear program.
    """
    n_types = len(alpha)
    masks = np.arange(1, 2**n_types)  # mask - 1 is the index of a pattern
    holds = (masks[:, None] >> np.arange(n_types) & 1).astype(np.bool_)
    dominated = _dominated(alpha, masks, holds)

    kept = ~dominated.any(axis=1)
    grown_to = np.arange(len(masks))
    for index in sorted(np.flatnonzero(~kept), key=lambda index: -int(holds[index].sum())):
        grown_to[index] = grown_to[(masks[index] | 1 << int(np.argmax(dominated[index]))) - 1]

    own = alpha.diagonal()
    hostile_to = ((alpha >= own[:, None]) << np.arange(n_types)).sum(axis=1)
    all_hostile = np.bitwise_and.reduce(np.where(holds, hostile_to, -1), axis=1)
    hostile = (masks & ~all_hostile == 0) & (holds.sum(axis=1) > 1)
    hostile[grown_to[(1 << np.arange(n_types)) - 1]] = False
    most = np.where(hostile, np.minimum(holds.sum(axis=1) - 1, n_machines), n_machines)
    return NeededPatterns(holds[kept], most[kept].astype(np.float64))


def _dominated(
    alpha: NDArray[np.int64], masks: NDArray[np.int64], holds: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Return [pattern, d]: the constraint of d holds on the pattern, which is without d."""
    n_types = len(alpha)
    # covers[e, d] = the types that cost e no less than d
    covers = ((alpha[:, :, None] >= alpha[:, None, :]) << np.arange(n_types)[:, None, None]).sum(axis=0)
    by_one = ((masks[:, None, None] & ~covers == 0) & holds[:, :, None]).any(axis=1) & ~holds
    # nothing helps a type of S that costs d more than all in S
    largest = np.where(holds[:, None, :], alpha, -1).max(axis=2)
    possible = ((alpha <= largest[:, :, None]) | ~holds[:, :, None]).all(axis=1) & ~holds
    unclear = possible & ~by_one.any(axis=1)[:, None]
    if unclear.any():
        pattern, further = np.nonzero(unclear)
        by_one[pattern, further] = _by_weights(alpha, holds[pattern], further)
    return np.asarray(by_one)


def _by_weights(
    alpha: NDArray[np.int64], holds: NDArray[np.bool_], further: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Return for which of the patterns weights prove that the constraint of `further` holds.

    One program for all: its variables are the weights of one pattern after the other.
    """
    relative = alpha / alpha.diagonal()[:, None]
    needed = relative.T[further]  # [pattern, s]
    pattern, e = np.nonzero(holds)
    column = np.full(holds.shape, -1)
    column[pattern, e] = np.arange(len(e))
    # entries at (row of pattern and s, column of pattern and e), sorted by columns
    at, source = np.nonzero(holds[pattern])
    program = Program(
        cost=np.ones(len(e)),
        column_upper=np.full(len(e), np.inf),
        row_lower=np.minimum(needed[holds], _LARGEST_RATIO),
        row_upper=np.full(len(e), np.inf),
        row=column[pattern[at], source],
        column=at,
        value=np.minimum(relative[source, e[at]], _LARGEST_RATIO),
    )
    solver = quiet_solver()
    solver.passModel(program.model())
    solver.run()
    if solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        return np.zeros(len(holds), dtype=np.bool_)
    weight = np.zeros(holds.shape)
    weight[holds] = np.maximum(solver.getSolution().col_value, 0.0)
    weight /= np.maximum(weight.sum(axis=1), 1.0)[:, None] * (1 + 2.0**-50)
    short = weight @ relative.T < needed * (1 - _SLACK)
    return np.asarray(~(short & holds).any(axis=1))
