"""One job on its way into an embedded scheduler: built as `Jobs` and submitted, or given as numbers.

The scheduler holds jobs that have arrived and not been decided, so that what is measured is the call and not the
policy; `test_embedded` measures decisions.
"""

from collections.abc import Callable
from itertools import cycle
from typing import Any

import pytest

import schedcore
from schedcore import Jobs

CALLS = 2000
MACHINES = schedcore.Machines.identical(20, [100, 100, 100])

#: Rotated over, as (processing_time, demand).
JOBS = [(1.5, [1, 2, 3]), (20.0, [60, 10, 7]), (3, [5, 80, 1]), (700.25, [9, 9, 90])]


def key(jobs: Jobs) -> Any:
    return jobs.processing_time / jobs.weight


def as_jobs(scheduler: schedcore.OnlineScheduler, length: float, demand: list[int]) -> int:
    return int(scheduler.submit(Jobs([length], [demand]), 0)[0])


def as_numbers(scheduler: schedcore.OnlineScheduler, length: float, demand: list[int]) -> int:
    return scheduler.submit_one(length, demand, 0)


def test_one_row_of_jobs_is_built(benchmark: Any) -> None:
    benchmark.group = "one job: Jobs"
    turn = cycle(JOBS)

    def build() -> Jobs:
        length, demand = next(turn)
        return Jobs([length], [demand])

    jobs = benchmark.pedantic(build, rounds=20, iterations=CALLS)
    assert jobs.n_jobs == 1
    assert jobs.demand.shape == (1, 3)


@pytest.mark.parametrize("heuristic", ["wsjf", key], ids=["named_key", "callable_key"])
@pytest.mark.parametrize("way", [as_jobs, as_numbers], ids=["Jobs_and_submit", "submit_one"])
def test_one_job_is_submitted(
    way: Callable[[schedcore.OnlineScheduler, float, list[int]], int], heuristic: Any, benchmark: Any
) -> None:
    benchmark.group = "one job: from numbers to a recorded arrival"
    scheduler = schedcore.OnlineScheduler("pq", MACHINES, heuristic=heuristic)
    turn = cycle(JOBS)

    def submit() -> int:
        length, demand = next(turn)
        return way(scheduler, length, demand)

    last = benchmark.pedantic(submit, rounds=20, iterations=CALLS)
    assert submit() == last + 1 > 20 * CALLS
