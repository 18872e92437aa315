"""What stands around the policies: validator, lower bounds, knapsacks, workload generation and reading of logs."""

from collections.abc import Callable
from itertools import cycle
from typing import Any

import numpy as np
import pytest

import schedcore
from data_folder import data_folder
from schedcore.workloads import azure_like, read_swf

SEEDS = (1, 2, 3)


def rotating(*arguments: Any) -> Callable[[], tuple[tuple[Any], dict[str, Any]]]:
    """Return a `setup` that hands over one argument after the other."""
    turn = cycle(arguments)
    return lambda: ((next(turn),), {})


@pytest.mark.parametrize("n_jobs", [1_000_000], ids="azure_like-N{}-M312".format)
def test_the_validator_accepts_a_million_jobs(
    n_jobs: int, workload: Callable[..., schedcore.Instance], benchmark: Any
) -> None:
    instance = workload(1, n_jobs, 312)
    schedule = schedcore.pq(instance).schedule
    report = benchmark.pedantic(schedcore.validate, (instance, schedule), rounds=5, iterations=1)
    assert report.ok
    early = schedule.start_time.copy()
    latest = int(np.argmax(early - instance.jobs.release_time))
    early[latest] = instance.jobs.release_time[latest] - 1
    assert schedcore.validate(instance, schedcore.Schedule(early, schedule.machine)).job == latest


@pytest.mark.parametrize("n_jobs", [64000], ids="azure_like-N{}-M20".format)
def test_the_lower_bounds_are_computed(
    n_jobs: int, workload: Callable[..., schedcore.Instance], benchmark: Any
) -> None:
    # An equal but new instance every round: results may be kept by content.
    instances = [workload(seed, n_jobs, 20) for seed in SEEDS]
    numbers = iter(range(1_000_000))

    def never_seen() -> tuple[tuple[schedcore.Instance], dict[str, Any]]:
        number = next(numbers)
        instance = instances[number % len(instances)]
        release_time = instance.jobs.release_time.copy()
        release_time[-1] += number
        return (schedcore.Instance(instance.jobs.replace(release_time=release_time), instance.machines),), {}

    bounds = benchmark.pedantic(schedcore.lower_bounds, setup=never_seen, rounds=6, iterations=1)
    assert 0 < bounds["trivial"] <= bounds["best"]
    assert f"{schedcore.lower_bounds(instances[0])['mean_busy_0'] / n_jobs / 86400:.3f}" == "14.948"


@pytest.mark.parametrize("method", ["exact", "cadp", "greedy", "greedy_union", "greedy_prefix"])
@pytest.mark.parametrize("n_items", [64000], ids="azure_like_volumes-n{}".format)
def test_a_knapsack_of_volumes(
    n_items: int, method: str, workload: Callable[..., schedcore.Instance], benchmark: Any
) -> None:
    """The items of MRIS: weights 1 and 2, volumes as sizes, half of them fit."""
    items = {}
    for seed in SEEDS:
        jobs = workload(seed, n_items, 20).jobs
        size = (jobs.processing_time * jobs.demand.sum(axis=1)).astype(np.int64)
        items[seed] = (jobs.weight, size, int(size.sum()) // 2)
    chosen = {}

    def choose(seed: int) -> None:
        chosen[seed] = schedcore.knapsack(*items[seed], method=method)

    benchmark.group = f"knapsack, n={n_items}"
    benchmark.pedantic(choose, setup=rotating(*SEEDS), rounds=6, iterations=1)
    excess = {"exact": 1.0, "cadp": 1.1, "greedy": 2.0, "greedy_union": 2.0, "greedy_prefix": 1.0}[method]
    for seed, taken in chosen.items():
        weight, size, capacity = items[seed]
        assert int(size[taken].sum()) <= excess * capacity + (
            int(size.max()) if method == "greedy_union" else 0
        )
        exact = schedcore.knapsack(weight, size, capacity, method="exact")
        factor = 0.5 if method == "greedy_prefix" else 1.0
        assert weight[taken].sum() >= factor * weight[exact].sum()


@pytest.mark.parametrize("n_jobs", [64_000, 1_000_000], ids="azure_like-N{}".format)
def test_azure_like_is_drawn(n_jobs: int, benchmark: Any) -> None:
    drawn: dict[int, schedcore.Instance] = {}

    def draw(seed: int) -> None:
        drawn[seed] = azure_like(seed, n_jobs, 20)

    benchmark.group = f"azure_like, N={n_jobs}"
    benchmark.pedantic(draw, setup=rotating(*SEEDS), rounds=6, iterations=1)
    assert len({instance.content_hash() for instance in drawn.values()}) == len(SEEDS)


def test_a_recorded_log_is_read(benchmark: Any) -> None:
    path = data_folder("pwa-swf", "HPC2N-2002-2.2-cln.swf.gz")
    instance, report = benchmark.pedantic(
        read_swf, (path,), {"missing_memory": "skip"}, rounds=3, iterations=1
    )
    benchmark.extra_info["rows"] = report.rows_read
    assert instance.n_jobs > 170_000
