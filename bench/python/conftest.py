"""What the speed measurements share: cached workloads, and rounds that rotate over several of them.

Run with ``python -m pytest bench/python``; the ordinary tests do not collect this folder. Every measurement asserts its
answer: at seed 1 the published average weighted completion time in days, at the others that the schedule is valid and
not below the lower bound.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import count
from typing import Any

import numpy as np
import pytest

import schedcore
from schedcore.workloads import azure_like

TICKS_PER_DAY = 86400

Workload = Callable[..., schedcore.Instance]


@lru_cache(maxsize=8)
def _azure_like(seed: int, n_jobs: int, n_machines: int) -> schedcore.Instance:
    return azure_like(seed, n_jobs, n_machines)


@lru_cache(maxsize=4)
def _all_distinct(seed: int, n_jobs: int, n_machines: int) -> schedcore.Instance:
    """Return azure_like with up to 999 units taken from every demand above 1000: hardly two demands are equal."""
    instance = _azure_like(seed, n_jobs, n_machines)
    demand = instance.jobs.demand.copy()
    less = np.random.default_rng(seed).integers(0, 1000, demand.shape)
    np.subtract(demand, less, out=demand, where=demand > 1000)
    return schedcore.Instance(instance.jobs.replace(demand=demand), instance.machines)


@pytest.fixture
def workload() -> Workload:
    """Return ``workload(seed, n_jobs, n_machines)``: azure_like, drawn once."""
    return _azure_like


@pytest.fixture
def distinct_workload() -> Workload:
    """Return the same with (nearly) as many different demand vectors as jobs."""
    return _all_distinct


@pytest.fixture
def measure_by_seed(benchmark: Any) -> Callable[..., dict[int, Any]]:
    """Return ``measure_by_seed(solve, seeds, rounds=len(seeds))``: time ``solve(seed)``, rotating; results by seed."""

    def measure(
        solve: Callable[[int], Any], seeds: Sequence[int], rounds: int | None = None
    ) -> dict[int, Any]:
        turn = count()
        results: dict[int, Any] = {}

        def next_seed() -> tuple[tuple[int], dict[str, Any]]:
            return (seeds[next(turn) % len(seeds)],), {}

        def run(seed: int) -> None:
            results[seed] = solve(seed)

        benchmark.pedantic(run, setup=next_seed, rounds=rounds or len(seeds), iterations=1)
        return results

    return measure


@pytest.fixture
def measure_solve(
    measure_by_seed: Callable[..., dict[int, Any]],
) -> Callable[..., dict[int, schedcore.Result]]:
    """Return ``measure_solve(instances, rounds, name, options)``: time `solve`, rotating over the instances by seed."""

    def measure(
        instances: dict[int, schedcore.Instance], rounds: int, name: str, options: dict[str, Any]
    ) -> dict[int, schedcore.Result]:
        results = measure_by_seed(
            lambda seed: schedcore.solve(name, instances[seed], **options), [*instances], rounds
        )
        for seed, result in results.items():
            assert schedcore.validate(instances[seed], result.schedule).ok
            ratio = result.ratio()
            assert ratio is not None
            assert ratio >= 1
        return results

    return measure


@pytest.fixture
def in_days() -> Callable[[schedcore.Result], str]:
    """Return a function that prints the value of a result in days, to three decimals."""
    return lambda result: f"{result.value / TICKS_PER_DAY:.3f}"
