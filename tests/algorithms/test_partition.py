"""`partition` says which entry it cannot take, and serves the limits of what it can."""

import math
import signal
from typing import Any

import numpy as np
import pytest

import schedcore

REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "negative": ({"processing_time": [3, -1]}, r"processing_time\[1\] = -1 must be finite and not negative"),
    "nan": ({"processing_time": [math.nan]}, r"processing_time\[0\] = nan must be finite"),
    "infinite": ({"processing_time": [1.0, math.inf]}, r"processing_time\[1\] = inf must be finite"),
    "matrix": ({"processing_time": [[1, 2]]}, r"processing_time has shape \(1, 2\); one number per task"),
    "booleans": ({"processing_time": [True]}, r"processing_time holds booleans"),
    "too_much": ({"processing_time": [1.7e308, 1.7e308]}, r"sum to more than float64 holds"),
    "no_machine": ({"n_machines": 0}, r"n_machines = 0 must be at least 1 and at most 16777216"),
    "speed_count": ({"speed": [1, 2, 3]}, r"speed has 3 entries for n_machines = 2"),
    "zero_speed": ({"speed": [1, 0]}, r"speed\[1\] = 0 must be positive and finite"),
    "infinite_speed": ({"speed": [1.0, math.inf]}, r"speed\[1\] = inf must be positive and finite"),
    "far_speeds": (
        {"speed": [1e-30, 1.5]},
        r"speed\[0\] = 1e-30 and speed\[1\] = 1.5: the speeds have no common unit",
    ),
    "too_late": ({"processing_time": [1e300, 1e300], "speed": [1e-300, 1e-300]}, r"later than float64 holds"),
    "method": ({"method": "ltp"}, r"unknown method 'ltp'; did you mean 'lpt'"),
    "work_limit": ({"work_limit": -1}, r"work_limit = -1 must be at least 0 and"),
    "gap": ({"gap": math.nan}, r"gap = nan must be finite and not negative"),
}


@pytest.mark.parametrize(("changed", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_bad_input_is_named_with_its_value_and_bound(changed: dict[str, Any], message: str) -> None:
    arguments: dict[str, Any] = {"processing_time": [3, 1, 2], "n_machines": 2} | changed
    with pytest.raises(schedcore.InvalidInstanceError, match=message):
        schedcore.partition(**arguments)


@pytest.mark.parametrize("argument", ["processing_time", "n_machines", "speed"])
def test_what_is_no_number_is_a_type_error(argument: str) -> None:
    arguments: dict[str, Any] = {"processing_time": [3, 1], "n_machines": 2, "speed": [1, 2]}
    with pytest.raises(TypeError):
        schedcore.partition(**arguments | {argument: "many"})


def test_no_tasks_leave_machines_idle() -> None:
    found = schedcore.partition([], 3, speed=[1, 2, 3])
    assert found.machine.tolist() == []
    assert found.load.tolist() == found.completion_time.tolist() == [0, 0, 0]
    assert found.makespan == found.lower_bound == 0
    assert found.is_optimal
    assert found.ratio() == 1
    assert [group.tolist() for group in found.groups()] == [[], [], []]


def test_tasks_without_length_are_placed() -> None:
    found = schedcore.partition([0, 0.0, 2.5], 4)
    assert found.makespan == 2.5
    assert found.is_optimal


def test_more_machines_than_tasks_leave_the_slow_ones_idle() -> None:
    found = schedcore.partition([4, 4], 5, speed=[1, 1, 4, 1, 4])
    assert found.completion_time.tolist() == [0, 0, 1, 0, 1]
    assert found.is_optimal


def test_integers_beyond_int64_and_beyond_float64_are_exact() -> None:
    found = schedcore.partition([2**63, 2**63 - 2, 2, 2**62], 2)
    # 2**63 + 2**62 would be too much beside 2**63, so the three others stand together but for the smallest.
    assert found.makespan == 2.0**63 + 2.0**62
    assert not found.is_optimal or found.lower_bound == found.makespan
    huge = schedcore.partition([10**300, 1, 10**300], 2)
    assert huge.makespan == 1e300
    assert huge.lower_bound <= huge.makespan


def test_a_span_that_no_unit_covers_is_rounded_down_for_decisions_alone() -> None:
    times = [1e300, 1e300, 1.0, 1e-300]
    found = schedcore.partition(times, 2)
    assert found.makespan == 1e300
    assert found.lower_bound == 1e300
    assert not found.is_optimal  # one machine holds a little more than 1e300, and the bound cannot see it


def test_speeds_as_floats_are_the_fractions_they_are() -> None:
    found = schedcore.partition([3, 1], 2, speed=[0.75, 0.25])
    assert found.machine.tolist() == [0, 1]
    assert found.completion_time.tolist() == [4, 4]
    assert found.is_optimal


def test_work_limit_ends_the_improvement() -> None:
    times = np.random.default_rng(5).random(3000)
    found = schedcore.partition(times, 20, work_limit=20_000, gap=0)
    assert 20_000 <= found.work < 22_000
    assert schedcore.partition(times, 20, work_limit=0).work == 0


def test_gap_ends_the_improvement_sooner() -> None:
    times = np.random.default_rng(5).random(3000)
    rough = schedcore.partition(times, 20, gap=0.01)
    fine = schedcore.partition(times, 20, gap=1e-5)
    assert rough.gap() <= 0.01
    assert fine.gap() <= 1e-5
    assert rough.work <= fine.work


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs a timer that signals")
def test_an_improvement_can_be_interrupted() -> None:
    times = np.random.default_rng(6).random(3000)
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        with pytest.raises(KeyboardInterrupt):
            schedcore.partition(times, 20, work_limit=10**15, gap=0)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_a_partition_cannot_be_changed_and_knows_its_machines() -> None:
    found = schedcore.partition([5, 3], 2)
    with pytest.raises(AttributeError, match="immutable"):
        found.makespan = 1.0
    with pytest.raises(ValueError, match="read-only"):
        found.machine[0] = 1
    with pytest.raises(IndexError, match=r"machine 2 is outside 0..1"):
        found.tasks_of(2)
    assert repr(found) == "TaskPartition(2 tasks on 2 machines, makespan 5, optimal)"
