"""What it costs when (nearly) every job has a demand vector of its own, so that classes of equal demand do not help."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import schedcore

POLICIES: dict[str, tuple[str, dict[str, Any]]] = {
    "pq": ("pq", {}),
    "tetris": ("tetris", {}),
    "bf_exec": ("bf_exec", {}),
    "mris-exact-scan": ("mris", {"knapsack": "exact"}),
    "mris-exact-list": ("mris", {"knapsack": "exact", "placement": "list"}),
}


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("demands", ["classes", "distinct"], ids="azure_like-{}-N64000-M20".format)
def test_a_policy_with_and_without_equal_demands(
    demands: str,
    policy: str,
    workload: Callable[..., schedcore.Instance],
    distinct_workload: Callable[..., schedcore.Instance],
    measure_solve: Callable[..., dict[int, schedcore.Result]],
    benchmark: Any,
) -> None:
    benchmark.group = f"{policy}, azure_like N=64000 M=20, equal demands or not"
    draw = workload if demands == "classes" else distinct_workload
    instances = {seed: draw(seed, 64000, 20) for seed in (1, 2)}
    if demands == "distinct":
        assert len(np.unique(instances[1].jobs.demand, axis=0)) > 0.99 * 64000
    name, options = POLICIES[policy]
    measure_solve(instances, 2, name, options)


@pytest.mark.slow
def test_pq_with_half_a_million_demand_vectors(
    distinct_workload: Callable[..., schedcore.Instance],
    measure_solve: Callable[..., dict[int, schedcore.Result]],
    benchmark: Any,
) -> None:
    benchmark.group = "pq, azure_like-distinct N=512000 M=160"
    measure_solve({1: distinct_workload(1, 512_000, 160)}, 1, "pq", {})


@pytest.mark.parametrize("n_resources", [2, 4])
@pytest.mark.parametrize("policy", ["pq", "tetris"])
def test_a_burst_of_different_jobs_at_many_machines(
    policy: str, n_resources: int, measure_solve: Callable[..., dict[int, schedcore.Result]], benchmark: Any
) -> None:
    """All arrive at once, none larger than a half of a machine; about four of five start then."""
    benchmark.group = f"50,000 different jobs at once on 10,000 machines, R={n_resources}"

    def burst(seed: int) -> schedcore.Instance:
        random = np.random.default_rng(seed)
        jobs = schedcore.Jobs(
            random.integers(1, 1001, 50_000), random.integers(1, 500_001, (50_000, n_resources))
        )
        return schedcore.Instance(jobs, schedcore.Machines.identical(10_000, [1_000_000] * n_resources))

    results = measure_solve({seed: burst(seed) for seed in (1, 2)}, 2, policy, {})
    assert (results[1].schedule.start_time == 0).mean() > 0.7
