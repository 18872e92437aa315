"""Schedules of pieces: their order, merging, and round trips."""

from pathlib import Path

import numpy as np
import pytest

import schedcore
from schedcore.errors import InvalidInstanceError


def test_pieces_are_sorted_by_start_job_task_and_machine() -> None:
    schedule = schedcore.PreemptiveSchedule(
        [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 5], [1, 1, 1, 6]
    )
    assert schedule.job.tolist() == [0, 0, 1, 0]
    assert schedule.task.tolist() == [0, 1, 0, 0]
    assert schedule.machine.tolist() == [1, 0, 0, 0]
    assert schedule.start_time.tolist() == [0, 0, 0, 5]
    assert schedule.end_time.tolist() == [1, 1, 1, 6]
    assert not schedule.in_slots


def test_merging_joins_pieces_that_touch_on_a_machine() -> None:
    # Job 0: [0, 2) [2, 3) on machine 0 touch; [3, 4) is on machine 1; [5, 6) comes after a break.
    schedule = schedcore.PreemptiveSchedule.merging(
        [0, 0, 0, 0, 1], [0, 0, 0, 0, 0], [0, 0, 1, 0, 0], [2, 0, 3, 5, 3], [3, 2, 4, 6, 4]
    )
    assert list(zip(schedule.job, schedule.machine, schedule.start_time, schedule.end_time, strict=True)) == [
        (0, 0, 0.0, 3.0),
        (0, 1, 3.0, 4.0),
        (1, 0, 3.0, 4.0),
        (0, 0, 5.0, 6.0),
    ]


def test_merging_keeps_pieces_of_other_amounts_apart() -> None:
    schedule = schedcore.PreemptiveSchedule.merging(
        [0, 0, 0], [-1] * 3, [0] * 3, [0, 1, 2], [1, 2, 3], [4, 4, 5]
    )
    assert schedule.end_time.tolist() == [2, 3]
    assert schedule.amount is not None
    assert schedule.amount.tolist() == [4, 5]
    assert schedule.in_slots


def test_completion_time_is_the_last_end_of_a_job() -> None:
    schedule = schedcore.PreemptiveSchedule([2, 0, 0], [0, 0, 1], [0, 0, 1], [0, 1, 1], [1, 2, 5])
    assert schedule.completion_time(3).tolist() == [5, -np.inf, 1]
    with pytest.raises(InvalidInstanceError, match=r"job\[0\] = 2 must be at least 0 and below 2"):
        schedule.completion_time(2)


def test_columns_must_be_equally_long() -> None:
    with pytest.raises(InvalidInstanceError, match="end_time has 2 entries for 1 pieces"):
        schedcore.PreemptiveSchedule([0], [0], [0], [0], [1, 2])


@pytest.mark.parametrize("amount", [None, [3, 4]])
def test_round_trips_are_exact(tmp_path: Path, amount: list[int] | None) -> None:
    schedule = schedcore.PreemptiveSchedule([0, 1], [0, 0], [0, 0], [0.1, 1 / 3], [1, 2], amount)
    schedule.to_parquet(tmp_path / "pieces.parquet")
    assert schedcore.PreemptiveSchedule.from_parquet(tmp_path / "pieces.parquet") == schedule
    assert len(schedule) == 2
    assert len(schedcore.PreemptiveSchedule([], [], [], [], [])) == 0
