"""The rules of a site, and today's queue.

A multifactor order with all of its factors on a recorded log may cost twice plain EASY. What a decision costs may not
grow with the jobs that limits hold, nor with the users or arrays that they count, nor with the jobs for which nobody's
end makes room. A saved state of 10,000 waiting jobs on 2,000 nodes may be read and forecast within 2 s, and with 100
samples of a history within 20 s.
"""

from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import schedcore
from data_folder import data_folder
from schedcore import slurm
from schedcore.workloads import read_swf
from slurm.large_cluster import write_large_state

FACTORS = schedcore.Multifactor(age=1000, fair_share=10000, size=100, partition=100, service_class=50, job=10)
SITES: dict[str, schedcore.Site | None] = {
    "plain": None,
    "one_limit": schedcore.Site(limits=[schedcore.Limit("user", "jobs", 10**6)]),
    "multifactor": schedcore.Site(
        FACTORS,
        partitions=[schedcore.Partition("p1", factor=0.5), schedcore.Partition("p2", factor=1)],
        service_classes=[schedcore.ServiceClass("q1", factor=0.3), schedcore.ServiceClass("q2")],
    ),
}


@lru_cache
def hpc2n() -> schedcore.Instance:
    """The log with accounts, partitions, service classes and priorities that are drawn."""
    instance, _ = read_swf(data_folder("pwa-swf", "HPC2N-2002-2.2-cln.swf.gz"), n_resources=1)
    rng, n = np.random.default_rng(1), instance.n_jobs
    jobs = instance.jobs.replace(
        account=[f"a{user}" for user in rng.zipf(1.4, n) % 257],
        partition=[f"p{part}" for part in rng.integers(1, 3, n)],
        service_class=[f"q{part}" for part in rng.integers(1, 3, n)],
        priority=rng.random(n),
    )
    return schedcore.Instance(jobs, instance.machines)


@pytest.mark.parametrize("selection", ["ff", "sb"])
@pytest.mark.parametrize("site", SITES, ids="HPC2N-easy-{}".format)
def test_rules_of_a_site_on_a_log(benchmark: Any, site: str, selection: str) -> None:
    instance = hpc2n()
    result = benchmark.pedantic(
        lambda: schedcore.easy(instance, site=SITES[site], selection=selection), rounds=5, warmup_rounds=1
    )
    assert schedcore.validate(instance, result.schedule).ok


LIMITS = {
    # One user whom a limit holds, and the same jobs beside a limit that none of them meets.
    "one_user-20_at_once": schedcore.Limit("user", "jobs", 20),
    "one_user-any_number": schedcore.Limit("user", "jobs", 10**6),
    # A counter for each of many values.
    "arrays_of_one-5_at_once": schedcore.Limit("array", "jobs", 5),
    "1000_users-1_at_once": schedcore.Limit("user", "jobs", 1),
}


@pytest.mark.parametrize("policy", ["easy", "first_fit", "conservative"])
@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize("n", [10_000, 40_000], ids="{}_jobs".format)
def test_jobs_that_a_limit_counts(benchmark: Any, n: int, limit: str, policy: str) -> None:
    """On 50 machines of 16: those of one user all at once, the others at 1.5 times what the machines can do."""
    rng = np.random.default_rng(1)
    machines = schedcore.Machines(np.full((50, 1), 16))
    length = rng.integers(1, 100, n).astype(float)
    if limit.startswith("one_user"):
        jobs = schedcore.Jobs(length, np.ones((n, 1), dtype=int), user=["a"] * n)
    else:
        if policy == "conservative":
            pytest.skip("its queue grows with the load: most of the time are reservations")
        demand = rng.integers(1, 9, (n, 1))
        jobs = schedcore.Jobs(
            length,
            demand,
            release_time=np.sort(rng.random(n)) * float(length @ demand[:, 0]) / (50 * 16 * 1.5),
            array=np.arange(n),
            user=[f"user{user}" for user in rng.integers(0, 1000, n)],
        )
    instance, site = schedcore.Instance(jobs, machines), schedcore.Site(limits=[LIMITS[limit]])
    solve = getattr(schedcore, policy)
    result = benchmark.pedantic(lambda: solve(instance, site=site), rounds=3, warmup_rounds=1)
    assert schedcore.validate(instance, result.runs, site=site).ok


@pytest.mark.parametrize("n", [10_000, 30_000], ids="{}_arrays_of_one-5_at_once".format)
def test_the_first_decision_over_many_values(benchmark: Any, n: int) -> None:
    rng = np.random.default_rng(1)
    jobs = schedcore.Jobs(
        rng.integers(1, 100, n).astype(float), rng.integers(1, 9, (n, 1)), array=np.arange(n)
    )
    site = schedcore.Site(limits=[schedcore.Limit("array", "jobs", 5)])

    def submitted() -> tuple[tuple[schedcore.OnlineScheduler], dict[str, Any]]:
        scheduler = schedcore.OnlineScheduler(
            "conservative", schedcore.Machines(np.full((50, 1), 16)), site=site
        )
        scheduler.submit(jobs, 0)
        return (scheduler,), {}

    decision = benchmark.pedantic(lambda scheduler: scheduler.advance(0), setup=submitted, rounds=3)
    assert len(decision.starts) + len(decision.plan) == n


@pytest.mark.parametrize("policy", ["easy", "first_fit"])
@pytest.mark.parametrize(("n", "n_gangs"), [(500, 100), (1000, 200)], ids="{}_victims".format)
def test_gangs_for_which_no_victims_suffice(benchmark: Any, n: int, n_gangs: int, policy: str) -> None:
    """Gangs of all 50 machines, on one of which runs a job that they may not end."""
    per_machine = n // 50 + 1
    rng = np.random.default_rng(1)
    jobs = schedcore.Jobs(
        np.concatenate(([1000.0], rng.integers(50, 100, n), np.full(n_gangs, 10.0))),
        np.concatenate((np.ones((n + 1, 1), dtype=int), np.full((n_gangs, 1), per_machine))),
        release_time=np.concatenate(([0.0], np.linspace(0, 40, n), np.ones(n_gangs))),
        n_tasks=np.concatenate((np.ones(n + 1, dtype=int), np.full(n_gangs, 50))),
        service_class=["top"] + ["low"] * n + ["urgent"] * n_gangs,
    )
    site = schedcore.Site(
        service_classes=[
            schedcore.ServiceClass("low", preemptible=True),
            schedcore.ServiceClass("urgent", level=1),
            schedcore.ServiceClass("top", level=2),
        ],
        preempt="requeue",
    )
    instance = schedcore.Instance(jobs, schedcore.Machines(np.full((50, 1), per_machine)))
    solve = getattr(schedcore, policy)
    result = benchmark.pedantic(lambda: solve(instance, site=site), rounds=3, warmup_rounds=1)
    assert schedcore.validate(instance, result.runs, site=site).ok


@pytest.mark.parametrize("n_samples", [0, 100], ids="10000_waiting-2000_nodes-{}_samples".format)
def test_a_saved_state_is_forecast(benchmark: Any, tmp_path: Path, n_samples: int) -> None:
    write_large_state(tmp_path / "saved", 2000, 10_000)
    slurm.read_state(tmp_path / "saved", timezone="UTC").save(tmp_path / "now.parquet")
    rng = np.random.default_rng(1)
    limit = rng.integers(1, 288, 5000) * 600.0
    history = schedcore.Jobs(
        np.maximum(1, limit * rng.random(5000)),
        np.ones((5000, 2), dtype=int),
        estimated_processing_time=limit,
        user=[f"user{k % 97}" for k in range(5000)],
    )

    def forecast() -> slurm.PredictedStarts:
        state = slurm.SlurmState.load(tmp_path / "now.parquet")
        return slurm.when(state, history=history if n_samples else None, n_samples=max(1, n_samples))

    found = benchmark.pedantic(forecast, rounds=3)
    assert len(found) == 10_000
    assert np.isinf(found.expected).sum() < 200
