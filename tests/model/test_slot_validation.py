"""What `validate` says of schedules in slots."""

from typing import Any

import pytest

from schedcore import (
    Instance,
    InvalidInstanceError,
    Jobs,
    Machines,
    PreemptiveSchedule,
    validate,
)
from slotted_cases import map_reduce

# Machines of 4 and 2 cores, 8 and 4 GB. Job 0: 3 cores, 5 GB, 2 slots. Job 1, from time 1 on: 2 cores, 4 GB, 3 slots.
INSTANCE = Instance(
    Jobs([2, 3], [[3, 5], [2, 4]], release_time=[0, 1], id=[0, 70]),
    Machines([[4, 8], [2, 4]], resource_names=["cores", "memory"]),
)
PIECES = [(0, -1, 0, 0, 2, 3), (1, -1, 1, 1, 4, 2)]

# One job on a machine of 4 cores: two map tasks of 2 cores and 2 slots, a reduce task of 1 core and 1 slot.
MAP_REDUCE = map_reduce([(0, (2, 2, 2), (1, 1, 1))], [4])
PHASES = [(0, 0, 0, 0, 2, 2), (0, 1, 0, 0, 2, 2), (0, 2, 0, 2, 3, 1)]


def schedule(*pieces: tuple[float, ...]) -> PreemptiveSchedule:
    return PreemptiveSchedule(*zip(*pieces, strict=True)) if pieces else PreemptiveSchedule(*[[]] * 6)


@pytest.mark.parametrize("kind", [None, "complete", "partial"])
@pytest.mark.parametrize(("instance", "pieces"), [(INSTANCE, PIECES), (MAP_REDUCE, PHASES)])
def test_a_feasible_schedule_is_true_in_a_condition(kind: str | None, instance: Any, pieces: Any) -> None:
    report = validate(instance, schedule(*pieces), kind=kind)
    assert report
    assert report.message == "the schedule is feasible"


@pytest.mark.parametrize(
    ("piece", "kind", "excess", "words"),
    [
        ((1, -1, 1, 1, 4.5, 2), "time_not_integer", None, "no whole number of slots"),
        ((1, -1, 1, 1, float("inf"), 2), "time_not_integer", None, "no whole number of slots"),
        ((7, -1, 1, 1, 4, 2), "unknown_job", None, "jobs are numbered from 0 to 1"),
        ((1, 0, 1, 1, 4, 2), "unknown_task", None, "says task -1"),
        ((1, -1, 2, 1, 4, 2), "unknown_machine", None, "machines are numbered from 0 to 1"),
        ((1, -1, 1, 4, 4, 2), "no_progress", None, "does not end later"),
        ((1, -1, 1, 1, 4, 0), "no_cores", None, "holds no core"),
        ((1, -1, 1, 0, 3, 2), "start_before_release", 1, "1 slots before the release"),
        ((0, -1, 0, 1, 3, 1), "piece_overlaps", 1, "in the first 1 slots"),
        ((1, -1, 1, 1, 4, 3), "demand_exceeded", 1, "1 more than it asks for"),
    ],
)
def test_the_message_names_the_piece_and_the_rule(
    piece: tuple[float, ...], kind: str, excess: int | None, words: str
) -> None:
    report = validate(INSTANCE, schedule(PIECES[0], piece))
    assert not report
    assert (report.kind, report.excess) == (kind, excess)
    assert (report.job, report.machine, report.instant) == (piece[0], piece[2], piece[3])
    assert report.task == (None if piece[1] == -1 else piece[1])
    assert words in report.message
    assert f"starts at {float(piece[3])!r} on machine {piece[2]}" in report.message


@pytest.mark.parametrize(
    ("cores", "resource", "words"),
    [
        (2, 0, "cores (resource 0) rises to 5, 1 above capacity 4"),
        (1, 1, "memory (resource 1) rises to 9, 1 above capacity 8"),
    ],
)
def test_an_excess_names_the_resource_and_the_units(cores: int, resource: int, words: str) -> None:
    report = validate(INSTANCE, schedule(PIECES[0], (1, -1, 0, 1, 4, cores)))
    assert (report.kind, report.resource, report.excess) == ("capacity_exceeded", resource, 1)
    assert words in report.message
    assert "a piece of job 1 (id 70) starts" in report.message


def test_memory_is_held_once_on_every_machine_that_a_job_runs_on() -> None:
    # Job 1 on both machines beside nobody: 4 GB on each.
    report = validate(INSTANCE, schedule(PIECES[0], (1, -1, 0, 2, 5, 1), (1, -1, 1, 2, 5, 1)))
    assert report, report.message


def test_what_a_job_gets_too_much_of_is_named_with_its_slot() -> None:
    report = validate(INSTANCE, schedule(PIECES[0], (1, -1, 1, 1, 4, 2), (1, -1, 0, 6, 8, 1)))
    assert (report.kind, report.job, report.machine, report.instant) == ("work_exceeded", 1, None, 6)
    assert report.excess == 1
    assert "job 1 (id 70) gets 1 cores more than it can use in the slot that starts at 6.0" in report.message


def test_only_complete_schedules_must_do_all_work() -> None:
    unfinished = schedule(PIECES[0], (1, -1, 1, 1, 3, 2))
    assert validate(INSTANCE, unfinished, kind="partial")
    report = validate(INSTANCE, unfinished)
    assert (report.kind, report.job, report.excess) == ("work_missing", 1, 2)
    assert (report.machine, report.instant) == (None, None)
    assert "still lacks 2 core-slots" in report.message
    assert validate(INSTANCE, schedule()).job == 0
    assert validate(INSTANCE, schedule(), kind="partial")


def test_reduce_tasks_wait_for_the_map_tasks() -> None:
    early = [(0, 0, 0, 0, 2, 2), (0, 1, 0, 1, 3, 2), (0, 2, 0, 2, 3, 1)]
    report = validate(MAP_REDUCE.replace(machines=Machines([[5]])), schedule(*early))
    assert (report.kind, report.job, report.task, report.instant) == ("reduce_before_map", 0, 2, 2)
    assert "a piece of task 2 of job 0 starts" in report.message
    unknown = validate(MAP_REDUCE, schedule(*PHASES, (0, 3, 0, 2, 3, 1)))
    assert "the tasks of the job are numbered from 0 to 2" in unknown.message
    assert validate(MAP_REDUCE, schedule(*PHASES[:2])).task == 2


def test_estimates_bound_what_is_held_and_the_truth_what_is_done() -> None:
    # 2 cores, believed to be 3; 4 core-slots. Memory of 1 GB, believed to be 3.
    jobs = Jobs([2], [[2, 1]], estimated_demand=[[3, 3]])
    machines = Machines([[4, 3]])
    assert validate(Instance(jobs, machines), schedule((0, -1, 0, 0, 2, 3)))
    too_many = validate(Instance(jobs, machines), schedule((0, -1, 0, 0, 1, 4)))
    assert too_many.kind == "demand_exceeded"
    too_full = validate(Instance(jobs, Machines([[4, 2]])), schedule((0, -1, 0, 0, 2, 3)))
    assert (too_full.kind, too_full.resource, too_full.excess) == ("capacity_exceeded", 1, 1)
    idle = validate(Instance(jobs, machines), schedule((0, -1, 0, 0, 3, 3)))
    assert (idle.kind, idle.instant, idle.excess) == ("work_exceeded", 2, 3)


def test_raise_on_error_raises_the_message() -> None:
    with pytest.raises(InvalidInstanceError, match="still lacks"):
        validate(INSTANCE, schedule(PIECES[0]), raise_on_error=True)


def test_what_cannot_be_looked_at_in_slots_is_refused() -> None:
    with pytest.raises(InvalidInstanceError, match="kind"):
        validate(INSTANCE, schedule(*PIECES), kind="preempt")
    without_cores = PreemptiveSchedule([0], [-1], [0], [0], [2])
    with pytest.raises(TypeError, match="without amounts"):
        validate(INSTANCE, without_cores)
    between = Instance(Jobs([1.5], [[1]]), Machines([[1]]))
    with pytest.raises(InvalidInstanceError, match="processing_time"):
        validate(between, schedule((0, -1, 0, 0, 1, 1)))
