"""Jobs that do not end wake nobody for ever: without events every policy comes to rest, whenever it is called.

Each wake-up is for something: a reservation or a planned start that comes due, a run that an interval has put off, a
gamma of MRIS, which grow geometrically. So however late a caller is, few of them lie behind it, and `advance`, which
decides at those behind the first record, is not long in them.
"""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import schedcore
from engine.event_driver import Driver, embedded_options
from engine.policy_cases import CASES, any_instances, named
from example_shares import examples
from properties.backfilling_instances import ALGORITHMS, backfill_instances, settings_drawn

Options = dict[str, Any]
HORIZON = 1e15
MADE_ANEW = ("conservative", {"mode": "rebuild"})
lags = st.lists(st.sampled_from([0.0, 0.0, 0.5, 7.25, 1e6, 1e12]), min_size=1, max_size=4)
factors = st.lists(st.sampled_from([0.5, 1.0, 1.0, 2.0, 5.0]), min_size=1, max_size=7)


def check_rest(
    name: str,
    instance: schedcore.Instance,
    options: Options,
    factor: list[float],
    n_events: int,
    lags: list[float],
) -> None:
    """After some events no job ends any more, and the caller comes by `lags` later than asked."""
    scheduler = schedcore.OnlineScheduler(
        name, instance.machines, **embedded_options(name, instance, options)
    )
    length = instance.jobs.processing_time.tolist()
    driver = Driver(scheduler, instance, duration=[p * factor[j % len(factor)] for j, p in enumerate(length)])
    gamma0 = options.get("gamma0", min(length, default=1.0))
    for _ in range(n_events):
        if (now := driver.next_instant()) < math.inf:
            driver.event(now)
    n_live = scheduler.n_waiting + scheduler.n_running
    n_runs = (
        n_live + 1 if "interval" in options else 0
    )  # put off by the last event, and by each start that is due
    wakeup = driver.decisions[-1][1].next_wakeup if driver.decisions else math.inf
    n_wakeups = 0
    while wakeup <= HORIZON:
        n_wakeups += 1
        now = wakeup + lags[n_wakeups % len(lags)]
        n_gammas = math.log2(now / gamma0) + 2 if name == "mris" else 0
        n_plans = n_gammas + 1 if options.get("replan") is True else 1  # a planned job may come due in each
        assert n_wakeups <= n_live * n_plans + n_runs + n_gammas
        wakeup = scheduler.advance(now).next_wakeup
        assert wakeup > now


@pytest.mark.parametrize(("name", "options"), named([*CASES, MADE_ANEW]))
@examples(11)
@given(instance=any_instances, factor=factors, n_events=st.integers(1, 20), lags=lags)
def test_policies_come_to_rest_behind_jobs_that_do_not_end(
    name: str,
    options: Options,
    instance: schedcore.Instance,
    factor: list[float],
    n_events: int,
    lags: list[float],
) -> None:
    check_rest(name, instance, options, factor, n_events, lags)


@pytest.mark.parametrize("name", ALGORITHMS)
@examples(16)
@given(data=st.data(), instance=backfill_instances(), factor=factors, n_events=st.integers(1, 20), lags=lags)
def test_backfilling_comes_to_rest_behind_jobs_that_do_not_end(
    name: str,
    data: st.DataObject,
    instance: schedcore.Instance,
    factor: list[float],
    n_events: int,
    lags: list[float],
) -> None:
    options = data.draw(settings_drawn(name, with_knobs=True))
    check_rest(name, instance, options, factor, n_events, lags)
