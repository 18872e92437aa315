"""Spreading tasks over identical machines, one core: the call from Python, input checks and bounds included.

The goal: LPT of a million tasks on a thousand machines within 0.3 seconds. Three inputs rotate.
"""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import schedcore

SEEDS = (1, 2, 3)
GOAL_SECONDS = 0.3


def uniform_times(seed: int, n_tasks: int) -> NDArray[np.int64]:
    """Processing times drawn from 1 to a million."""
    return np.random.default_rng(seed).integers(1, 1_000_001, n_tasks)


@pytest.mark.parametrize(
    ("n_tasks", "n_machines", "method", "makespan"),
    [
        (1_000_000, 1000, "lpt", 499_959_821),
        (1_000_000, 1000, "multifit", 499_959_751),
        (1_000_000, 1000, "best", 499_959_751),
        (1000, 20, "best", 25_110_390),
    ],
    ids=("lpt-N1000000-M1000", "multifit-N1000000-M1000", "best-N1000000-M1000", "best-N1000-M20"),
)
def test_tasks_are_spread(
    n_tasks: int, n_machines: int, method: str, makespan: float, benchmark: Any, measure_by_seed: Any
) -> None:
    times = {seed: uniform_times(seed, n_tasks) for seed in SEEDS}

    def spread(seed: int) -> schedcore.TaskPartition:
        return schedcore.partition(times[seed], n_machines, method=method)

    benchmark.group = "uniform times up to 1,000,000"
    benchmark.extra_info["goal_seconds"] = GOAL_SECONDS if method == "lpt" else None
    found = measure_by_seed(spread, SEEDS)
    assert found[1].makespan == makespan
    for seed, shares in found.items():
        assert shares.load.sum() == times[seed].sum()
        assert shares.gap() < 0.01
