"""The knapsacks as their definitions say: a table over capacities, all subsets, fractions instead of scaling.

Items are given by integer (or fraction) weights and sizes; all functions return ascending item indices.
"""

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations

Number = int | Fraction


def canonical_by_table(weight: Sequence[Number], size: Sequence[int], capacity: int) -> list[int]:
    """f[i][c] = best weight of the first i items with capacity c, then backtracking from the last item."""
    n = len(weight)
    f: list[list[Number]] = [[0] * (capacity + 1)]
    for i in range(1, n + 1):
        row = list(f[i - 1])
        for c in range(size[i - 1], capacity + 1):
            row[c] = max(row[c], f[i - 1][c - size[i - 1]] + weight[i - 1])
        f.append(row)
    c = next(c for c in range(capacity + 1) if f[n][c] == f[n][capacity])
    chosen = []
    for i in range(n, 0, -1):
        if f[i - 1][c] != f[i][c]:
            chosen.append(i - 1)
            c -= size[i - 1]
    return chosen[::-1]


def canonical_by_subsets(weight: Sequence[Number], size: Sequence[Number], capacity: Number) -> list[int]:
    """Maximum weight, then minimum size, then the smallest sum of 2**i over the chosen items."""
    items = range(len(weight))
    feasible = (
        subset
        for k in range(len(weight) + 1)
        for subset in combinations(items, k)
        if sum(size[i] for i in subset) <= capacity
    )
    best = min(
        feasible,
        key=lambda subset: (
            -sum(weight[i] for i in subset),
            sum(size[i] for i in subset),
            sum(2**i for i in subset),
        ),
    )
    return list(best)


def scaled_sizes(size: Sequence[int], capacity: int, epsilon: Fraction) -> tuple[list[int], int]:
    """Sizes and capacity in whole units of K = epsilon * capacity / n; capacity > 0."""
    num, den = epsilon.numerator, epsilon.denominator
    n = len(size)
    return [(v * n * den) // (num * capacity) for v in size], (n * den) // num


def scaled_sizes_in_double(
    size: Sequence[float], capacity: float, epsilon: Fraction
) -> tuple[list[int], int]:
    """The same for sizes that are not integers: K and the quotients are rounded to double."""
    n = len(size)
    unit = epsilon.numerator / epsilon.denominator * capacity / n
    return [math.floor(v / unit) for v in size], (n * epsilon.denominator) // epsilon.numerator


def densest_first(weight: Sequence[Number], size: Sequence[Number], largest: Number) -> list[int]:
    """Items up to `largest` by decreasing weight / size, ties to the lower index."""
    items = [i for i in range(len(size)) if size[i] <= largest]
    return sorted(items, key=lambda i: (-Fraction(weight[i]) / Fraction(size[i]), i))


def prefix_and_overflow(
    order: Sequence[int], size: Sequence[Number], capacity: Number
) -> tuple[list[int], list[int]]:
    """The items of `order` before the first that overflows the capacity, and that one (or nobody)."""
    used: Number = 0
    for k, item in enumerate(order):
        used += size[item]
        if used > capacity:
            return list(order[:k]), [item]
    return list(order), []


def greedy_prefix(
    weight: Sequence[Number], size: Sequence[Number], capacity: Number, largest: Number | None = None
) -> list[int]:
    """The densest prefix or the item that overflows it, whichever weighs more."""
    order = densest_first(weight, size, capacity if largest is None else largest)
    prefix, overflow = prefix_and_overflow(order, size, capacity)
    heavier = overflow if sum(weight[i] for i in overflow) > sum(weight[i] for i in prefix) else prefix
    return sorted(heavier)


def greedy(weight: Sequence[Number], size: Sequence[Number], capacity: Number) -> list[int]:
    """The greedy prefix at twice the capacity over the items that fit the capacity."""
    return greedy_prefix(weight, size, 2 * capacity, largest=capacity)


def greedy_union(weight: Sequence[Number], size: Sequence[Number], capacity: Number) -> list[int]:
    """The densest prefix and the item that overflows it."""
    prefix, overflow = prefix_and_overflow(densest_first(weight, size, capacity), size, capacity)
    return sorted(prefix + overflow)
