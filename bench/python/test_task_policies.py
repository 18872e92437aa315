"""How long do Tetris and JSQ-MW take on 1000 jobs of some ten tasks, and the validator on what they make?

Goals on one core: 10 s for Tetris-p with one machine a task, 60 s for Tetris-np and JSQ-MW with 200 machines for each
(2 million placements); all of them stay far below.
"""

from functools import lru_cache
from itertools import count
from typing import Any

import pytest

import schedcore
from schedcore.workloads import parallel_task_standin

N_JOBS, N_MACHINES = 1000, 200
KINDS = {"tetris_p": "preempt", "tetris_np": "nonpreempt", "jsq_mw": "nonpreempt"}


@lru_cache(maxsize=8)
def standin(seed: int, placement: Any, load: float | None) -> schedcore.ParallelTaskInstance:
    return parallel_task_standin(N_JOBS, N_MACHINES, seed, placement=placement, load=load, weights="priority")


@pytest.mark.parametrize("load", [None, 0.8], ids=["offline", "load=0.8"])
@pytest.mark.parametrize(
    ("name", "placement", "options"),
    [
        ("tetris_p", "single", {}),
        ("tetris_p", "single", {"scale": 1.0}),
        ("tetris_np", "local_remote", {}),
        ("tetris_np", "local_remote", {"scale": 1.0}),
        ("jsq_mw", "local_remote", {}),
    ],
    ids=["tetris_p-balanced", "tetris_p-e=1", "tetris_np-balanced", "tetris_np-e=1", "jsq_mw"],
)
def test_1000_jobs_on_200_machines(
    benchmark: Any, name: str, placement: str, options: dict[str, Any], load: float | None
) -> None:
    instances = [standin(seed, placement, load) for seed in (1, 2)]
    turn = count()
    result = benchmark.pedantic(
        lambda: schedcore.solve(name, instances[next(turn) % 2], **options), rounds=2, warmup_rounds=0
    )
    assert schedcore.validate(result.instance, result.schedule, kind=KINDS[name])
    assert (result.completion_time > result.instance.release_time).all()


@pytest.mark.parametrize("name", ["tetris_p", "jsq_mw"])
def test_validation_of_a_schedule_of_10_000_tasks(benchmark: Any, name: str) -> None:
    placement = "single" if name == "tetris_p" else "local_remote"
    results = [schedcore.solve(name, standin(seed, placement, None)) for seed in (1, 2)]
    turn = count()

    def check() -> schedcore.ValidationReport:
        result = results[next(turn) % 2]
        return schedcore.validate(result.instance, result.schedule, kind=KINDS[name])

    assert benchmark(check)
