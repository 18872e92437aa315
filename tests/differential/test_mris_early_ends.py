"""Embedded MRIS decides exactly as its reference implementations when jobs end before their processing times."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import schedcore
from engine.event_driver import drive
from engine.policy_cases import crowded
from example_shares import examples
from properties.dynamic_instances import overloaded
from reference.mris_dynamic import mris_dynamic
from reference.mris_opportunistic import mris_opportunistic
from reference.plain_instance import PlainInstance

factors = st.lists(st.sampled_from([0.03125, 0.25, 0.5, 1.0]), min_size=1, max_size=7)
any_instances = crowded() | overloaded(max_jobs=14)


def early(instance: schedcore.Instance, factor: list[float]) -> list[float]:
    return [p * factor[j % len(factor)] for j, p in enumerate(instance.jobs.processing_time.tolist())]


@pytest.mark.parametrize("opportunistic", [False, True])
@examples(150)
@given(instance=any_instances, factor=factors, heuristic=st.sampled_from(["wsjf", "svf"]))
def test_without_a_plan_early_ends_are_used_as_the_reference_uses_them(
    opportunistic: bool, instance: schedcore.Instance, factor: list[float], heuristic: str
) -> None:
    duration = early(instance, factor)
    options: dict[str, Any] = {"heuristic": heuristic, "opportunistic": opportunistic, "patience": 1.0}
    driver = drive("mris", instance, {**options, "replan": "always"}, duration=duration)
    reference = mris_dynamic(PlainInstance.from_instance(instance), duration=duration, **options)
    assert driver.start_time == reference.schedule.start_time
    assert driver.machine == reference.schedule.machine


@pytest.mark.parametrize(
    ("form", "opportunistic"),
    [
        ({}, False),
        ({}, True),
        ({"replan": True}, False),
        ({"replan": True}, True),
        ({"placement": "list"}, False),
    ],
    ids=str,
)
@examples(80)
@given(instance=any_instances, factor=factors, heuristic=st.sampled_from(["wsjf", "svf"]))
def test_plans_use_early_ends_as_their_reference_does(
    form: dict[str, Any],
    opportunistic: bool,
    instance: schedcore.Instance,
    factor: list[float],
    heuristic: str,
) -> None:
    duration = early(instance, factor)
    options = {"heuristic": heuristic, **form}
    patience = {"opportunistic": True, "patience": 1.0} if opportunistic else {}
    driver = drive("mris", instance, {**options, **patience}, duration=duration)
    schedule, _ = mris_opportunistic(
        PlainInstance.from_instance(instance),
        duration=duration,
        patience=1.0 if opportunistic else 0.0,
        **options,
    )
    assert driver.start_time == schedule.start_time
    assert driver.machine == schedule.machine
