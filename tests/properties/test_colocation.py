"""The theorems about colocation that hold for any number of types, against optima found by search.

`OPT` and `C` are numerators over the denominator of the instance; ratios are exact fractions.
"""

from fractions import Fraction
from math import ceil

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import schedcore
from example_shares import examples
from properties.colocation_instances import (
    OPTIONS,
    any_options,
    colocation_instances,
    legal_labels,
    plain,
    solved,
)
from reference.colocation_clusters import occupied_clusters
from reference.colocation_fills import largest_threshold, pack
from reference.colocation_instance import max_cost
from reference.colocation_optimum import optimum, optimum_by_listing
from reference.colocation_partition import longest_first
from schedcore import colocation

LPT = Fraction(4, 3)

every_heuristic = pytest.mark.parametrize("name", OPTIONS)
small = colocation_instances(max_tasks=7, max_machines=4)


def lpt_ratio(n_machines: int) -> Fraction:
    """What LPT promises on that many machines."""
    return LPT - Fraction(1, 3 * n_machines)


@given(instance=colocation_instances(max_tasks=6, max_machines=4, diagonal=None))
def test_the_two_searches_for_the_optimum_agree(instance: schedcore.ColocationInstance) -> None:
    assert optimum(plain(instance)) == optimum_by_listing(plain(instance))


# P1


@every_heuristic
@given(data=st.data(), instance=small)
def test_no_allocation_is_below_the_optimum_or_above_the_guarantee(
    name: str, data: st.DataObject, instance: schedcore.ColocationInstance
) -> None:
    result = solved(name, instance, **data.draw(any_options(name, instance)))
    schedcore.validate(instance, result.assignment, raise_on_error=True)
    least = optimum(plain(instance))
    assert least <= result.cost_numerator
    if result.guarantee is not None and least:
        assert Fraction(result.cost_numerator, least) <= Fraction(result.guarantee)


@given(instance=colocation_instances(max_tasks=7, max_machines=4, diagonal=None))
def test_lower_bounds_never_exceed_the_optimum(instance: schedcore.ColocationInstance) -> None:
    least = Fraction(optimum(plain(instance)), instance.alpha_denominator)
    for method in ("simple", "qcp"):
        bound, _ = colocation.lower_bound(instance, method=method)
        assert Fraction(bound) <= least
        attached = schedcore.solve("best_schedule", instance, bound=method).lower_bound
        assert attached is not None
        assert Fraction(attached) <= least


@examples(25)
@given(instance=colocation_instances(max_tasks=7, max_machines=3, diagonal=None))
def test_the_bound_per_machine_never_exceeds_the_optimum(instance: schedcore.ColocationInstance) -> None:
    bound, _ = colocation.lower_bound(instance, method="qcp_per_machine")
    assert Fraction(bound) <= Fraction(optimum(plain(instance)), instance.alpha_denominator)


# P2


@given(instance=colocation_instances(diagonal=None), base=st.sampled_from(["lpt", "multifit"]))
def test_best_schedule_is_the_cheaper_of_the_two(instance: schedcore.ColocationInstance, base: str) -> None:
    mixed, juxtaposed, best = (
        solved(name, instance, base=base) for name in ("sched_mixed", "sched_juxtapose", "best_schedule")
    )
    chosen = juxtaposed if juxtaposed.cost_numerator < mixed.cost_numerator else mixed
    assert best.assignment == chosen.assignment


@given(instance=colocation_instances(max_tasks=8, max_types=1))
def test_one_type_is_spread_within_the_ratios_of_lpt_and_multifit(
    instance: schedcore.ColocationInstance,
) -> None:
    least = Fraction(optimum(plain(instance)), instance.alpha_denominator)
    q = instance.alpha_denominator
    assert (
        Fraction(solved("sched_mixed", instance).cost_numerator, q) <= lpt_ratio(instance.n_machines) * least
    )
    by_multifit = Fraction(solved("sched_mixed", instance, base="multifit").cost_numerator, q)
    assert by_multifit <= ceil(Fraction(13, 11) * least)


@given(instance=colocation_instances(max_types=1, max_machines=1))
def test_one_type_never_costs_more_on_one_machine_more(instance: schedcore.ColocationInstance) -> None:
    costs = [
        max_cost(plain(instance), longest_first(plain(instance), range(instance.n_tasks), m))
        for m in range(1, 8)
    ]
    assert costs == sorted(costs, reverse=True)


# P3


@examples(40)
@given(
    instance=colocation_instances(min_tasks=1, max_tasks=6, max_types=2, max_machines=3, diagonal=None),
    k=st.integers(1, 2),
    above=st.integers(0, 30),
)
def test_a_reachable_target_is_met_up_to_one_kth(
    instance: schedcore.ColocationInstance, k: int, above: int
) -> None:
    target = optimum(plain(instance)) + above
    assignment = colocation.ptas_decide(instance, target, k)
    assert assignment is not None
    schedcore.validate(instance, assignment, raise_on_error=True)
    cost = max_cost(plain(instance), dict(enumerate(assignment.machine.tolist())))
    assert k * cost <= (k + 1) * target


@examples(40)
@given(
    data=st.data(),
    instance=colocation_instances(min_tasks=1, max_tasks=6, max_types=2, max_machines=3, diagonal=None),
    k=st.integers(1, 2),
)
def test_whatever_the_decision_returns_costs_at_most_one_kth_more_than_its_target(
    data: st.DataObject, instance: schedcore.ColocationInstance, k: int
) -> None:
    target = data.draw(st.integers(1, optimum(plain(instance))))
    assignment = colocation.ptas_decide(instance, target, k)
    if assignment is not None:
        cost = max_cost(plain(instance), dict(enumerate(assignment.machine.tolist())))
        assert k * cost <= (k + 1) * target


@examples(25)
@given(
    instance=colocation_instances(max_tasks=6, max_types=2, max_machines=3, diagonal=None),
    k=st.integers(1, 2),
)
def test_the_scheme_costs_at_most_one_kth_more_than_the_optimum(
    instance: schedcore.ColocationInstance, k: int
) -> None:
    least = optimum(plain(instance))
    result = solved("mct_ptas", instance, k=k)
    assert result.stats["target_numerator"] <= least
    assert k * result.cost_numerator <= (k + 1) * least


# P4, with the correction of 14 b


@given(instance=colocation_instances(max_tasks=8, max_types=3, max_machines=6), sort=st.booleans())
def test_filling_to_the_published_threshold_needs_no_further_machine(
    instance: schedcore.ColocationInstance, sort: bool
) -> None:
    assume(instance.n_machines > instance.n_types)
    t, m = instance.n_types, instance.n_machines
    least = optimum(plain(instance))
    for search in (False, True):
        result = solved("fill_greedy", instance, sort=sort, search=search)
        assert result.cost_numerator <= result.stats["threshold"] * instance.alpha_denominator
        assert result.stats["threshold"] <= largest_threshold(plain(instance))
        assert result.cost_numerator * (m - t) <= 2 * t * m * least


def test_the_ratio_of_fill_greedy_needs_the_number_of_types_not_of_clusters() -> None:
    identity = [[int(s == d) for d in range(4)] for s in range(4)]
    instance = schedcore.ColocationInstance(
        [1] * 40, [j // 10 for j in range(40)], identity, 1, n_machines=10
    )
    result = solved("fill_greedy", instance)
    assert result.stats["clusters"] == [[0, 1, 2, 3]]
    assert (result.cost_numerator, solved("mct_exact", instance).cost_numerator) == (4, 1)
    assert Fraction(4) > Fraction(2 * 1 * 10, 10 - 4)  # 2 K m / (m - T)
    assert result.guarantee is not None
    assert result.guarantee >= Fraction(2 * 4 * 10, 10 - 4)


@given(data=st.data(), instance=colocation_instances(min_tasks=1), sort=st.booleans())
def test_fill_greedy_finds_the_smallest_threshold(
    data: st.DataObject, instance: schedcore.ColocationInstance, sort: bool
) -> None:
    labels = data.draw(legal_labels(instance))
    threshold = solved("fill_greedy", instance, sort=sort, clusters=labels).stats["threshold"]
    tasks = plain(instance)
    sequences = [tasks.tasks_of(cluster) for cluster in occupied_clusters(tasks, labels)]
    if sort:
        sequences = [tasks.decreasing(sequence) for sequence in sequences]
    used = [
        max(allocation.values()) + 1
        for theta in range(1, tasks.total_size + 1)
        if (allocation := pack(tasks, sequences, theta)) is not None
    ]
    assert used == sorted(used, reverse=True), "more room never needs more machines"
    first = tasks.largest_size  # smaller thresholds hold no packing
    assert threshold == first + [n <= instance.n_machines for n in used].index(True)


# P9


@given(data=st.data(), instance=colocation_instances(), rule=st.sampled_from(["best", "first"]))
def test_fill_rebalance_needs_no_larger_threshold_than_fill_greedy(
    data: st.DataObject, instance: schedcore.ColocationInstance, rule: str
) -> None:
    labels = data.draw(legal_labels(instance))
    rebalanced = solved("fill_rebalance", instance, clusters=labels, rule=rule)
    threshold = rebalanced.stats["threshold"]
    assert rebalanced.cost_numerator <= threshold * instance.alpha_denominator
    greedy = solved("fill_greedy", instance, clusters=labels)
    assert threshold <= greedy.stats["threshold"]
    if all(len(cluster) == 1 for cluster in greedy.stats["clusters"]):
        assert rebalanced.cost_numerator <= greedy.cost_numerator
