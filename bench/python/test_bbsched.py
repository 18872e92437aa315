"""BBSched beside EASY: whole runs on logs that are drawn, and the price of choosing a set at every event.

Nodes and a burst buffer as a site would count them, so that nearly every job has a demand vector of its own.
"""

from functools import lru_cache
from typing import Any

import pytest

import schedcore
from schedcore import workloads

N_JOBS = 16_000


@lru_cache(maxsize=2)
def drawn(average_queue: int, n_resources: int) -> schedcore.Instance:
    """In order of arrival so many wait on average."""
    return workloads.lublin_k(seed=1, n_jobs=N_JOBS, n_resources=n_resources, average_queue=average_queue)


@pytest.mark.parametrize("n_resources", [2, 4], ids="K{}".format)
@pytest.mark.parametrize("average_queue", [16, 128], ids="lublin_k-N16000-queue{}".format)
@pytest.mark.parametrize(
    ("policy", "options"),
    [("easy", {}), ("bbsched", {}), ("bbsched", {"window_size": 64})],
    ids=["easy", "bbsched-20", "bbsched-64"],
)
def test_sets_of_a_window(
    policy: str, options: dict[str, Any], average_queue: int, n_resources: int, benchmark: Any
) -> None:
    instance = drawn(average_queue, n_resources)
    benchmark.group = f"bbsched, lublin_k N={N_JOBS} K={n_resources}, {average_queue} wait"
    result = benchmark.pedantic(
        lambda: schedcore.solve(policy, instance, **options), rounds=3, warmup_rounds=1
    )
    assert schedcore.validate(instance, result.schedule).ok
