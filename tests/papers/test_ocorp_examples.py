"""Worked examples of OCORP and the transient scheme, by hand or by looking at all schedules.

Those of a single slot, OCORP+M and OCORP+ among them, stand in ``tests/algorithms``.
"""

import math
from typing import Any

import numpy as np
import pytest

import schedcore
from reference.slotted_instance import SlottedJobs
from reference.slotted_optimum import least_flow_power_sum
from schedcore import solve
from schedcore.metrics import fractional_flow_time, preemption_counts
from slotted_cases import (
    NON_CLAIRVOYANT,
    THREE_JOBS_ON_TWO_CORES,
    WIDE_AND_THIN,
    Piece,
    completions,
    pieces,
    slotted,
)

BASELINES = ["srpt", "srvf", "svf", "srf", "fifo"]


def cores_by_slot(result: Any) -> dict[int, dict[int, int]]:
    """Slot -> job -> cores, on one machine."""
    table: dict[int, dict[int, int]] = {}
    for start, job, machine, end, cores in pieces(result):
        assert machine == 0
        for slot in range(start + 1, end + 1):
            table.setdefault(slot, {})[job] = cores
    return table


def piecewise(rows: list[Piece]) -> schedcore.PreemptiveSchedule:
    start, job, machine, end, amount = zip(*rows, strict=True)
    return schedcore.PreemptiveSchedule(job, [-1] * len(rows), machine, start, end, amount)


# Example 1 and Table I: fractional flow times


def test_example_1_three_jobs_share_a_machine() -> None:
    # Rates 1/3 each in slots 1-3, 1/2 for jobs 2 and 3 in slots 4-5, 1 for job 3 in slot 6, in cores of 54 wanted.
    # F_1 = (1+2+3)/3 + 1 = 3, F_2 = (1+2+3)/6 + (4+5)/4 + 2 = 21/4, F_3 = (1+2+3)/9 + (4+5)/6 + 6/3 + 3 = 43/6
    instance = slotted([(0, 54, 1), (0, 54, 2), (0, 54, 3)], [60])
    schedule = piecewise(
        [(0, job, 0, 3, 18) for job in range(3)] + [(3, job, 0, 5, 27) for job in (1, 2)] + [(5, 2, 0, 6, 54)]
    )
    schedcore.validate(instance, schedule, raise_on_error=True)
    fractional = fractional_flow_time(instance, schedule, k=1)
    np.testing.assert_allclose(fractional, [3, 21 / 4, 43 / 6], rtol=1e-14)
    completion = schedule.completion_time(3)
    assert completion.tolist() == [3, 5, 6]
    assert fractional.sum() / completion.sum() == pytest.approx(185 / 168, rel=1e-14)


# Two cores, three jobs: OCORP with every start and reading


def test_ocorp_serves_the_wide_job_first_where_multipliers_start_at_zero() -> None:
    # t = 1: omega = (3/4 ... ) = ((1/2 + 1)/2, (1/3 + 1)/1); job 0 gets both cores and keeps lambda 0,
    # job 1 earns mu(1) r = 3/8. t = 2: lambda_1 = 3/8 + 2^1.5 3/8, lambda_2 = 2^1.5 / 7
    result = solve("ocorp", THREE_JOBS_ON_TWO_CORES, k=1, gamma=8.0, lambda0="zero", record=True)
    assert cores_by_slot(result) == {1: {0: 2}, 2: {0: 2}, 3: {1: 1, 2: 1}, 4: {1: 1}, 5: {1: 1}}
    assert completions(result) == [2, 5, 3]
    assert result.value == 9
    assert result.lower_bound == 6
    assert result.stats["fractional"] == pytest.approx(13.5, rel=1e-14)
    assert (result.stats["preemptions"], result.stats["makespan"], result.stats["status"]) == (
        0,
        5,
        "finished",
    )
    record = result.stats["multipliers"]
    value = {
        (slot, job): lam
        for slot, job, lam in zip(*(record[name].tolist() for name in ("slot", "job", "value")), strict=True)
    }
    assert value[1, 0] == value[1, 1] == value[2, 2] == 0
    assert value[2, 1] == 0.375
    assert value[3, 1] == pytest.approx(0.375 * (1 + 2**1.5), rel=1e-15)
    assert value[3, 1] == pytest.approx(1.43566, abs=5e-6)
    assert value[3, 2] == pytest.approx(0.404061, abs=5e-7)


def test_squares_of_the_same_schedule() -> None:
    result = solve("ocorp", THREE_JOBS_ON_TWO_CORES, k=2, gamma=8.0, lambda0="zero")
    assert completions(result) == [2, 5, 3]
    assert result.value == 4 + 25 + 4


def test_gamma_of_the_whole_input_is_16_and_changes_nothing_here() -> None:
    # latest: max(a + 2 p, 2 a) = 6; volumes 4 + 3 + 1 on 2 cores: 4 * 8 / 2 = 16
    result = solve("ocorp", THREE_JOBS_ON_TWO_CORES, k=1, lambda0="zero")
    assert result.stats["gamma"] == 16.0
    assert completions(result) == [2, 5, 3]


def test_strict_ocorp_pauses_after_every_slot() -> None:
    result = solve("ocorp", THREE_JOBS_ON_TWO_CORES, k=1, gamma=8.0, lambda0="zero", work_conserving=False)
    assert cores_by_slot(result) == {
        4: {1: 1},
        5: {0: 2},
        6: {1: 1},
        8: {0: 1, 1: 1},
        9: {2: 1},
        10: {0: 1},
    }
    assert completions(result) == [10, 8, 9]
    assert result.stats["fractional"] == pytest.approx(27, rel=1e-14)
    assert preemption_counts(THREE_JOBS_ON_TWO_CORES, result.schedule).preemptions.tolist() == [2, 2, 0]


def test_strict_ocorp_with_a_constant_step_never_ends() -> None:
    # the weight of job 0 grows by 1/2 a slot, its multiplier by mu r = 1/4
    result = solve(
        "ocorp",
        THREE_JOBS_ON_TWO_CORES,
        k=1,
        gamma=8.0,
        mu=1.0,
        lambda0="zero",
        work_conserving=False,
        max_slots=2000,
    )
    assert result.stats["status"] == "max_slots"
    assert completions(result)[0] is None
    assert math.isinf(result.value)


@pytest.mark.parametrize("work_conserving", [True, False])
def test_big_multipliers_serve_the_least_served_first(work_conserving: bool) -> None:
    result = solve("ocorp", THREE_JOBS_ON_TWO_CORES, k=1, gamma=8.0, work_conserving=work_conserving)
    assert cores_by_slot(result) == {1: {0: 1, 1: 1}, 2: {1: 1, 2: 1}, 3: {0: 1, 1: 1}, 4: {0: 2}}
    assert completions(result) == [4, 3, 2]


@pytest.mark.parametrize(
    ("name", "expected", "preemptions"),
    [("svf", [4, 3, 2], 1), ("srvf", [4, 3, 2], 1), ("srf", [4, 3, 2], 1), ("srpt", [2, 5, 3], 0)],
)
def test_baselines_on_two_cores(name: str, expected: list[int], preemptions: int) -> None:
    for k in (1, 2):
        result = solve(name, THREE_JOBS_ON_TWO_CORES, k=k)
        assert completions(result) == expected
        assert result.stats["preemptions"] == preemptions
        if name != "srpt":
            best = least_flow_power_sum(SlottedJobs.from_instance(THREE_JOBS_ON_TWO_CORES), k)
            assert result.value == best == {1: 8, 2: 26}[k]


# The transient scheme


def test_svf_serves_the_smaller_volume_first() -> None:
    # volumes 8 and 10: job 0 in slots 1-4 on both cores, job 1 in 5-14 on one
    result = solve("svf_transient", WIDE_AND_THIN, k=1)
    assert pieces(result) == [(0, 0, 0, 4, 2), (4, 1, 0, 14, 1)]
    assert result.value == 18 == least_flow_power_sum(SlottedJobs.from_instance(WIDE_AND_THIN), 1)


def test_theorem_6_is_false_another_schedule_has_a_smaller_fractional_cost() -> None:
    # sum of t y_j / p_j: 10/4 + (5 + ... + 14)/10 = 12 for SVF; job 1 in 1-10 and job 0 beside it on one core in
    # 1-8: (1 + ... + 10)/10 + (1 + ... + 8)/2/4 = 5.5 + 4.5 = 10, with the same sum of flow times 18
    served_first = solve("svf_transient", WIDE_AND_THIN, k=1).schedule
    side_by_side = piecewise([(0, 0, 0, 8, 1), (0, 1, 0, 10, 1)])
    schedcore.validate(WIDE_AND_THIN, side_by_side, raise_on_error=True)
    constant = 4.0 + 10.0  # sum of p_j^k: every job is served p_j units of rate
    fractional = [
        fractional_flow_time(WIDE_AND_THIN, schedule, k=1).sum() - constant
        for schedule in (served_first, side_by_side)
    ]
    assert fractional == pytest.approx([12, 10], rel=1e-14)
    assert side_by_side.completion_time(2).sum() == 18


# What holds of all of them on these examples


@pytest.mark.parametrize("name", [*BASELINES, *NON_CLAIRVOYANT, "ocorp", "ocorp_m", "ocorp_plus"])
@pytest.mark.parametrize("instance", [THREE_JOBS_ON_TWO_CORES, WIDE_AND_THIN], ids=["three", "two"])
def test_every_algorithm_serves_the_examples_completely(name: str, instance: schedcore.Instance) -> None:
    result = solve(name, instance)
    schedcore.validate(instance, result.schedule, raise_on_error=True)
    assert result.stats["status"] == "finished"
    assert result.value >= least_flow_power_sum(SlottedJobs.from_instance(instance), 2)
