"""Backfilling over many machines: M jobs that fill M machines, then 400 jobs that wait, all of them different.

What conservative backfilling knows of a job it knows for every machine, so a waiting job costs O(M); a job that starts
on arrival costs a first fit.
"""

from functools import lru_cache
from typing import Any

import numpy as np
import pytest

import schedcore

CAPACITY = 1000
N_WAITING = 400


@lru_cache(maxsize=4)
def crowded(n_machines: int) -> schedcore.Instance:
    random = np.random.default_rng(1)
    demand = np.concatenate([np.full(n_machines, 900), random.integers(200, 900, N_WAITING)])
    length = np.concatenate(
        [random.integers(10**6, 2 * 10**6, n_machines), random.integers(10**5, 10**6, N_WAITING)]
    )
    release = np.concatenate([np.zeros(n_machines), np.arange(1, N_WAITING + 1)])
    jobs = schedcore.Jobs(length, demand[:, None], release_time=release)
    return schedcore.Instance(jobs, schedcore.Machines.identical(n_machines, [CAPACITY]))


@pytest.mark.parametrize("n_machines", [250, 1000, 4000])
@pytest.mark.parametrize(
    ("policy", "options"),
    [("easy", {}), ("easy", {"selection": "sb"}), ("backfill", {"protected": 10}), ("conservative", {})],
    ids=["easy", "easy-sb", "backfill-10", "conservative"],
)
def test_a_policy_fills_many_machines(
    policy: str, options: dict[str, Any], n_machines: int, benchmark: Any
) -> None:
    instance = crowded(n_machines)
    result = benchmark.pedantic(schedcore.solve, (policy, instance), options, rounds=3, warmup_rounds=1)
    assert (result.schedule.start_time[:n_machines] == 0).all()
    assert schedcore.validate(instance, result.schedule).ok
