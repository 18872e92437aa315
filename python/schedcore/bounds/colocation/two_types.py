"""The program of two types, exactly: for every number of machines that hold both, the best use of the others.

With n0, n1 machines for one type alone and k for both, and theta = 1/c, type s has theta W[s] a[s, s] - n[s] left for
the shared machines (in machines' worth, if positive), where both costs must fit. Whichever of the two rests are
positive, that is linear, so theta is the smallest of six fractions (`_limits`), and for given k a concave function of
n0: an n0 no worse than its neighbours is best.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .type_loads import TypeLoads

__all__ = ["MOST_MACHINES", "TwoTypes", "solve_two_types"]

MOST_MACHINES = 5000  # beyond, branch and bound needs less time
_NEARLY = 1e-11  # numbers of shared machines this close to the best in doubles are compared exactly


class TwoTypes(NamedTuple):
    """An optimum: `cost` (numerator) with `alone` machines for each type and `shared` ones for both."""

    cost: Fraction
    alone: tuple[int, int]
    shared: int

    def loads_alone(self, loads: TypeLoads) -> tuple[Fraction, Fraction]:
        """Return the load of each type on its own machines together; what is left is on the shared ones."""
        own = loads.alpha.diagonal().tolist()
        first, second = (min(Fraction(loads.load[s]), self.cost * self.alone[s] / own[s]) for s in (0, 1))
        return first, second


class _Limit(NamedTuple):
    """theta <= (first * n0 + second * n1 + both * k) / divisor."""

    first: int
    second: int
    both: int
    divisor: int


def solve_two_types(loads: TypeLoads) -> TwoTypes:
    """Return an optimum of the program for exactly two types.

    Notes
    -----
    O(m log m) for m machines in doubles; the few that nearly tie are compared in exact arithmetic. If both types cost
    the other no more than themselves, all machines are shared and nothing is searched.
    """
    (a00, a01), (a10, a11) = loads.alpha.tolist()
    w0, w1 = loads.load
    m = loads.n_machines
    if a01 <= a00 and a10 <= a11:  # a type that is added to a machine without load is no constraint
        return TwoTypes(Fraction(max(w0 * a00 + w1 * a10, w1 * a11 + w0 * a01), m), (0, 0), m)
    limits = _limits(loads)
    best, theta = (0, m), Fraction(0)  # n0 and k
    for n0, k in _near_best(limits, m):
        exact_n0 = _best_alone(limits, n0, k, m)
        value = _theta(limits, exact_n0, k, m)
        if value > theta:
            best, theta = (exact_n0, k), value
    n0, k = best
    return TwoTypes(1 / theta, (n0, m - k - n0), k)


def _limits(loads: TypeLoads) -> list[_Limit]:
    (a00, a01), (a10, a11) = loads.alpha.tolist()
    w0, w1 = loads.load
    limits = [
        # cost of type 0 on the shared machines, with the rest of type 0 only, of type 1 only, of both
        _Limit(1, 0, 1, w0 * a00),
        _Limit(0, a10, a11, w1 * a10 * a11),
        _Limit(a11, a10, a11, (w0 * a00 + w1 * a10) * a11),
        # cost of type 1
        _Limit(0, 1, 1, w1 * a11),
        _Limit(a01, 0, a00, w0 * a01 * a00),
        _Limit(a01, a00, a00, (w1 * a11 + w0 * a01) * a00),
    ]
    return [limit for limit in limits if limit.divisor > 0]


def _theta(limits: Sequence[_Limit], n0: int, k: int, m: int) -> Fraction:
    n1 = m - k - n0
    least, divisor = 1, 0  # infinity
    for limit in limits:
        value = limit.first * n0 + limit.second * n1 + limit.both * k
        if value * divisor < least * limit.divisor:
            least, divisor = value, limit.divisor
    return Fraction(least, divisor)


def _best_alone(limits: Sequence[_Limit], guess: int, k: int, m: int) -> int:
    """Return the n0 of largest theta for this `k`, exactly; `guess` is nearly always it."""

    def falls_after(n0: int) -> bool:
        return n0 == m - k or _theta(limits, n0 + 1, k, m) <= _theta(limits, n0, k, m)

    if falls_after(guess) and (guess == 0 or not falls_after(guess - 1)):
        return guess
    low, high = 0, m - k
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if falls_after(middle) else (middle + 1, high)
    return low


def _near_best(limits: Sequence[_Limit], m: int) -> list[tuple[int, int]]:
    """Return n0 and k, k rising, for all k whose theta comes near the largest, in double precision."""
    shared = np.arange(m + 1, dtype=np.float64)
    first, second, both = (
        np.array([getattr(limit, name) / limit.divisor for limit in limits])[:, None]
        for name in ("first", "second", "both")
    )
    without = second * (m - shared) + both * shared

    def theta(n0: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray((without + (first - second) * n0).min(axis=0))

    low, high = np.zeros_like(shared), m - shared
    while (low < high).any():
        middle = np.floor((low + high) / 2)
        rises = (theta(middle + 1) > theta(middle)) & (low < high)
        low, high = np.where(rises, middle + 1, low), np.where(rises, high, middle)
    values = theta(low)
    near = values >= values.max() * (1 - _NEARLY)
    return [(int(n0), int(k)) for n0, k in zip(low[near], shared[near], strict=True)]
