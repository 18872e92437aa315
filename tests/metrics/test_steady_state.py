"""Figures of a steady state equal their definitions, and a hand-made run shows what they leave out."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import schedcore
from reference import metrics as reference
from schedcore import metrics
from scheduled_jobs import scheduled_jobs


@given(scheduled_jobs(), st.sampled_from([Fraction(0), Fraction(1, 10), Fraction(1, 2), Fraction(15, 16)]))
def test_the_figures_equal_the_definitions(case: tuple[Any, Any], warm_up: Fraction) -> None:
    inst, plan = case
    actual = metrics.steady_state(inst, plan, float(warm_up))
    for name, expected in reference.steady_state(inst, plan, Fraction(float(warm_up))).items():
        assert getattr(actual, name) == pytest.approx(float(expected), rel=1e-12, abs=1e-12), name


def four_jobs() -> tuple[schedcore.Instance, schedcore.Schedule]:
    """Released at 0, 10, 20 and 30, of length 5 and volumes 5 / 8 times 8, 1, 2, 5; they wait 100, 0, 4 and 5."""
    jobs = schedcore.Jobs([5, 5, 5, 5], [[8], [1], [2], [5]], release_time=[0, 10, 20, 30])
    inst = schedcore.Instance(jobs, schedcore.Machines([[8]]))
    return inst, schedcore.Schedule(np.array([100.0, 10.0, 24.0, 35.0]), np.zeros(4, dtype=np.int64))


def test_the_first_jobs_are_left_out_of_the_means_and_not_of_the_queue() -> None:
    # Without the first of four: responses 5, 9, 10. Arrivals of the others last from 10 to 30; job 0 waits all the
    # time, and job 2 for 4 of the second half, so the queues are 1 and 1.4.
    found = metrics.steady_state(*four_jobs(), warm_up=0.25)
    assert found.avg_response == 8.0
    assert found.weighted_avg_response == (1 * 5 + 2 * 9 + 5 * 10) / 8
    assert (found.first_queue, found.second_queue, found.queue_growth) == (1.0, 1.4, 1.4)


def test_without_a_warm_up_the_means_are_those_of_the_summary() -> None:
    inst, plan = four_jobs()
    found, whole = metrics.steady_state(inst, plan, 0), metrics.summary(inst, plan)
    assert found.avg_response == whole["avg_response"]
    assert found.weighted_avg_response == whole["weighted_avg_response"]
    assert (found.first_queue + found.second_queue) / 2 == whole["avg_queue_arrivals"]


def test_runs_count_like_the_schedule_that_they_are() -> None:
    inst, plan = four_jobs()
    result = schedcore.solve("fcfs", inst)
    assert metrics.steady_state(inst, result.runs) == metrics.steady_state(inst, result.schedule)
    assert metrics.steady_state(inst, plan).queue_growth > 0


def test_nothing_to_count_is_said_without_a_division() -> None:
    none = schedcore.Instance(schedcore.Jobs([], np.empty((0, 1), dtype=np.int64)), schedcore.Machines([[1]]))
    empty = schedcore.Schedule(np.empty(0), np.empty(0, dtype=np.int64))
    assert metrics.steady_state(none, empty) == metrics.SteadyState(0, 0, 0, 0, 1)
    inst, _ = four_jobs()
    idle = schedcore.Schedule(inst.jobs.release_time, np.zeros(4, dtype=np.int64))
    assert metrics.steady_state(inst, idle).queue_growth == 1.0
    late = schedcore.Schedule(np.array([0.0, 10.0, 25.0, 30.0]), np.zeros(4, dtype=np.int64))
    assert metrics.steady_state(inst, late, 0.25).queue_growth == math.inf


@pytest.mark.parametrize("warm_up", [-0.1, 1.0, math.nan])
def test_a_share_out_of_range_is_refused(warm_up: float) -> None:
    with pytest.raises(schedcore.InvalidInstanceError, match=r"warm_up = .* must be at least 0 and below 1"):
        metrics.steady_state(*four_jobs(), warm_up=warm_up)
