"""Selections on clusters: which jobs they refuse, by name, and what they choose on machines that differ."""

import copy
import pickle
import re
from typing import Any

import pytest

import schedcore

SELECTING: list[tuple[str, dict[str, Any]]] = [
    ("first_fit", {"selection": "bb"}),
    ("easy", {"selection": "sb"}),
    ("easy", {"selection": "bl!", "reservation_depth": 3}),
    ("backfill", {"selection": "bb!", "protected": 2}),
    ("conservative", {"selection": "bl(2)"}),
]
REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"n_tasks": [1, 3, 2]}, "does not take jobs of several tasks (n_tasks[1] = 3 (job 1)); 'ff' does"),
    (
        {"exclusive": [False, False, True]},
        "does not take jobs that want machines for themselves (exclusive[2] = True (job 2)); 'ff' does",
    ),
]
MACHINES = schedcore.Machines([[4, 4], [6, 4]], labels=[["gpu"], []])
PLAIN = schedcore.Jobs([3.0, 2.0, 1.0], [[1, 1], [2, 1], [1, 2]])


@pytest.mark.parametrize(("name", "options"), SELECTING)
@pytest.mark.parametrize(("columns", "message"), REFUSED)
def test_gangs_and_exclusive_jobs_are_refused_by_name(
    name: str, options: dict[str, Any], columns: dict[str, Any], message: str
) -> None:
    jobs = PLAIN.replace(**columns)
    refused = f"selection '{options['selection']}' {message}"
    with pytest.raises(schedcore.UnsupportedError, match=re.escape(refused)):
        schedcore.solve(name, schedcore.Instance(jobs, MACHINES), **options)
    others = {**options, "selection": "ff"}
    assert schedcore.solve(name, schedcore.Instance(jobs, MACHINES), **others).outcome is not None


@pytest.mark.parametrize(("name", "options"), SELECTING)
@pytest.mark.parametrize(("columns", "message"), REFUSED)
def test_embedded_they_are_refused_and_nothing_is_recorded(
    name: str, options: dict[str, Any], columns: dict[str, Any], message: str
) -> None:
    first = schedcore.OnlineScheduler(name, MACHINES, **options)
    for scheduler in (first, copy.copy(first), pickle.loads(pickle.dumps(first))):
        with pytest.raises(schedcore.UnsupportedError, match=re.escape(message)):
            scheduler.submit(PLAIN.replace(**columns), 1.0)
        assert scheduler.recorded_instant is None
        scheduler.submit(PLAIN.replace(constraint=["gpu", "", "!gpu"]), 1.0)
        assert scheduler.advance(1.0).starts.machine.tolist() == [0, 0, 1]


def test_where_all_jobs_hold_reservations_backfill_does_not_select_and_takes_gangs() -> None:
    instance = schedcore.Instance(PLAIN.replace(n_tasks=[1, 3, 2]), MACHINES)
    selecting = schedcore.solve("backfill", instance, protected=None, selection="bb")
    assert selecting.schedule == schedcore.solve("conservative", instance).schedule


def test_with_one_resource_and_without_fullness_jobs_overtake_in_queue_order() -> None:
    jobs = schedcore.Jobs([3.0, 2.0, 1.0], [[4], [5], [1]], n_tasks=[2, 1, 2])
    instance = schedcore.Instance(jobs, schedcore.Machines([[4], [6]]))
    for name in ("first_fit", "easy"):
        equal = schedcore.solve(name, instance, selection="bb!")
        assert equal.schedule == schedcore.solve(name, instance).schedule


def test_the_selection_chooses_job_and_machine_among_those_that_are_allowed() -> None:
    # Machine 1 is the preferred one.  Job 0 takes it until 10, and job 1 blocks the queue.
    machines = schedcore.Machines([[4, 4], [4, 4]], labels=[["gpu"], []], weight=[1, 0])
    demand = [[2, 0], [4, 4], [1, 1], [0, 2], [0, 2]]
    jobs = schedcore.Jobs([10.0, 1.0, 5.0, 5.0, 5.0], demand, constraint=["", "!gpu", "", "", "gpu"])
    result = schedcore.solve("easy", schedcore.Instance(jobs, machines), selection="bb!")
    # Job 3 beside job 0 is balanced, as is job 2 on the empty machine, which is earlier in the queue.
    assert result.schedule.start_time.tolist() == [0, 10, 0, 0, 0]
    assert result.schedule.machine.tolist() == [1, 1, 0, 1, 0]
