"""What the paper proves about its algorithms on an instance, with the corrections of ``docs/papers.md``.

Every function returns a proven bound on cost / optimum, as a fraction, or None where nothing is proven. The bounds of
Graham (1969) for longest-processing-time-first, 4/3 - 1/(3m), are part of most.
"""

import math
from collections.abc import Callable
from fractions import Fraction

from schedcore.model import ColocationInstance

from .family import present_types

__all__ = [
    "above",
    "dedicated_guarantee",
    "fill_guarantee",
    "juxtaposed_guarantee",
    "mixed_guarantee",
    "two_groups_guarantee",
]


def above(guarantee: Fraction | None) -> float | None:
    """Return the smallest float that is not below a guarantee."""
    if guarantee is None:
        return None
    rounded = float(guarantee)
    return rounded if rounded >= guarantee else math.nextafter(rounded, math.inf)


def mixed_guarantee(instance: ColocationInstance, base: str) -> Fraction | None:
    """SCHEDMIXED: one type, or two (Propositions 7 and 9)."""

    def factor(least: Fraction, largest: Fraction) -> Fraction | None:
        if largest <= 1:
            return 2 / (1 + least)
        return largest if least >= 1 else None

    return _times_lpt(instance, base, factor)


def juxtaposed_guarantee(instance: ColocationInstance, base: str) -> Fraction | None:
    """SCHEDJUXTAPOSE: one type, or two with coefficients up to 1 (Proposition 6)."""
    return _times_lpt(instance, base, lambda _, largest: 1 + largest if largest <= 1 else None)


def fill_guarantee(instance: ColocationInstance) -> Fraction | None:
    """FILLGREEDY, and whatever costs at most its threshold: more machines than types (Proposition 5)."""
    n_types, n_machines = instance.n_types, instance.n_machines
    if n_machines <= n_types or not _has_unit_diagonal(instance):
        return None
    return Fraction(2 * n_types * n_machines, n_machines - n_types)


def two_groups_guarantee(instance: ColocationInstance) -> Fraction | None:
    """GREEDYFOR2TYPES: two types with coefficients between 1 and 2 (Proposition 10)."""
    pair = _cross_coefficients(instance)
    return (
        Fraction(2) if instance.n_types == 2 and pair is not None and pair[0] >= 1 and pair[1] <= 2 else None
    )


def dedicated_guarantee(instance: ColocationInstance, base: str) -> Fraction | None:
    """GREEDYDEDICATED: one type, or two with coefficients of at least 2 (Proposition 12, corrected)."""
    return _times_lpt(instance, base, lambda least, _: 1 + 1 / least if least >= 2 else None)


def _times_lpt(
    instance: ColocationInstance, base: str, factor: Callable[[Fraction, Fraction], Fraction | None]
) -> Fraction | None:
    """The bound of longest-processing-time-first for one type, times a factor of the cross coefficients for two."""
    lpt = Fraction(4, 3) - Fraction(1, 3 * instance.n_machines)
    if base != "lpt":
        return None
    if len(present_types(instance)) <= 1:
        return lpt
    pair = _cross_coefficients(instance)
    times = None if pair is None else factor(*pair)
    return None if times is None else times * lpt


def _has_unit_diagonal(instance: ColocationInstance) -> bool:
    return all(instance.alpha[kind, kind] == instance.alpha_denominator for kind in present_types(instance))


def _cross_coefficients(instance: ColocationInstance) -> tuple[Fraction, Fraction] | None:
    """The smaller and the larger cross coefficient of two types that cost themselves 1; None unless there are two."""
    present = present_types(instance)
    if len(present) != 2 or not _has_unit_diagonal(instance):
        return None
    first, second = present
    both = (int(instance.alpha[first, second]), int(instance.alpha[second, first]))
    return Fraction(min(both), instance.alpha_denominator), Fraction(max(both), instance.alpha_denominator)
