"""Calibration finds the gap of the specification's bisection, and the generators release their jobs by it."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from example_shares import examples
from reference import workload_models as reference
from reference.backfilling import simulate
from reference.backfilling_instance import BackfillInstance
from schedcore import InfeasibleError, Instance, InvalidInstanceError, Jobs, Machines
from schedcore.workloads import (
    calibrate_gap,
    feitelson,
    feitelson_k,
    k_resource_demand,
    lublin,
    lublin_k,
    offered_load,
    unit_arrivals,
)
from schedcore.workloads.models.gap_calibration import (
    average_queue,
    bisect_gap,
    easy_start_times,
    submit_times,
)


def jobs_of(seed: int, n_jobs: int, n_resources: int = 2) -> Jobs:
    size, processing_time = feitelson(n_jobs, seed)
    return Jobs(processing_time, k_resource_demand(size, n_resources, 0.1, seed))


def reference_queue(jobs: Jobs, arrivals: NDArray[np.float64], capacity: list[int], gap: float) -> float:
    submit = [math.floor(gap * a) for a in arrivals.tolist()]
    instance = Instance(Jobs(jobs.processing_time, jobs.demand, submit), Machines.identical(1, capacity))
    start = simulate(BackfillInstance.from_instance(instance), "easy").start_time
    return reference.average_queue(submit, [int(s) for s in start])


class OutOfReachError(Exception):
    """All jobs arrive at once, and the queue is still too short."""


def start_gap(jobs: Jobs, capacity: list[int]) -> float:
    n = jobs.n_jobs
    work = [float(jobs.processing_time @ jobs.demand[:, k]) / (n * c) for k, c in enumerate(capacity)]
    return max(work) / 0.7


@given(
    start=st.floats(1e-3, 1e3),
    target=st.floats(0.1, 200),
    power=st.floats(0.3, 4),
    wiggle=st.floats(0, 0.5),
)
def test_bisection_follows_the_specification(
    start: float, target: float, power: float, wiggle: float
) -> None:
    """A queue that falls with the gap, though not everywhere, as scheduling anomalies make it do."""

    def queue(gap: float) -> float:
        return 50 * gap**-power * (1 + wiggle * math.sin(20 * gap))

    found = bisect_gap(queue, start, target)
    assert found == reference.calibrate_gap(queue, start, target)
    assert queue(found.gap) == found.queue


def test_a_queue_that_jumps_over_the_target_gives_the_nearest_side() -> None:
    found = bisect_gap(lambda gap: 100.0 if gap < 3 else 1.0, 2.0, 40.0)
    assert found.queue == 1.0
    assert 3 <= found.gap < 3 * 1.0001


def test_a_start_on_target_is_kept_after_the_bracket_is_closed() -> None:
    found = bisect_gap(lambda gap: 10 / gap, 1.0, 10.0)
    assert found == (1.0, 10.0, 1)


@given(
    jobs=st.lists(st.tuples(st.integers(0, 5), st.integers(0, 9)), min_size=1, max_size=12),
)
def test_the_average_queue_counts_waiting_jobs_instant_by_instant(jobs: list[tuple[int, int]]) -> None:
    submit = np.cumsum([gap for gap, _ in jobs])
    start = submit + np.array([wait for _, wait in jobs])
    got = average_queue(submit.astype(np.float64), start.astype(np.float64))
    assert got == pytest.approx(reference.average_queue(submit.tolist(), start.tolist()), abs=1e-12)


@given(seed=st.integers(0, 99), n_jobs=st.integers(8, 40), target=st.floats(0.3, 3))
@examples(15)
def test_calibration_equals_the_reference(seed: int, n_jobs: int, target: float) -> None:
    jobs, arrivals, capacity = jobs_of(seed, n_jobs), unit_arrivals(n_jobs, seed), [1_000_000, 1_200_000]

    def queue(gap: float) -> float:
        if math.floor(gap * arrivals[-1]) == 0:
            raise OutOfReachError
        return reference_queue(jobs, arrivals, capacity, gap)

    try:
        expected = reference.calibrate_gap(queue, start_gap(jobs, capacity), target)
    except OutOfReachError:
        with pytest.raises(InvalidInstanceError, match="out of reach"):
            calibrate_gap(jobs, arrivals, target, capacity)
    else:
        assert calibrate_gap(jobs, arrivals, target, capacity) == pytest.approx(expected)


def test_release_times_and_estimates_of_the_jobs_are_ignored() -> None:
    jobs, arrivals = jobs_of(1, 300), unit_arrivals(300, 1)
    other = Jobs(
        jobs.processing_time,
        jobs.demand,
        release_time=np.arange(300) * 1000,
        estimated_processing_time=jobs.processing_time * 3,
    )
    assert calibrate_gap(other, arrivals, 8) == calibrate_gap(jobs, arrivals, 8, [10**6, 10**6])


@pytest.mark.parametrize(
    ("model", "n_resources", "variance", "target", "printed"),
    [
        (feitelson, 2, 0.01, 32, 0.86),
        (feitelson, 2, 1.0, 128, 0.87),
        (feitelson, 4, 0.1, 64, 0.78),
        (feitelson, 8, 0.01, 128, 0.85),
        (lublin, 2, 0.01, 32, 0.88),
        (lublin, 2, 1.0, 128, 0.84),
        (lublin, 4, 0.1, 64, 0.76),
        (lublin, 8, 0.01, 128, 0.82),
    ],
)
def test_calibrated_workloads_use_as_much_of_the_machine_as_in_the_reference_tables(  # type: ignore[no-untyped-def]
    model, n_resources: int, variance: float, target: int, printed: float
) -> None:
    """4000 jobs, seeds 1 to 3: mean utilisation under FCFS/FF-EASY, printed with two digits."""
    machine = Machines.identical(1, [1_000_000] * n_resources)
    utilisation = []
    for seed in (1, 2, 3):
        size, processing_time = model(4000, seed)
        jobs = Jobs(processing_time, k_resource_demand(size, n_resources, variance, seed))
        arrivals = unit_arrivals(4000, seed)
        found = calibrate_gap(jobs, arrivals, target)
        assert abs(found.queue - target) <= 0.05 * target
        submit_time = submit_times(found.gap, arrivals)
        end = easy_start_times(jobs, submit_time, machine) + jobs.processing_time
        work = jobs.demand * jobs.processing_time[:, np.newaxis]
        utilisation.append((work.sum(axis=0) / (1e6 * end.max())).mean())
    assert abs(np.mean(utilisation) - printed) <= 0.0051


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: calibrate_gap(jobs_of(1, 5), unit_arrivals(5, 1), 0), "target = 0 must be finite and above 0"),
        (lambda: calibrate_gap(jobs_of(1, 5), unit_arrivals(5, 1), math.nan), "target = nan must be finite"),
        (lambda: calibrate_gap(jobs_of(1, 5), unit_arrivals(5, 1), 5), "target = 5 is out of reach"),
        (lambda: calibrate_gap(jobs_of(1, 1), unit_arrivals(1, 1), 1), "target = 1 is out of reach"),
        (lambda: calibrate_gap(Jobs([], np.empty((0, 2), dtype=np.int64)), [], 1), "target = 1 is out of reach"),
        (lambda: calibrate_gap(jobs_of(1, 5), unit_arrivals(4, 1), 1), "unit_arrivals has 4 entries for 5 jobs"),
        (lambda: calibrate_gap(jobs_of(1, 3), [0, 2, 1], 1), r"unit_arrivals\[2\] = 1.0 is before that of job 1"),
        (lambda: calibrate_gap(jobs_of(1, 5), unit_arrivals(5, 1), 1, [10**6] * 3), "jobs have 2 resources, machines"),
        (lambda: lublin_k(1, 5, variance_per_mille=0), "variance_per_mille = 0 is below 1"),
        (lambda: lublin_k(1, 5, demand_factor=0), "demand_factor = 0 is below 1"),
        (lambda: lublin_k(1, 5, estimate_factor=0), "estimate_factor = 0 is below 1"),
        (lambda: lublin_k(1, 5, mean_gap=-1), "mean_gap = -1 is below 0"),
        (lambda: lublin_k(1, 5, average_queue=0), "average_queue = 0 is below 1"),
        (lambda: lublin_k(1, 5, mean_gap=1, average_queue=2), "mean_gap = 1 and average_queue = 2 exclude"),
        (lambda: lublin_k(1, 50, mean_gap=2**53), "the last job is submitted after 2"),
    ],
)  # fmt: skip
def test_arguments_out_of_range_are_named(call, message: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(InvalidInstanceError, match=message):
        call()


def test_a_job_that_the_machine_cannot_hold_is_named() -> None:
    with pytest.raises(InfeasibleError, match=r"demand\[0, 0\] = \d+ exceeds capacity = 10 "):
        calibrate_gap(jobs_of(1, 5), unit_arrivals(5, 1), 1, 10)


@pytest.mark.parametrize("generator", [feitelson_k, lublin_k])
def test_without_a_gap_the_most_demanded_resource_is_loaded_to_seven_tenths(generator) -> None:  # type: ignore[no-untyped-def]
    inst = generator(2, 20_000, n_resources=3)
    assert abs(offered_load(inst).max() - 0.7) < 0.02


def test_instances_are_made_of_the_models() -> None:
    inst = feitelson_k(5, 50, 3, variance_per_mille=10, demand_factor=2, estimate_factor=3, mean_gap=100)
    base = reference.feitelson(50, 5)
    assert inst.jobs.processing_time.tolist() == [p for _, p in base]
    assert inst.jobs.demand.tolist() == reference.k_resource_demand([s for s, _ in base], 3, 0.01, 5, 2)
    assert inst.jobs.release_time.tolist() == [math.floor(100 * a) for a in reference.unit_arrivals(50, 5)]
    assert inst.jobs.estimated_processing_time.tolist() == reference.estimates([p for _, p in base], 3, 5)
    assert inst.machines.capacity.tolist() == [[1_000_000] * 3]
    assert not lublin_k(1, 10).jobs.has_estimates
    assert lublin_k(1, 0).n_jobs == 0


def test_the_load_changes_the_arrivals_and_nothing_else() -> None:
    light, heavy = lublin_k(4, 600, average_queue=4), lublin_k(4, 600, average_queue=16)
    assert np.array_equal(light.jobs.demand, heavy.jobs.demand)
    assert np.array_equal(light.jobs.processing_time, heavy.jobs.processing_time)
    assert light.jobs.release_time[-1] > heavy.jobs.release_time[-1]
