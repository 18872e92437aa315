"""Epochs of the online algorithms for parallel tasks: their lengths, and passing over those without work."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import schedcore
from parallel_task_cases import single_tasks
from schedcore.algorithms.parallel_tasks.epochs import EpochCursor, EpochLengths, EpochOptions, default_tau0

lengths = st.builds(
    EpochLengths,
    st.floats(1e-3, 2000),
    st.sampled_from([0.0, 1.0, 50.0, 1000.0]),
    st.sampled_from([0.0, 1e-9, 0.01, 0.1, 3.0]),
)


def instance_with(release_time: list[float], time: int = 7) -> schedcore.ParallelTaskInstance:
    return single_tasks([(1.0, release, 0, [1], time) for release in release_time], [[1]])


def test_epochs_grow_to_tau0() -> None:
    # 100 / (1 + 50 exp(-3x)): 1.96, 28.66, 88.97, 99.39, 99.97, then 100.
    cursor = EpochCursor(EpochLengths(100.0))
    starts = []
    for _ in range(7):
        starts.append((cursor.index, cursor.start, cursor.end))
        cursor.advance()
    assert starts == [
        (0, 0, 2),
        (1, 2, 31),
        (2, 31, 120),
        (3, 120, 219),
        (4, 219, 319),
        (5, 319, 419),
        (6, 419, 519),
    ]


def test_no_epoch_is_shorter_than_one() -> None:
    assert [EpochLengths(0.001).length(x) for x in (0, 1, 10)] == [1, 1, 1]


@given(lengths, st.integers(0, 5), st.floats(0, 3000))
def test_skipping_idle_epochs_ends_where_advancing_does(own: EpochLengths, first: int, time: float) -> None:
    slow, fast = EpochCursor(own), EpochCursor(own)
    for _ in range(first):
        slow.advance()
        fast.advance()
    while slow.start < time:
        slow.advance()
    fast.skip_to(time)
    assert (fast.index, fast.start, fast.end) == (slow.index, slow.start, slow.end)


def test_a_distant_release_is_reached_at_once() -> None:
    cursor = EpochCursor(EpochLengths(1.0))
    cursor.skip_to(1e12)
    assert (cursor.start, cursor.end) == (10**12, 10**12 + 1)
    cursor.skip_to(2.0**53)
    assert cursor.start == 2**53
    with pytest.raises(schedcore.UnsupportedError, match=r"2\*\*53"):
        cursor.skip_to(1e300)


def test_a_release_within_an_epoch_waits_for_its_end() -> None:
    cursor = EpochCursor(EpochLengths(10.0, 0.0))
    cursor.skip_to(10.0)
    assert cursor.start == 10
    cursor.skip_to(10.25)
    assert cursor.start == 20


@pytest.mark.parametrize("value", [-1.0, math.nan, math.inf])
@pytest.mark.parametrize("name", ["tau0", "gamma", "beta"])
def test_constants_outside_their_range_are_refused(name: str, value: float) -> None:
    with pytest.raises(schedcore.InvalidInstanceError, match=name):
        EpochLengths(**{"tau0": 1.0, name: value})


def test_tau0_must_be_positive_and_a_number() -> None:
    with pytest.raises(schedcore.InvalidInstanceError, match="tau0 = 0 must be finite and above 0"):
        EpochLengths(0)
    with pytest.raises(TypeError, match="tau0"):
        EpochLengths("long")  # type: ignore[arg-type]


def test_tau0_is_five_mean_times_between_arrivals_unless_given() -> None:
    assert default_tau0(instance_with([3.0, 1.0, 5.0])) == 10.0
    assert EpochOptions(tau0=2.5).lengths(instance_with([0.0, 4.0])).tau0 == 2.5


def test_tau0_without_arrivals_is_the_work_of_the_busiest_machine() -> None:
    assert default_tau0(instance_with([4.0, 4.0])) == 14.0
    assert default_tau0(instance_with([])) == 1.0
