"""MRIS with ``replan="always"`` keeps what the proof needs: every batch in time, early jobs too, hence the constant 4c.

A job of no batch that starts at t in [gamma_k, gamma_{k+1}) counts with iteration k + 1.
"""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import schedcore
from properties.dynamic_instances import overloaded, stream
from properties.mris_constants import KEYS, KNAPSACKS, batch_factor, ends, sum_weighted_ends
from reference.optimum import optimum
from strategies import instances

choices = st.fixed_dictionaries(
    {
        "knapsack": st.sampled_from(KNAPSACKS),
        "heuristic": st.sampled_from(KEYS),
        "opportunistic": st.booleans(),
        "patience": st.sampled_from([0.25, 1.0, 2.0]),  # 2 is the largest that every instance allows
    }
)
any_instances = overloaded(max_jobs=30) | instances(max_jobs=12)


def solved(instance: schedcore.Instance, choice: dict[str, Any]) -> schedcore.Result:
    result = schedcore.solve("mris", instance, replan="always", **choice)
    schedcore.validate(instance, result.schedule, raise_on_error=True)
    return result


def assert_in_time(instance: schedcore.Instance, choice: dict[str, Any]) -> None:
    result = solved(instance, choice)
    end = ends(instance, result)
    factor = 2 * batch_factor(instance, choice["knapsack"])
    early = set(range(instance.n_jobs))
    for row in result.stats["iterations"]:
        for job in row["chosen"]:
            assert end[job] <= factor * Fraction(row["gamma"])
            assert result.schedule.start_time[job] >= row["gamma"]
            early.remove(job)  # a job in two batches would be missing here
    assert not early or choice["opportunistic"]
    assert result.stats["early_starts"] == len(early)
    for job in early:
        gamma = Fraction(instance.jobs.processing_time.min())
        assert gamma <= Fraction(result.schedule.start_time[job])
        while 2 * gamma <= Fraction(result.schedule.start_time[job]):
            gamma *= 2
        assert Fraction(instance.jobs.processing_time[job]) <= Fraction(choice["patience"]) * gamma
        assert end[job] <= factor * 2 * gamma


@given(instance=any_instances, choice=choices)
def test_batches_and_early_jobs_partition_the_jobs_and_all_end_in_time(
    instance: schedcore.Instance, choice: dict[str, Any]
) -> None:
    if schedcore.solve("mris", instance, **choice).guarantee is None:
        return
    assert_in_time(instance, choice)


@pytest.mark.parametrize("heuristic", KEYS)
@pytest.mark.parametrize("knapsack", KNAPSACKS)
@pytest.mark.parametrize("n_machines", [1, 2])
def test_all_end_in_time_where_the_bound_binds(n_machines: int, knapsack: str, heuristic: str) -> None:
    for seed in range(8):
        for opportunistic in (False, True):
            choice = {
                "knapsack": knapsack,
                "heuristic": heuristic,
                "opportunistic": opportunistic,
                "patience": 2.0,
            }
            assert_in_time(stream(seed, n_machines, 1 + seed % 2), choice)


@given(instance=overloaded(max_jobs=5) | instances(min_jobs=1, max_jobs=5, max_machines=3), choice=choices)
def test_sum_weighted_completion_stays_within_4c_of_the_optimum(
    instance: schedcore.Instance, choice: dict[str, Any]
) -> None:
    result = solved(instance, choice)
    if result.guarantee is None:
        return
    factor = 4 * batch_factor(instance, choice["knapsack"])
    assert result.guarantee == pytest.approx(float(factor))
    assert sum_weighted_ends(instance, result) <= factor * optimum(instance).sum_weighted_completion
