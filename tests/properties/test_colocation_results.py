"""What every colocation result keeps: no search makes it dearer, and it is the same every time and everywhere."""

import pickle
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import schedcore
from example_shares import examples
from properties.colocation_instances import (
    CLUSTERED,
    OPTIONS,
    any_options,
    colocation_instances,
    huge_colocation_instances,
    plain,
    solved,
)
from reference.colocation_instance import max_cost
from reference.colocation_optimum import optimum
from schedcore import colocation, registry

SEARCHES = ["mct_ptas", "mct_exact", "colocate"]
SOLVERS = [*OPTIONS, *SEARCHES]

every_heuristic = pytest.mark.parametrize("name", OPTIONS)


@pytest.mark.parametrize("name", SEARCHES)
@examples(25)
@given(instance=colocation_instances(max_tasks=7, max_types=2, max_machines=3, diagonal=None))
def test_no_search_is_below_the_optimum_or_above_its_guarantee(
    name: str, instance: schedcore.ColocationInstance
) -> None:
    result = solved(name, instance, bound="qcp")
    schedcore.validate(instance, result.assignment, raise_on_error=True)
    least = optimum(plain(instance))
    assert least <= result.cost_numerator
    assert result.lower_bound is not None
    assert result.lower_bound <= float(Fraction(least, instance.alpha_denominator))
    if result.guarantee is not None and least:
        assert Fraction(result.cost_numerator, least) <= Fraction(result.guarantee)


@pytest.mark.parametrize("name", ["mct_exact", "colocate"])
@given(instance=huge_colocation_instances())
def test_sizes_that_fill_64_bits_keep_costs_and_bounds_in_order(
    name: str, instance: schedcore.ColocationInstance
) -> None:
    result = solved(name, instance, bound="qcp")
    least = optimum(plain(instance))
    assert least <= result.cost_numerator
    assert result.lower_bound is not None
    assert result.lower_bound <= float(Fraction(least, instance.alpha_denominator))
    if result.guarantee is not None:
        assert Fraction(result.cost_numerator, least) <= Fraction(result.guarantee)
    improved = colocation.improve(instance, schedcore.Assignment([0] * instance.n_tasks), work_limit=20_000)
    assert (
        least
        <= improved.cost_numerator
        <= max_cost(plain(instance), dict.fromkeys(range(instance.n_tasks), 0))
    )


@examples(30)
@given(instance=colocation_instances(max_tasks=10))
def test_colocate_is_never_dearer_than_any_heuristic(instance: schedcore.ColocationInstance) -> None:
    best = solved("colocate", instance)
    schedcore.validate(instance, best.assignment, raise_on_error=True)
    for name, choices in OPTIONS.items():
        exact_too = [{**options, "clusters": "exact"} for options in choices if name in CLUSTERED]
        for options in (*choices, *exact_too):
            try:
                result = schedcore.solve(name, instance, **options)
            except (schedcore.InfeasibleError, schedcore.UnsupportedError):
                continue
            assert isinstance(result, schedcore.ColocationResult)
            assert best.cost_numerator <= result.cost_numerator


@every_heuristic
@examples(30)
@given(data=st.data(), instance=colocation_instances(max_tasks=8))
def test_improving_never_makes_an_allocation_dearer(
    name: str, data: st.DataObject, instance: schedcore.ColocationInstance
) -> None:
    before = solved(name, instance, **data.draw(any_options(name, instance)))
    after = colocation.improve(instance, before.assignment, work_limit=20_000)
    schedcore.validate(instance, after.assignment, raise_on_error=True)
    assert after.cost_numerator <= before.cost_numerator
    assert after.guarantee is None or after.cost_numerator <= after.guarantee * optimum(plain(instance))
    again = colocation.improve(instance, before.assignment, work_limit=20_000)
    assert again.assignment == after.assignment


@pytest.mark.parametrize("name", SOLVERS)
@examples(15)
@given(instance=colocation_instances(max_tasks=6, max_types=2, max_machines=3))
def test_the_same_instance_gives_the_same_result_and_survives_pickling(
    name: str, instance: schedcore.ColocationInstance
) -> None:
    result = solved(name, instance)
    copy = pickle.loads(pickle.dumps(instance))
    assert copy == instance
    again = solved(name, copy)
    assert again.assignment == result.assignment
    assert (again.cost_numerator, again.sum_numerator) == (result.cost_numerator, result.sum_numerator)
    thawed = pickle.loads(pickle.dumps(result))
    assert thawed.assignment == result.assignment
    assert (thawed.cost_numerator, thawed.stats) == (result.cost_numerator, result.stats)


@every_heuristic
@given(data=st.data(), instance=colocation_instances(), factor=st.integers(2, 1000))
def test_a_finer_denominator_changes_nothing(
    name: str, data: st.DataObject, instance: schedcore.ColocationInstance, factor: int
) -> None:
    options = data.draw(any_options(name, instance))
    finer = schedcore.ColocationInstance(
        instance.size,
        instance.type,
        instance.alpha * factor,
        instance.alpha_denominator * factor,
        n_machines=instance.n_machines,
    )
    result, same = solved(name, instance, **options), solved(name, finer, **options)
    assert same.assignment == result.assignment
    assert same.value == result.value


def test_every_algorithm_of_the_family_is_covered_here() -> None:
    kinds = {a.name for a in registry.algorithms() if a.instance_kind is schedcore.ColocationInstance}
    assert kinds == set(SOLVERS)
