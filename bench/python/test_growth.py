"""How the time grows with the number of jobs at fixed load: the machines grow with the jobs.

The goal is a factor of at most 2.3 for a doubling. The factor is taken between medians of the process's own CPU time,
each size in its turn in every round, so that a machine that is busy elsewhere slows all sizes alike.
"""

import time
from collections.abc import Callable
from itertools import pairwise
from statistics import median
from typing import Any

import pytest

import schedcore

SIZES = {16000: 5, 32000: 10, 64000: 20, 128000: 40}
ROUNDS = 9
MOST_PER_DOUBLING = 2.3

POLICIES: dict[str, tuple[str, dict[str, Any]]] = {
    "pq": ("pq", {}),
    "tetris": ("tetris", {}),
    "bf_exec": ("bf_exec", {}),
    "ca_pq": ("ca_pq", {}),
    "mris-exact-scan": ("mris", {"knapsack": "exact"}),
    "mris-cadp-scan": ("mris", {"knapsack": "cadp"}),
    "mris-exact-list": ("mris", {"knapsack": "exact", "placement": "list"}),
    "mris-exact-opportunistic": ("mris", {"knapsack": "exact", "opportunistic": True}),
    "mris-exact-opportunistic-replan": ("mris", {"knapsack": "exact", "opportunistic": True, "replan": True}),
    "mris-exact-opportunistic-replan_always": (
        "mris",
        {"knapsack": "exact", "opportunistic": True, "replan": "always"},
    ),
}


@pytest.mark.parametrize("policy", POLICIES)
def test_the_growth_per_doubling_is_bounded(
    policy: str, workload: Callable[..., schedcore.Instance], benchmark: Any
) -> None:
    name, options = POLICIES[policy]
    instances = {n_jobs: workload(1, n_jobs, n_machines) for n_jobs, n_machines in SIZES.items()}
    seconds: dict[int, list[float]] = {n_jobs: [] for n_jobs in SIZES}

    def one_round() -> None:
        for n_jobs, instance in instances.items():
            begun = time.process_time()
            result = schedcore.solve(name, instance, **options)
            seconds[n_jobs].append(time.process_time() - begun)
            ratio = result.ratio()
            assert ratio is not None
            assert ratio >= 1

    benchmark.group = f"azure_like, growth at fixed load, N:M = {SIZES}"
    benchmark.pedantic(one_round, rounds=ROUNDS, iterations=1)
    typical = [median(times) for times in seconds.values()]
    ratios = [round(larger / smaller, 2) for smaller, larger in pairwise(typical)]
    benchmark.extra_info["seconds"] = dict(zip(SIZES, typical, strict=True))
    benchmark.extra_info["ratios"] = ratios
    print(f"{policy}: seconds {[round(value, 3) for value in typical]}, ratios {ratios}")
    assert max(ratios) <= MOST_PER_DOUBLING
