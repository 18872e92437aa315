"""What is asked of a live engine: when jobs start, how that will probably be, and why they wait.

About a thousand jobs wait on 100 full machines. Their estimates are lognormal, and runs take a share of them.
"""

from typing import Any

import numpy as np
import pytest

import schedcore

N_WAITING = 1000
N_MACHINES = 100
POLICIES: dict[str, dict[str, Any]] = {
    "fcfs": {},
    "first_fit": {},
    "easy": {},
    "pq": {},
    "tetris": {},
    "bf_exec": {},
    "mris": {"gamma0": 1.0},
}
OPTIONS: dict[str, dict[str, Any]] = {**POLICIES, "conservative": {}}


def jobs_and_history(*, gangs: bool) -> schedcore.Jobs:
    rng = np.random.default_rng(1)
    n = N_WAITING + 3 * N_MACHINES
    estimate = np.ceil(rng.lognormal(6, 1.2, n)) + 5
    return schedcore.Jobs(
        np.maximum(1, np.ceil(estimate * rng.beta(1, 2, n))),
        np.stack([rng.choice([1, 2, 4, 8, 16, 32, 64], n), rng.choice([4, 8, 16, 32, 64], n)], 1),
        estimated_processing_time=estimate,
        user=[f"user {k % 20}" for k in range(n)],
        n_tasks=rng.choice([1, 1, 1, 2, 4], n) if gangs else 1,
    )


def crowded(policy: str, *, gangs: bool = False) -> tuple[schedcore.OnlineScheduler, schedcore.Jobs]:
    jobs = jobs_and_history(gangs=gangs)
    machines = schedcore.Machines.identical(N_MACHINES, [64, 256])
    scheduler = schedcore.OnlineScheduler(policy, machines, **OPTIONS[policy])
    scheduler.submit(jobs, 0)
    scheduler.advance(0)
    return scheduler, jobs


@pytest.mark.parametrize("policy", POLICIES, ids="lognormal-1000_waiting-M100-{}".format)
def test_forecast_of_1000_samples(benchmark: Any, policy: str) -> None:
    scheduler, history = crowded(policy)
    forecast = benchmark.pedantic(lambda: scheduler.forecast(None, history, 1000, 1), rounds=3)
    assert len(forecast) == scheduler.n_waiting
    assert np.isfinite(forecast.q95).all()


def test_forecast_of_1000_samples_of_gangs(benchmark: Any) -> None:
    scheduler, history = crowded("easy", gangs=True)
    forecast = benchmark.pedantic(lambda: scheduler.forecast(None, history, 1000, 1), rounds=3)
    assert np.isfinite(forecast.q95).all()


def test_forecast_of_20_samples_under_conservative_backfilling(benchmark: Any) -> None:
    scheduler, history = crowded("conservative")
    forecast = benchmark.pedantic(lambda: scheduler.forecast(None, history, 20, 1), rounds=1)
    assert np.isfinite(forecast.q95).all()


@pytest.mark.parametrize("policy", ["easy", "pq"], ids="lognormal-1000_waiting-M100-{}".format)
def test_estimate(benchmark: Any, policy: str) -> None:
    scheduler, _ = crowded(policy)
    starts = benchmark(scheduler.estimate_start)
    assert np.isfinite(starts).all()


@pytest.mark.parametrize("policy", ["easy", "pq"], ids="lognormal-1000_waiting-M100-{}".format)
def test_explain(benchmark: Any, policy: str) -> None:
    scheduler, _ = crowded(policy)
    reasons = benchmark(scheduler.explain)
    assert len(reasons) == scheduler.n_waiting


@pytest.mark.parametrize("policy", OPTIONS, ids="lognormal-1000_waiting-M100-{}".format)
@pytest.mark.parametrize("change", ["resize", "join"])
def test_change_of_a_machine(benchmark: Any, policy: str, change: str) -> None:
    scheduler, _ = crowded(policy)
    joining = schedcore.Machines([[1, 1]])

    def changed() -> schedcore.engine.Decision:
        now = scheduler.now + 0.001
        if change == "join":
            scheduler.add_machines(joining, now)
        else:
            scheduler.set_capacity(0, [64 + scheduler.n_advances % 2, 256], now)
        return scheduler.advance(now)

    decision = benchmark.pedantic(changed, rounds=100)
    assert len(decision.starts) == 0
