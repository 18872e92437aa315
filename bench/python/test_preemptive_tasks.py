"""Tasks of one machine each on one core: PSRS, and SynchPack-3 without its linear program, calls from Python included.

The goals for 10,000 tasks on 200 machines: everything after the linear program within 2 s, PSRS within 10 s. Sizes are
lognormal with median 0.1 or, where the machine is to hold hundreds of tasks at a time, 0.001 of a machine; durations
are lognormal with median 300 s. Jobs have ten tasks. Orders of the jobs are drawn, in place of a linear program. Three
inputs rotate.
"""

from functools import lru_cache
from typing import Any

import numpy as np
import pytest

import schedcore

SEEDS = (1, 2, 3)
CAPACITY = 1_000_000


@lru_cache(maxsize=8)
def pinned_tasks(
    seed: int, n_tasks: int, n_machines: int, load: float, median: float
) -> schedcore.ParallelTaskInstance:
    """Jobs that arrive at a rate that offers `load`; all at time 0 where it is 0."""
    rng = np.random.default_rng(seed)
    size = np.clip(rng.lognormal(np.log(median), 1.0, n_tasks), median / 10, 0.9)
    demand = np.maximum(1, (size * CAPACITY).astype(np.int64))
    time = np.clip(np.ceil(rng.lognormal(np.log(300), 1.2, n_tasks)), 1, 36_000).astype(np.int64)
    n_jobs = n_tasks // 10
    work_per_job = float(demand @ time) / CAPACITY / n_jobs
    gaps = rng.exponential(work_per_job / (load * n_machines), n_jobs) if load else np.zeros(n_jobs)
    return schedcore.ParallelTaskInstance(
        weight=rng.integers(1, 13, n_jobs).astype(np.float64),
        release_time=np.floor(np.cumsum(gaps)),
        task_job=np.repeat(np.arange(n_jobs), 10),
        demand=demand[:, np.newaxis],
        placement_start=np.arange(n_tasks + 1),
        placement_machine=rng.integers(0, n_machines, n_tasks),
        placement_time=time,
        machines=schedcore.Machines([[CAPACITY]] * n_machines),
    )


def rotate(measure_by_seed: Any, solve: Any, sizes: tuple[int, int, float, float]) -> None:
    """Measure three rounds, one for each seed; every schedule must be valid."""
    instances = {seed: pinned_tasks(seed, *sizes) for seed in SEEDS}
    for result in measure_by_seed(lambda seed: solve(seed, instances[seed]), SEEDS).values():
        assert schedcore.validate(result.instance, result.schedule, kind="preempt").ok


@pytest.mark.parametrize(
    ("n_tasks", "n_machines", "load", "median"),
    [
        (10_000, 200, 0.0, 0.1),
        (10_000, 200, 0.8, 0.1),
        (10_000, 200, 2.0, 0.1),
        (10_000, 1, 0.0, 0.1),
        (10_000, 1, 0.8, 0.1),
        (10_000, 1, 2.0, 0.1),
        (10_000, 1, 2.0, 0.001),
    ],
    ids=lambda value: str(value),
)
def test_psrs(
    n_tasks: int, n_machines: int, load: float, median: float, benchmark: Any, measure_by_seed: Any
) -> None:
    benchmark.group = "psrs: tasks, machines, load, median size"
    benchmark.extra_info["goal_seconds"] = 10
    rotate(
        measure_by_seed,
        lambda _, instance: schedcore.solve("psrs", instance),
        (n_tasks, n_machines, load, median),
    )


@pytest.mark.parametrize(
    ("n_tasks", "n_machines", "median"),
    [(10_000, 200, 0.1), (10_000, 1, 0.1), (10_000, 1, 0.001)],
    ids=lambda value: str(value),
)
def test_synchpack3_after_the_program(
    n_tasks: int, n_machines: int, median: float, benchmark: Any, measure_by_seed: Any
) -> None:
    benchmark.group = "synchpack3 by a given order: tasks, machines, median size"
    benchmark.extra_info["goal_seconds"] = 2
    order = {seed: np.random.default_rng(seed).permutation(n_tasks // 10).astype(float) for seed in SEEDS}
    rotate(
        measure_by_seed,
        lambda seed, instance: schedcore.solve("synchpack3", instance, lp_solution=order[seed]),
        (n_tasks, n_machines, 0.0, median),
    )
