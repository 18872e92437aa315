"""Lower bounds of colocation: the longest task, and the relaxation with divisible loads for two types, exactly.

Of two types a machine holds one, the other, or both. Machines with the same types may be averaged, so the relaxation is
decided by how many there are of each kind; all divisions are tried, and each is solved as linear equations.
"""

from fractions import Fraction
from itertools import product

from reference.colocation_instance import PlainColocation


def longest_own_cost(instance: PlainColocation) -> Fraction:
    own = [p * instance.coefficient[t][t] for p, t in zip(instance.size, instance.type, strict=True)]
    return Fraction(max(own, default=0), instance.denominator)


def closed_form_of_compatible_types(instance: PlainColocation) -> Fraction:
    """c* of two types with unit diagonal that cost each other at most their load: everything everywhere."""
    (_, a), (b, _) = instance.coefficient
    w0, w1 = instance.load_of_type(0), instance.load_of_type(1)
    q = instance.denominator
    return max(w0 + Fraction(b * w1, q), w1 + Fraction(a * w0, q)) / instance.n_machines


def relaxation_of_two_types(instance: PlainColocation) -> Fraction:
    """c* of two types that both have tasks, whatever their coefficients."""
    m = instance.n_machines
    divisions = ((n0, n1, m - n0 - n1) for n0 in range(m + 1) for n1 in range(m + 1 - n0))
    costs = [_relaxation_of_division(instance, *division) for division in divisions]
    return min(cost for cost in costs if cost is not None)


def _relaxation_of_division(instance: PlainColocation, n0: int, n1: int, both: int) -> Fraction | None:
    """The smallest c with n0 and n1 dedicated machines filled up to c and the remaining loads on the shared ones."""
    q = instance.denominator
    (own0, to1), (to0, own1) = [[Fraction(a, q) for a in row] for row in instance.coefficient]
    w0, w1 = instance.load_of_type(0), instance.load_of_type(1)
    if both == 0:
        return max(w0 * own0 / n0, w1 * own1 / n1) if n0 and n1 else None
    # What a type keeps for the shared machines is max(0, w - n c / own). The cost of a type there, own rest and what
    # the other's rest adds, is at most both * c. That cost falls and the right side grows with c; as a sum of two
    # maxima it is the largest of four linear pieces, so the smallest c is the largest that one of them asks for.
    pieces0 = [(Fraction(w0), n0 / own0), (Fraction(0), Fraction(0))]
    pieces1 = [(Fraction(w1), n1 / own1), (Fraction(0), Fraction(0))]
    candidates = []
    for (rest0, slope0), (rest1, slope1) in product(pieces0, pieces1):
        for f0, f1 in ((own0, to0), (to1, own1)):
            candidates.append((f0 * rest0 + f1 * rest1) / (both + f0 * slope0 + f1 * slope1))
    return max(candidates)
