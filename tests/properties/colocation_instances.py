"""Instances and options for the colocation algorithms: few tasks, many ties, every kind of coefficients.

Sizes come from a short range, so that machines tie; types may be absent; coefficients are those of the classes of the
evaluation, on both sides of the line that makes types compatible, or arbitrary.
"""

from itertools import product
from typing import Any, Literal

from hypothesis import assume
from hypothesis import strategies as st

import schedcore
from reference.colocation_instance import PlainColocation

Options = dict[str, Any]
Class = Literal["compatible", "incompatible", "clashing", "mixed", "arbitrary"]
Diagonal = Literal["unit", "at_most_one", "any"]

CLASSES: list[Class] = ["compatible", "incompatible", "clashing", "mixed", "arbitrary"]
BASES = ["lpt", "multifit"]
INNER = ["sched_mixed", "sched_juxtapose", "best_schedule"]


def _choices(**values: list[Any]) -> list[Options]:
    return [dict(zip(values, chosen, strict=True)) for chosen in product(*values.values())]


OPTIONS: dict[str, list[Options]] = {
    "sched_mixed": _choices(base=BASES),
    "sched_juxtapose": _choices(base=BASES),
    "best_schedule": _choices(base=BASES),
    "fill_greedy": _choices(sort=[True, False], search=[True, False]),
    "greedy_dedicated": _choices(inner=INNER, base=BASES),
    "greedy_for_2_types": _choices(sort=[False, True], search=[False, True]),
    "fill_rebalance": _choices(group=["cluster", "type"], rule=["best", "first"]),
}
CLUSTERED = ["fill_greedy", "greedy_dedicated", "greedy_for_2_types", "fill_rebalance"]
TYPE_BLIND = ["sched_mixed", "sched_juxtapose", "best_schedule"]


@st.composite
def coefficients(
    draw: st.DrawFn,
    n_types: int,
    denominator: int,
    *,
    kind: Class | None = None,
    diagonal: Diagonal = "unit",
    symmetric: bool | None = None,
) -> list[list[int]]:
    """A matrix of numerators of a class; of any class by default."""
    q = denominator
    low_and_high = {"compatible": (0, q), "incompatible": (q + 1, 2 * q), "clashing": (2 * q, 4 * q)}
    drawn_kind = draw(st.sampled_from(CLASSES)) if kind is None else kind
    second_group = draw(st.integers(1, n_types))  # of "mixed": types from here on

    def between(low: int, high: int) -> int:
        return draw(st.integers(low, high) | st.sampled_from([low, high]))

    def cross(s: int, d: int) -> int:
        if drawn_kind == "arbitrary":
            return between(0, 3 * q)
        if drawn_kind == "mixed":
            together = (s < second_group) == (d < second_group)
            return between(*low_and_high["compatible" if together else "incompatible"])
        return between(*low_and_high[drawn_kind])

    def own() -> int:
        return {"unit": q, "at_most_one": between(1, q), "any": between(1, 2 * q)}[diagonal]

    matrix = [[own() if s == d else cross(s, d) for d in range(n_types)] for s in range(n_types)]
    if draw(st.booleans()) if symmetric is None else symmetric:
        matrix = [[matrix[min(s, d)][max(s, d)] for d in range(n_types)] for s in range(n_types)]
    return matrix


@st.composite
def colocation_instances(
    draw: st.DrawFn,
    *,
    min_tasks: int = 0,
    max_tasks: int = 10,
    min_types: int = 1,
    max_types: int = 4,
    min_machines: int = 1,
    max_machines: int = 5,
    kind: Class | None = None,
    diagonal: Diagonal | None = "unit",
    symmetric: bool | None = None,
    largest_size: int | None = None,
    denominators: tuple[int, ...] = (1, 10, 1000),
) -> schedcore.ColocationInstance:
    """``diagonal=None`` draws it from all three."""
    n_types = draw(st.integers(min_types, max_types))
    q = draw(st.sampled_from(denominators))
    own: Diagonal = draw(st.sampled_from(["unit", "at_most_one", "any"])) if diagonal is None else diagonal
    alpha = draw(coefficients(n_types, q, kind=kind, diagonal=own, symmetric=symmetric))
    bound = draw(st.sampled_from([1, 4, 12, 60])) if largest_size is None else largest_size
    size = draw(st.lists(st.integers(1, bound), min_size=min_tasks, max_size=max_tasks))
    types = draw(st.lists(st.integers(0, n_types - 1), min_size=len(size), max_size=len(size)))
    n_machines = draw(st.integers(min_machines, max_machines))
    return schedcore.ColocationInstance(size, types, alpha, q, n_machines=n_machines)


@st.composite
def huge_colocation_instances(draw: st.DrawFn) -> schedcore.ColocationInstance:
    """Sizes as large as the 64 bits of costs and thresholds allow (up to twice the total size), nearly equal."""
    n_types = draw(st.integers(1, 3))
    q = draw(st.sampled_from([1, 10, 1000]))
    alpha = draw(coefficients(n_types, q, diagonal="at_most_one"))
    types = draw(st.lists(st.integers(0, n_types - 1), min_size=1, max_size=7))
    dearest = max(2, *(max(row) for row in alpha))
    largest = (2**63 - 1) // (len(types) * dearest)
    missing = st.sampled_from([0, 1, 2, 1000, largest // 3, largest // 2, largest - 1])
    size = [largest - draw(missing) for _ in types]
    return schedcore.ColocationInstance(size, types, alpha, q, n_machines=draw(st.integers(1, 4)))


@st.composite
def legal_labels(draw: st.DrawFn, instance: schedcore.ColocationInstance) -> list[int]:
    """Any partition into clusters of compatible types, its labels in any order."""
    alpha, q = instance.alpha, instance.alpha_denominator
    clusters: list[list[int]] = []
    for new in range(instance.n_types):
        open_to_it = [c for c in clusters if all(alpha[new, old] <= q and alpha[old, new] <= q for old in c)]
        chosen = draw(st.sampled_from([*open_to_it, None]))
        if chosen is None:
            clusters.append([new])
        else:
            chosen.append(new)
    names = draw(st.permutations(range(len(clusters))))
    label_of = {t: name for name, cluster in zip(names, clusters, strict=True) for t in cluster}
    return [label_of[t] for t in range(instance.n_types)]


@st.composite
def any_options(draw: st.DrawFn, name: str, instance: schedcore.ColocationInstance) -> Options:
    """One of ``OPTIONS`` and, where the algorithm takes them, any legal clusters."""
    options = dict(draw(st.sampled_from(OPTIONS[name])))
    if name in CLUSTERED:
        options["clusters"] = draw(st.sampled_from(["first_fit", "exact"]) | legal_labels(instance))
    return options


def four_tasks(**columns: Any) -> schedcore.ColocationInstance:
    """Four tasks of two compatible types on two machines, with some columns replaced."""
    tasks = {
        "size": [3, 2, 2, 1],
        "type": [0, 1, 0, 1],
        "alpha": [[10, 5], [5, 10]],
        "alpha_denominator": 10,
        "n_machines": 2,
    }
    return schedcore.ColocationInstance(**{**tasks, **columns})


def plain(instance: schedcore.ColocationInstance) -> PlainColocation:
    return PlainColocation.from_instance(instance)


def solved(
    name: str, instance: schedcore.ColocationInstance, **options: object
) -> schedcore.ColocationResult:
    """Solve; an instance that the algorithm does not take is another example's business."""
    try:
        result = schedcore.solve(name, instance, **options)
    except (schedcore.InfeasibleError, schedcore.UnsupportedError):
        assume(False)
        raise
    assert isinstance(result, schedcore.ColocationResult)
    return result
