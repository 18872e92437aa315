"""The seven priority keys as exact fractions; smaller first, ties to the lower job index."""

from collections.abc import Callable
from fractions import Fraction

from reference.plain_instance import PlainInstance, scored_demand

# name -> key of a job from its (p, w, r, u), all exact
KEYS: dict[str, Callable[[Fraction, Fraction, Fraction, int], Fraction]] = {
    "wsjf": lambda p, w, r, u: p / w,
    "wsvf": lambda p, w, r, u: p * u / w,
    "wsdf": lambda p, w, r, u: u / w,
    "sjf": lambda p, w, r, u: p,
    "svf": lambda p, w, r, u: p * u,
    "sdf": lambda p, w, r, u: Fraction(u),
    "erf": lambda p, w, r, u: r,
}


def priority_keys(
    instance: PlainInstance, heuristic: str = "wsjf", release_time: list[float] | None = None
) -> list[Fraction]:
    """The key of every job; `release_time` replaces the instance's where given."""
    release = instance.release_time if release_time is None else release_time
    key = KEYS[heuristic]
    return [
        key(Fraction(p), Fraction(w), Fraction(r), u)
        for p, w, r, u in zip(
            instance.processing_time, instance.weight, release, scored_demand(instance).total, strict=True
        )
    ]


def priority_order(keys: list[Fraction]) -> list[int]:
    """Job indices by increasing key; Python's stable sort leaves ties in index order."""
    return sorted(range(len(keys)), key=keys.__getitem__)
