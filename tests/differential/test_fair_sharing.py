"""Fair sharing and the Gittins index against plain references: shares by exact fractions or nested bisection, runs slot
by slot.
"""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import schedcore
from differential.against_slotted_reference import assert_equals_reference
from example_shares import examples
from reference.fair_sharing import UNITS, Pool, fair_shares, in_units, whole_cores
from schedcore import preemptive
from slotted_cases import FAIR, baseline_options, long_instances, slotted, slotted_instances, weighted

Instance = schedcore.Instance

every_rule = pytest.mark.parametrize("name", FAIR)


@st.composite
def fair_options(draw: st.DrawFn) -> dict[str, Any]:
    return draw(baseline_options()) | {"remainders": draw(st.sampled_from(["carried", "carried", "dropped"]))}


@every_rule
@examples(80)
@given(
    instance=weighted(slotted_instances(resources=(1, 2, 2), estimates=True)),
    options=fair_options(),
)
def test_runs_equal_the_reference(name: str, instance: Instance, options: dict[str, Any]) -> None:
    assert_equals_reference(name, instance, options)


@examples(25)
@given(instance=weighted(slotted_instances(resources=(3, 4))), options=fair_options())
def test_runs_with_several_memories_equal_the_reference(instance: Instance, options: dict[str, Any]) -> None:
    assert_equals_reference("drf", instance, options)


@every_rule
@examples(25)
@given(instance=weighted(long_instances(resources=(1, 2), longest=150, latest=100)), options=fair_options())
def test_long_runs_equal_the_reference(name: str, instance: Instance, options: dict[str, Any]) -> None:
    assert_equals_reference(name, instance, options)


@examples(60)
@given(
    instance=weighted(slotted_instances(resources=(1, 2), estimates=True, longest=15))
    | weighted(long_instances(resources=(1, 2), longest=80, latest=60)),
    options=baseline_options(),
)
def test_runs_by_the_gittins_index_equal_the_reference(instance: Instance, options: dict[str, Any]) -> None:
    assert_equals_reference("gittins", instance, options)


def test_an_index_learnt_from_many_jobs_orders_a_crowd_as_the_reference_does() -> None:
    draw = np.random.default_rng(12)
    rows = [
        (
            slot // 2,
            (int(draw.choice([1, 2, 4])), int(draw.integers(0, 5))),
            int(draw.choice([1, 2, 3, 9, 25])),
        )
        for slot in range(60)
    ]
    instance = slotted(rows, [(6, 8), (3, 6)]).replace(weight=draw.choice([1.0, 2.0], len(rows)))
    assert_equals_reference("gittins", instance, {})


@pytest.mark.parametrize("remainders", ["carried", "dropped"])
def test_hundreds_of_slots_of_a_crowd_equal_the_reference(remainders: str) -> None:
    draw = np.random.default_rng(11)
    rows = [
        (slot, (int(draw.choice([1, 2, 4, 8])), int(draw.integers(0, 6))), int(draw.integers(1, 20)))
        for slot in range(0, 72, 3)
    ]
    instance = slotted(rows, [(8, 8), (4, 6)])
    for packing in ("ffd", "sticky"):
        assert_equals_reference("drf", instance, {"packing": packing, "remainders": remainders})


# Shares of a single slot


def drawn_pool(draw: np.random.Generator, n_resources: int) -> Pool:
    """Some jobs on some pool; demands that are alike, that fill it, and that take nothing of something."""
    capacity = draw.integers(1, draw.choice([4, 30, 2000]), n_resources)
    jobs = range(draw.integers(1, 8))
    demand = {job: draw.integers(0, capacity + 1) for job in jobs}
    for amounts in demand.values():
        amounts[0] = max(amounts[0], 1)
        if draw.random() < 0.3:
            amounts[:] = np.minimum(amounts, np.maximum(capacity // 4, 1))
    limit = {
        job: int(draw.integers(1, demand[job][0] + 1) if draw.random() < 0.3 else demand[job][0])
        for job in jobs
    }
    weight = {
        job: float(draw.choice([0.0, 1e-20, 1.0, 1.0, 2.0, 5.5, draw.uniform(0.001, 9)])) for job in jobs
    }
    return Pool({job: amounts.tolist() for job, amounts in demand.items()}, limit, weight, capacity.tolist())


def shares_of(pool: Pool, rule: str) -> list[float]:
    columns = (list(column.values()) for column in (pool.demand, pool.limit))
    return preemptive.fair_shares(
        *columns, pool.capacity, weight=list(pool.weight.values()), rule=rule
    ).tolist()


@pytest.mark.parametrize(
    ("name", "n_resources", "rounds"), [("drf", 3, 400), ("proportional_fairness", 2, 150)]
)
def test_shares_equal_the_reference_to_a_billionth(name: str, n_resources: int, rounds: int) -> None:
    draw = np.random.default_rng(23)
    for _ in range(rounds):
        pool = drawn_pool(draw, n_resources)
        expected = fair_shares(name, pool)
        scale = max(pool.capacity[0], 1)
        for job, cores in enumerate(shares_of(pool, name)):
            assert cores == pytest.approx(float(expected[job]), rel=1e-9, abs=1e-9 * scale)
            if expected[job] == pool.limit[job]:
                assert in_units(Fraction(cores)) == pool.limit[job] * UNITS


@given(
    share=st.lists(
        st.integers(0, 5) | st.fractions(0, 5, max_denominator=12) | st.floats(0, 5), min_size=1, max_size=12
    ),
    data=st.data(),
)
def test_whole_cores_equal_the_reference(share: list[Any], data: st.DataObject) -> None:
    cores = [float(each) for each in share]
    units = {row: in_units(Fraction(each)) for row, each in enumerate(cores)}
    total = data.draw(st.integers(sum(cores).__ceil__(), 70))
    owed = data.draw(
        st.none() | st.lists(st.integers(-UNITS, UNITS), min_size=len(cores), max_size=len(cores))
    )
    debts = dict(enumerate(owed or []))
    expected = whole_cores(units, debts, total)
    given_cores = preemptive.whole_cores(cores, total, None if owed is None else np.array(owed) / UNITS)
    assert given_cores.tolist() == [expected[row] for row in range(len(cores))]
