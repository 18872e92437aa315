"""The colocation algorithms decide exactly as their references: machines, costs, thresholds, clusters, divisions.

All algorithms with all options, on types that are present or absent, with diagonal coefficients up to what an
algorithm takes, and with sizes that fill 64 bits.
"""

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import schedcore
from example_shares import examples
from properties.colocation_instances import (
    OPTIONS,
    TYPE_BLIND,
    Options,
    any_options,
    coefficients,
    colocation_instances,
    huge_colocation_instances,
    plain,
)
from reference.colocation import ReferenceColocation, colocate_with_reference
from reference.colocation_clusters import fewest_clusters, first_fit_clusters
from reference.colocation_dedicated import best_composition
from reference.colocation_instance import ReferenceInfeasible, ReferenceUnsupported, max_cost, sum_cost
from reference.colocation_optimum import optimum
from reference.colocation_ptas import decide, final_target
from schedcore import _core, colocation

REFERENCE_ERRORS = {
    ReferenceInfeasible: schedcore.InfeasibleError,
    ReferenceUnsupported: schedcore.UnsupportedError,
}

every_algorithm = pytest.mark.parametrize("name", OPTIONS)


def outcome(result: schedcore.Result, reference: ReferenceColocation) -> ReferenceColocation:
    """What the library says, of all that the reference implementation says."""

    def stated(name: str) -> Any:
        return None if getattr(reference, name) is None else result.stats[name]

    assert isinstance(result, schedcore.ColocationResult)
    return ReferenceColocation(
        machine=result.assignment.machine.tolist(),
        cost_numerator=result.cost_numerator,
        sum_numerator=result.sum_numerator,
        threshold=stated("threshold"),
        clusters=stated("clusters"),
        machines_of_cluster=stated("machines_of_cluster"),
    )


def assert_equals_colocation_reference(
    name: str, instance: schedcore.ColocationInstance, options: Options
) -> None:
    try:
        reference = colocate_with_reference(name, plain(instance), **options)
    except (ReferenceInfeasible, ReferenceUnsupported) as error:
        with pytest.raises(REFERENCE_ERRORS[type(error)]):
            schedcore.solve(name, instance, **options)
        return
    result = schedcore.solve(name, instance, **options)
    assert outcome(result, reference) == reference
    schedcore.validate(instance, result.schedule, raise_on_error=True)


@every_algorithm
@given(data=st.data())
def test_every_option_equals_the_reference(name: str, data: st.DataObject) -> None:
    diagonal = None if name in TYPE_BLIND else data.draw(st.sampled_from(["unit", "at_most_one"]))
    instance = data.draw(colocation_instances(diagonal=diagonal))
    for options in OPTIONS[name]:
        assert_equals_colocation_reference(name, instance, options)


@every_algorithm
@given(data=st.data(), instance=colocation_instances())
def test_any_clusters_equal_the_reference(
    name: str, data: st.DataObject, instance: schedcore.ColocationInstance
) -> None:
    assert_equals_colocation_reference(name, instance, data.draw(any_options(name, instance)))


@every_algorithm
@given(data=st.data(), instance=huge_colocation_instances())
def test_sizes_that_fill_64_bits_equal_the_reference(
    name: str, data: st.DataObject, instance: schedcore.ColocationInstance
) -> None:
    assert_equals_colocation_reference(name, instance, data.draw(any_options(name, instance)))


@every_algorithm
@examples(15)
@given(
    data=st.data(),
    instance=colocation_instances(min_tasks=25, max_tasks=40, min_machines=2, max_machines=9),
)
def test_more_tasks_equal_the_reference(
    name: str, data: st.DataObject, instance: schedcore.ColocationInstance
) -> None:
    assert_equals_colocation_reference(name, instance, data.draw(any_options(name, instance)))


@given(data=st.data(), instance=colocation_instances(diagonal=None) | huge_colocation_instances())
def test_costs_of_an_assignment_equal_the_reference(
    data: st.DataObject, instance: schedcore.ColocationInstance
) -> None:
    machines = st.integers(0, instance.n_machines - 1)
    machine = data.draw(st.lists(machines, min_size=instance.n_tasks, max_size=instance.n_tasks))
    costs = _core.colocation.colocation_cost(
        instance.size,
        instance.type,
        instance.alpha,
        np.array(machine, dtype=np.int64),
        instance.n_machines,
    )
    allocation = dict(enumerate(machine))
    assert tuple(costs) == (max_cost(plain(instance), allocation), sum_cost(plain(instance), allocation))


@given(data=st.data(), n_types=st.integers(1, 6), denominator=st.sampled_from([1, 10, 1000]))
def test_clusters_of_types_equal_the_reference(data: st.DataObject, n_types: int, denominator: int) -> None:
    alpha = data.draw(coefficients(n_types, denominator, diagonal="any"))
    by_first_fit = colocation.compatible_clusters(alpha, denominator, "first_fit")
    fewest = colocation.compatible_clusters(alpha, denominator, "exact")
    assert by_first_fit == first_fit_clusters(alpha, denominator)
    assert fewest == fewest_clusters(alpha, denominator)


@given(
    data=st.data(),
    n_parts=st.integers(1, 5),
    spare=st.integers(0, 6),
    entries=st.sampled_from([2, 5, 2**62]),
)
def test_best_composition_equals_enumeration(
    data: st.DataObject, n_parts: int, spare: int, entries: int
) -> None:
    row = st.lists(st.integers(0, entries), min_size=spare + 1, max_size=spare + 1)
    table = data.draw(st.lists(row, min_size=n_parts, max_size=n_parts))
    value, vector = colocation.best_composition(table, n_parts + spare)
    assert (value, tuple(vector)) == best_composition(table, n_parts + spare)


@given(instance=colocation_instances(max_tasks=8, max_machines=4, diagonal=None))
def test_exact_algorithm_equals_the_reference(instance: schedcore.ColocationInstance) -> None:
    result = schedcore.solve("mct_exact", instance)
    assert result.cost_numerator == optimum(plain(instance))


@given(instance=huge_colocation_instances())
def test_exact_algorithm_equals_the_reference_on_sizes_that_fill_64_bits(
    instance: schedcore.ColocationInstance,
) -> None:
    assert schedcore.solve("mct_exact", instance).cost_numerator == optimum(plain(instance))


@examples(40)
@given(
    data=st.data(),
    instance=colocation_instances(max_tasks=6, max_types=2, max_machines=3, diagonal=None),
)
def test_decision_of_the_scheme_equals_the_reference(
    data: st.DataObject, instance: schedcore.ColocationInstance
) -> None:
    tasks = plain(instance)
    everything = max_cost(tasks, dict.fromkeys(tasks.tasks, 0))
    assume(everything > 0)
    for k in (1, 2):
        target = data.draw(st.integers(1, everything))
        assert (colocation.ptas_decide(instance, target, k) is not None) == decide(tasks, target, k)


@examples(25)
@given(instance=colocation_instances(max_tasks=6, max_types=2, max_machines=3, diagonal=None))
def test_search_of_the_scheme_ends_at_the_target_of_the_reference(
    instance: schedcore.ColocationInstance,
) -> None:
    result = schedcore.solve("mct_ptas", instance, k=1)
    assert result.stats["target_numerator"] == final_target(plain(instance), 1)
