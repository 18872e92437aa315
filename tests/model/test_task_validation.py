"""What `validate` says of schedules of parallel tasks."""

from typing import Any

import pytest

from parallel_task_cases import parallel_tasks
from schedcore import (
    Assignment,
    ColocationInstance,
    Instance,
    InvalidInstanceError,
    Jobs,
    Machines,
    PreemptiveSchedule,
    Schedule,
    validate,
)

# Two machines of capacity 10. Job 0: task 0 (6; 2 on machine 0, 3 on machine 1), task 1 (5; 4 on machine 1).
# Job 1, released at 1: task 0 (4; 3 on machine 0).
TASKS = [(0, [6], {0: 2, 1: 3}), (0, [5], {1: 4}), (1, [4], {0: 3})]
INSTANCE = parallel_tasks([1, 2], TASKS, [[10], [10]], release_time=[0, 1]).replace(
    machines=Machines([[10], [10]], resource_names=["memory"])
)
PIECES = [(0, 0, 0, 0, 2), (0, 1, 1, 0, 4), (1, 0, 0, 1, 4)]


def schedule(*pieces: tuple[float, ...]) -> PreemptiveSchedule:
    job, task, machine, start, end = zip(*pieces, strict=True)
    return PreemptiveSchedule(job, task, machine, start, end)


def changed(row: int, *piece: float) -> PreemptiveSchedule:
    return schedule(*PIECES[:row], piece, *PIECES[row + 1 :])


@pytest.mark.parametrize("kind", ["migrate", "preempt", "nonpreempt"])
def test_a_feasible_schedule_is_true_in_a_condition(kind: str) -> None:
    report = validate(INSTANCE, schedule(*PIECES), kind=kind)
    assert report
    assert report.message == "the schedule is feasible"
    assert report.task is None


@pytest.mark.parametrize(
    ("piece", "kind", "words"),
    [
        ((0, 0, 0, 0, float("inf")), "time_not_finite", "no finite number"),
        ((7, 0, 0, 0, 2), "unknown_job", "jobs are numbered from 0 to 1"),
        ((0, 2, 0, 0, 2), "unknown_task", "numbered from 0 to 1"),
        ((0, 0, 2, 0, 2), "unknown_machine", "machines are numbered from 0 to 1"),
        ((1, 0, 1, 1, 4), "machine_not_allowed", "placement set"),
        ((0, 0, 0, 2, 2), "no_progress", "does not end later"),
        ((1, 0, 0, 0.5, 3.5), "start_before_release", "0.5 before the release time 1.0"),
        ((0, 1, 1, 2, 6), "task_overlaps_itself", "during the first 2.0 of it"),
    ],
)
def test_the_message_names_the_piece_and_the_rule(piece: tuple[float, ...], kind: str, words: str) -> None:
    others = [p for p in PIECES if p[:2] != piece[:2] or kind == "task_overlaps_itself"]
    report = validate(INSTANCE, schedule(*others, piece))
    assert not report
    assert report.kind == kind
    assert (report.job, report.task, report.machine, report.instant) == piece[:4]
    assert words in report.message
    assert f"task {piece[1]} of job {piece[0]} starts at {float(piece[3])!r}" in report.message


def test_an_excess_names_the_resource_and_the_units() -> None:
    report = validate(INSTANCE, schedule((0, 0, 1, 0, 3), (0, 1, 1, 0, 4), (1, 0, 0, 1, 4)))
    assert (report.kind, report.job, report.task, report.machine) == ("capacity_exceeded", 0, 1, 1)
    assert (report.resource, report.excess) == (0, 1)
    assert "memory (resource 0) rises to 11, 1 above capacity 10" in report.message


def test_a_task_that_misses_time_is_named_with_its_share() -> None:
    report = validate(INSTANCE, changed(2, 1, 0, 0, 1, 3))
    assert (report.kind, report.job, report.task, report.machine) == ("wrong_processing", 1, 0, 0)
    assert report.instant == 3
    assert report.excess == pytest.approx(-1 / 3)
    assert "0.66666" in report.message


def test_a_task_without_a_piece_is_named() -> None:
    report = validate(INSTANCE, schedule(PIECES[0], PIECES[2]))
    assert (report.kind, report.job, report.task) == ("task_missing", 0, 1)
    assert report.machine is None
    assert report.instant is None


def test_migration_and_interruption_belong_to_their_classes() -> None:
    # Half of task 0 is 1 time unit on machine 0 and 1.5 on machine 1.
    moved = schedule((0, 0, 0, 0, 1), (0, 0, 1, 4, 5.5), *PIECES[1:])
    assert validate(INSTANCE, moved)
    assert validate(INSTANCE, moved, kind="preempt").kind == "task_migrated"
    cut = schedule((0, 0, 0, 0, 1), (0, 0, 0, 5, 6), *PIECES[1:])
    assert validate(INSTANCE, cut, kind="preempt")
    assert validate(INSTANCE, cut, kind="nonpreempt").kind == "task_interrupted"


def test_raise_on_error_raises_the_message() -> None:
    with pytest.raises(InvalidInstanceError, match="placement set"):
        validate(INSTANCE, changed(2, 1, 0, 1, 1, 4), raise_on_error=True)


@pytest.fixture(params=["instance", "colocation"])
def small_case(request: pytest.FixtureRequest) -> tuple[Any, Any]:
    if request.param == "instance":
        return Instance(Jobs([1.0], [[1]]), Machines([[1]])), Schedule([0.0], [0])
    return ColocationInstance([1], [0], [[1.0]], n_machines=1), Assignment([0])


def test_kind_is_for_parallel_tasks_alone(small_case: tuple[Any, Any]) -> None:
    instance, own = small_case
    with pytest.raises(TypeError, match="kind = 'preempt' is for schedules of parallel tasks"):
        validate(instance, own, kind="preempt")
    with pytest.raises(TypeError, match="do not belong together"):
        validate(instance, schedule(*PIECES))


def test_an_unknown_kind_and_a_schedule_with_amounts_are_refused() -> None:
    with pytest.raises(InvalidInstanceError, match="preempt"):
        validate(INSTANCE, schedule(*PIECES), kind="preemptive")
    with_amounts = PreemptiveSchedule([0], [0], [0], [0], [2], amount=[6])
    with pytest.raises(InvalidInstanceError, match="whole demand"):
        validate(INSTANCE, with_amounts)
