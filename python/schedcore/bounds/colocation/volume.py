"""The cheap bounds: averages over the machines of what load costs at least, in exact integers.

Let C be the largest cost, R a set of k types, and S the types of R on some machine, with loads L[s]. Tasks only
add to costs, so every d in S costs C >= sum over s in S of L[s] a[s, d].

*Average.* Take the mean over d in S. Load of s counts (a[s, s] + sum of a[s, d] over the others) / |S|, which is at
least (a[s, s] + (|S| - 1) r[s]) / |S| with r[s] = min(a[s, s], smallest a[s, d] over the other d in R). Since
r[s] <= a[s, s], this falls with \\|S\\|, and is at least its value v[s] for \\|S\\| = k. Summing over the machines,
m C >= sum over R of W[s] v[s].

*Leader.* Let d be in R. Where d is present, its own cost counts a[d, d] a unit of d and a[s, d] a unit of s; where it
is absent, the average over R without d holds. So a unit of s always counts at least the smaller of a[s, d] and v[s]
(of R without d), and m C >= W[d] a[d, d] + sum over the others of W[s] times that.

One type alone is the case k = 1 of the first: m C >= W[s] a[s, s].
"""

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations

from .type_loads import TypeLoads

__all__ = ["volume_bound"]

_ALL_SUBSETS = 5  # up to so many types all sets are tried, with every leader
_PAIRS = (
    20  # up to so many: single types, pairs and all types, with every leader; beyond: single types and all
)

_Matrix = Sequence[Sequence[int]]


def volume_bound(loads: TypeLoads) -> Fraction:
    """Return the largest of these bounds as a cost numerator; at least one type.

    Notes
    -----
    Up to five types: all sets R and all leaders, some 0.2 ms. Up to 20: single types, pairs and all types. Beyond:
    single types, and all types without a leader, in O(n_types**2).
    """
    alpha: _Matrix = loads.alpha.tolist()
    n_types = len(loads.load)
    sizes = _sizes(n_types)
    unit = math.lcm(*sizes, *(k - 1 for k in sizes if k > 1))  # makes all the divisions by k exact
    best = 0
    for chosen in (subset for k in sizes for subset in combinations(range(n_types), k)):
        best = max(best, sum(loads.load[s] * v for s, v in _averages(alpha, chosen, unit).items()))
        for leader in chosen if 1 < len(chosen) <= _PAIRS else ():
            others = [s for s in chosen if s != leader]
            average = _averages(alpha, others, unit)
            led = loads.load[leader] * alpha[leader][leader] * unit
            best = max(
                best, led + sum(loads.load[s] * min(alpha[s][leader] * unit, average[s]) for s in others)
            )
    return Fraction(best, unit * loads.n_machines)


def _sizes(n_types: int) -> Sequence[int]:
    if n_types <= _ALL_SUBSETS:
        return range(1, n_types + 1)
    return (1, 2, n_types) if n_types <= _PAIRS else (1, n_types)


def _averages(alpha: _Matrix, chosen: Sequence[int], unit: int) -> dict[int, int]:
    """Return v[s] * unit for every s in `chosen`."""
    k = len(chosen)
    averages = {}
    for s in chosen:
        own = alpha[s][s]
        least = min(alpha[s][d] for d in chosen)  # own is among them
        averages[s] = (own + (k - 1) * least) * (unit // k)
    return averages
