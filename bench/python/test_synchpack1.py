"""SynchPack-1 after its linear program, one core: the call from Python, checks of the solution and the result included.

The goal: everything after the program under 2 seconds at 10,000 tasks on 200 machines. The solutions are drawn: every
task is cut into four parts on three machines, in consecutive intervals. Three inputs rotate.
"""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import schedcore

SEEDS = (1, 2, 3)
GOAL_SECONDS = 2
TASKS_PER_JOB = 10
MACHINES_PER_TASK = 3
PARTS = 4


def drawn(
    seed: int, n_tasks: int, n_machines: int
) -> tuple[schedcore.ParallelTaskInstance, NDArray[np.int64]]:
    """Draw sizes and times lognormally, machines uniformly; return the instance and the rows of a solution."""
    random = np.random.default_rng(seed)
    where = np.sort(random.random((n_tasks, n_machines)).argsort(axis=1)[:, :MACHINES_PER_TASK], axis=1)
    time = np.clip(np.ceil(random.lognormal(np.log(300), 1.2, n_tasks)), 1, 36_000).astype(np.int64)
    size = np.clip(random.lognormal(np.log(0.1), 1, n_tasks), 0.001, 0.9)
    instance = schedcore.ParallelTaskInstance(
        weight=random.integers(1, 13, n_tasks // TASKS_PER_JOB).astype(np.float64),
        release_time=np.zeros(n_tasks // TASKS_PER_JOB),
        task_job=np.arange(n_tasks) // TASKS_PER_JOB,
        demand=(size[:, None] * 1_000_000).astype(np.int64),
        placement_start=np.arange(n_tasks + 1) * MACHINES_PER_TASK,
        placement_machine=where.ravel(),
        placement_time=(time[:, None] * random.integers(1, 3, where.shape)).ravel(),
        machines=schedcore.Machines(np.full((n_machines, 1), 1_000_000)),
    )
    busiest = np.bincount(instance.placement_machine, instance.placement_time).max()
    n_intervals = int(np.ceil(np.log2(busiest))) + 1
    first = random.integers(n_intervals // 2, n_intervals - PARTS + 1, n_tasks)
    cuts = np.sort(random.integers(1, 10**9 - PARTS, (n_tasks, PARTS - 1)), axis=1) + np.arange(PARTS - 1)
    rows = np.empty((n_tasks, PARTS, 5), dtype=np.int64)
    rows[..., 0] = instance.task_job[:, None]
    rows[..., 1] = instance.task_number[:, None]
    rows[..., 2] = np.take_along_axis(where, random.integers(0, MACHINES_PER_TASK, (n_tasks, PARTS)), axis=1)
    rows[..., 3] = first[:, None] + np.arange(PARTS)
    rows[..., 4] = np.diff(cuts, axis=1, prepend=0, append=10**9)
    return instance, rows.reshape(-1, 5)


@pytest.mark.parametrize("lam", ["derand", 0.7])
@pytest.mark.parametrize("n_machines", [200, 20], ids="M{}".format)
def test_what_follows_the_program(
    n_machines: int, lam: float | str, benchmark: Any, measure_by_seed: Any
) -> None:
    cases = {seed: drawn(seed, 10_000, n_machines) for seed in SEEDS}

    def schedule(seed: int) -> schedcore.ParallelTaskResult:
        instance, rows = cases[seed]
        return schedcore.synchpack1(instance, lp_solution=rows, lam=lam)

    benchmark.group = "10,000 tasks in 40,000 fractions"
    benchmark.extra_info["goal_seconds"] = GOAL_SECONDS
    for seed, result in measure_by_seed(schedule, SEEDS).items():
        assert schedcore.validate(cases[seed][0], result.schedule, kind="migrate").ok
        literal = schedcore.synchpack1(cases[seed][0], lp_solution=cases[seed][1], lam=lam, shift=False)
        assert result.value <= literal.value
