"""What is proven of MRIS when jobs end early: the constant, against the optimum for the announced times.

The forms that start jobs because nothing runs, however long, may lose the longest of them for every job on top.
"""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import schedcore
from engine.event_driver import drive
from properties.bursts import bursts
from properties.mris_constants import KNAPSACKS, batch_factor
from reference.optimum import optimum

factors = st.lists(st.sampled_from([0.03125, 0.25, 0.5, 1.0]), min_size=1, max_size=4)
small_instances = bursts(max_bursts=2, max_burst=2)


def weighted_ends_when_early(
    instance: schedcore.Instance, factor: list[float], options: dict[str, Any]
) -> Fraction:
    jobs = instance.jobs
    duration = [p * factor[j % len(factor)] for j, p in enumerate(jobs.processing_time.tolist())]
    driver = drive("mris", instance, {"origin": "busy", **options}, duration=duration)
    return sum(
        (
            Fraction(w) * (Fraction(start) + Fraction(length))
            for w, start, length in zip(jobs.weight.tolist(), driver.start_time, duration, strict=True)
        ),
        Fraction(0),
    )


@given(instance=small_instances, factor=factors, knapsack=st.sampled_from(KNAPSACKS))
def test_without_a_plan_the_constant_holds_against_the_optimum_for_the_announced_times(
    instance: schedcore.Instance, factor: list[float], knapsack: str
) -> None:
    options = {"opportunistic": True, "replan": "always", "knapsack": knapsack}
    factor_4c = 4 * batch_factor(instance, knapsack)
    spent = weighted_ends_when_early(instance, factor, options)
    assert spent <= factor_4c * optimum(instance).sum_weighted_completion


@pytest.mark.parametrize(
    "form", [{}, {"opportunistic": True}, {"replan": True}, {"replan": "always"}], ids=str
)
@given(instance=small_instances, factor=factors, knapsack=st.sampled_from(KNAPSACKS))
def test_other_forms_lose_at_most_one_longest_job_more(
    form: dict[str, Any], instance: schedcore.Instance, factor: list[float], knapsack: str
) -> None:
    jobs = instance.jobs
    bound = 4 * batch_factor(instance, knapsack) * optimum(instance).sum_weighted_completion
    longest = Fraction(jobs.processing_time.max()) * Fraction(jobs.weight.sum())
    assert weighted_ends_when_early(instance, factor, {**form, "knapsack": knapsack}) <= bound + longest
