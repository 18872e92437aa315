"""The relaxation of colocation with divisible loads, exactly: try all numbers of machines for each set of types.

Machines that may hold the same types can be averaged, so a list of sets, one for each machine, leaves a linear program,
and that is solved by the textbook simplex method in fractions (Bland's rule). For three types and three machines.
"""

from collections import Counter
from fractions import Fraction
from itertools import chain, combinations, combinations_with_replacement

from reference.colocation_instance import PlainColocation

Row = list[Fraction]


def relaxation(instance: PlainColocation) -> Fraction:
    """c*: the smallest largest cost if the load of every type may be split at will; at least one task."""
    types = instance.present_types
    subsets = list(chain.from_iterable(combinations(types, k) for k in range(1, len(types) + 1)))
    divisions = combinations_with_replacement(subsets, instance.n_machines)
    largest = max(_largest_theta(instance, Counter(division)) for division in divisions)
    return 1 / largest / instance.denominator


def _largest_theta(instance: PlainColocation, machines: Counter[tuple[int, ...]]) -> Fraction:
    """1/c for so many machines of each set: theta W[s] <= sum of loads of s, in multiples of c, and costs <= 1."""
    columns = [(subset, s) for subset in machines for s in subset]
    rows: list[list[int]] = []
    for t in instance.present_types:
        rows.append([instance.load_of_type(t), *(-int(s == t) for _, s in columns), 0])
    for subset, count in machines.items():
        for d in subset:
            rows.append([0, *(instance.coefficient[s][d] * (own == subset) for own, s in columns), count])
    return _maximum_of_the_first_variable([[Fraction(value) for value in row] for row in rows])


def _maximum_of_the_first_variable(rows: list[Row]) -> Fraction:
    """Of x >= 0 with row[:-1] @ x <= row[-1], all right sides non-negative."""
    n, m = len(rows[0]) - 1, len(rows)
    table = [[*row[:-1], *(Fraction(int(i == j)) for j in range(m)), row[-1]] for i, row in enumerate(rows)]
    objective = [Fraction(-1), *[Fraction(0)] * (n + m)]
    basis = list(range(n, n + m))
    while (entering := next((j for j in range(n + m) if objective[j] < 0), None)) is not None:
        ratios = [(row[-1] / row[entering], basis[i], i) for i, row in enumerate(table) if row[entering] > 0]
        leaving = min(ratios)[2]
        pivot = [value / table[leaving][entering] for value in table[leaving]]
        for i, row in enumerate(table):
            if i != leaving and row[entering]:
                table[i] = _less(row, row[entering], pivot)
        objective = _less(objective, objective[entering], pivot)
        table[leaving] = pivot
        basis[leaving] = entering
    return objective[-1]


def _less(row: Row, factor: Fraction, pivot: Row) -> Row:
    return [value - factor * other if other else value for value, other in zip(row, pivot, strict=True)]
