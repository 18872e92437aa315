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
"""

import math
from itertools import combinations

import highspy
import numpy as np

from schedcore.model import ColocationInstance

from .sparse_program import Program, quiet_solver
from .type_loads import TypeLoads, type_loads

__all__ = ["is_ruled_out", "whole_load_bound"]

_MOST_TYPES = 6
_COVERED = 1 - 1e-6  # of every load: what the solver cannot place with this much to spare, cannot be placed
_MOST_NODES = 2000  # of the solver's tree, so that the answer does not depend on the clock
_TRIES = 4


def whole_load_bound(inst: ColocationInstance, proven: int, cost: int) -> int:
    """Return a cost numerator from `proven` to `cost` that no assignment of `inst` undercuts.

    Parameters
    ----------
    inst : ColocationInstance
    proven : int
        A cost numerator that no assignment undercuts.
    cost : int
        The cost numerator of some assignment; if it is returned, that one is optimal.

    Notes
    -----
    At most five integer programs of 2**n_types - 1 integers; some 20 ms each with four types. `proven` with more than
    six types.
    """
    if proven >= cost or is_ruled_out(inst, cost - 1):
        return max(proven, cost)
    low, high = proven, cost - 1  # nothing below low is possible, and high could not be ruled out
    for _ in range(_TRIES):
        middle = (low + high) // 2
        if middle == high:
            break
        low, high = (middle + 1, high) if is_ruled_out(inst, middle) else (low, middle)
    return low


def is_ruled_out(inst: ColocationInstance, numerator: int) -> bool:
    """Return whether it is proven that every assignment of `inst` costs more than ``numerator / alpha_denominator``.

    The integer program is solved in floating point, with tolerances of 1e-9; it is taken to have no solution only if it
    has none even with a millionth of every load left out.
    """
    if inst.n_tasks == 0:
        return numerator < 0
    loads = type_loads(inst)
    if loads.longest > numerator:
        return True
    if len(loads.types) > _MOST_TYPES:
        return False
    solver = quiet_solver()
    for option, value in (
        ("presolve", "on"),
        ("mip_feasibility_tolerance", 1e-9),
        ("mip_max_nodes", _MOST_NODES),
    ):
        solver.setOptionValue(option, value)
    solver.passModel(_program(loads, _steps(inst, loads.types), numerator).model())
    solver.run()
    return bool(solver.getModelStatus() == highspy.HighsModelStatus.kInfeasible)


def _steps(inst: ColocationInstance, types: tuple[int, ...]) -> list[int]:
    """Return the greatest common divisor of the sizes of each type."""
    return [int(np.gcd.reduce(inst.size[inst.type == kind])) for kind in types]


def _program(loads: TypeLoads, steps: list[int], numerator: int) -> Program:
    """Columns: n of every pattern, then the share of type s on it, for s in the pattern."""
    n_types = len(loads.types)
    alpha = loads.alpha.tolist()
    patterns = [kinds for size in range(1, n_types + 1) for kinds in combinations(range(n_types), size)]
    entries: list[tuple[int, int, float]] = []
    row = n_types  # the first rows say that everything is placed, the last that the machines suffice
    column = len(patterns)
    column_upper = [float(loads.n_machines)] * column
    for index, kinds in enumerate(patterns):
        allowed = []
        for d in kinds:
            step = math.gcd(*(steps[s] * alpha[s][d] for s in kinds))
            allowed.append(numerator // step * step)
        usable = min(allowed) > 0
        for position, s in enumerate(kinds):
            entries.append((s, column + position, 1.0))
        for d, most in zip(kinds, allowed, strict=True):
            if usable:
                entries += [
                    (row, column + position, loads.load[s] * alpha[s][d] / most)
                    for position, s in enumerate(kinds)
                    if alpha[s][d] > 0
                ]
                entries.append((row, index, -1.0))
            row += 1
        column_upper += [1.0 if usable else 0.0] * len(kinds)
        column += len(kinds)
    entries += [(row, index, 1.0) for index in range(len(patterns))]
    rows, columns, values = zip(*entries, strict=True)
    return Program(
        cost=np.zeros(column),
        column_upper=np.array(column_upper),
        row_lower=np.concatenate([np.full(n_types, _COVERED), np.full(row + 1 - n_types, -np.inf)]),
        row_upper=np.concatenate(
            [np.full(n_types, np.inf), np.zeros(row - n_types), [float(loads.n_machines)]]
        ),
        row=np.array(rows, dtype=np.int64),
        column=np.array(columns, dtype=np.int64),
        value=np.array(values),
        is_integer=np.arange(column) < len(patterns),
    )
