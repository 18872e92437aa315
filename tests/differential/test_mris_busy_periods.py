"""MRIS with ``origin="busy"`` schedules every busy period as its reference does a problem that begins there."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import schedcore
from differential.against_reference import KEYS
from properties.bursts import bursts
from reference.busy_periods import by_busy_periods
from reference.mris_dynamic import mris_dynamic
from reference.plain_instance import PlainInstance, PlainSchedule
from reference.solving import solve_with_reference

FORMS: list[dict[str, Any]] = [
    {},
    {"placement": "nobackfill"},
    {"placement": "list"},
    {"replan": True},
    {"opportunistic": True, "patience": 2.0},
    {"opportunistic": True, "patience": 1.0, "replan": True},
    {"replan": "always"},
    {"opportunistic": True, "patience": 2.0, "replan": "always"},
]


def reference_schedule(instance: PlainInstance, options: dict[str, Any]) -> PlainSchedule:
    if options.get("replan") == "always":
        return mris_dynamic(instance, **{k: v for k, v in options.items() if k != "replan"}).schedule
    return solve_with_reference("mris", instance, **options).schedule


@pytest.mark.parametrize(
    "form", FORMS, ids=lambda form: "-".join(f"{k}={v}" for k, v in form.items()) or "plain"
)
@given(
    instance=bursts(),
    heuristic=st.sampled_from(KEYS),
    knapsack=st.sampled_from(["exact", "greedy"]),
    gamma0=st.sampled_from([0.25, 1.0, 3.0]),
)
def test_every_busy_period_is_scheduled_as_if_time_began_there(
    form: dict[str, Any], instance: schedcore.Instance, heuristic: str, knapsack: str, gamma0: float
) -> None:
    options = {**form, "heuristic": heuristic, "knapsack": knapsack, "gamma0": gamma0}
    result = schedcore.solve("mris", instance, origin="busy", **options)
    plain = PlainInstance.from_instance(instance)
    schedule, origins = by_busy_periods(plain, lambda part: reference_schedule(part, dict(options)))
    assert result.schedule.start_time.tolist() == schedule.start_time
    assert result.schedule.machine.tolist() == schedule.machine
    for row in result.stats["iterations"]:
        assert row["origin"] in origins
        assert row["gamma"] == row["origin"] + gamma0 * 2 ** row["k"]
