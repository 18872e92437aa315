"""SynchPack-2 after its linear program, one core: 1000 jobs of 10 tasks on 200 machines, 13 machines a task.

The goal: under two seconds for everything that follows the program. Fractions are drawn, so that no program is solved:
every task has parts on all of its machines in a few intervals, which makes a mapping graph of some 130,000 edges. Three
inputs rotate.
"""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from schedcore.algorithms.parallel_tasks.synchpack2 import synchpack2
from schedcore.bounds.parallel_tasks import WHOLE_TASK, Intervals, horizon
from schedcore.model import Machines, ParallelTaskInstance, ParallelTaskResult, validate

SEEDS = (1, 2, 3)
GOAL_SECONDS = 2.0


def drawn_instance(
    seed: int, n_jobs: int, per_job: int, n_machines: int, machines_per_task: int
) -> ParallelTaskInstance:
    """Sizes around a tenth of a machine, times around 300 s, ten of the machines of a task twice as slow."""
    random = np.random.default_rng(seed)
    n_tasks = n_jobs * per_job
    size = np.clip(random.lognormal(np.log(0.1), 1, n_tasks), 0.001, 0.9)
    time = np.clip(np.ceil(random.lognormal(np.log(300), 1.2, n_tasks)), 1, 36_000).astype(np.int64)
    machine = np.sort(
        random.permuted(np.tile(np.arange(n_machines), (n_tasks, 1)), axis=1)[:, :machines_per_task]
    )
    remote = random.permuted(np.tile(np.arange(machines_per_task) >= 3, (n_tasks, 1)), axis=1)
    return ParallelTaskInstance(
        weight=1.0 + random.integers(0, 12, n_jobs),
        release_time=np.zeros(n_jobs),
        task_job=np.repeat(np.arange(n_jobs), per_job),
        demand=(1_000_000 * size).astype(np.int64)[:, None],
        placement_start=np.arange(n_tasks + 1) * machines_per_task,
        placement_machine=machine.ravel(),
        placement_time=(time[:, None] * (1 + remote)).ravel(),
        machines=Machines(np.full((n_machines, 1), 1_000_000)),
    )


def drawn_rows(instance: ParallelTaskInstance, seed: int) -> np.ndarray[Any, Any]:
    """A part of every task on each of its machines, in one of the last four intervals."""
    random = np.random.default_rng(seed)
    n_intervals = Intervals(Fraction(1), horizon(instance)).n_intervals
    earliest = np.ceil(np.log2(instance.placement_time)).astype(np.int64)
    interval = np.maximum(earliest, n_intervals - 1 - random.integers(0, 4, instance.n_placements))
    share = random.integers(1, 1000, instance.n_placements).reshape(instance.n_tasks, -1)
    units = share * WHOLE_TASK // share.sum(axis=1, keepdims=True)
    units[:, 0] += WHOLE_TASK - units.sum(axis=1)
    task = instance.placement_task
    return np.stack(
        [
            instance.task_job[task],
            instance.task_number[task],
            instance.placement_machine,
            interval,
            units.ravel(),
        ],
        axis=1,
    )


@pytest.mark.parametrize("order", ["index", "lp"])
@pytest.mark.parametrize("shift", [False, True], ids=["packed", "shifted"])
def test_what_follows_the_program(order: Any, shift: bool, benchmark: Any, measure_by_seed: Any) -> None:
    instances = {seed: drawn_instance(seed, 1000, 10, 200, 13) for seed in SEEDS}
    rows = {seed: drawn_rows(instances[seed], seed) for seed in SEEDS}

    def run(seed: int) -> ParallelTaskResult:
        return synchpack2(instances[seed], lp_solution=rows[seed], order=order, shift=shift)

    benchmark.group = "1000 jobs of 10 tasks, 200 machines, 13 a task"
    benchmark.extra_info["goal_seconds"] = GOAL_SECONDS
    for seed, result in measure_by_seed(run, SEEDS).items():
        assert validate(instances[seed], result.schedule, kind="nonpreempt").ok
        assert result.value <= 12 * result.stats["proxy"]
