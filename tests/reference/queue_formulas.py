"""The formulas by which the field orders queues, smaller first: of demands, estimates and waits.

Logarithms have fifty digits and are rounded once; all else are plain sums, products and quotients of floats. The area
is a fraction.
"""

from collections.abc import Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from math import inf, sqrt
from typing import Any

FORMULAS = ("saf", "f1", "f2", "f3", "f4", "lxf", "wfp3", "unicef")


def log10(x: float) -> float:
    with localcontext() as context:
        context.prec = 50
        return float(Decimal(x).log10())


def log2(x: float) -> float:
    with localcontext() as context:
        context.prec = 50
        return float(Decimal(x).ln() / Decimal(2).ln())


def demanded(demand: Sequence[int], n_tasks: int, totals: Sequence[int]) -> int:
    """What the job demands of the resource of which it demands the largest share of all, the first of equals."""
    shares = [
        Fraction(d, total) if total > 0 else Fraction(0) for d, total in zip(demand, totals, strict=True)
    ]
    return n_tasks * max(1, demand[shares.index(max(shares))])


def formula_key(name: str, r: float, n: int, release: float, first_release: float, now: float) -> Any:
    wait = max(0.0, now - release)
    if name == "saf":
        return Fraction(r) * n
    if name == "lxf":
        return -(wait / r)
    if name == "wfp3":
        return -((wait / r) * (wait / r) * (wait / r) * n)
    if name == "unicef":
        return -inf if n == 1 else -(wait / (log2(n) * r))
    age = log10(max(0.0, release - first_release) + 1)
    if name == "f1":
        return log10(r) * n + 870 * age
    if name == "f2":
        return sqrt(r) * n + 25600 * age
    if name == "f3":
        return r * n + 6.86e6 * age
    assert name == "f4", f"no formula is called {name!r}"
    return r * sqrt(n) + 5.3e5 * age
