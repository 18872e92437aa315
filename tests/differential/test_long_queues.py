"""Conservative backfilling of long queues of a few kinds of jobs decides as the reference.

Most gangs are looked at again and again before they start, and kinds have one job at times and several at others.
"""

from random import Random
from typing import Any

import pytest

from differential import cluster_library
from differential.test_cluster_policies import N_INSTANCES, assert_equal_runs
from reference import cluster_simulation
from reference.cluster_instance import ClusterInstance, ClusterJob, ClusterMachine


def long_queue(seed: int) -> ClusterInstance:
    """Up to 60 jobs of one to four kinds, with estimates far too long, on up to twelve machines."""
    draw = Random(seed)
    size = draw.choice([1, 1, 4])
    machines = tuple(
        ClusterMachine((size + draw.choice([0, 0, 1]),), 0, frozenset("a" if draw.random() < 0.8 else ""))
        for _ in range(draw.randint(3, 12))
    )
    kinds = [
        {
            "demand": (draw.choice([size, size, draw.randint(1, size)]),),
            "spread": draw.choice([0, 0, 1, 2]),
            "exclusive": draw.random() < 0.3,
            "constraint": draw.choice(["", "", "", "a"]),
        }
        for _ in range(draw.randint(1, 4))
    ]
    common = draw.choice(kinds)
    latest = draw.choice([0, 30, 60])

    def job() -> ClusterJob:
        kind = draw.choice(kinds) if draw.random() < 0.2 else common
        length = draw.choice([1, 2, 5, 12, 30])
        most = max(1, len(machines) - 2)
        return ClusterJob(
            release_time=draw.randint(0, latest),
            processing_time=length,
            estimated_processing_time=length * draw.choice([1, 1, 2, 5, 10]),
            weight=1,
            n_tasks=draw.choice([1, 1, 2, draw.randint(1, most)]),
            checkpoint_interval=0,
            restart_cost=0,
            **kind,  # type: ignore[arg-type]
        )

    jobs = tuple(job() for _ in range(draw.randint(10, 60)))
    return ClusterInstance(machines, jobs, outages=(), failures=(), cancellations={}, killed="requeue")


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"compression": "fixpoint"},
        {"resolution": 4},
        {"queue_depth": 12, "interval": 3},
    ],
    ids=str,
)
def test_conservative(options: dict[str, Any]) -> None:
    for seed in range(max(12, N_INSTANCES // 5)):
        instance = long_queue(seed)
        expected = cluster_simulation.run(instance, "conservative", infeasible="drop", **options)
        assert_equal_runs(cluster_library.run(instance, "conservative", **options), expected, seed)


def test_a_kind_that_has_one_job_for_a_while() -> None:
    """Job 9 is looked at beside job 10 of its kind, then alone, then beside job 11, as machines come free."""

    def job(release_time: int, length: int, estimate: int, n_tasks: int) -> ClusterJob:
        return ClusterJob(
            release_time=release_time,
            processing_time=length,
            demand=(1,),
            estimated_processing_time=estimate,
            weight=1,
            n_tasks=n_tasks,
            spread=1,
            exclusive=False,
            constraint="",
            checkpoint_interval=0,
            restart_cost=0,
        )

    jobs = (
        *(job(0, length, 100, 1) for length in (10, 20, 100)),
        *(job(0, 90, 90, 1) for _ in range(4)),
        *(job(0, 2, 100, 1) for _ in range(2)),
        job(0, 10, 10, 4),
        job(0, 5, 5, 2),
        job(15, 1, 1, 9),
    )
    machines = tuple(ClusterMachine((1,), 0, frozenset()) for _ in range(9))
    instance = ClusterInstance(machines, jobs, outages=(), failures=(), cancellations={}, killed="requeue")
    result = cluster_library.run(instance, "conservative")
    assert [run.start for run in result.runs if run.job == 9] == [20]
    assert_equal_runs(result, cluster_simulation.run(instance, "conservative", infeasible="drop"), 0)
