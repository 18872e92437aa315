"""The knapsacks as MRIS calls them: exact fractions, capacities far too large for a table over sizes.

The exact solver keeps the minimum size of every total weight, one of the correct ways that the
specification names; leaving late items out first in the backtracking gives the canonical set.
"""

from fractions import Fraction
from math import floor, lcm

from .knapsack import greedy, greedy_union


def choose(
    weight: list[Fraction], size: list[Fraction], capacity: Fraction, method: str, epsilon: Fraction
) -> list[int]:
    """Ascending positions of the chosen items."""
    if method == "exact":
        return exact(weight, size, capacity)
    if method == "cadp":
        return cadp(weight, size, capacity, epsilon)
    if method == "greedy":
        return greedy(weight, size, capacity)
    if method == "greedy_union":
        return greedy_union(weight, size, capacity)
    raise ValueError(method)


def exact(weight: list[Fraction], size: list[Fraction], capacity: Fraction) -> list[int]:
    """Maximum weight, then minimum size, then late items left out first."""
    weights = as_integers(weight)
    *sizes, capacity_units = as_integers([*size, capacity])
    if sum(sizes) <= capacity_units:
        return list(range(len(weights)))
    smallest: list[dict[int, int]] = [{0: 0}]
    for w, v in zip(weights, sizes, strict=True):
        before = smallest[-1]
        after = dict(before)
        for total, used in before.items():
            if used + v <= capacity_units and used + v < after.get(total + w, capacity_units + 1):
                after[total + w] = used + v
        smallest.append(after)
    total = max(smallest[-1])
    chosen = []
    for i in reversed(range(len(weights))):
        if smallest[i].get(total) == smallest[i + 1][total]:
            continue
        chosen.append(i)
        total -= weights[i]
    return chosen[::-1]


def as_integers(values: list[Fraction]) -> list[int]:
    """All values times their common denominator: the same comparisons, faster."""
    unit = lcm(*(value.denominator for value in values))
    return [value.numerator * (unit // value.denominator) for value in values]


def cadp(weight: list[Fraction], size: list[Fraction], capacity: Fraction, epsilon: Fraction) -> list[int]:
    """The exact solution for sizes rounded down to multiples of K = epsilon * capacity / n."""
    n = len(weight)
    if n == 0:
        return []
    grain = epsilon * capacity / n
    scaled = [Fraction(floor(v / grain)) for v in size]
    return exact(weight, scaled, Fraction(floor(n / epsilon)))
