"""The selectors of backfilling: which of the pairs (job, machine) that may start now goes first.

BB prefers jobs that leave a machine evenly used (the balance counts to the power w), BL jobs whose largest demands meet
its least used resources; both times the share that would stay free, which a trailing "!" leaves out; SB multiplies a
power of the balance by the estimate, and SJBF is the estimate alone; a product has powers of all three factors. The
lowest score wins, then the earlier pair; scores are fractions. A resource of capacity 0, which nobody can demand, does
not count.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

Vector = Sequence[int]


@dataclass(frozen=True)
class Selection:
    """``window`` counts for "bl" and is the power of "bb" and "sb"; ``with_fullness`` is false for names with "!"."""

    kind: str
    window: int
    with_fullness: bool


def parsed(name: str) -> Selection:
    match = re.fullmatch(r"(ff|bb|bl|sb|sjbf)(?:\((\d+)\))?(!?)", name)
    assert match, f"no selection is called {name!r}"
    kind, window, mark = match.groups()
    usual = 256 if kind == "sb" else 1
    return Selection(kind, int(window) if window is not None else usual, not mark)


def score(demand: Vector, used: Vector, capacity: Vector, selection: str, estimate: float = 1) -> Fraction:
    counted = [k for k, amount in enumerate(capacity) if amount > 0]
    share_used = [Fraction(used[k], capacity[k]) for k in counted]
    share_wanted = [Fraction(demand[k], capacity[k]) for k in counted]
    share = [s + r for s, r in zip(share_used, share_wanted, strict=True)]
    average = sum(share, Fraction(0)) / len(share)
    factors = {"balance": balance(share, average), "fullness": 1 - average, "estimate": Fraction(estimate)}
    if selection.split("*")[0].split("^")[0] in factors:
        powers = (factor.partition("^") for factor in selection.split("*"))
        return Fraction(math.prod(factors[factor] ** int(power or 1) for factor, _, power in powers))
    chosen = parsed(selection)
    fullness = 1 - average if chosen.with_fullness else Fraction(1)
    if chosen.kind == "sb":
        return balance(share, average) ** chosen.window * Fraction(estimate)
    if chosen.kind == "sjbf":
        return Fraction(estimate)
    if chosen.kind == "bb":
        return balance(share, average) ** chosen.window * fullness
    if chosen.kind == "bl":
        return (1 + mismatch(share_wanted, share_used, chosen.window)) * fullness
    return Fraction(0)


def balance(share: list[Fraction], average: Fraction) -> Fraction:
    return max(share) / average if average > 0 else Fraction(1)


def mismatch(share_wanted: list[Fraction], share_used: list[Fraction], window: int) -> int:
    """How many of the first ``window`` least used resources are not met by the job's largest demands."""
    n_resources = len(share_used)
    window = min(window, n_resources - 1)
    least_used = sorted(range(n_resources), key=lambda k: (share_used[k], k))
    matched = 0
    while matched < window and all(
        share_wanted[least_used[matched]] >= share_wanted[k] for k in least_used[matched + 1 :]
    ):
        matched += 1
    return window - matched


def selection_scores(
    demand: Sequence[Vector], used: Vector, capacity: Vector, selection: str
) -> tuple[list[int], list[int]]:
    """Numerators and denominators of the scores of all jobs on one machine, reduced."""
    scores = [score(row, used, capacity, selection) for row in demand]
    return [s.numerator for s in scores], [s.denominator for s in scores]
