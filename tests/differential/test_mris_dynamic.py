"""MRIS with ``replan="always"`` decides exactly as its reference, also where the bound and the density rule bind."""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import schedcore
from differential.against_reference import KEYS, KNAPSACKS
from properties.dynamic_instances import crowd, overloaded, stream
from reference.mris_dynamic import DynamicRun, mris_dynamic
from reference.plain_instance import PlainInstance
from strategies import instances

options_drawn = st.fixed_dictionaries(
    {
        "heuristic": st.sampled_from(KEYS),
        "knapsack": st.sampled_from(KNAPSACKS),
        "opportunistic": st.booleans(),
        "patience": st.sampled_from([0.25, 1.0, 2.0]),
    }
)


def assert_equals_dynamic_reference(instance: schedcore.Instance, **options: Any) -> DynamicRun:
    result = schedcore.solve("mris", instance, replan="always", **options)
    reference = mris_dynamic(PlainInstance.from_instance(instance), **options)
    assert result.schedule.start_time.tolist() == reference.schedule.start_time
    assert result.schedule.machine.tolist() == reference.schedule.machine
    records = [
        (row["k"], row["gamma"], row["n_candidates"], list(row["chosen"]))
        for row in result.stats["iterations"]
    ]
    assert records == reference.batches
    in_batches = sum(len(chosen) for _, _, _, chosen in reference.batches)
    assert result.stats["early_starts"] == instance.n_jobs - in_batches
    return reference


@given(instance=instances(max_jobs=14, max_machines=3, max_resources=4), options=options_drawn)
def test_dynamic_mris_equals_its_reference(instance: schedcore.Instance, options: dict[str, Any]) -> None:
    assert_equals_dynamic_reference(instance, **options)


@given(instance=overloaded(), options=options_drawn)
def test_dynamic_mris_equals_its_reference_under_overload(
    instance: schedcore.Instance, options: dict[str, Any]
) -> None:
    assert_equals_dynamic_reference(instance, **options)


@given(
    instance=overloaded(max_jobs=12), options=options_drawn, gamma0=st.sampled_from([0.25, 1.0, 3.0, 100.0])
)
def test_dynamic_mris_with_another_first_gamma_equals_its_reference(
    instance: schedcore.Instance, options: dict[str, Any], gamma0: float
) -> None:
    assert_equals_dynamic_reference(instance, gamma0=gamma0, **options)


@given(
    instance=instances(max_jobs=10, max_machines=3, max_resources=3, integer_times=False),
    options=options_drawn,
)
def test_dynamic_mris_equals_its_reference_on_real_times(
    instance: schedcore.Instance, options: dict[str, Any]
) -> None:
    assert_equals_dynamic_reference(instance, **options)


@pytest.mark.parametrize("opportunistic", [False, True])
@pytest.mark.parametrize(("n_machines", "n_resources"), [(1, 1), (2, 1), (2, 2)])
def test_dynamic_mris_equals_its_reference_where_its_rules_bind(
    n_machines: int, n_resources: int, opportunistic: bool
) -> None:
    held_by_bound = held_by_density = 0
    for seed in range(6):
        for heuristic in ("wsjf", "svf"):
            reference = assert_equals_dynamic_reference(
                stream(seed, n_machines, n_resources),
                heuristic=heuristic,
                knapsack="exact" if seed % 2 else "cadp",
                epsilon=Fraction(1, 10),
                opportunistic=opportunistic,
            )
            held_by_bound += reference.held_by_bound
            held_by_density += reference.held_by_density
    assert held_by_bound > 0
    assert (held_by_density > 0) == opportunistic


def test_a_bound_that_loosens_during_a_decision_reaches_the_machines_that_follow() -> None:
    held_by_bound = 0
    for seed in range(30, 100):
        held_by_bound += assert_equals_dynamic_reference(
            crowd(seed), heuristic="wsjf", knapsack="exact", opportunistic=True
        ).held_by_bound
    assert held_by_bound > 0
