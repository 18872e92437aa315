"""Stand-ins for the logs of supercomputers by node."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import schedcore as sc
from schedcore import workloads

SITES: list[tuple[Callable[..., sc.Instance], int, int]] = [
    (workloads.curie_like, 5544, 16),
    (workloads.thunder_like, 1002, 4),
    (workloads.atlas_like, 1152, 8),
]

RECORDED = {
    "n_tasks": [1, 2, 8, 1],
    "processing_time": [523.0, 3.0, 12565.0, 35954.0],
    "release_time": [132.0, 144.0, 242.0, 278.0],
    "estimated_processing_time": [86400.0, 3600.0, 86400.0, 86400.0],
}


@pytest.mark.parametrize(("draw", "n_nodes", "cores"), SITES)
def test_jobs_take_whole_nodes_or_their_cores(draw: Any, n_nodes: int, cores: int) -> None:
    inst = draw(3, 4000)
    assert inst.machines.capacity.tolist() == [[cores]] * n_nodes
    jobs = inst.jobs
    assert (jobs.demand == cores).all()
    assert (np.diff(jobs.release_time) >= 0).all()
    assert (jobs.estimated_processing_time >= jobs.processing_time).all()
    assert np.isin(jobs.estimated_processing_time, [900, 1800, 3600, 7200, 14400, 28800, 43200, 86400]).all()
    assert 1 <= jobs.processing_time.min() <= jobs.processing_time.max() <= 86400
    assert set(jobs.n_tasks.tolist()) <= {2**power for power in range(11)}
    by_core = draw(3, 4000, tasks="cores")
    assert (by_core.jobs.demand == 1).all()
    assert (by_core.jobs.n_tasks == cores * jobs.n_tasks).all()
    for column in ("processing_time", "release_time", "estimated_processing_time"):
        assert (getattr(by_core.jobs, column) == getattr(jobs, column)).all()


@pytest.mark.parametrize("load", [0.5, 0.85])
def test_the_offered_load_is_the_one_asked_for(load: float) -> None:
    inst = workloads.curie_like(1, 20_000, load=load)
    assert workloads.offered_load(inst)[0] == pytest.approx(load, rel=0.02)


def test_days_are_busier_than_nights() -> None:
    inst = workloads.thunder_like(1, 50_000)
    hour = inst.jobs.release_time // 3600 % 24
    by_day = ((hour >= 9) & (hour < 17)).mean()
    by_night = (hour < 6).mean()
    assert by_day > 2 * by_night


def test_the_same_seed_gives_the_same_instance_everywhere() -> None:
    inst = workloads.thunder_like(7, 4)
    assert inst == workloads.thunder_like(7, 4)
    assert inst != workloads.thunder_like(8, 4)
    # Recorded, so that another platform or version that draws otherwise is seen.
    assert inst.jobs.n_tasks.tolist() == RECORDED["n_tasks"]
    assert inst.jobs.processing_time.tolist() == RECORDED["processing_time"]
    assert inst.jobs.release_time.tolist() == RECORDED["release_time"]
    assert inst.jobs.estimated_processing_time.tolist() == RECORDED["estimated_processing_time"]


def test_policies_take_them() -> None:
    inst = workloads.thunder_like(2, 300, load=2.0)
    for policy in ("fcfs", "easy", "conservative", "pq"):
        result = sc.solve(policy, inst)
        assert sc.validate(inst, result.schedule).ok
        assert result.lower_bound is not None
        assert result.lower_bound <= result.value


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"load": 0}, "load"),
        ({"load": 1e-9}, "must be at least 2"),
        ({"load": float("nan")}, "load"),
        ({"tasks": "node"}, "did you mean 'nodes'"),
        ({"n_jobs": -1}, "n_jobs"),
        ({"seed": -1}, "seed"),
    ],
)
def test_arguments_out_of_range_are_named(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(sc.InvalidInstanceError, match=message):
        workloads.atlas_like(**{"seed": 1, "n_jobs": 5, **arguments})


def test_no_jobs() -> None:
    assert workloads.curie_like(1, 0).n_jobs == 0
