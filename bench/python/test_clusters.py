"""Policies on clusters by node: whole machines over months, embedded ones, and what labels cost.

Offered load and mean queue are printed beside the times (``-s``), as both say how hard a workload is.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import schedcore as sc
from schedcore import metrics, workloads

N_CURIE, N_THUNDER = 300_000, 120_000


def run(benchmark: Any, policy: str, inst: sc.Instance, rounds: int = 1, **options: Any) -> None:
    """Time a policy, and validate what it did."""
    result = benchmark.pedantic(sc.solve, (policy, inst), options, rounds=rounds, iterations=1)
    report = sc.validate(inst, result.schedule)
    assert report.ok, report.message
    queue = metrics.summary(inst, result.schedule)["avg_queue_arrivals"]
    load = float(workloads.offered_load(inst)[0])
    benchmark.extra_info.update(load=load, mean_queue=queue)
    print(f"\n{policy} on {inst.n_jobs:,} jobs: offered load {load:.3f}, mean queue {queue:,.1f}")


@pytest.mark.slow
@pytest.mark.parametrize("tasks", ["nodes", "cores"])
@pytest.mark.parametrize("load", [0.85, 0.93])
def test_easy_on_curie_like(benchmark: Any, tasks: Any, load: float) -> None:
    run(benchmark, "easy", workloads.curie_like(1, N_CURIE, load=load, tasks=tasks))


@pytest.mark.slow
@pytest.mark.parametrize("tasks", ["nodes", "cores"])
def test_conservative_on_curie_like(benchmark: Any, tasks: Any) -> None:
    run(benchmark, "conservative", workloads.curie_like(1, N_CURIE, tasks=tasks))


@pytest.mark.slow
@pytest.mark.parametrize("policy", ["easy", "conservative"])
def test_thunder_like(benchmark: Any, policy: str) -> None:
    run(benchmark, policy, workloads.thunder_like(1, N_THUNDER))


@pytest.mark.parametrize("policy", ["fcfs", "first_fit", "easy", "backfill", "conservative", "pq"])
def test_thunder_like_10_000(benchmark: Any, policy: str) -> None:
    run(benchmark, policy, workloads.thunder_like(1, 10_000), rounds=3)


def labelled(n_jobs: int, n_machines: int) -> dict[str, sc.Instance]:
    """The same jobs without labels, with one that excludes a machine, and with one of two halves for each."""
    plain = workloads.azure_like(1, n_jobs, n_machines)
    labels = [{"a" if machine % 2 == 0 else "b"} for machine in range(n_machines)]
    labels[-1].add("x")
    machines = plain.machines.replace(labels=labels)
    halves = np.random.default_rng(1).choice(["a", "b"], n_jobs).astype(object)
    return {
        "none": plain,
        "all": plain.replace(machines=machines, constraint="a|b"),
        "all but one": plain.replace(machines=machines, constraint="!x"),
        "halves": plain.replace(machines=machines, constraint=halves),
    }


@pytest.mark.parametrize("labels", ["none", "all", "all but one", "halves"])
@pytest.mark.parametrize(
    "policy", ["fcfs", "first_fit", "easy", "conservative", "pq", "tetris", "bf_exec", "ca_pq", "mris"]
)
def test_a_label_on_each_of_8000_jobs_on_20_machines(benchmark: Any, policy: str, labels: str) -> None:
    inst = labelled(8000, 20)[labels]
    benchmark.pedantic(sc.solve, (policy, inst), rounds=7, iterations=1)


@pytest.mark.slow
def test_embedded_easy_10_000_machines_of_40_kinds_100_000_waiting_gangs(benchmark: Any) -> None:
    scheduler, complete = embedded(10_000, 40, 100_000)
    times: list[float] = []
    benchmark.pedantic(lambda: times.extend(complete(scheduler, 2000)), rounds=1, iterations=1)
    half, most = np.quantile(times, [0.5, 0.99]) * 1e3
    print(f"\none completion: {half:.3f} ms (median), {most:.3f} ms (99th percentile)")
    benchmark.extra_info.update(median_ms=half, p99_ms=most)


def embedded(
    n_machines: int, n_kinds: int, n_waiting: int
) -> tuple[sc.OnlineScheduler, Callable[[sc.OnlineScheduler, int], list[float]]]:
    """A full cluster with a queue, and what lets jobs of it complete one by one."""
    from time import perf_counter

    draw = np.random.default_rng(2)
    kinds = np.column_stack([draw.integers(8, 129, n_kinds), draw.integers(32, 1025, n_kinds)])
    machines = sc.Machines(kinds[draw.integers(0, n_kinds, n_machines)], ["cores", "memory"])
    scheduler = sc.OnlineScheduler("easy", machines)
    n_jobs = n_waiting + 40_000
    sizes = np.array([1, 1, 2, 4, 8, 16, 64])
    jobs = sc.Jobs(
        processing_time=draw.integers(600, 86_400, n_jobs).astype(float),
        demand=np.column_stack([2 ** draw.integers(0, 6, n_jobs), 2 ** draw.integers(0, 8, n_jobs)]),
        n_tasks=sizes[draw.integers(0, len(sizes), n_jobs)],
    )
    scheduler.submit(jobs, 0.0)
    running = list(scheduler.advance(0.0).starts.id.tolist())
    assert n_jobs - len(running) >= n_waiting // 2

    def complete(scheduler: sc.OnlineScheduler, n_events: int) -> list[float]:
        times = []
        for event in range(n_events):
            job = running.pop(int(draw.integers(0, len(running))))
            scheduler.complete([job], 1.0 + event)
            begin = perf_counter()
            decision = scheduler.advance(1.0 + event)
            times.append(perf_counter() - begin)
            running.extend(decision.starts.id.tolist())
        return times

    return scheduler, complete
