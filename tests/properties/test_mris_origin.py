"""Where MRIS's intervals begin: at a time that is given, or with every busy period; and what is proven then.

With ``origin="busy"`` the constant holds for every busy period by itself, and for waiting from its beginning on, which
is more than the constant for completion times counted from 0.
"""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import schedcore
from properties.bursts import bursts
from properties.mris_constants import KNAPSACKS, batch_factor, ends, sum_weighted_ends
from reference.busy_periods import first_period
from reference.optimum import optimum
from strategies import instances

FORMS: list[dict[str, Any]] = [
    {},
    {"placement": "nobackfill"},
    {"opportunistic": True},
    {"opportunistic": True, "replan": True},
    {"replan": "always"},
    {"opportunistic": True, "replan": "always"},
]
forms = st.sampled_from(FORMS)


def busy_periods(instance: schedcore.Instance, result: schedcore.Result) -> list[list[int]]:
    """The jobs of the busy periods of a schedule."""
    release = instance.jobs.release_time.tolist()
    start = dict(enumerate(result.schedule.start_time.tolist()))
    periods, rest = [], list(range(instance.n_jobs))
    while rest:
        period = first_period(rest, release, start, instance.jobs.processing_time.tolist())
        periods.append(sorted(period))
        rest = [j for j in rest if j not in period]
    return periods


def moved(instance: schedcore.Instance, jobs: list[int], by: float) -> schedcore.Instance:
    """Some of the jobs, released so much later."""
    columns = instance.jobs[jobs]
    return schedcore.Instance(
        schedcore.Jobs(
            columns.processing_time,
            columns.demand,
            release_time=columns.release_time + by,
            weight=columns.weight,
        ),
        instance.machines,
    )


@given(instance=bursts(max_bursts=3, max_burst=3), form=forms, knapsack=st.sampled_from(KNAPSACKS))
def test_every_busy_period_is_within_4c_of_its_own_optimum_from_its_beginning_on(
    instance: schedcore.Instance, form: dict[str, Any], knapsack: str
) -> None:
    result = schedcore.solve("mris", instance, origin="busy", knapsack=knapsack, **form)
    factor = 4 * batch_factor(instance, knapsack)
    assert result.guarantee == pytest.approx(float(factor))
    end = ends(instance, result)
    for period in busy_periods(instance, result):
        if len(period) > 5:
            continue
        origin = instance.jobs.release_time[period].min()
        best = optimum(moved(instance, period, -origin)).sum_weighted_completion
        spent = sum(Fraction(instance.jobs.weight[j]) * (end[j] - Fraction(origin)) for j in period)
        assert spent <= factor * best


@given(instance=bursts(max_bursts=2, max_burst=2), form=forms, knapsack=st.sampled_from(KNAPSACKS))
def test_busy_periods_together_are_within_4c_of_the_optimum_of_all_jobs(
    instance: schedcore.Instance, form: dict[str, Any], knapsack: str
) -> None:
    result = schedcore.solve("mris", instance, origin="busy", knapsack=knapsack, **form)
    bound = 4 * batch_factor(instance, knapsack) * optimum(instance).sum_weighted_completion
    assert sum_weighted_ends(instance, result) <= bound


@given(instance=instances(min_jobs=1, max_jobs=5, max_machines=3), form=forms)
def test_the_constant_holds_with_busy_periods_on_any_small_instance(
    instance: schedcore.Instance, form: dict[str, Any]
) -> None:
    result = schedcore.solve("mris", instance, origin="busy", **form)
    if result.guarantee is None:
        return
    factor = 4 * batch_factor(instance, "cadp")
    assert sum_weighted_ends(instance, result) <= factor * optimum(instance).sum_weighted_completion


@given(instance=bursts(), form=forms, origin=st.sampled_from([1, 1000, 2**31]))
def test_a_later_origin_moves_the_same_decisions(
    instance: schedcore.Instance, form: dict[str, Any], origin: int
) -> None:
    there = schedcore.solve("mris", instance, **form)
    here = schedcore.solve(
        "mris", moved(instance, list(range(instance.n_jobs)), origin), origin=origin, **form
    )
    np.testing.assert_array_equal(here.schedule.start_time, there.schedule.start_time + origin)
    np.testing.assert_array_equal(here.schedule.machine, there.schedule.machine)
    assert here.guarantee == there.guarantee


@given(instance=instances(min_jobs=1), form=forms)
def test_jobs_released_before_the_origin_wait_for_it_without_a_guarantee(
    instance: schedcore.Instance, form: dict[str, Any]
) -> None:
    origin = float(instance.jobs.release_time.min()) + 0.5
    gamma0 = float(instance.jobs.processing_time.min())
    result = schedcore.solve("mris", instance, origin=origin, **form)
    schedcore.validate(instance, result.schedule, raise_on_error=True)
    assert result.schedule.start_time.min() >= origin + gamma0
    assert result.guarantee is None


@pytest.mark.parametrize("origin", [-1, float("nan"), float("inf"), -float("inf"), None, "idle", [1, 2]])
def test_an_origin_that_is_no_time_is_refused(origin: Any) -> None:
    instance = schedcore.Instance(schedcore.Jobs([1], [[1]]), schedcore.Machines.identical(1, [1]))
    with pytest.raises((schedcore.InvalidInstanceError, TypeError), match="origin"):
        schedcore.solve("mris", instance, origin=origin)
    with pytest.raises((schedcore.InvalidInstanceError, TypeError), match="origin"):
        schedcore.OnlineScheduler("mris", instance.machines, gamma0=1, origin=origin)


@pytest.mark.parametrize("now", [0.0, 30 * 86400.0, 1.76e9])
@pytest.mark.parametrize("form", FORMS, ids=str)
def test_an_idle_cluster_starts_a_job_as_soon_at_any_hour(form: dict[str, Any], now: float) -> None:
    scheduler = schedcore.OnlineScheduler("mris", schedcore.Machines.identical(2, [4]), gamma0=1, **form)
    for origin in (now, now + 1000.0):  # the first busy period, and one that finds the cluster idle again
        (job,) = scheduler.submit(schedcore.Jobs([60.0], [[4]]), origin).tolist()
        decision = scheduler.advance(origin)
        instants = [origin]
        while len(decision.starts) == 0:
            instants.append(decision.next_wakeup)
            decision = scheduler.advance(instants[-1])
        waited = 32.0 if form.get("opportunistic") else 64.0  # p <= patience * g_k, or p <= g_k
        assert instants[-1] - origin == waited
        scheduler.complete([job], instants[-1] + 60.0)
        scheduler.advance(instants[-1] + 60.0)


def test_jobs_that_arrive_when_the_last_one_ends_begin_a_busy_period() -> None:
    jobs = schedcore.Jobs([4.0, 4.0, 4.0], [[1], [1], [1]], release_time=[0, 8, 15])
    instance = schedcore.Instance(jobs, schedcore.Machines.identical(1, [1]))
    result = schedcore.solve("mris", instance, origin="busy")
    # J0 ends at 8, when J1 arrives; J2 arrives while J1 runs and belongs to its period: gamma = 12, 16, 24
    assert result.schedule.start_time.tolist() == [4.0, 12.0, 16.0]
    assert [row["origin"] for row in result.stats["iterations"]] == [0.0, 8.0, 8.0]
