"""What holds for every algorithm in the registry, whatever its family and options (P1, P8, P14, P15)."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import schedcore
from example_shares import examples
from properties.registry_cases import ALGORITHMS, GUARANTEED, NON_IDLING, problems, solve, with_jobs
from properties.slotted_registry_cases import (
    Case,
    every_slotted_algorithm,
    least_value,
    release_times,
    slotted_problems,
    solve_slotted,
)
from reference.optimum import optimum
from schedcore.registry import Algorithm
from schedcore.workloads import lemma41
from strategies import instances

ROUNDING = 1e-12


def best_value(instance: schedcore.Instance, objective: str) -> float:
    if objective == "average_response_time":
        completions = optimum(with_jobs(instance, weight=1)).sum_weighted_completion
        return float(
            (completions - sum(map(Fraction, instance.jobs.release_time.tolist()))) / max(1, instance.n_jobs)
        )
    best = optimum(instance)
    if objective == "makespan":
        return float(best.makespan)
    return float(best.sum_weighted_completion) / max(1, instance.n_jobs)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@examples(11)
@given(data=st.data())
def test_p1_every_schedule_passes_the_validator(algorithm: Algorithm, data: st.DataObject) -> None:
    options, instance = data.draw(problems(algorithm))
    result = solve(algorithm, instance, options)
    schedcore.validate(instance, result.schedule, raise_on_error=True)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@examples(11)
@given(data=st.data())
def test_value_is_the_objective_of_the_schedule(algorithm: Algorithm, data: st.DataObject) -> None:
    options, instance = data.draw(problems(algorithm))
    result = solve(algorithm, instance, options)
    ends = result.schedule.start_time + instance.jobs.processing_time
    values = {
        "average_response_time": math.fsum([*ends, *-instance.jobs.release_time]) / max(1, instance.n_jobs),
        "awct": math.fsum(instance.jobs.weight * ends) / max(1, instance.n_jobs),
        "makespan": ends.max(initial=0.0),
    }
    assert result.objective == algorithm.objective
    assert result.value == pytest.approx(values[result.objective], rel=ROUNDING)


def waiting_job_that_fits(
    instance: schedcore.Instance, schedule: schedcore.Schedule, begin: float
) -> tuple[int, int, float] | None:
    """A job, machine and event instant >= `begin` such that the released job waits although it fits."""
    release, demand = instance.jobs.release_time, instance.jobs.demand
    start, end = schedule.start_time, schedule.start_time + instance.jobs.processing_time
    events = np.unique(np.concatenate([release, end, [begin]]))
    for now in events[events >= begin]:
        for machine in range(instance.n_machines):
            active = (schedule.machine == machine) & (start <= now) & (now < end)
            free = instance.machines.capacity[machine] - demand[active].sum(axis=0)
            for job in np.flatnonzero((release <= now) & (now < start)):
                if np.all(demand[job] <= free):
                    return int(job), machine, float(now)
    return None


@pytest.mark.parametrize("algorithm", NON_IDLING)
@examples(11)
@given(data=st.data())
def test_p8_non_idling_algorithms_leave_no_fitting_job_waiting(
    algorithm: Algorithm, data: st.DataObject
) -> None:
    options, instance = data.draw(problems(algorithm))
    result = solve(algorithm, instance, options)
    assert waiting_job_that_fits(instance, result.schedule, begin=0.0) is None


@given(instance=instances(), heuristic=st.sampled_from(["wsjf", "sdf", "erf"]))
def test_p8_ca_pq_leaves_no_fitting_job_waiting_after_the_last_release(
    instance: schedcore.Instance, heuristic: str
) -> None:
    result = schedcore.solve("ca_pq", instance, heuristic=heuristic)
    last_release = instance.jobs.release_time.max(initial=0.0)
    assert np.all(result.schedule.start_time >= last_release)
    assert waiting_job_that_fits(instance, result.schedule, begin=last_release) is None


@pytest.mark.parametrize("algorithm", GUARANTEED)
@examples(11)
@given(data=st.data())
def test_guarantee_holds_against_the_optimum(algorithm: Algorithm, data: st.DataObject) -> None:
    options, instance = data.draw(problems(algorithm, max_jobs=5))
    result = solve(algorithm, instance, options)
    assume(result.guarantee is not None)
    assert result.guarantee is not None
    best = best_value(instance, result.objective)
    assert best * (1 - ROUNDING) <= result.value <= result.guarantee * best * (1 + ROUNDING)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@examples(11)
@given(data=st.data())
def test_p15_lower_bounds_are_below_the_optimum(algorithm: Algorithm, data: st.DataObject) -> None:
    options, instance = data.draw(problems(algorithm, max_jobs=5))
    result = solve(algorithm, instance, options)
    best = best_value(instance, result.objective)
    assert best * (1 - ROUNDING) <= result.value
    if result.lower_bound is not None:
        assert result.lower_bound <= best * (1 + ROUNDING)
        assert result.lower_bound <= result.value
        assert result.gap() >= 0
    if result.objective == "awct":
        bounds = schedcore.lower_bounds(instance)
        assert bounds["best"] == max(bounds.values())
        assert bounds["best"] <= best * instance.n_jobs * (1 + ROUNDING)


@pytest.mark.parametrize("algorithm", [case for case in ALGORITHMS if not case.values[0].needs_zero_releases])
@pytest.mark.parametrize("n_jobs", [4, 16, 64, 256])
def test_p14_a_long_job_first_costs_non_idling_algorithms_half_the_number_of_jobs(
    algorithm: Algorithm, n_jobs: int
) -> None:
    # A job of length p = N (in units of `scale`) takes the machine one tick before N - 1 unit jobs arrive.
    scale, p = 100, n_jobs
    good_schedule = (n_jobs - 1) * (1 + scale) + 1 + scale + p * scale
    instance = lemma41(n_jobs, scale=scale)
    result = schedcore.solve(algorithm.name, instance)
    value = result.value * n_jobs
    if result.objective == "average_response_time":
        value += instance.jobs.release_time.sum()
    if algorithm.non_idling:
        assert value == pytest.approx((p + (n_jobs - 1) * (p + 1)) * scale, rel=ROUNDING)
        assert value / good_schedule >= 0.45 * n_jobs
    if result.guarantee is not None:
        assert value <= result.guarantee * good_schedule


# Algorithms that work in slots


@every_slotted_algorithm
@examples(20)
@given(data=st.data())
def test_p1_every_slotted_schedule_passes_the_validator(case: Case, data: st.DataObject) -> None:
    problem = data.draw(slotted_problems(case))
    result = solve_slotted(case, problem)
    kind = "complete" if result.stats["status"] == "finished" else "partial"
    schedcore.validate(problem.instance, result.schedule, kind=kind, raise_on_error=True)


@every_slotted_algorithm
@examples(15)
@given(data=st.data())
def test_the_value_of_a_slotted_schedule_is_the_power_sum_of_its_flow_times(
    case: Case, data: st.DataObject
) -> None:
    problem = data.draw(slotted_problems(case))
    result = solve_slotted(case, problem)
    assert result.objective == case.algorithm.objective == "flow_power_sum"
    ends = result.schedule.completion_time(problem.instance.n_jobs)
    unfinished = np.isinf(result.completion_time)
    np.testing.assert_array_equal(result.completion_time[~unfinished], ends[~unfinished])
    assert unfinished.sum() == result.stats["n_unfinished"]
    flow = result.completion_time - release_times(problem.instance)
    assert result.value == pytest.approx(math.fsum(flow**result.k), rel=ROUNDING)


@every_slotted_algorithm
@examples(15)
@given(data=st.data())
def test_p15_slotted_schedules_are_between_the_optimum_and_their_guarantees(
    case: Case, data: st.DataObject
) -> None:
    problem = data.draw(slotted_problems(case, tiny=True))
    result = solve_slotted(case, problem)
    best = least_value(problem.instance, result.k)
    assert result.lower_bound <= min(best, result.value)
    assert result.gap() >= 0
    assert best <= result.value * (1 + ROUNDING)
    if result.guarantee is not None:
        assert case.algorithm.guarantee
        assert result.value <= result.guarantee * best * (1 + ROUNDING)
