"""The decision of the PTAS for a target cost, by trying every placement of long tasks and every declaration of types.

Only yes or no is settled by the definition, and with it the target at which the search ends.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import chain, combinations
from math import ceil

from reference.colocation_instance import PlainColocation, ceil_div, cost_of_type, max_cost
from reference.colocation_schedules import best_schedule

Covered = tuple[int, ...]  # containers per type, up to what is needed


def grain(instance: PlainColocation, k: int) -> int:
    """g: a container is 1/g of the target, a unit 1/g of a container."""
    present = instance.present_types
    q = instance.denominator
    dearest = Fraction(max(instance.coefficient[s][d] for s in present for d in present), q)
    cheapest_own = Fraction(min(instance.coefficient[d][d] for d in present), q)
    return ceil(k * len(present) * dearest * (2 + 1 / cheapest_own))


def decide(instance: PlainColocation, target: int, k: int) -> bool:
    """Whether the tasks fit into containers and units of the target cost (a numerator)."""
    if not instance.size:
        return True
    if target <= 0:
        return False
    q, m, g = instance.denominator, instance.n_machines, grain(instance, k)
    long = [j for j in instance.tasks if instance.size[j] * q * g >= target]
    units = {j: instance.size[j] * q * g * g // target for j in long}
    types = range(instance.n_types)
    short_load = [
        sum(instance.size[j] for j in instance.tasks if instance.type[j] == s and j not in units)
        for s in types
    ]
    needed = [ceil_div(load * q * g, target) for load in short_load]

    def affordable(load: Sequence[int], declared: set[int]) -> bool:
        return all(sum(instance.coefficient[s][d] * load[s] for s in types) <= q * g * g for d in declared)

    @cache
    def coverings(long_units: Covered) -> frozenset[Covered]:
        """What one machine beside these long tasks can cover, largest vectors only."""
        held = [s for s in types if long_units[s]]
        askers = [s for s in types if needed[s]]
        found: set[Covered] = set()
        for some in chain.from_iterable(combinations(askers, size) for size in range(len(askers) + 1)):
            declared = {*held, *some}

            def fits(spare: Covered, declared: set[int] = declared) -> bool:
                return affordable([long_units[s] + g * spare[s] for s in types], declared)

            for spare in _vectors([needed[s] if s in some else 0 for s in types]):
                larger = (_one_more(spare, s) for s in some if spare[s] + 1 < needed[s])
                if fits(spare) and not any(fits(vector) for vector in larger):
                    found.add(tuple(spare[s] + 1 if s in some else 0 for s in types))
        return largest(found)

    def containers_fit(loads: tuple[Covered, ...]) -> bool:
        reached: frozenset[Covered] = frozenset({(0,) * instance.n_types})
        for load in loads:
            more = coverings(load)
            reached = largest(
                {
                    tuple(min(n, a + b) for n, a, b in zip(needed, x, y, strict=True))
                    for x in reached
                    for y in more
                }
            )
        return tuple(needed) in reached

    @cache
    def place(position: int, loads: tuple[Covered, ...]) -> bool:
        """Whether the long tasks from there on, and all containers, fit beside these units on the machines."""
        if position == len(long):
            return containers_fit(loads)
        j = long[position]
        for machine, load in enumerate(loads):
            grown = tuple(held + units[j] * (s == instance.type[j]) for s, held in enumerate(load))
            if affordable(grown, {s for s in types if grown[s]}):
                others = (*loads[:machine], *loads[machine + 1 :])
                if place(position + 1, tuple(sorted((*others, grown)))):  # machines are alike
                    return True
        return False

    return place(0, ((0,) * instance.n_types,) * m)


def _vectors(bound: list[int]) -> Iterator[Covered]:
    """All vectors of counts below the bounds; 0 where the bound is 0."""
    if not bound:
        yield ()
        return
    for first in range(max(1, bound[0])):
        for rest in _vectors(bound[1:]):
            yield (first, *rest)


def _one_more(vector: Covered, component: int) -> Covered:
    return tuple(count + (i == component) for i, count in enumerate(vector))


def largest(vectors: set[Covered]) -> frozenset[Covered]:
    """Those that no other one is at least as large as in every component."""
    return frozenset(
        x
        for x in vectors
        if not any(y != x and all(a <= b for a, b in zip(x, y, strict=True)) for y in vectors)
    )


def final_target(instance: PlainColocation, k: int) -> int:
    """Numerator of the target at which the search of the PTAS ends."""
    if not instance.size:
        return 0
    own = max(p * instance.coefficient[t][t] for p, t in zip(instance.size, instance.type, strict=True))
    spread = max(
        ceil_div(instance.load_of_type(s) * instance.coefficient[s][s], instance.n_machines)
        for s in instance.present_types
    )
    heuristic = max_cost(instance, best_schedule(instance, instance.tasks, instance.n_machines))
    together = max(cost_of_type(instance, instance.tasks, d) for d in instance.present_types)
    low, high = max(own, spread), min(heuristic, together)
    while low < high:
        middle = (low + high) // 2
        if decide(instance, middle, k):
            high = middle
        else:
            low = middle + 1
    return high
