"""A sharper bound where loads are whole numbers: which costs can be ruled out.

Tasks of type s have sizes that are multiples of g[s]. On a machine that holds exactly the types S, every cost is a
sum of such multiples times a[s, d], hence a multiple of the greatest common divisor of g[s] a[s, d] over s in S. So a
cost of at most C is one of at most C rounded down to such a multiple, r[S, d]. Summing over the n[S] machines that
hold S, on which Y[S, s] of type s is,

    sum over s in S of a[s, d] Y[S, s] <= n[S] r[S, d]   for every d in S,
    sum over S of Y[S, s] = W[s],     sum over S of n[S] <= m.

If these have no solution with integer n, no assignment costs C or less. Machines for one type alone profit most: six of
them at 166.4 units hold no more than six times 166. The quadratic program is the same without the rounding, and with
divisible loads it cannot see that.

Whether there is a solution is what the pattern program asks with b[S, s, d] = W[s] a[s, d] / (m r[S, d]): there is one
exactly if theta can reach m. `branch_and_bound` proves that it cannot, whatever the solver did.
"""

import math
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from schedcore.model import ColocationInstance

from .branch_and_bound import maximise
from .pattern_lp import PatternLp
from .type_loads import TypeLoads, type_loads

__all__ = ["is_ruled_out", "whole_load_bound"]

_MOST_TYPES = 6
_WORK_LIMIT = 4e6  # of `PatternLp.work`: some tenths of a second, the same on every machine
_RAISED = 1 + 2.0**-36  # covers the rounding of worths, as for the pattern program
_SHORT = 1 - 1e-9  # theta must be seen to stay below this part of m
_TRIES = 4


def whole_load_bound(inst: ColocationInstance, proven: int, cost: int) -> int:
    """Return a cost numerator from `proven` to `cost` that no assignment of `inst` undercuts.

    Parameters
    ----------
    inst : ColocationInstance
    proven : int
        A cost numerator that no assignment undercuts.
    cost : int
        The cost numerator of some assignment, at least `proven`; if it is returned, that one is optimal.

    Notes
    -----
    At most five searches over 2**n_types - 1 patterns; some 20 ms each with four types. `proven` with more than six
    types.
    """
    if proven >= cost or is_ruled_out(inst, cost - 1):
        return cost
    low, high = proven, cost - 1  # nothing below low is possible, and high could not be ruled out
    for _ in range(_TRIES):
        middle = (low + high) // 2
        if middle == high:
            break
        low, high = (middle + 1, high) if is_ruled_out(inst, middle) else (low, middle)
    return low


def is_ruled_out(inst: ColocationInstance, numerator: int) -> bool:
    """Return whether it is proven that every assignment of `inst` costs more than ``numerator / alpha_denominator``."""
    if inst.n_tasks == 0:
        return numerator < 0
    loads = type_loads(inst)
    if loads.longest > numerator:
        return True
    n_types = len(loads.types)
    if n_types > _MOST_TYPES:
        return False
    patterns = [list(kinds) for size in range(1, n_types + 1) for kinds in combinations(range(n_types), size)]
    steps = _steps(inst, loads.types)
    holds = np.zeros((len(patterns), n_types), dtype=np.bool_)
    cost = np.ones((len(patterns), n_types, n_types))  # of what a pattern does not hold, nobody asks
    for row, kinds in enumerate(patterns):
        holds[row, kinds] = True
        cost[row][np.ix_(kinds, kinds)] = _relative(loads, kinds, _rooms(loads, steps, kinds, numerator))
    m = loads.n_machines
    most = np.full(len(patterns), float(m))
    lp = PatternLp(holds, cost, m, math.inf)
    found = maximise(lp, holds, cost, most, m, _WORK_LIMIT, above=m * _SHORT)
    return found.upper * _RAISED < m


def _steps(inst: ColocationInstance, types: tuple[int, ...]) -> list[int]:
    """Return the greatest common divisor of the sizes of each type."""
    return [int(np.gcd.reduce(inst.size[inst.type == kind])) for kind in types]


def _rooms(loads: TypeLoads, steps: list[int], kinds: list[int], numerator: int) -> list[int]:
    """Return r[S, d] for every d in S: the largest cost of type d up to `numerator` that whole loads can have.

    1 in place of 0, which leaves the program a solution to begin with and rules out less.
    """
    alpha = loads.alpha.tolist()
    divisors = (math.gcd(*(steps[s] * alpha[s][d] for s in kinds)) for d in kinds)
    return [max(numerator // divisor * divisor, 1) for divisor in divisors]


def _relative(loads: TypeLoads, kinds: list[int], room: list[int]) -> NDArray[np.float64]:
    """Return W[s] a[s, d] / (m r[S, d]), each quotient rounded once."""
    alpha = loads.alpha.tolist()
    return np.array(
        [
            [
                loads.load[s] * alpha[s][d] / (loads.n_machines * most)
                for d, most in zip(kinds, room, strict=True)
            ]
            for s in kinds
        ]
    )
