"""Metrics of schedules in slots: examples by hand, and what relates them to each other."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedcore import (
    Instance,
    InvalidInstanceError,
    Jobs,
    Machines,
    PreemptiveSchedule,
    Schedule,
    UnsupportedError,
    metrics,
)
from slotted_cases import map_reduce

# Two cores; jobs (released at, cores, slots): (0, 2, 2), (0, 1, 3), (1, 1, 1). Slots 1: jobs 0 and 1 with a core each;
# 2: jobs 1, 2; 3: jobs 0, 1; 4: job 0 with both. Job 0 is interrupted once.
THREE = Instance(Jobs([2, 3, 1], [[2], [1], [1]], release_time=[0, 0, 1]), Machines([[2]]))
SHARED = PreemptiveSchedule(
    job=[0, 1, 2, 0, 0],
    task=[-1] * 5,
    machine=[0] * 5,
    start_time=[0, 0, 1, 2, 3],
    end_time=[1, 3, 2, 3, 4],
    amount=[1, 1, 1, 1, 2],
)
# Map (2 tasks, 1 core, 2 slots), then reduce (1 task, 2 cores, 1 slot) on two cores.
TWO_PHASES = map_reduce([(0, (2, 1, 2), (1, 2, 1))], [2])
PHASES = PreemptiveSchedule([0, 0, 0], [0, 1, 2], [0, 0, 0], [0, 0, 2], [2, 2, 3], [1, 1, 2])
NOTHING = PreemptiveSchedule(*[[]] * 6)


def test_an_example_by_hand() -> None:
    facts = metrics.slot_facts(THREE, SHARED, k=1)
    assert facts.completion_time.tolist() == [4, 3, 2]
    assert facts.preemptions.tolist() == [1, 0, 0]
    assert facts.migrations.tolist() == [0, 0, 0]
    assert facts.max_gap.tolist() == [1, 0, 0]
    # w_0 = t/2 + 1: (1.5 + 2.5)/2 + 3; w_1 = t/3 + 1: 4/3 + 5/3 + 2; w_2 = (t - 1)/1 + 1 at t = 2
    np.testing.assert_allclose(facts.fractional, [5, 5, 2], rtol=1e-15)
    assert metrics.flow_power_sum(THREE, SHARED, 1) == 8
    assert metrics.flow_power_sum(THREE, SHARED) == 26
    assert metrics.flow_norm(THREE, SHARED) == math.sqrt(26)


def test_the_summary_of_the_example() -> None:
    assert metrics.slot_summary(THREE, SHARED, 1) == {
        "n_jobs": 3,
        "n_unfinished": 0,
        "flow_power_sum": 8,
        "flow_norm": 8,
        "least_flow_norm": 6,
        "fractional": pytest.approx(12, rel=1e-15),
        "makespan": 4,
        "mean_flow_time": 8 / 3,
        "max_flow_time": 4,
        "mean_waiting": 2 / 3,
        "max_waiting": 2,
        "preemptions": 1,
        "migrations": 0,
        "live_migrations": 0,
        "max_gap": 1,
        "utilisation": 1,
    }


def test_the_curves_of_the_example() -> None:
    curves = metrics.work_over_time(THREE, SHARED, 1)
    assert curves.time.tolist() == [1, 2, 3, 4]
    assert curves.offered_volume.tolist() == [7, 8, 8, 8]
    assert curves.unfinished_volume.tolist() == [5, 4, 2, 0]
    assert curves.unfinished_time.tolist() == [3.5, 2.5, 1, 0]
    assert curves.flow_power.tolist() == [0, 1, 4, 8]
    np.testing.assert_allclose(curves.fractional, [0.75 + 4 / 3, 0.75 + 3 + 2, 2 + 5 + 2, 12], rtol=1e-15)
    some = metrics.work_over_time(THREE, SHARED, 1, [0, 3, 9])
    assert some.unfinished_volume.tolist() == [0, 2, 0]
    assert some.flow_power.tolist() == [0, 4, 8]


def test_map_and_reduce_tasks_weigh_by_their_phase() -> None:
    # (2 t + 3) / (2 * 2 * 2) per map task in slots 1 and 2; (2 * 3 + 3) / 2 for the reduce task in slot 3
    fractional = metrics.fractional_flow_time(TWO_PHASES, PHASES, 1)
    np.testing.assert_allclose(fractional, [2 * (5 + 7) / 8 + 9 / 2], rtol=1e-15)
    assert metrics.waiting_by_size(TWO_PHASES, PHASES).size.tolist() == [3]
    assert metrics.work_over_time(TWO_PHASES, PHASES).unfinished_time.tolist() == [3, 1, 0]
    summary = metrics.slot_summary(TWO_PHASES, PHASES)
    assert (summary["flow_norm"], summary["max_waiting"], summary["utilisation"]) == (3, 0, 1)
    with pytest.raises(UnsupportedError):
        metrics.dynamic_fit(TWO_PHASES, PHASES, 9)


def test_jobs_wait_by_size() -> None:
    jobs = Instance(Jobs([5, 2, 5, 2], [[1]] * 4), Machines([[1]]))
    one_by_one = PreemptiveSchedule(
        [1, 3, 0, 2], [-1] * 4, [0] * 4, [0, 2, 4, 9], [2, 4, 9, 14], amount=[1] * 4
    )
    waiting = metrics.waiting_by_size(jobs, one_by_one)
    assert waiting.size.tolist() == [2, 5]
    assert waiting.min.tolist() == [0, 4]
    assert waiting.max.tolist() == [2, 9]
    assert waiting.mean.tolist() == [1, 6.5]
    assert waiting.count.tolist() == [2, 2]


def test_what_is_unfinished_has_infinite_flow_time() -> None:
    cut = PreemptiveSchedule([0, 1], [-1, -1], [0, 0], [0, 0], [1, 3], [1, 1])
    facts = metrics.slot_facts(THREE, cut)
    assert facts.completion_time.tolist() == [math.inf, 3, math.inf]
    assert facts.preemptions.tolist() == [1, 0, 0]  # job 2 has not run
    assert facts.max_gap.tolist() == [2, 0, 2]
    assert metrics.preemption_counts(THREE, cut, end_of_run=10).max_gap.tolist() == [9, 0, 9]
    summary = metrics.slot_summary(THREE, cut)
    assert summary["n_unfinished"] == 2
    assert summary["flow_norm"] == summary["mean_waiting"] == math.inf
    assert math.isfinite(summary["fractional"])
    assert metrics.waiting_by_size(THREE, cut).max.tolist() == [math.inf, math.inf, 0]


@given(gamma=st.integers(2, 12))
def test_uncapped_fit_at_gamma_is_the_work_left_there(gamma: int) -> None:
    left = metrics.work_over_time(THREE, SHARED, times=[gamma]).unfinished_time[0]
    assert metrics.dynamic_fit(THREE, SHARED, gamma, gamma, capped=False) == pytest.approx(left, abs=1e-12)


def test_fit_counts_every_slot_and_goes_on_after_jobs_are_done() -> None:
    # gamma = 8: r = 2/8, 3/8, 1/7. After slot 2: 2/4 + 3 * 2/8 + 1/7 - (1/2 + 2 + 1); after slot 10: gains go on.
    fit = metrics.dynamic_fit(THREE, SHARED, 8)
    assert len(fit) == 8
    assert fit[1] == pytest.approx(1 / 2 + 3 / 4 + 1 / 7 - 3.5)
    assert metrics.dynamic_fit(THREE, SHARED, 8, 10) == pytest.approx(20 / 8 + 30 / 8 + 9 / 7 - 6)
    assert fit[3] == pytest.approx(metrics.dynamic_fit(THREE, SHARED, 8, 4), abs=1e-12)
    # gamma = 2 is too early for all: capped at 1 for jobs 0 and 1.
    assert metrics.dynamic_fit(THREE, SHARED, 2, 2) == pytest.approx(2 + 2 + 1 - 3.5)
    with pytest.raises(InvalidInstanceError, match="job 2 is released at 1"):
        metrics.dynamic_fit(THREE, SHARED, 1, 4, capped=False)


def test_regret_is_the_cost_above_the_bound() -> None:
    assert metrics.dynamic_regret(THREE, SHARED, 1, lower_bound=10.5) == pytest.approx(1.5, rel=1e-14)


@pytest.mark.parametrize("instance", [THREE, TWO_PHASES])
def test_an_empty_schedule_has_no_slots(instance: Any) -> None:
    assert metrics.work_over_time(instance, NOTHING).time.tolist() == []
    assert metrics.slot_summary(instance, NOTHING)["makespan"] == 0


def test_without_jobs_everything_is_zero() -> None:
    none = Instance(Jobs([], []), Machines([[2]]))
    assert set(metrics.slot_summary(none, NOTHING).values()) == {0}
    assert metrics.flow_norm(none, NOTHING) == 0
    assert metrics.waiting_by_size(none, NOTHING).size.tolist() == []
    assert metrics.dynamic_fit(none, NOTHING, 4).tolist() == [0, 0, 0, 0]


def test_huge_powers_are_infinite_without_a_warning() -> None:
    long = Instance(Jobs([10**6], [[1]]), Machines([[1]]))
    piece = PreemptiveSchedule([0], [-1], [0], [0], [10**6], [1])
    assert metrics.fractional_flow_time(long, piece, 64).tolist() == [math.inf]
    assert metrics.slot_summary(long, piece, 64)["flow_norm"] == math.inf
    assert metrics.work_over_time(long, piece, 64, [10, 10**6]).fractional.tolist() == [math.inf, math.inf]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"job": [3, 1, 2, 0, 0]}, "is of job 3, and there are 3 jobs"),
        ({"task": [0, -1, -1, -1, -1]}, "is of task 0 of job 0"),
        ({"machine": [1, 0, 0, 0, 0]}, "is on machine 1, and there are 1 machines"),
        ({"start_time": [0, 0, 0, 2, 3]}, "starts before the release of job 2"),
        ({"end_time": [0.5, 3, 2, 3, 4]}, "no whole number of slots"),
        ({"end_time": [0, 3, 2, 3, 4]}, "does not end after it starts"),
        ({"amount": [0, 1, 1, 1, 2]}, "holds no core"),
    ],
)
def test_pieces_that_cannot_be_measured_are_named(change: dict[str, list[float]], words: str) -> None:
    columns = {n: getattr(SHARED, n) for n in ("job", "task", "machine", "start_time", "end_time", "amount")}
    broken = PreemptiveSchedule(**{**columns, **change})
    for measure in (metrics.slot_facts, metrics.work_over_time):
        with pytest.raises(InvalidInstanceError, match=words):
            measure(THREE, broken)


def test_bad_arguments_are_refused() -> None:
    for k in (0, 65):
        with pytest.raises(InvalidInstanceError, match="k = "):
            metrics.fractional_flow_time(THREE, SHARED, k)
    with pytest.raises(TypeError, match="k must be an integer"):
        metrics.flow_norm(THREE, SHARED, 1.5)  # type: ignore[arg-type]
    starts: Any = Schedule([0, 0, 0], [0, 0, 0])
    for measure in (metrics.flow_power_sum, metrics.work_over_time, metrics.slot_summary):
        with pytest.raises(TypeError, match="not Schedule"):
            measure(THREE, starts)
    with pytest.raises(TypeError, match="without amounts"):
        metrics.slot_facts(THREE, PreemptiveSchedule([0], [-1], [0], [0], [1]))
    with pytest.raises(InvalidInstanceError, match=r"times\[1\] = 2"):
        metrics.work_over_time(THREE, SHARED, times=[2, 2])
    far = PreemptiveSchedule([0], [-1], [0], [10**9], [10**9 + 1], [1])
    with pytest.raises(InvalidInstanceError, match="name the times"):
        metrics.work_over_time(THREE, far)
    for gamma in (0, math.inf, math.nan):
        with pytest.raises(InvalidInstanceError, match="gamma"):
            metrics.dynamic_fit(THREE, SHARED, gamma)
    with pytest.raises(TypeError, match="gamma must be a number"):
        metrics.dynamic_fit(THREE, SHARED, "8")  # type: ignore[call-overload]
    with pytest.raises(InvalidInstanceError, match="lower_bound"):
        metrics.dynamic_regret(THREE, SHARED, lower_bound=math.nan)
