"""The rules of a site, and today's queue.

A multifactor order with all of its factors on a recorded log may cost twice plain EASY. A saved state of 10,000 waiting
jobs on 2,000 nodes may be read and forecast within 2 s, and with 100 samples of a history within 20 s.
"""

from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import schedcore
from data_folder import data_folder
from schedcore import slurm
from schedcore.workloads import read_swf
from slurm.large_cluster import write_large_state

FACTORS = schedcore.Multifactor(age=1000, fair_share=10000, size=100, partition=100, service_class=50, job=10)
SITES: dict[str, schedcore.Site | None] = {
    "plain": None,
    "one_limit": schedcore.Site(limits=[schedcore.Limit("user", "jobs", 10**6)]),
    "multifactor": schedcore.Site(
        FACTORS,
        partitions=[schedcore.Partition("p1", factor=0.5), schedcore.Partition("p2", factor=1)],
        service_classes=[schedcore.ServiceClass("q1", factor=0.3), schedcore.ServiceClass("q2")],
    ),
}


@lru_cache
def hpc2n() -> schedcore.Instance:
    """The log with accounts, partitions, service classes and priorities that are drawn."""
    instance, _ = read_swf(data_folder("pwa-swf", "HPC2N-2002-2.2-cln.swf.gz"), n_resources=1)
    rng, n = np.random.default_rng(1), instance.n_jobs
    jobs = instance.jobs.replace(
        account=[f"a{user}" for user in rng.zipf(1.4, n) % 257],
        partition=[f"p{part}" for part in rng.integers(1, 3, n)],
        service_class=[f"q{part}" for part in rng.integers(1, 3, n)],
        priority=rng.random(n),
    )
    return schedcore.Instance(jobs, instance.machines)


@pytest.mark.parametrize("site", SITES, ids="HPC2N-easy-{}".format)
def test_rules_of_a_site_on_a_log(benchmark: Any, site: str) -> None:
    instance = hpc2n()
    result = benchmark.pedantic(lambda: schedcore.easy(instance, site=SITES[site]), rounds=5, warmup_rounds=1)
    assert schedcore.validate(instance, result.schedule).ok


@pytest.mark.parametrize("n_samples", [0, 100], ids="10000_waiting-2000_nodes-{}_samples".format)
def test_a_saved_state_is_forecast(benchmark: Any, tmp_path: Path, n_samples: int) -> None:
    write_large_state(tmp_path / "saved", 2000, 10_000)
    slurm.read_state(tmp_path / "saved", timezone="UTC").save(tmp_path / "now.parquet")
    rng = np.random.default_rng(1)
    limit = rng.integers(1, 288, 5000) * 600.0
    history = schedcore.Jobs(
        np.maximum(1, limit * rng.random(5000)),
        np.ones((5000, 2), dtype=int),
        estimated_processing_time=limit,
        user=[f"user{k % 97}" for k in range(5000)],
    )

    def forecast() -> slurm.PredictedStarts:
        state = slurm.SlurmState.load(tmp_path / "now.parquet")
        return slurm.when(state, history=history if n_samples else None, n_samples=max(1, n_samples))

    found = benchmark.pedantic(forecast, rounds=3)
    assert len(found) == 10_000
    assert np.isinf(found.expected).sum() < 200
