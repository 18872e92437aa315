"""No bound exceeds the value of a schedule, to the last bit, where times, weights and quotients are rounded."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, reject
from hypothesis import strategies as st

import schedcore
from example_shares import examples
from parallel_task_cases import single_tasks
from properties.colocation_instances import colocation_instances, plain
from properties.parallel_task_instances import parallel_task_instances
from properties.registry_cases import ALGORITHMS, solve, suited_to
from properties.slotted_registry_cases import Case, every_slotted_algorithm, slotted_problems, solve_slotted
from reference.colocation_optimum import optimum as least_cost
from reference.optimum import optimum
from schedcore import Instance, Jobs, Machines, Schedule, metrics
from schedcore.bounds import (
    average_response_time_lower_bound,
    awct_lower_bound,
    flow_power_lower_bound,
    fractional_lower_bound,
    lower_bounds,
    makespan_lower_bound,
    relaxation_bound,
)
from schedcore.bounds.rounding import largest_double_up_to, mean_up_to, sum_up_to
from schedcore.errors import InvalidInstanceError
from schedcore.model.certificate import ratio_to_bound
from schedcore.registry import Algorithm

LIMIT = 2**53

rounded_releases = st.sampled_from([0, 1, 2**52 + 1, LIMIT - 1, LIMIT]) | st.floats(0, 1000)
rounded_lengths = st.sampled_from([1, 3, LIMIT - 1, LIMIT, LIMIT]) | st.floats(0.1, 1000)
rounded_weights = st.sampled_from([1.0, 0.1, 1 / 3, 1e-300, 3.0]) | st.floats(2.0**-20, 2.0**20)
doubles = st.floats(0, 1e300)


@st.composite
def rounded_instances(draw: st.DrawFn, max_jobs: int = 5) -> Instance:
    """Few jobs whose completion times round, up and down; often a machine for each."""
    n_jobs = draw(st.integers(1, max_jobs))

    def drawn(values: Any) -> list[Any]:
        return [draw(values) for _ in range(n_jobs)]

    jobs = Jobs(drawn(rounded_lengths), [[draw(st.integers(1, 3))] for _ in range(n_jobs)],
                release_time=drawn(rounded_releases), weight=drawn(rounded_weights))  # fmt: skip
    return Instance(jobs, Machines.identical(draw(st.sampled_from([1, 2, n_jobs])), [3]))


def assert_below(result: Any) -> None:
    assert result.lower_bound <= result.value
    assert result.gap() >= 0


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@examples(25)
@given(instance=rounded_instances())
def test_no_bound_exceeds_the_value_of_an_online_schedule(algorithm: Algorithm, instance: Instance) -> None:
    instance = suited_to(algorithm, instance)
    try:
        result = solve(algorithm, instance, {})
    except InvalidInstanceError:  # policies that plan refuse a length that is lost in rounding
        reject()
    schedcore.validate(instance, result.schedule, raise_on_error=True)
    assert_below(result)
    assert max(lower_bounds(instance).values()) <= metrics.weighted_completion(instance, result.schedule)
    assert awct_lower_bound(instance) <= metrics.awct(instance, result.schedule)
    assert average_response_time_lower_bound(instance) <= metrics.average_response_time(
        instance, result.schedule
    )
    assert makespan_lower_bound(instance) <= metrics.makespan(instance, result.schedule)


@given(rounded_instances(max_jobs=4))
def test_no_bound_exceeds_the_exact_optimum(instance: Instance) -> None:
    best = optimum(instance)
    n = instance.n_jobs
    assert Fraction(max(lower_bounds(instance).values())) <= best.sum_weighted_completion
    assert Fraction(awct_lower_bound(instance)) * n <= best.sum_weighted_completion
    assert Fraction(makespan_lower_bound(instance)) <= best.makespan
    unweighted = Instance(instance.jobs.replace(weight=1), instance.machines)
    responses = optimum(unweighted).sum_weighted_completion - sum(
        map(Fraction, instance.jobs.release_time.tolist())
    )
    assert Fraction(average_response_time_lower_bound(instance)) * n <= responses


def one_after_the_other(instance: Instance) -> Schedule:
    """On one machine, each job as soon as the one before it has completed in doubles."""
    start_time, now = np.zeros(instance.n_jobs), 0.0
    for job in np.argsort(instance.jobs.release_time, kind="stable").tolist():
        start_time[job] = max(now, instance.jobs.release_time[job])
        now = start_time[job] + instance.jobs.processing_time[job]
        assume(now > start_time[job])  # a length that is lost altogether is refused
    return Schedule(start_time, np.zeros(instance.n_jobs, dtype=np.int64))


@examples(300)
@given(rounded_instances(max_jobs=8))
def test_no_bound_exceeds_the_value_of_a_schedule_whose_completion_times_are_rounded(
    instance: Instance,
) -> None:
    schedule = one_after_the_other(instance)
    schedcore.validate(instance, schedule, raise_on_error=True)
    for bound, value in (
        (max(lower_bounds(instance).values()), metrics.weighted_completion(instance, schedule)),
        (awct_lower_bound(instance), metrics.awct(instance, schedule)),
        (average_response_time_lower_bound(instance), metrics.average_response_time(instance, schedule)),
        (makespan_lower_bound(instance), metrics.makespan(instance, schedule)),
    ):
        assert bound <= value
        assert ratio_to_bound(value, bound) >= 1


def test_a_completion_time_that_is_rounded_down_gives_no_negative_gap() -> None:
    instance = Instance(Jobs([LIMIT], [[1]], release_time=[1]), Machines.identical(1, [1]))
    result = schedcore.solve("pq", instance)
    schedcore.validate(instance, result.schedule, raise_on_error=True)
    assert result.value == LIMIT == lower_bounds(instance)["trivial"] == makespan_lower_bound(instance)
    assert result.gap() == 0
    # Beside a job that completes at 1, 1 + 2**53 made an exact sum of 2 + 2**53; the schedule is worth 1 + 2**53.
    two = Instance(Jobs([1, LIMIT], [[1], [1]], release_time=[0, 1]), Machines.identical(2, [1]))
    schedule = schedcore.solve("pq", two).schedule
    schedcore.validate(two, schedule, raise_on_error=True)
    assert Fraction(lower_bounds(two)["best"]) <= 1 + LIMIT
    assert lower_bounds(two)["best"] <= metrics.weighted_completion(two, schedule) == LIMIT
    assert schedcore.solve("pq", two).gap() == 0


@pytest.mark.parametrize("n_jobs", [3, 7, 1000])
def test_means_are_rounded_down_and_their_gap_is_none(n_jobs: int) -> None:
    # One machine a job, so that everybody starts at once: whatever is above the bound is rounding.
    jobs = Jobs(np.arange(1, n_jobs + 1), np.ones((n_jobs, 1), dtype=np.int64))
    instance = Instance(jobs, Machines.identical(n_jobs, [1]))
    exact = Fraction(n_jobs + 1, 2) if n_jobs % 2 else Fraction(n_jobs * (n_jobs + 1) // 2, n_jobs)
    for total, value in ((awct_lower_bound(instance), metrics.awct),
                         (average_response_time_lower_bound(instance), metrics.average_response_time)):  # fmt: skip
        assert Fraction(total) <= exact
        result = schedcore.solve("pq", instance)
        assert ratio_to_bound(value(instance, result.schedule), total) == 1.0
    thirds = Instance(Jobs([1, 1, 2], np.ones((3, 1), dtype=np.int64)), Machines.identical(3, [1]))
    for value_of in (awct_lower_bound, average_response_time_lower_bound):
        assert Fraction(value_of(thirds)) <= Fraction(4, 3) < Fraction(math.nextafter(value_of(thirds), 2))
    assert schedcore.solve("pq", thirds).gap() == 0
    assert schedcore.solve("easy", thirds).gap() == 0


def test_a_thousand_weights_that_are_no_dyadic_numbers_are_lowered_by_their_rounding_alone() -> None:
    random = np.random.default_rng(1)
    weight, length = random.random(1000), random.integers(1, 1000, 1000)
    instance = Instance(
        Jobs(length, np.ones((1000, 1), dtype=np.int64), weight=weight), Machines.identical(1000, [1])
    )
    exact = sum(Fraction(w) * int(p) for w, p in zip(weight.tolist(), length.tolist(), strict=True))
    bound = Fraction(lower_bounds(instance)["trivial"])
    assert exact * (1 - Fraction(1, 2**50)) <= bound <= exact


@examples(40)
@given(instance=colocation_instances(max_tasks=6, max_machines=3, diagonal=None))
@pytest.mark.parametrize("name", ["colocate", "mct_exact", "best_schedule"])
def test_no_colocation_bound_exceeds_the_exact_cost(
    name: str, instance: schedcore.ColocationInstance
) -> None:
    result = schedcore.solve(name, instance)
    assert_below(result)
    assert Fraction(result.lower_bound or 0) * instance.alpha_denominator <= least_cost(plain(instance))


@examples(40)
@given(st.lists(doubles, min_size=1, max_size=6), st.integers(1, 3))
def test_the_bound_of_a_partition_is_rounded_down(times: list[float], n_machines: int) -> None:
    found = schedcore.partition(times, n_machines, work_limit=1000)
    loads = [sum((Fraction(times[task]) for task in group), Fraction(0)) for group in found.groups()]
    assert Fraction(found.lower_bound) <= max(loads)
    assert found.gap() >= 0
    assert not found.is_optimal or found.gap() == 0


@pytest.mark.parametrize("name", ["synchpack1", "synchpack2", "tetris_np", "jsq_mw"])
@examples(15)
@given(instance=parallel_task_instances())
def test_no_bound_exceeds_the_value_of_a_schedule_of_parallel_tasks(
    name: str, instance: schedcore.ParallelTaskInstance
) -> None:
    assert_below(schedcore.solve(name, instance))


def test_the_bound_of_many_tasks_by_themselves_is_what_rounding_costs_below_their_value() -> None:
    rows = [(0.1 * (1 + job % 7), 0.0, job, [1], 1 + job % 13) for job in range(64)]
    instance = single_tasks(rows, [[1]] * 64)
    value = math.fsum(w * p for w, _, _, _, p in rows)
    assert value * (1 - 1e-11) <= relaxation_bound(instance, "lp3") <= value
    assert_below(schedcore.solve("tetris_np", instance))


@every_slotted_algorithm
@examples(20)
@given(data=st.data())
def test_no_bound_exceeds_the_value_of_a_schedule_in_slots(case: Case, data: st.DataObject) -> None:
    assert_below(solve_slotted(case, data.draw(slotted_problems(case))))


@examples(25)
@given(
    st.lists(st.integers(1, 60), min_size=1, max_size=5),
    st.integers(1, 64),
)
def test_powers_that_doubles_do_not_hold_are_rounded_down(length: list[int], k: int) -> None:
    n = len(length)
    jobs = Jobs(length, np.ones((n, 1), dtype=np.int64), release_time=np.arange(n))
    instance = Instance(jobs, Machines.identical(1, [n]))
    result = schedcore.solve("ocorp", instance, k=k)
    assert_below(result)
    assert result.lower_bound is not None
    assert Fraction(result.lower_bound) <= sum(p**k for p in length)
    assert flow_power_lower_bound(instance, k) <= result.value
    assert fractional_lower_bound(instance, k) <= result.stats["fractional"]


@given(st.lists(doubles, max_size=20), st.integers(1, 1000))
def test_sums_and_means_are_the_largest_doubles_up_to_the_exact_ones(values: list[float], count: int) -> None:
    total = sum(map(Fraction, values), Fraction(0))
    assert sum_up_to(np.array(values, dtype=np.float64)) == largest_double_up_to(total)
    mean = mean_up_to(sum(values), count)
    assert Fraction(mean) <= Fraction(sum(values)) / count < Fraction(math.nextafter(mean, math.inf))
