"""The lemmas and theorems of the MRIS paper on small instances, with the corrected constants."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given

import schedcore
from example_shares import examples
from properties.mris_constants import (
    BACKFILLING,
    KEYS,
    KNAPSACKS,
    OVERSHOOT,
    batch_factor,
    has_exact_volumes,
    makespan,
    n_counted_resources,
    sum_weighted_ends,
    volumes,
)
from reference.optimum import optimum
from schedcore.workloads import lemma41, lemma64, list_gap
from strategies import instances

tiny_instances = instances(identical_machines=True, min_jobs=1, max_jobs=5, max_machines=3)


def solve_guaranteed(instance: schedcore.Instance, knapsack: str, placement: str) -> schedcore.Result:
    """Solve; skip the examples whose capacities have too large a common multiple for exact volumes."""
    result = schedcore.solve("mris", instance, knapsack=knapsack, placement=placement)
    assume(result.guarantee is not None)
    return result


# Lemma 6.3: the makespan of offline PQ


def pq_makespan_bound(instance: schedcore.Instance) -> Fraction:
    """max(2 pmax, 2V/M)."""
    longest = Fraction(instance.jobs.processing_time.max(initial=0.0))
    return max(2 * longest, 2 * sum(volumes(instance), Fraction(0)) / instance.n_machines)


@pytest.mark.parametrize("heuristic", KEYS)
@examples(16)
@given(instance=instances(identical_machines=True, max_machines=1, zero_releases=True))
def test_p5_offline_pq_on_one_machine_is_within_twice_length_or_volume(
    heuristic: str, instance: schedcore.Instance
) -> None:
    result = schedcore.solve("offline_pq", instance, heuristic=heuristic)
    assert makespan(instance, result) <= pq_makespan_bound(instance)


@pytest.mark.parametrize("heuristic", KEYS)
@examples(16)
@given(instance=instances(identical_machines=True, max_machines=4, zero_releases=True))
def test_p6_offline_pq_on_several_machines_adds_one_longest_job(
    heuristic: str, instance: schedcore.Instance
) -> None:
    result = schedcore.solve("offline_pq", instance, heuristic=heuristic)
    longest = Fraction(instance.jobs.processing_time.max(initial=0.0))
    assert makespan(instance, result) <= pq_makespan_bound(instance) + longest


@given(
    instance=instances(identical_machines=True, min_jobs=1, max_jobs=5, max_machines=3, zero_releases=True)
)
def test_p6_offline_pq_is_within_2r_plus_1_of_the_optimal_makespan(instance: schedcore.Instance) -> None:
    result = schedcore.solve("offline_pq", instance)
    best = optimum(instance).makespan
    assert makespan(instance, result) <= (2 * n_counted_resources(instance) + 1) * best


@pytest.mark.parametrize("n_resources", [1, 3])
@pytest.mark.parametrize("heuristic", KEYS)
def test_p7_jobs_just_over_half_a_machine_run_one_by_one(heuristic: str, n_resources: int) -> None:
    n_jobs, p, capacity = 7, 4, 10
    instance = lemma64(n_jobs, n_resources, p, capacity)
    result = schedcore.solve("offline_pq", instance, heuristic=heuristic)
    assert makespan(instance, result) == n_jobs * p
    assert sum(volumes(instance)) == n_jobs * p * (Fraction(1, 2) + Fraction(1, capacity))


# The iterations of MRIS


@pytest.mark.parametrize("placement", ["scan", "list", "nobackfill"])
@pytest.mark.parametrize("knapsack", KNAPSACKS)
@examples(16)
@given(instance=instances())
def test_p9_batches_partition_the_jobs_and_respect_their_iteration(
    knapsack: str, placement: str, instance: schedcore.Instance
) -> None:
    result = schedcore.solve("mris", instance, knapsack=knapsack, placement=placement)
    volume = volumes(instance)
    taken: list[int] = []
    for row in result.stats["iterations"]:
        gamma = Fraction(row["gamma"])
        chosen = list(row["chosen"])
        zeta = n_counted_resources(instance) * instance.n_machines * gamma
        assert chosen == sorted(chosen)
        assert 0 < len(chosen) <= row["n_candidates"]
        assert np.all(result.schedule.start_time[chosen] >= row["gamma"])
        assert np.all(instance.jobs.processing_time[chosen] <= row["gamma"])
        assert np.all(instance.jobs.release_time[chosen] <= row["gamma"])
        if has_exact_volumes(instance):
            assert sum(volume[j] for j in chosen) <= (1 + OVERSHOOT[knapsack]) * zeta
        taken += chosen
    assert sorted(taken) == list(range(instance.n_jobs))


@pytest.mark.parametrize("placement", BACKFILLING)
@pytest.mark.parametrize("knapsack", KNAPSACKS)
@examples(16)
@given(instance=instances(identical_machines=True, max_jobs=12))
def test_p10_every_batch_ends_by_2c_gamma(
    knapsack: str, placement: str, instance: schedcore.Instance
) -> None:
    result = solve_guaranteed(instance, knapsack, placement)
    c = batch_factor(instance, knapsack)
    for row in result.stats["iterations"]:
        assert Fraction(row["makespan"]) <= 2 * c * Fraction(row["gamma"])


@pytest.mark.parametrize("knapsack", KNAPSACKS)
@examples(16)
@given(instance=instances(identical_machines=True, min_jobs=1, max_jobs=4, max_machines=3, max_resources=4))
def test_p11_no_schedule_completes_more_weight_by_gamma_than_the_iterations_took(
    knapsack: str, instance: schedcore.Instance
) -> None:
    # Stronger than the lemma, which compares with one optimal schedule: a set of jobs can be completed by
    # gamma if and only if its optimal makespan is at most gamma.
    result = solve_guaranteed(instance, knapsack, "scan")
    least_makespan = {
        jobs: optimum(only(instance, jobs)).makespan
        for size in range(1, instance.n_jobs + 1)
        for jobs in combinations(range(instance.n_jobs), size)
    }
    taken: list[int] = []
    for row in result.stats["iterations"]:
        taken += list(row["chosen"])
        for jobs, end in least_makespan.items():
            if end <= Fraction(row["gamma"]):
                assert total_weight(instance, taken) >= total_weight(instance, jobs)


def only(instance: schedcore.Instance, jobs: Sequence[int]) -> schedcore.Instance:
    columns = instance.jobs
    rows = list(jobs)
    return schedcore.Instance(
        schedcore.Jobs(
            processing_time=columns.processing_time[rows],
            demand=columns.demand[rows],
            release_time=columns.release_time[rows],
            weight=columns.weight[rows],
        ),
        instance.machines,
    )


def total_weight(instance: schedcore.Instance, jobs: Sequence[int]) -> Fraction:
    return sum((Fraction(w) for w in instance.jobs.weight[list(jobs)].tolist()), Fraction(0))


@pytest.mark.parametrize("placement", BACKFILLING)
@pytest.mark.parametrize("knapsack", KNAPSACKS)
@examples(16)
@given(instance=tiny_instances)
def test_p12_sum_weighted_completion_is_within_4c_of_the_optimum(
    knapsack: str, placement: str, instance: schedcore.Instance
) -> None:
    result = solve_guaranteed(instance, knapsack, placement)
    factor = 4 * batch_factor(instance, knapsack)
    assert result.guarantee == pytest.approx(float(factor))
    assert sum_weighted_ends(instance, result) <= factor * optimum(instance).sum_weighted_completion


@pytest.mark.parametrize("placement", BACKFILLING)
@pytest.mark.parametrize("knapsack", KNAPSACKS)
@examples(16)
@given(instance=tiny_instances)
def test_p13_makespan_is_within_4c_of_the_optimum(
    knapsack: str, placement: str, instance: schedcore.Instance
) -> None:
    result = solve_guaranteed(instance, knapsack, placement)
    factor = 4 * batch_factor(instance, knapsack)
    assert makespan(instance, result) <= factor * optimum(instance).makespan


@given(instance=tiny_instances)
def test_list_placement_promises_nothing(instance: schedcore.Instance) -> None:
    assert schedcore.solve("mris", instance, placement="list").guarantee is None


# Constructed instances


@pytest.mark.parametrize("n_jobs", [4, 32, 256])
def test_p14_mris_stays_bounded_where_priority_queues_pay_n_over_2(n_jobs: int) -> None:
    scale, p = 100, n_jobs
    instance = lemma41(n_jobs, scale=scale)
    good_schedule = (n_jobs - 1) * (1 + scale) + 1 + scale + p * scale
    for heuristic in KEYS:
        queue = schedcore.solve("pq", instance, heuristic=heuristic)
        assert sum_weighted_ends(instance, queue) == (p + (n_jobs - 1) * (p + 1)) * scale
        mris = schedcore.solve("mris", instance, heuristic=heuristic)
        assert sum_weighted_ends(instance, mris) <= 2 * good_schedule


@pytest.mark.parametrize("heuristic", KEYS)
@examples(16)
@given(instance=instances(identical_machines=True, zero_releases=True))
def test_p16_one_iteration_that_takes_everything_is_offline_pq_later(
    heuristic: str, instance: schedcore.Instance
) -> None:
    gamma0 = 2.0**45  # beyond the sum of all processing times, so the knapsack takes everything
    late = schedcore.solve("mris", instance, heuristic=heuristic, gamma0=gamma0)
    offline = schedcore.solve("offline_pq", instance, heuristic=heuristic)
    np.testing.assert_array_equal(late.schedule.start_time, offline.schedule.start_time + gamma0)
    np.testing.assert_array_equal(late.schedule.machine, offline.schedule.machine)


@pytest.mark.parametrize(("n", "shortest"), [(16, 90), (60, 300)])
def test_p17_list_placement_has_no_bounded_ratio_and_scanning_has(n: int, shortest: int) -> None:
    instance = list_gap(n, shortest)
    # all thin jobs at time 0, then the wide ones one after another
    thin_end = [shortest + 2 * i for i in range(n)]
    wide_end = [shortest + 2 * (n - 1) + 1 + i for i in range(n)]
    weight = instance.jobs.weight
    good_schedule = weight[0::2] @ thin_end + weight[1::2] @ wide_end
    by_list = schedcore.solve("mris", instance, placement="list")
    by_scan = schedcore.solve("mris", instance, placement="scan")
    assert by_list.value * instance.n_jobs >= n / 3 * good_schedule
    assert by_scan.value * instance.n_jobs <= 4 * good_schedule
