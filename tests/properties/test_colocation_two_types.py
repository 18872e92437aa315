"""The theorems about colocating two types: compatible, incompatible and clashing ones, and their relaxation.

The larger and the smaller of the two cross coefficients are `a_plus` and `a_minus`. Costs are numerators, all
comparisons are exact.
"""

from fractions import Fraction

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

import schedcore
from example_shares import examples
from properties.colocation_instances import Class, colocation_instances, plain
from reference.colocation_bounds import (
    closed_form_of_compatible_types,
    longest_own_cost,
    relaxation_of_two_types,
)
from reference.colocation_clusters import occupied_clusters
from reference.colocation_fills import pack_two_groups, two_groups
from reference.colocation_instance import PlainColocation, max_cost
from reference.colocation_optimum import allocations, optimum
from schedcore import colocation


def two_types(
    kind: Class, *, max_tasks: int = 8, max_machines: int = 4, symmetric: bool | None = None
) -> st.SearchStrategy[schedcore.ColocationInstance]:
    return colocation_instances(
        min_tasks=1,
        max_tasks=max_tasks,
        min_types=2,
        max_types=2,
        max_machines=max_machines,
        kind=kind,
        symmetric=symmetric,
    )


incompatible = two_types("incompatible")
clashing = two_types("clashing")


def cross(instance: schedcore.ColocationInstance) -> tuple[Fraction, Fraction]:
    """The larger and the smaller cross coefficient."""
    ordered = sorted([int(instance.alpha[0, 1]), int(instance.alpha[1, 0])], reverse=True)
    a_plus, a_minus = (Fraction(a, instance.alpha_denominator) for a in ordered)
    return a_plus, a_minus


def lpt_ratio(n_machines: int) -> Fraction:
    return Fraction(4, 3) - Fraction(1, 3 * n_machines)


def cost(name: str, instance: schedcore.ColocationInstance, **options: object) -> int:
    result = schedcore.solve(name, instance, **options)
    assert isinstance(result, schedcore.ColocationResult)
    return result.cost_numerator


def machines_with_both_types(instance: PlainColocation, machines: dict[int, int]) -> int:
    held = [{k for j, k in machines.items() if instance.type[j] == t} for t in (0, 1)]
    return len(held[0] & held[1])


# P5: coefficients of at most 1


@given(instance=two_types("compatible"))
def test_compatible_types_are_scheduled_within_propositions_6_and_7(
    instance: schedcore.ColocationInstance,
) -> None:
    a_plus, a_minus = cross(instance)
    promised = lpt_ratio(instance.n_machines) * optimum(plain(instance))
    assert cost("sched_juxtapose", instance) <= (1 + a_plus) * promised
    assert cost("sched_mixed", instance) <= 2 / (1 + a_minus) * promised


@given(instance=two_types("compatible", symmetric=True))
def test_symmetric_compatible_types_are_scheduled_within_the_root_of_two(
    instance: schedcore.ColocationInstance,
) -> None:
    least = optimum(plain(instance))
    best = cost("best_schedule", instance)
    assert best**2 <= 2 * (lpt_ratio(instance.n_machines) * least) ** 2
    assert best < Fraction(189, 100) * least


# P6: coefficients between 1 and 2


@pytest.mark.parametrize("kind", ["incompatible", "clashing"])
@given(data=st.data())
def test_mixing_types_costs_at_most_the_larger_coefficient_more(kind: Class, data: st.DataObject) -> None:
    instance = data.draw(two_types(kind))
    a_plus, _ = cross(instance)
    promised = lpt_ratio(instance.n_machines) * optimum(plain(instance))
    assert cost("sched_mixed", instance) <= a_plus * promised


@pytest.mark.parametrize("search", [False, True])
@given(instance=incompatible, sort=st.booleans())
def test_greedy_for_2_types_is_within_twice_the_optimum(
    search: bool, instance: schedcore.ColocationInstance, sort: bool
) -> None:
    assert cost("greedy_for_2_types", instance, search=search, sort=sort) <= 2 * optimum(plain(instance))


@given(instance=colocation_instances(min_types=2, min_machines=2, max_tasks=10), sort=st.booleans())
def test_greedy_for_2_types_with_the_published_threshold_shares_no_machine(
    instance: schedcore.ColocationInstance, sort: bool
) -> None:
    tasks = plain(instance)
    clusters = occupied_clusters(tasks)
    assume(instance.n_types == 2 or len(clusters) == 2)
    groups = [tasks.tasks_of(group) for group in two_groups(tasks, clusters)]
    w, m = tasks.total_size, tasks.n_machines
    ordered = [tasks.decreasing(group) if sort else group for group in groups]
    _, overflow = pack_two_groups(tasks, ordered, (w + max(w, m * tasks.largest_size)) // m)
    assert not overflow
    machine = schedcore.solve("greedy_for_2_types", instance, sort=sort).schedule.machine.tolist()
    assert len(groups) < 2 or not {machine[j] for j in groups[0]} & {machine[j] for j in groups[1]}


# P7: coefficients of at least 2


@given(instance=two_types("clashing", max_tasks=6))
def test_some_optimum_of_clashing_types_shares_at_most_one_machine(
    instance: schedcore.ColocationInstance,
) -> None:
    tasks = plain(instance)
    sharing_one = (a for a in allocations(tasks) if machines_with_both_types(tasks, a) <= 1)
    assert min(max_cost(tasks, allocation) for allocation in sharing_one) == optimum(tasks)


@given(instance=clashing)
def test_dedicated_machines_cost_clashing_types_at_most_one_over_alpha_more(
    instance: schedcore.ColocationInstance,
) -> None:
    assume(instance.n_machines >= 2)
    tasks = plain(instance)
    _, a_minus = cross(instance)
    dedicated = optimum(tasks, dedicated=[[t] for t in tasks.present_types])
    assert dedicated <= (1 + 1 / a_minus) * optimum(tasks)
    assert cost("greedy_dedicated", instance) <= lpt_ratio(tasks.n_machines) * dedicated


@pytest.mark.parametrize(("n_machines", "size", "alpha"), [(2, 100, 2), (3, 7, 2), (4, 5, 3), (3, 1, 4)])
def test_the_gap_of_dedicated_machines_is_reached(n_machines: int, size: int, alpha: int) -> None:
    instance = colocation.hard_gap(n_machines, size, alpha)
    tasks = plain(instance)
    q = instance.alpha_denominator
    dedicated = optimum(tasks, dedicated=[[0], [1]])
    assert (optimum(tasks), dedicated) == ((alpha * size + 1) * q, (alpha + 1) * size * q)
    assert cost("greedy_dedicated", instance) == dedicated


# P10


def exact_bound(tasks: PlainColocation) -> Fraction:
    """Largest own cost, or the relaxation of the types that have tasks."""
    own = longest_own_cost(tasks)
    if len(tasks.present_types) == 2:
        return max(own, relaxation_of_two_types(tasks))
    (only,) = tasks.present_types
    alone = Fraction(tasks.total_size * tasks.coefficient[only][only], tasks.denominator * tasks.n_machines)
    return max(own, alone)


@examples(40)
@given(
    instance=colocation_instances(
        min_tasks=1, min_types=2, max_types=2, max_machines=4, diagonal=None, symmetric=None
    )
)
def test_the_relaxation_of_two_types_has_its_closed_form(instance: schedcore.ColocationInstance) -> None:
    check_relaxation(instance)


def check_relaxation(instance: schedcore.ColocationInstance) -> None:
    """Both forms of the program are proven and, but for rounding, exact."""
    expected = exact_bound(plain(instance))
    for method in ("qcp", "qcp_per_machine"):
        bound, is_exact = colocation.lower_bound(instance, method=method)
        assert is_exact
        assert expected * (1 - Fraction(1, 10**9)) <= Fraction(bound) <= expected


@st.composite
def hostile_types(draw: st.DrawFn) -> schedcore.ColocationInstance:
    """Loads and coefficients that differ by factors of a million: nothing here may lean on an absolute tolerance."""
    n_tasks = draw(st.integers(1, 8))
    size = draw(st.lists(st.integers(1, 50) | st.integers(1, 100_000), min_size=n_tasks, max_size=n_tasks))
    kind = draw(st.lists(st.integers(0, 1), min_size=n_tasks, max_size=n_tasks))
    (own, other), cross = (draw(st.tuples(st.integers(1, top), st.integers(1, top))) for top in (5, 10**6))
    alpha = [[own, cross[0]], [cross[1], other]]
    return schedcore.ColocationInstance(size, kind, alpha, 1000, n_machines=draw(st.integers(1, 4)))


# Here a solver's own word for the program with switched rows is above the optimum, by more than its tolerances.
@example(schedcore.ColocationInstance(
    [47, 91232, 22, 15, 3, 79285, 82370], [0, 1, 0, 1, 1, 1, 0], [[4, 78677], [23924, 1]], 1000, n_machines=4
))  # fmt: skip
@example(schedcore.ColocationInstance(
    [3, 15, 81470, 43224, 3, 47], [0, 1, 0, 1, 1, 1], [[200, 28700], [213600, 200]], 1000, n_machines=3
))  # fmt: skip
@example(schedcore.ColocationInstance(
    [99994, 37, 16, 99997], [0, 0, 0, 1], [[1, 266426], [175739, 1]], 1000, n_machines=2
))  # fmt: skip
@given(instance=hostile_types())
def test_the_relaxation_of_types_that_cannot_bear_each_other_is_exact(
    instance: schedcore.ColocationInstance,
) -> None:
    check_relaxation(instance)


@given(instance=two_types("compatible"))
def test_the_relaxation_of_two_compatible_types_puts_everything_everywhere(
    instance: schedcore.ColocationInstance,
) -> None:
    tasks = plain(instance)
    assume(len(tasks.present_types) == 2)
    assert relaxation_of_two_types(tasks) == closed_form_of_compatible_types(tasks)


@examples(25)
@given(instance=colocation_instances(min_tasks=2, min_types=3, max_machines=3, diagonal=None))
def test_both_forms_of_the_relaxation_agree(instance: schedcore.ColocationInstance) -> None:
    aggregated, _ = colocation.lower_bound(instance, method="qcp")
    per_machine, _ = colocation.lower_bound(instance, method="qcp_per_machine")
    assert per_machine == pytest.approx(aggregated, rel=1e-8)
