"""A log under controlled conditions keeps its jobs; only what is set changes, to what was asked for."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import schedcore
from example_shares import examples
from schedcore import (
    InfeasibleError,
    Instance,
    InvalidInstanceError,
    Jobs,
    Machines,
    UnsupportedError,
    metrics,
)
from schedcore.workloads import (
    at_time_zero,
    calibrate_gap,
    exact_estimates,
    feitelson,
    feitelson_k,
    first_jobs,
    k_resource_demand,
    mapreduce_standin,
    poisson_arrivals,
    scale_release_times,
    unit_arrivals,
)


def recorded(n_jobs: int, n_machines: int = 1) -> Instance:
    """Jobs with identifiers, weights, over-estimates and unsorted release times of their own."""
    size, processing_time = feitelson(n_jobs, 3)
    order = np.arange(n_jobs)
    jobs = Jobs(
        processing_time,
        k_resource_demand(size, 2, 0.1, 3),
        release_time=(order * 7919) % 1000,
        weight=1 + order % 5,
        estimated_processing_time=3 * processing_time,
        id=order + 100,
    )
    return Instance(jobs, Machines.identical(n_machines, [1_000_000, 1_200_000], ["processors", "memory"]))


def unchanged(inst: Instance, other: Instance, *columns: str) -> bool:
    """Whether two instances are equal but for these columns."""
    restored = {name: getattr(inst.jobs, name) for name in columns}
    return other.machines == inst.machines and other.jobs.replace(**restored) == inst.jobs


def test_the_first_jobs_are_those_of_the_instance_in_its_order() -> None:
    inst = recorded(30)
    assert first_jobs(inst, 12).jobs == inst.jobs[:12]
    assert first_jobs(inst, 12).machines == inst.machines
    assert first_jobs(inst, 30) == inst
    assert first_jobs(inst, 0).n_jobs == 0
    with pytest.raises(InvalidInstanceError, match="first 31 jobs: the workload has only 30"):
        first_jobs(inst, 31)
    with pytest.raises(InvalidInstanceError, match="n_jobs = -1"):
        first_jobs(inst, -1)


def test_exact_estimates_are_the_processing_times_and_nothing_else_changes() -> None:
    inst = recorded(30)
    exact = exact_estimates(inst)
    np.testing.assert_array_equal(exact.jobs.estimated_processing_time, inst.jobs.processing_time)
    assert unchanged(inst, exact, "estimated_processing_time")


@given(gap=st.floats(0, 1e6), seed=st.integers(0, 2**64 - 1))
@examples(20)
def test_arrivals_with_a_gap_are_the_unit_arrivals_stretched(gap: float, seed: int) -> None:
    inst = recorded(25)
    released = poisson_arrivals(inst, seed, mean_gap=gap)
    np.testing.assert_array_equal(released.jobs.release_time, np.floor(gap * unit_arrivals(25, seed)))
    assert unchanged(inst, released, "release_time")


@pytest.mark.parametrize("n_machines", [1, 3])
def test_a_queue_asked_for_is_the_queue_of_easy_backfilling(n_machines: int) -> None:
    inst = recorded(800, n_machines)
    released = poisson_arrivals(inst, 5, average_queue=8)
    assert unchanged(inst, released, "release_time")
    exact = exact_estimates(released)
    queue = metrics.summary(exact, schedcore.solve("easy", exact).schedule)["avg_queue_arrivals"]
    assert queue == pytest.approx(8, rel=0.02)


def test_on_one_machine_the_gap_is_the_calibrated_one() -> None:
    inst = recorded(300)
    found = calibrate_gap(inst.jobs, unit_arrivals(300, 2), 5, [1_000_000, 1_200_000])
    assert poisson_arrivals(inst, 2, average_queue=5) == poisson_arrivals(inst, 2, mean_gap=found.gap)


def test_a_generated_workload_gets_the_arrivals_that_it_has() -> None:
    inst = feitelson_k(4, 500, average_queue=6)
    assert poisson_arrivals(inst, 4, average_queue=6) == inst


def test_an_instance_without_jobs_has_no_arrivals() -> None:
    assert poisson_arrivals(first_jobs(recorded(3), 0), 1, mean_gap=60).n_jobs == 0


@pytest.mark.parametrize(
    ("load", "words"),
    [
        ({}, "exactly one of them"),
        ({"average_queue": 3, "mean_gap": 60}, "exactly one of them"),
        ({"mean_gap": -1}, "mean_gap = -1 must be finite and at least 0"),
        ({"mean_gap": math.nan}, "mean_gap = nan"),
        ({"mean_gap": math.inf}, "mean_gap = inf"),
        ({"mean_gap": 1e16}, "after 2\\*\\*53"),
        ({"average_queue": 0}, "target = 0 must be finite and above 0"),
        ({"average_queue": math.nan}, "target = nan"),
        ({"average_queue": 1000}, "target = 1000 is out of reach"),
    ],
)
def test_a_load_out_of_range_is_refused(load: dict[str, float], words: str) -> None:
    with pytest.raises(InvalidInstanceError, match=words):
        poisson_arrivals(recorded(20), 1, **load)


def test_a_job_that_no_machine_holds_is_named() -> None:
    inst = Instance(Jobs([5, 5], [[1], [9]]), Machines([[4], [8]]))
    with pytest.raises(InfeasibleError, match="job 1"):
        poisson_arrivals(inst, 1, average_queue=1)


def test_jobs_of_map_and_reduce_tasks_are_released_anew_as_others() -> None:
    inst = mapreduce_standin(30, seed=1)
    first = first_jobs(inst, 10)
    assert (first.n_jobs, first.machines) == (10, inst.machines)
    assert first.map_tasks.tolist() == inst.map_tasks[:10].tolist()
    assert not at_time_zero(inst).release_time.any()
    assert scale_release_times(inst, 0.5).release_time.tolist() == (inst.release_time // 2).tolist()
    paced = poisson_arrivals(inst, 4, mean_gap=7)
    assert paced.release_time.tolist() == np.floor(7 * unit_arrivals(30, 4)).tolist()
    assert paced.replace(release_time=inst.release_time) == inst
    with pytest.raises(UnsupportedError, match="schedules no jobs of tasks"):
        poisson_arrivals(inst, 4, average_queue=3)
