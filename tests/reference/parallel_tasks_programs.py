"""The linear programs LP1, LP2 and LP3 written row by row as they are defined, solved by SciPy.

One resource, release times 0. Rows are dictionaries from a variable's name to its coefficient.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
from scipy.optimize import linprog

from reference.parallel_tasks_fractions import interval_ends
from reference.parallel_tasks_instance import PlainTasks

Row = dict[Any, float]


@dataclass
class Program:
    """Rows ``sum <= bound`` and ``sum == bound`` over variables that are at least 0."""

    cost: Row
    at_most: list[tuple[Row, float]] = field(default_factory=list)
    equal: list[tuple[Row, float]] = field(default_factory=list)

    def solve(self, upper: Mapping[Any, float]) -> tuple[float, dict[Any, float]]:
        rows = [row for row, _ in [*self.at_most, *self.equal]]
        names = list(dict.fromkeys(name for row in [self.cost, *rows] for name in row))
        column = {name: c for c, name in enumerate(names)}

        def dense(rows_and_bounds: list[tuple[Row, float]]) -> tuple[Any, Any]:
            matrix = np.zeros((len(rows_and_bounds), len(names)))
            for r, (row, _) in enumerate(rows_and_bounds):
                for name, coefficient in row.items():
                    matrix[r, column[name]] = coefficient
            return (matrix, [bound for _, bound in rows_and_bounds]) if len(matrix) else (None, None)

        a_ub, b_ub = dense(self.at_most)
        a_eq, b_eq = dense(self.equal)
        solved = linprog(
            [self.cost.get(name, 0.0) for name in names],
            A_ub=a_ub,
            b_ub=b_ub,
            A_eq=a_eq,
            b_eq=b_eq,
            bounds=[(0, upper.get(name)) for name in names],
            method="highs",
        )
        assert solved.status == 0, solved.message
        return float(solved.fun), dict(zip(names, solved.x.tolist(), strict=True))


def total(pairs: Iterable[tuple[Any, float]]) -> Row:
    """The sum of terms; a variable that occurs twice counts twice."""
    row: Row = {}
    for name, coefficient in pairs:
        row[name] = row.get(name, 0.0) + coefficient
    return row


def interval_program(
    instance: PlainTasks,
    epsilon: Fraction = Fraction(1),
    *,
    doubling: bool = False,
    repaired: bool = True,
) -> tuple[float, dict[tuple[int, int, int], float]]:
    """LP1, or LP2 (`doubling`: intervals double, and no task lies in an interval that ends before it could).

    Not `repaired`, jobs may complete in interval 0 at no cost. Returns the value and z by (task, machine, interval).
    """
    if not instance.tasks:
        return 0.0, {}
    exact = interval_ends(instance.horizon(), Fraction(1) if doubling else epsilon)
    ends = [float(d) for d in exact]
    last = len(ends) - 1
    first = 1 if repaired else 0
    z = {
        (t, i, q): float(time)
        for t, task in enumerate(instance.tasks)
        for i, time in task.time.items()
        for q in range(last + 1)
        if not (doubling and time > exact[q])
    }
    program = Program(
        {
            ("X", j, q): float(w) * (ends[q - 1] if q else 0.0)
            for j, w in enumerate(instance.weight)
            for q in range(first, last + 1)
        }
    )
    for t, task in enumerate(instance.tasks):
        own = {key: time for key, time in z.items() if key[0] == t}
        program.equal.append((dict.fromkeys(own, 1.0), 1.0))
        for q in range(last + 1):
            program.at_most.append(({key: time for key, time in own.items() if key[2] <= q}, ends[q]))
            done = [(key, -1.0) for key in own if key[2] <= q]
            counted = [(("X", task.job, p), 1.0) for p in range(first, q + 1)]
            program.at_most.append((total([*counted, *done]), 0.0))
    for i, (capacity,) in enumerate(instance.capacity):
        for q in range(last + 1):
            load = {
                key: instance.tasks[key[0]].demand[0] * time
                for key, time in z.items()
                if key[1] == i and key[2] <= q
            }
            program.at_most.append((load, capacity * ends[q]))
    for j in range(instance.n_jobs):
        program.equal.append(({("X", j, q): 1.0 for q in range(first, last + 1)}, 1.0))
    value, solution = program.solve({})
    return value, {key: solution[key] for key in z}


def order_program(instance: PlainTasks, *, all_machines: bool = False) -> tuple[float, list[float]]:
    """LP3: the value and C_j of every job; one variable a pair of jobs, 1 where the first comes before the second."""
    if not instance.tasks:
        return 0.0, []
    machine_of = [min(task.time) for task in instance.tasks]
    volume = [[0] * instance.n_machines for _ in range(instance.n_jobs)]
    for task, i in zip(instance.tasks, machine_of, strict=True):
        volume[task.job][i] += task.demand[0] * task.time[i]
    program = Program({("C", j): float(w) for j, w in enumerate(instance.weight)})
    pairs = list(combinations(range(instance.n_jobs), 2))
    for j in range(instance.n_jobs):
        longest = max(
            task.time[i] for task, i in zip(instance.tasks, machine_of, strict=True) if task.job == j
        )
        program.at_most.append(({("C", j): -1.0}, -float(longest)))
        for i, (capacity,) in enumerate(instance.capacity):
            if not (all_machines or volume[j][i]):
                continue
            # m C_j >= V_j + sum of V_q over the jobs before j
            row: Row = {("C", j): -float(capacity)}
            bound = -float(volume[j][i])
            for first, second in pairs:
                if second == j:
                    row["first", first, second] = float(volume[first][i])
                elif first == j:  # delta_qj = 1 - delta_jq
                    row["first", first, second] = -float(volume[second][i])
                    bound -= volume[second][i]
            program.at_most.append((row, bound))
    value, solution = program.solve({("first", *pair): 1.0 for pair in pairs})
    return value, [solution["C", j] for j in range(instance.n_jobs)]
