"""The bounds of colocation against slow and exact solutions of the program behind them."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

import schedcore
from example_shares import examples
from properties.colocation_instances import colocation_instances, plain
from reference.colocation_bounds import relaxation_of_two_types
from reference.colocation_program import relaxation
from schedcore.bounds.colocation import lower_bound, pattern_program, patterns
from schedcore.bounds.colocation.dominance import needed_patterns
from schedcore.bounds.colocation.patterns import solve_patterns
from schedcore.bounds.colocation.type_loads import type_loads

TOLERANCE = Fraction(2, 10**9)


def largest_double_up_to(value: Fraction) -> float:
    return min(float(value), math.nextafter(float(value), -math.inf), key=lambda x: (Fraction(x) > value, -x))


def all_alike(n_types: int, coefficient: int, n_machines: int) -> schedcore.ColocationInstance:
    """Coefficients of 10 on the diagonal and `coefficient` elsewhere, sizes 5, 4, 3, ..."""
    alpha = np.full((n_types, n_types), coefficient)
    np.fill_diagonal(alpha, 10)
    size = list(range(n_types + 2, 2, -1)) * 2
    return schedcore.ColocationInstance(size, list(range(n_types)) * 2, alpha, 10, n_machines=n_machines)


three_types = colocation_instances(min_tasks=3, min_types=3, max_types=3, max_machines=3, diagonal=None)


@examples(40)
@given(instance=three_types)
@example(instance=all_alike(3, 10, 3))  # every type is hostile to every other, and compatible with it
@example(instance=all_alike(3, 11, 3))
def test_the_pattern_program_equals_trying_all_divisions_of_the_machines(
    instance: schedcore.ColocationInstance,
) -> None:
    expected = relaxation(plain(instance))
    solution = pattern_program(instance)
    assert solution.is_exact
    assert expected * (1 - TOLERANCE) <= Fraction(solution.bound) <= expected
    assert float(expected) == pytest.approx(solution.cost, rel=1e-9)


@given(instance=colocation_instances(min_tasks=1, max_types=4, max_machines=1, diagonal=None))
def test_one_machine_holds_everything(instance: schedcore.ColocationInstance) -> None:
    solution = pattern_program(instance)
    load = instance.load_of_types()
    costs = [sum(w * a for w, a in zip(load, column, strict=True)) for column in instance.alpha.T.tolist()]
    most = max(cost for cost, own in zip(costs, load, strict=True) if own > 0)
    assert solution.is_exact
    assert Fraction(solution.bound) <= Fraction(most, instance.alpha_denominator)
    assert solution.bound == pytest.approx(most / instance.alpha_denominator, rel=1e-15)


@examples(15)
@given(instance=three_types)
def test_the_published_form_equals_trying_all_divisions_of_the_machines(
    instance: schedcore.ColocationInstance,
) -> None:
    expected = max(relaxation(plain(instance)), Fraction(lower_bound(instance, "simple").bound))
    bound, is_exact = lower_bound(instance, "qcp_per_machine")
    assert is_exact
    assert expected * (1 - TOLERANCE) <= Fraction(bound) <= expected


@examples(40)
@given(instance=three_types)
def test_volume_bounds_hold_for_divisible_loads(instance: schedcore.ColocationInstance) -> None:
    own = max(p * int(instance.alpha[t, t]) for p, t in zip(instance.size, instance.type, strict=True))
    simple = Fraction(lower_bound(instance, "simple").bound)
    assert simple <= max(relaxation(plain(instance)), Fraction(int(own), instance.alpha_denominator))


@given(
    instance=colocation_instances(
        min_tasks=2, min_types=2, max_types=2, max_machines=9, diagonal=None, largest_size=60
    ),
    factor=st.sampled_from([1, 7, 2**40]),
)
def test_two_types_are_solved_to_the_last_bit(instance: schedcore.ColocationInstance, factor: int) -> None:
    scaled = schedcore.ColocationInstance(
        instance.size * factor,
        instance.type,
        instance.alpha,
        instance.alpha_denominator,
        n_machines=instance.n_machines,
    )
    tasks = plain(scaled)
    assume(len(tasks.present_types) == 2)
    expected = relaxation_of_two_types(tasks)
    solution = pattern_program(scaled)
    assert solution.is_exact
    assert solution.bound == largest_double_up_to(expected)


@examples(25)
@given(
    instance=colocation_instances(min_tasks=2, min_types=2, max_types=2, diagonal=None, largest_size=60),
    n_machines=st.integers(1, 300),
)
def test_two_types_by_branch_and_bound_equal_the_enumeration(
    instance: schedcore.ColocationInstance, n_machines: int
) -> None:
    loads = type_loads(instance)._replace(n_machines=n_machines)
    assume(len(loads.types) == 2)
    enumerated = solve_patterns(loads, 2, 1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(patterns, "MOST_MACHINES", 0)
        searched = solve_patterns(loads, 2, 1)
    assert searched.is_exact
    assert searched.bound <= enumerated.bound <= searched.bound * (1 + 2e-9)


def test_a_pattern_is_dropped_only_where_a_further_type_costs_nothing_more() -> None:
    # 0 and 1 are compatible, so neither needs a machine without the other; 2 harms both.
    alpha = np.array([[10, 4, 30], [6, 10, 30], [20, 30, 10]])
    holds, most = needed_patterns(alpha, 8)
    # {1, 2} grows to {0, 1, 2}: both others harm 1 no less than 0. {0, 2} stays: 2 harms 1 more than 0.
    assert [np.flatnonzero(row).tolist() for row in holds] == [[0, 1], [2], [0, 2], [0, 1, 2]]
    # 0 and 2 harm each other more than themselves: one shared machine is enough. 0 and 1 do not.
    assert most.tolist() == [8, 8, 1, 8]


def test_types_that_cost_each_other_as_much_as_themselves_share_all_machines() -> None:
    for n_types in (2, 3, 4, 5):
        inst = all_alike(n_types, 10, 3)
        assert pattern_program(inst).bound == pytest.approx(int(inst.size.sum()) / 3, rel=2e-9)
