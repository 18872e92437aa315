"""MRIS with early starts and re-planning decides exactly as its reference implementation does."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import schedcore
from differential.against_reference import KEYS, KNAPSACKS, assert_equals_reference
from schedcore.workloads import uniform
from strategies import instances

GAP_FILLING = [
    pytest.param({"opportunistic": True}, id="early"),
    pytest.param({"opportunistic": True, "placement": "nobackfill"}, id="early-nobackfill"),
    pytest.param({"replan": True}, id="replan"),
    pytest.param({"opportunistic": True, "replan": True}, id="both"),
]


def with_patience(options: dict[str, Any], patience: float) -> dict[str, Any]:
    return {**options, "patience": patience} if "opportunistic" in options else options


@pytest.mark.parametrize("options", GAP_FILLING)
@given(
    instance=instances(max_jobs=14, max_machines=3) | instances(max_jobs=10, integer_times=False),
    heuristic=st.sampled_from(KEYS),
    knapsack=st.sampled_from(KNAPSACKS),
    patience=st.sampled_from([0.25, 0.5, 1.0, 2.0]),
)
def test_gap_filling_mris_equals_its_reference(
    options: dict[str, Any],
    instance: schedcore.Instance,
    heuristic: str,
    knapsack: str,
    patience: float,
) -> None:
    assert_equals_reference(
        "mris",
        instance,
        heuristic=heuristic,
        knapsack=knapsack,
        **with_patience(options, patience),
    )


@pytest.mark.parametrize("options", GAP_FILLING)
@pytest.mark.parametrize(("n_machines", "n_resources"), [(1, 1), (3, 2)])
def test_crowded_gap_filling_equals_its_reference(
    options: dict[str, Any], n_machines: int, n_resources: int
) -> None:
    instance = uniform(
        seed=5,
        n_jobs=200,
        n_machines=n_machines,
        n_resources=n_resources,
        capacity=10,
        max_processing_time=12,
        max_weight=4,
        max_release_time=200,
        max_demand=6,
    )
    assert_equals_reference("mris", instance, **with_patience(options, 1.0))
