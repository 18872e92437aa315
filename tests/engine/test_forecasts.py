"""When waiting jobs are going to start: by estimates, and as history lets expect."""

import os
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import schedcore
from engine.policy_cases import CLUSTER_POLICIES
from example_shares import examples
from schedcore import InvalidInstanceError, Jobs, Machines, OnlineScheduler
from schedcore.engine.forecasts import ENOUGH_JOBS

ONE = Machines.identical(1, [4])
INF = float("inf")


def crowded(policy: str = "easy", n: int = 40, **options: Any) -> OnlineScheduler:
    rng = np.random.default_rng(n)
    estimate = rng.integers(2, 30, n).astype(float)
    jobs = Jobs(
        estimate,
        rng.integers(1, 5, (n, 1)),
        weight=rng.integers(1, 5, n),
        user=[f"user {k % 3}" for k in range(n)],
    )
    scheduler = OnlineScheduler(policy, Machines.identical(2, [4]), **options)
    scheduler.submit(jobs, 1)
    scheduler.advance(1)
    return scheduler


def exact_history(n: int = 10) -> Jobs:
    return Jobs(np.arange(1.0, n + 1), np.ones((n, 1), dtype=int))


def late_by(share: float, n: int = 50, **columns: Any) -> Jobs:
    return Jobs(
        np.full(n, 10.0 * share),
        np.ones((n, 1), dtype=int),
        np.arange(n) * 3.0,
        estimated_processing_time=np.full(n, 10.0),
        **columns,
    )


def played(scheduler: OnlineScheduler, asked: list[int], releases: list[tuple[float, int]]) -> list[float]:
    """When jobs start if runs take what they say, and some jobs are released; INF for those that do not."""
    running = scheduler.jobs("running")
    ends = dict(zip(running.id.tolist(), running.estimated_end.tolist(), strict=True))
    lengths = dict(zip(scheduler.jobs().id.tolist(), scheduler.jobs().processing_time.tolist(), strict=True))
    decision, starts = scheduler.last_decision, dict[int, float]()
    assert decision is not None
    while True:
        now = min([decision.next_wakeup, *ends.values(), *(at for at, _ in releases)])
        if now == INF:
            return [starts.get(job, INF) for job in asked]
        scheduler.complete([job for job, end in ends.items() if end == now], now)
        scheduler.release([job for at, job in releases if at == now], now)
        ends = {job: end for job, end in ends.items() if end > now}
        releases = [each for each in releases if each[0] > now]
        decision = scheduler.advance(now)
        for job, _, start in decision.starts:
            starts[job] = start
            ends[job] = start + lengths[job]


@pytest.mark.parametrize(("policy", "options"), CLUSTER_POLICIES)
def test_starts_are_those_of_a_future_in_which_runs_keep_to_their_estimates(
    policy: str, options: dict[str, Any]
) -> None:
    scheduler = crowded(policy, **options)
    before = scheduler.save()
    asked, estimates = scheduler.jobs("waiting").id.tolist(), scheduler.estimate_start().tolist()
    assert len(estimates) > 0
    assert scheduler.save() == before
    assert played(scheduler, asked, []) == estimates


@pytest.mark.parametrize(("policy", "options"), CLUSTER_POLICIES)
def test_holds_end_as_recorded_where_that_is_asked_for(policy: str, options: dict[str, Any]) -> None:
    scheduler = crowded(policy, **options)
    waiting = scheduler.jobs("waiting").id.tolist()
    held = waiting[::3]
    scheduler.hold(held, 1)
    scheduler.advance(1)
    releases = [(1.0 + 20.0 * (k // 2), job) for k, job in enumerate(held[:-1])]
    recorded = scheduler.copy()
    for at, job in releases:
        recorded.release([job], at)
    before = recorded.save()
    found = recorded.estimate_start(waiting, releases=True).tolist()
    assert recorded.save() == before
    assert found == played(scheduler, waiting, releases)
    assert found[waiting.index(held[0])] < INF
    assert found[waiting.index(held[-1])] == INF
    by_history = recorded.forecast(waiting, exact_history(), 3, releases=True)
    assert by_history.q50.tolist() == found
    assert recorded.estimate_start(held).tolist() == [INF] * len(held)


def test_a_release_of_a_job_that_will_have_left_is_passed_over() -> None:
    scheduler = OnlineScheduler("easy", ONE, site=schedcore.Site())
    scheduler.submit(Jobs([5.0, 5.0, 5.0], [[4]] * 3, after_not_ok=[[], [0], []]), 0)
    scheduler.hold([1], 0)
    scheduler.advance(0)
    scheduler.release([1], 9)
    assert scheduler.estimate_start([1, 2], releases=True).tolist() == [INF, 5.0]


def test_it_is_the_reservation_under_conservative_backfilling() -> None:
    scheduler = crowded("conservative")
    decision = scheduler.last_decision
    assert decision is not None
    assert scheduler.estimate_start(decision.plan.id).tolist() == decision.plan.start_time.tolist()


def test_what_does_not_start() -> None:
    scheduler = OnlineScheduler("easy", Machines.identical(2, [4]))
    scheduler.fail_machines([1], 0)
    scheduler.submit(Jobs([5.0, 5.0, 5.0, 5.0], [[4]] * 4, n_tasks=[1, 2, 1, 1]), 0)
    scheduler.hold([2], 0)
    scheduler.advance(0)
    # job 1 needs both machines, job 2 is held
    assert scheduler.estimate_start().tolist() == [INF, INF, 5.0]
    forecast = scheduler.forecast([3, 2], exact_history(), 10)
    assert (forecast.q50.tolist(), forecast.q95.tolist()) == ([5.0, INF], [5.0, INF])


def test_announced_outages_end_and_late_jobs_take_their_estimate_once_more() -> None:
    scheduler = OnlineScheduler("fcfs", ONE)
    scheduler.submit(Jobs([5.0, 5.0], [[4], [4]]), 0)
    scheduler.advance(0)
    assert scheduler.estimate_start().tolist() == [5.0]
    scheduler.advance(6)
    assert scheduler.estimate_start().tolist() == [11.0]
    scheduler.advance(7)
    assert scheduler.estimate_start().tolist() == [11.0]
    assert scheduler.jobs("running").estimated_end.tolist() == [11.0]
    loaded = OnlineScheduler.load(scheduler.save())
    assert loaded.save() == scheduler.save()
    assert loaded.estimate_start().tolist() == [11.0]
    scheduler.announce_outage(0, 12, 20, 8)
    scheduler.advance(8)
    assert scheduler.estimate_start().tolist() == [20.0]


def test_records_that_no_decision_has_seen_do_not_count() -> None:
    scheduler = crowded()
    expected = scheduler.estimate_start()
    scheduler.complete(scheduler.jobs("running").id, 2)
    (new,) = scheduler.submit(Jobs([1.0], [[1]]), 2).tolist()
    assert scheduler.estimate_start().tolist() == expected.tolist()
    with pytest.raises(InvalidInstanceError, match=f"job {new} is unknown, or waits for the next decision"):
        scheduler.estimate_start([new])


@pytest.mark.parametrize(("policy", "options"), CLUSTER_POLICIES)
def test_a_history_that_keeps_to_its_estimates_forecasts_the_estimates(
    policy: str, options: dict[str, Any]
) -> None:
    scheduler = crowded(policy, **options)
    before = scheduler.save()
    forecast = scheduler.forecast(None, exact_history(), 7, 3)
    assert forecast.id.tolist() == scheduler.jobs("waiting").id.tolist()
    for quantile in (forecast.q50, forecast.q90, forecast.q95):
        assert quantile.tolist() == scheduler.estimate_start().tolist()
    assert scheduler.save() == before


def test_run_times_are_shares_of_the_estimates() -> None:
    scheduler = OnlineScheduler("fcfs", ONE)
    scheduler.submit(Jobs([100.0, 60.0, 1.0], [[4]] * 3), 0)
    scheduler.advance(0)
    half = scheduler.forecast(None, late_by(0.5), 20)
    assert (half.q50.tolist(), half.n_samples, len(half)) == ([50.0, 80.0], 20, 2)
    # no run of the past has taken longer than job 0 by now: as much as is expected, until 100
    scheduler.advance(70)
    assert scheduler.forecast([2, 1], late_by(0.5), 20).q50.tolist() == [130.0, 100.0]
    # of those that have, the shares are drawn
    mixed = Jobs([1.0, 8.0, 9.0], [[1]] * 3, estimated_processing_time=[10.0] * 3)
    drawn = scheduler.forecast([1], mixed, 2000)
    assert (drawn.q50.tolist()[0], drawn.q95.tolist()) in ((80.0, [90.0]), (90.0, [90.0]))


def test_quantiles_are_of_the_samples() -> None:
    scheduler = OnlineScheduler("fcfs", ONE)
    scheduler.submit(Jobs([100.0, 1.0], [[4]] * 2), 0)
    scheduler.advance(0)
    history = Jobs(
        np.arange(1.0, 101), np.ones((100, 1), dtype=int), estimated_processing_time=np.full(100, 100.0)
    )
    forecast = scheduler.forecast([1], history, 20000, 5)
    assert forecast.q50[0] == pytest.approx(50, abs=2)
    assert forecast.q90[0] == pytest.approx(90, abs=2)
    assert forecast.q95[0] == pytest.approx(95, abs=2)


def test_users_with_enough_jobs_are_told_apart() -> None:
    scheduler = OnlineScheduler("fcfs", ONE)
    scheduler.submit(Jobs([10.0, 20.0, 30.0, 1.0], [[4]] * 4, user=["ann", "bob", None, "cem"]), 0)
    scheduler.advance(0)
    n = ENOUGH_JOBS
    share = [0.5] * n + [0.25] * (n - 1) + [1.0] * (200 * n)
    users = ["ann"] * n + ["bob"] * (n - 1) + ["dan"] * (200 * n)
    history = Jobs(
        np.array(share) * 8,
        np.ones((len(share), 1), dtype=int),
        estimated_processing_time=np.full(len(share), 8.0),
        user=users,
    )
    # bob has one job too few
    for each in (scheduler, OnlineScheduler.load(scheduler.save()), scheduler.copy()):
        assert each.forecast(None, history, 101).q50.tolist() == [5.0, 25.0, 55.0]
    assert scheduler.forecast(None, history.replace(user=None), 101).q50.tolist() == [10.0, 30.0, 60.0]


def test_users_are_forgotten_with_their_jobs() -> None:
    scheduler = OnlineScheduler("fcfs", ONE)
    for now in range(3000):
        (job,) = scheduler.submit(Jobs([1.0], [[4]], user=[f"user {now}"]), now)
        scheduler.advance(now)
        scheduler.complete([job], now)
    scheduler.submit(Jobs([1.0], [[4]], user=["last"]), 3000)
    assert len(scheduler._users) < 2000
    assert b"last" in scheduler.save()
    assert b"user 2999" in scheduler.save()  # its completion was not applied
    scheduler.advance(3000)
    assert b"user 2999" not in scheduler.save()


@examples(20)
@given(st.integers(1, 40), st.integers(0, 2**64 - 1), st.integers(1, 5), st.booleans())
def test_a_forecast_is_a_function_of_its_seed(n_samples: int, seed: int, n_cpus: int, arrivals: bool) -> None:
    scheduler = crowded("first_fit", 12)
    history = Jobs(
        np.arange(1.0, 31),
        np.ones((30, 1), dtype=int) + 1,
        np.arange(30.0) * 2,
        estimated_processing_time=np.arange(30.0)[::-1] + 2,
    )
    first = scheduler.forecast(None, history, n_samples, seed, arrivals)
    with pytest.MonkeyPatch.context() as patch:
        if hasattr(os, "sched_getaffinity"):
            patch.setattr(os, "sched_getaffinity", lambda _pid: set(range(n_cpus)))
        second = scheduler.forecast(None, history, n_samples, seed, arrivals)
    for name in ("q50", "q90", "q95"):
        assert getattr(first, name).tolist() == getattr(second, name).tolist()
    assert (first.q50 <= first.q90).all()
    assert (first.q90 <= first.q95).all()


def test_arrivals_keep_others_waiting() -> None:
    # shortest first: jobs of 1 arrive each 3 and overtake job 1, until the 50 of the history have come
    scheduler = OnlineScheduler("pq", ONE, heuristic="sjf")
    scheduler.submit(Jobs([4.0, 90.0], [[4], [3]]), 0)
    scheduler.advance(0)
    history = Jobs(np.ones(50), np.full((50, 1), 4), np.arange(50) * 3.0)
    alone = scheduler.forecast([1], history, 50)
    with_others = scheduler.forecast([1], history, 50, arrivals=True)
    assert alone.q95.tolist() == [4.0]
    assert with_others.q50.tolist() == [5.0]  # the one of instant 3 goes first, that of 6 comes too late
    busy = Jobs(np.full(50, 3.0), np.full((50, 1), 4), np.arange(50) * 3.0)
    assert scheduler.forecast([1], busy, 50, arrivals=True).q50.tolist() == [4 + 50 * 3.0]


def test_arrivals_that_no_machine_can_run_are_left_out() -> None:
    scheduler = OnlineScheduler("fcfs", ONE)
    scheduler.submit(Jobs([4.0, 9.0], [[4], [3]]), 0)
    scheduler.advance(0)
    history = Jobs(np.ones(30), np.full((30, 1), 99), np.arange(30) * 1.0)
    assert scheduler.forecast(None, history, 5, arrivals=True).q95.tolist() == [4.0]
    lonely = Jobs([1.0], [[1]])
    assert scheduler.forecast(None, lonely, 5, arrivals=True).q95.tolist() == [4.0]


def test_arrivals_may_be_gangs_with_keys_of_a_callable() -> None:
    machines = Machines([[4], [4]], labels=[["a"], ["b"]])
    scheduler = OnlineScheduler("pq", machines, heuristic=lambda jobs: jobs.processing_time)
    scheduler.submit(Jobs([9.0, 9.0], [[4], [4]], n_tasks=[2, 1]), 0)
    scheduler.advance(0)
    history = Jobs(
        np.ones(30),
        np.full((30, 1), 2),
        np.arange(30) * 3.0,
        n_tasks=np.arange(30) % 3 + 1,
        constraint=["a", None, "b"] * 10,
    )
    assert np.isfinite(scheduler.forecast(None, history, 50, arrivals=True).q95).all()


@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        ({"ids": [0]}, InvalidInstanceError, "job 0 runs; it does not wait"),
        ({"ids": [99]}, InvalidInstanceError, "job 99 is unknown"),
        ({"ids": [0.5]}, InvalidInstanceError, "integers"),
        ({"history": Jobs([], np.empty((0, 1), dtype=int))}, InvalidInstanceError, "no jobs to draw from"),
        ({"history": [1.0]}, TypeError, "history must be"),
        ({"n_samples": 0}, InvalidInstanceError, "n_samples = 0"),
        ({"n_samples": 2.5}, TypeError, "n_samples must be an integer"),
        ({"seed": -1}, InvalidInstanceError, "seed = -1"),
        ({"arrivals": "no"}, InvalidInstanceError, "arrivals = 'no' must be True or False"),
        ({"arrivals": 1}, InvalidInstanceError, "arrivals = 1 must be True or False"),
        ({"history": Jobs([1.0], [[1, 1]]), "arrivals": True}, InvalidInstanceError, "demands 2 resources"),
    ],
)
def test_bad_input(wrong: dict[str, Any], error: Any, message: str) -> None:
    scheduler = crowded("fcfs")
    with pytest.raises(error, match=message):
        scheduler.forecast(**{"ids": None, "history": exact_history(), "n_samples": 3, "seed": 1, **wrong})
    with pytest.raises(InvalidInstanceError, match="job 0 runs"):
        scheduler.estimate_start([5, 0])


def test_nobody_waits() -> None:
    scheduler = OnlineScheduler("easy", ONE)
    assert scheduler.estimate_start().tolist() == []
    assert len(scheduler.forecast(None, exact_history(), 3)) == 0
    assert isinstance(scheduler.forecast([], exact_history(), 3), schedcore.Forecast)
