"""One event of an embedded scheduler at which many tasks arrive that may each use one of 12,500 machines.

10,000 tasks wait, because every machine that somebody waits for is full. What the event costs must not grow with the
machines, of which nearly all have nothing new.
"""

from typing import Any

import numpy as np
import pytest

import schedcore

N_MACHINES = 12_500
CAPACITY = 100
MACHINES = schedcore.Machines.identical(N_MACHINES, [CAPACITY])
POLICIES: dict[str, dict[str, Any]] = {
    "tetris_np": {"remote_penalty": 1.0},
    "pq": {},
    "bf_exec": {},
    "jsq_mw": {"remote_penalty": 1.0},
}


def tasks_on_one_machine(
    random: np.random.Generator, n_tasks: int, demand: int
) -> schedcore.ParallelTaskInstance:
    """The tasks of one job, each with a machine of its own choice."""
    return schedcore.ParallelTaskInstance(
        weight=[1.0],
        release_time=[0.0],
        task_job=np.zeros(n_tasks, dtype=np.int64),
        demand=np.full((n_tasks, 1), demand),
        placement_start=np.arange(n_tasks + 1),
        placement_machine=random.integers(0, N_MACHINES, n_tasks),
        placement_time=np.full(n_tasks, 10),
        machines=MACHINES,
        remote_penalty=1.0,
    )


@pytest.mark.parametrize("n_tasks", [1, 64, 128], ids="{}_arrivals".format)
@pytest.mark.parametrize("policy", POLICIES)
def test_arrivals_that_may_use_one_machine_each_are_decided(
    policy: str, n_tasks: int, benchmark: Any
) -> None:
    benchmark.group = "embedded: arrivals for one machine each, 12,500 machines, 10,000 waiting"
    random = np.random.default_rng(0)
    scheduler = schedcore.OnlineScheduler(policy, MACHINES, **POLICIES[policy])
    scheduler.submit(tasks_on_one_machine(random, 20_000, CAPACITY), 0)
    scheduler.advance(0)
    n_waiting, n_running = scheduler.n_waiting, scheduler.n_running
    assert n_waiting > 10_000
    instant = 0

    def submit() -> tuple[tuple[int], dict[str, Any]]:
        nonlocal instant
        instant += 1
        scheduler.submit(tasks_on_one_machine(random, n_tasks, CAPACITY // 2), instant)
        return (instant,), {}

    benchmark.pedantic(scheduler.advance, setup=submit, rounds=10, iterations=1)
    assert scheduler.n_running > n_running
    assert scheduler.n_waiting + scheduler.n_running == n_waiting + n_running + 10 * n_tasks
