"""The quadratic program as an exact program over type patterns: how many machines hold which set of types.

In the program every type is a divisible load, a machine is constrained by the types it holds, and c is the largest
cost (section 7.1.3 of [Pascual2019]_). Machines are identical and, once their set of types is fixed, the constraints
are linear, so machines of equal sets may be averaged: what counts is the number of machines of each set. The size of
that program does not depend on the number of machines, and no constant switches a constraint off.

.. [Pascual2019] F. Pascual, K. Rzadca, "Optimizing egalitarian performance when colocating tasks with types for cloud
   data center resource management", IEEE Transactions on Parallel and Distributed Systems 30(11), 2019.
"""

import math
import time
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from schedcore.model import ColocationInstance

from ..content_cache import ContentCache
from ..rounding import largest_double_up_to
from .branch_and_bound import maximise
from .dominance import needed_patterns
from .pattern_lp import PatternLp
from .two_types import MOST_MACHINES, solve_two_types
from .type_loads import TypeLoads, largest_loads, type_loads

__all__ = ["MOST_TYPES", "PatternSolution", "pattern_program", "solve_patterns"]

MOST_TYPES = 10  # with 2**10 patterns a relaxation takes a good second
_TYPES_IF_MORE = 8
_WORK_LIMIT = 5e7  # of `PatternLp.work`: about five seconds
_LOWERED = 1 - 2.0**-36  # covers the slack of dominance and the rounding of worths
_EXACT = 1 + 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class PatternSolution:
    """A solution of the program, and a proven bound on its optimum c*.

    Attributes
    ----------
    bound : float
        At most c*, so no assignment costs less.
    is_exact : bool
        Whether `cost` is optimal, so that `bound` is c* up to its tolerance (1e-9, relatively).
    cost : float
        The largest cost in this solution; c* if exact.
    types : tuple of int
        The types that have a task.
    patterns : tuple of tuple of int
        Sets of types that some machines hold, each increasing.
    machines : tuple of int
        How many machines hold each set; in all at most the machines of the instance.
    load : (n_patterns, n_types) float64
        ``load[i, t]`` of type `t` is on the machines of ``patterns[i]`` together, 0 for some types of a pattern
        perhaps; there is a column for every type of the instance.
    """

    bound: float
    is_exact: bool
    cost: float
    types: tuple[int, ...]
    patterns: tuple[tuple[int, ...], ...]
    machines: tuple[int, ...]
    load: NDArray[np.float64]


def pattern_program(inst: ColocationInstance, time_limit: float | None = None) -> PatternSolution:
    """Solve the quadratic program of `inst`.

    Parameters
    ----------
    inst : ColocationInstance
    time_limit : float, optional
        Seconds after which the search stops; then `is_exact` is false and the bound is the best proven by then. Without
        it the search stops after a fixed amount of work, about five seconds, so that the result is reproducible.

    Returns
    -------
    PatternSolution
        With up to ten types, nearly always exact, unless loads or coefficients differ by factors of a million. With
        more on several machines, all types share all machines and the bound is that of the eight types of largest load:
        the patterns would be too many.

    Notes
    -----
    One machine and one or two types are solved in exact rational arithmetic. Three and four types take some
    milliseconds; the time does not depend on the number of tasks and hardly on that of the machines. Remembered by the
    contents of the instance, unless a time limit stopped the search.
    """
    deadline = math.inf if time_limit is None else time.monotonic() + time_limit
    return _solutions.get(
        inst,
        lambda same: solve_patterns(type_loads(same), same.n_types, same.alpha_denominator, deadline),
        keep=lambda solution: time_limit is None or solution.is_exact,
    )


def solve_patterns(
    loads: TypeLoads, n_types: int, denominator: int, deadline: float = math.inf
) -> PatternSolution:
    """Solve the program of `loads`; `n_types` of the instance only gives `PatternSolution.load` its width."""
    present = len(loads.types)
    if present == 0:
        return PatternSolution(0.0, True, 0.0, (), (), (), np.zeros((0, n_types)))
    if present == 1 or loads.n_machines == 1:
        found = _spread(loads, None)
    elif present == 2 and loads.n_machines <= MOST_MACHINES:
        found = _two_types(loads)
    elif present <= MOST_TYPES:
        found = _branch_and_bound(loads, deadline)
    else:
        found = _spread(loads, _branch_and_bound(largest_loads(loads, _TYPES_IF_MORE), deadline).bound)
    columns = np.array(loads.types)
    load = np.zeros((len(found.machines), n_types))
    load[:, columns] = found.load
    return PatternSolution(
        bound=largest_double_up_to(found.bound / denominator),
        is_exact=found.is_exact,
        cost=float(found.cost / denominator),
        types=loads.types,
        patterns=tuple(tuple(columns[row].tolist()) for row in found.holds),
        machines=found.machines,
        load=load,
    )


@dataclass(frozen=True, slots=True)
class _Found:
    """A solution in the columns of `TypeLoads`; `bound` and `cost` are numerators."""

    bound: Fraction
    is_exact: bool
    cost: Fraction
    holds: NDArray[np.bool_]
    machines: tuple[int, ...]
    load: NDArray[np.float64]


def _two_types(loads: TypeLoads) -> _Found:
    best = solve_two_types(loads)
    alone = best.loads_alone(loads)
    rows = [
        ([True, False], best.alone[0], [alone[0], Fraction(0)]),
        ([False, True], best.alone[1], [Fraction(0), alone[1]]),
        ([True, True], best.shared, [loads.load[s] - alone[s] for s in (0, 1)]),
    ]
    used = [row for row in rows if row[1] > 0]
    holds, machines, load = zip(*used, strict=True)
    return _Found(best.cost, True, best.cost, np.array(holds), machines, np.array(load, dtype=np.float64))


def _spread(loads: TypeLoads, bound: Fraction | None) -> _Found:
    """All types on all machines, which is optimal for one type or machine (`bound` is None)."""
    columns = loads.alpha.T.tolist()
    costs = (sum(load * a for load, a in zip(loads.load, column, strict=True)) for column in columns)
    cost = Fraction(max(costs), loads.n_machines)
    return _Found(
        cost if bound is None else bound,
        bound is None,
        cost,
        np.ones((1, len(loads.types)), dtype=np.bool_),
        (loads.n_machines,),
        np.array([loads.load], dtype=np.float64),
    )


def _branch_and_bound(loads: TypeLoads, deadline: float) -> _Found:
    alpha = loads.alpha.tolist()
    volume = sum(load * alpha[s][s] for s, load in enumerate(loads.load))
    cost = np.array([[load * a / volume for a in alpha[s]] for s, load in enumerate(loads.load)])
    holds, most = needed_patterns(loads.alpha, loads.n_machines)
    cost = np.broadcast_to(cost, (len(holds), *cost.shape))  # the same for every pattern
    lp = PatternLp(holds, cost, loads.n_machines, deadline)
    optimum = maximise(lp, holds, cost, most, loads.n_machines, _WORK_LIMIT)
    used = optimum.machines > 0
    shares = optimum.shares[used] / optimum.shares.sum(axis=0)
    proven = Fraction(volume * _LOWERED) / Fraction(optimum.upper) if optimum.upper < np.inf else Fraction(0)
    return _Found(
        bound=proven,
        is_exact=optimum.upper <= optimum.theta * _EXACT,
        cost=Fraction(volume) / Fraction(optimum.theta),
        holds=holds[used],
        machines=tuple(int(count) for count in optimum.machines[used]),
        load=shares * np.array(loads.load, dtype=np.float64),
    )


_solutions: ContentCache[PatternSolution] = ContentCache()
