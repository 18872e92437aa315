"""Every online algorithm of the library decides exactly as its reference implementation does.

The reference implementations (``tests/reference``) follow the specification line by line and share no code with
the library. Compared bit for bit: starts, machines, and MRIS's iteration records.
"""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import schedcore
from differential.against_reference import KEYS, KNAPSACKS, MODES, PLACEMENTS, assert_equals_reference
from example_shares import examples
from reference.plain_instance import PlainInstance
from reference.tetris import tetris
from reference.tetris_by_columns import tetris_by_columns
from schedcore.workloads import uniform
from strategies import instances

EPSILONS = [Fraction(1, 10), Fraction(1, 2), Fraction(9, 10), Fraction(1, 7)]

ties = {"max_jobs": 14, "max_machines": 3}
integer_instances = instances(**ties)
real_instances = instances(**ties, integer_times=False)
any_instances = integer_instances | real_instances


@pytest.mark.parametrize("heuristic", KEYS)
@examples(11)
@given(instance=any_instances)
def test_pq_equals_its_reference(heuristic: str, instance: schedcore.Instance) -> None:
    assert_equals_reference("pq", instance, heuristic=heuristic)


@pytest.mark.parametrize("heuristic", KEYS)
@examples(11)
@given(instance=instances(**ties, zero_releases=True))
def test_offline_pq_equals_its_reference(heuristic: str, instance: schedcore.Instance) -> None:
    assert_equals_reference("offline_pq", instance, heuristic=heuristic)


@pytest.mark.parametrize("heuristic", KEYS)
@examples(11)
@given(instance=any_instances)
def test_ca_pq_equals_its_reference(heuristic: str, instance: schedcore.Instance) -> None:
    assert_equals_reference("ca_pq", instance, heuristic=heuristic)


@pytest.mark.parametrize("mode", MODES)
@given(instance=any_instances)
def test_tetris_equals_its_reference(mode: str, instance: schedcore.Instance) -> None:
    assert_equals_reference("tetris", instance, mode=mode)


@given(instance=any_instances)
def test_bf_exec_equals_its_reference(instance: schedcore.Instance) -> None:
    assert_equals_reference("bf_exec", instance)


@pytest.mark.parametrize("placement", PLACEMENTS)
@pytest.mark.parametrize("knapsack", KNAPSACKS)
@examples(11)
@given(instance=any_instances, heuristic=st.sampled_from(KEYS), epsilon=st.sampled_from(EPSILONS))
def test_mris_equals_its_reference(
    knapsack: str, placement: str, instance: schedcore.Instance, heuristic: str, epsilon: Fraction
) -> None:
    assert_equals_reference(
        "mris", instance, heuristic=heuristic, knapsack=knapsack, placement=placement, epsilon=epsilon
    )


@pytest.mark.parametrize("placement", PLACEMENTS)
@examples(11)
@given(instance=any_instances, gamma0=st.sampled_from([0.25, 1.0, 3.0, 1000.0, 2.0**44]))
def test_mris_with_another_first_gamma_equals_its_reference(
    placement: str, instance: schedcore.Instance, gamma0: float
) -> None:
    assert_equals_reference("mris", instance, placement=placement, gamma0=gamma0)


# Some hundred jobs with many equal lengths and arrivals at once, so that queues, batches and plans grow long.
CROWDED = [
    pytest.param(
        {"seed": 1, "n_machines": 1, "n_resources": 1, "max_demand": 10}, id="one-machine-one-resource"
    ),
    pytest.param({"seed": 2, "n_machines": 3, "n_resources": 2, "max_demand": 6}, id="three-machines"),
    pytest.param({"seed": 3, "n_machines": 2, "n_resources": 4, "max_demand": 4}, id="four-resources"),
]


@pytest.mark.parametrize(
    ("name", "options"),
    [
        *[("pq", {"heuristic": key}) for key in KEYS],
        *[("ca_pq", {"heuristic": key}) for key in ("wsjf", "erf")],
        *[("tetris", {"mode": mode}) for mode in MODES],
        ("bf_exec", {}),
        *[("mris", {"knapsack": knapsack}) for knapsack in KNAPSACKS],
        *[("mris", {"knapsack": "exact", "placement": placement}) for placement in ("list", "nobackfill")],
        ("mris", {"knapsack": "greedy", "placement": "scan", "heuristic": "wsvf"}),
    ],
)
@pytest.mark.parametrize("shape", CROWDED)
def test_crowded_instances_equal_their_reference(
    name: str, options: dict[str, Any], shape: dict[str, int]
) -> None:
    instance = uniform(
        n_jobs=250, capacity=10, max_processing_time=12, max_weight=4, max_release_time=150, **shape
    )
    assert_equals_reference(name, instance, **options)


# Hundreds of demand vectors, so that TETRIS scores many blocks of classes.
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "shape",
    [
        {"seed": 4, "n_machines": 2, "n_resources": 2, "max_demand": 400, "max_release_time": 0},
        {"seed": 5, "n_machines": 4, "n_resources": 3, "max_demand": 1000, "max_release_time": 40},
        {"seed": 6, "n_machines": 40, "n_resources": 4, "max_demand": 300, "max_release_time": 30},
    ],
    ids="seed{0[seed]}".format,
)
def test_tetris_equals_its_reference_with_many_demand_vectors(mode: str, shape: dict[str, int]) -> None:
    instance = uniform(n_jobs=500, capacity=1000, max_processing_time=50, max_weight=1, **shape)
    assert len(np.unique(instance.jobs.demand, axis=0)) > 490
    assert_equals_reference("tetris", instance, mode=mode)


@pytest.mark.parametrize("mode", MODES)
@given(seed=st.integers(0, 2**32 - 1), n_machines=st.integers(1, 3), max_demand=st.integers(1, 10))
def test_tetris_by_columns_equals_the_reference(
    mode: str, seed: int, n_machines: int, max_demand: int
) -> None:
    instance = uniform(
        n_jobs=20,
        n_machines=n_machines,
        n_resources=2,
        capacity=10,
        max_demand=max_demand,
        max_processing_time=6,
        max_weight=1,
        max_release_time=12,
        seed=seed,
    )
    plain = PlainInstance.from_instance(instance)
    assert tetris_by_columns(plain, mode) == tetris(plain, mode)


# So many demand vectors wait at once that TETRIS adds, or passes over, most blocks of classes as a whole.
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "shape",
    [
        {"seed": 7, "n_machines": 3, "n_resources": 3, "max_demand": 400, "max_release_time": 0},
        {"seed": 8, "n_machines": 6, "n_resources": 4, "max_demand": 700, "max_release_time": 200},
    ],
    ids="seed{0[seed]}".format,
)
def test_tetris_equals_its_reference_with_thousands_of_demand_vectors(
    mode: str, shape: dict[str, int]
) -> None:
    instance = uniform(n_jobs=3000, capacity=1000, max_processing_time=50, max_weight=1, **shape)
    assert len(np.unique(instance.jobs.demand, axis=0)) > 2900
    schedule = schedcore.solve("tetris", instance, mode=mode).schedule
    reference = tetris_by_columns(PlainInstance.from_instance(instance), mode)
    assert schedule.start_time.tolist() == reference.start_time
    assert schedule.machine.tolist() == reference.machine
