"""One search of plan annealing as the queue grows: all orders of 5 jobs, else 187 plans of all that wait.

The first decision of an embedded scheduler to which n jobs are submitted at once, all of different demands and lengths.
Up to 300 jobs no limit ends the search; `work_limit` is raised for 1,000.
"""

from typing import Any

import pytest

import schedcore
from schedcore import workloads


@pytest.mark.parametrize("n_machines", [1, 8], ids="M{}".format)
@pytest.mark.parametrize("n_jobs", [5, 10, 30, 100, 300, 1000], ids="lublin_k-N{}-K2".format)
def test_one_search(n_jobs: int, n_machines: int, benchmark: Any) -> None:
    drawn = workloads.lublin_k(seed=1, n_jobs=n_jobs, n_resources=2)
    machines = schedcore.Machines.identical(n_machines, drawn.machines.capacity[0].tolist())
    jobs = schedcore.Jobs(drawn.jobs.processing_time, drawn.jobs.demand)
    benchmark.group = f"plan_annealing, one search, {n_machines} machines"

    def prepared() -> tuple[tuple[schedcore.OnlineScheduler], dict[str, Any]]:
        scheduler = schedcore.OnlineScheduler("plan_annealing", machines, work_limit=10**9)
        scheduler.submit(jobs, 0.0)
        return (scheduler,), {}

    decision = benchmark.pedantic(
        lambda scheduler: scheduler.advance(0.0), setup=prepared, rounds=5, warmup_rounds=1
    )
    assert len(decision.starts) + len(decision.plan) == n_jobs
