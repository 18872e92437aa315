"""`OnlineScheduler.event`: all that happened at one instant and the decision, which stand or fall together."""

from random import Random
from typing import Any

import numpy as np
import pytest

from parallel_task_cases import TWO_JOBS_WITH_LOCAL_MACHINES
from schedcore import (
    InfeasibleError,
    InvalidInstanceError,
    Jobs,
    Machines,
    OnlineScheduler,
    UnsupportedError,
)

MACHINES = Machines.identical(3, [4, 4])
POLICIES: list[tuple[str, dict[str, Any]]] = [
    ("fcfs", {}),
    ("easy", {}),
    ("conservative", {}),
    ("backfill", {"protected": 2}),
    ("pq", {}),
    ("pq", {"heuristic": lambda jobs: -jobs.weight}),
    ("tetris", {}),
    ("bf_exec", {}),
    ("mris", {"gamma0": 1.0}),
]


def some_jobs(draw: Random, n: int) -> Jobs:
    return Jobs(
        [draw.choice([1.0, 2.0, 5.0]) for _ in range(n)],
        np.array([[draw.randint(1, 4), draw.randint(0, 4)] for _ in range(n)]).reshape(n, 2),
        weight=[draw.choice([1.0, 3.0]) for _ in range(n)],
    )


@pytest.mark.parametrize(("policy", "options"), POLICIES)
@pytest.mark.parametrize("seed", range(5))
def test_it_is_the_separate_calls(policy: str, options: dict[str, Any], seed: int) -> None:
    draw = Random(seed)
    at_once, separate = (OnlineScheduler(policy, MACHINES, **options) for _ in range(2))
    for step in range(30):
        now = step * 0.5
        ended = [job for job in separate.jobs("running").id.tolist() if draw.random() < 0.4]
        alive = [job for job in separate.jobs().id.tolist() if job not in ended]
        cancelled = [job for job in alive if draw.random() < 0.05]
        failed = [m for m in range(3) if draw.random() < 0.05]
        repaired = [m for m in range(3) if draw.random() < 0.3]
        jobs = some_jobs(draw, draw.randint(0, 2))
        if repaired:
            separate.repair_machines(repaired, now)
        separate.complete(ended, now)
        if failed:
            separate.fail_machines(failed, now)
        if cancelled:
            separate.cancel(cancelled, now)
        ids = separate.submit(jobs, now)
        expected = separate.advance(now)
        decision = at_once.event(
            now, completed=ended, failed=failed, repaired=repaired, cancelled=cancelled, submitted=jobs
        )
        assert decision == expected
        assert decision.submitted.tolist() == ids.tolist()
        assert decision.killed.tolist() == expected.killed.tolist()
        assert at_once.save() == separate.save() if "heuristic" not in options else True


def test_the_ids_of_what_arrives() -> None:
    scheduler = OnlineScheduler("pq", MACHINES)
    decision = scheduler.event(0, submitted=Jobs([1.0, 1.0], [[1, 1], [1, 1]]), ids=[8, 5])
    assert decision.submitted.tolist() == [8, 5]
    assert scheduler.event(1, submitted=Jobs([1.0], [[1, 1]])).submitted.tolist() == [9]
    assert scheduler.event(2).submitted.tolist() == []


def test_tasks_arrive_as_well() -> None:
    tasks = TWO_JOBS_WITH_LOCAL_MACHINES
    scheduler = OnlineScheduler("jsq_mw", tasks.machines, remote_penalty=tasks.remote_penalty)
    decision = scheduler.event(0, submitted=tasks)
    assert len(decision.submitted) == tasks.n_tasks
    with pytest.raises(UnsupportedError, match="takes Jobs"):
        OnlineScheduler("easy", tasks.machines).event(0, submitted=tasks)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"completed": [1, 3]}, "job 3 cannot complete: it does not run"),
        ({"completed": [99]}, "job 99 is unknown"),
        ({"cancelled": [99]}, "job 99 is unknown"),
        ({"failed": [3]}, "machine 3 is not there"),
        ({"repaired": [-1]}, "machine -1 is not there"),
        ({"submitted": Jobs([1.0], [[9, 1]])}, "exceeds capacity"),
        ({"submitted": Jobs([1.0], [[1, 1]]), "ids": [0]}, "job 0 was submitted already"),
        ({"submitted": Jobs([1.0, 1.0], [[1, 1], [1, 1]]), "ids": [7, 7]}, "job 7 was submitted already"),
        ({"ids": [1]}, "ids are given, but nothing is submitted"),
    ],
)
@pytest.mark.parametrize("with_records", [False, True])
def test_where_anything_is_refused_nothing_happened(
    wrong: dict[str, Any], message: str, with_records: bool
) -> None:
    scheduler = OnlineScheduler("easy", MACHINES)
    scheduler.event(0, submitted=Jobs([5.0] * 4, [[4, 4]] * 4))
    if with_records:
        scheduler.submit(Jobs([2.0], [[1, 1]]), 2)
        scheduler.hold([3], 2)
        scheduler.complete([2], 2)
        scheduler.fail_machines([0], 2)
    before = scheduler.save()
    right: dict[str, Any] = {
        "completed": [1],
        "failed": [2],
        "repaired": [0],
        "cancelled": [3],
        "submitted": Jobs([1.0], [[2, 2]]),
    }
    with pytest.raises((InvalidInstanceError, InfeasibleError), match=message):
        scheduler.event(2, **{**right, **wrong, **({"submitted": None} if list(wrong) == ["ids"] else {})})
    assert scheduler.save() == before
    assert scheduler.recorded_instant == (2 if with_records else None)
    # what it had noted of the refused call is gone as well
    decision = scheduler.event(2, **right)
    assert decision.submitted.tolist() == [5 if with_records else 4]
    assert (decision.killed.tolist(), scheduler.jobs("held").id.tolist()) == (
        [0] if with_records else [2],
        [],
    )


def test_a_decision_that_fails_takes_the_records_back() -> None:
    # 40 jobs with different weights, more than fit: the exact knapsack needs more than 64 bytes
    scheduler = OnlineScheduler(
        "mris", Machines.identical(1, [10]), gamma0=64, origin=0, knapsack="exact", memory_limit=64
    )
    n = 40
    jobs = Jobs(np.full(n, 64.0), np.arange(n).reshape(n, 1) % 5 + 1, weight=np.arange(n) * 7 % 41 + 1.0)
    before = scheduler.save()
    with pytest.raises(UnsupportedError, match="bytes"):
        scheduler.event(64, submitted=jobs)
    assert scheduler.save() == before
    assert scheduler.event(65, submitted=Jobs([64.0], [[1]])).submitted.tolist() == [0]


def test_an_instant_that_has_passed() -> None:
    scheduler = OnlineScheduler("pq", MACHINES)
    scheduler.advance(5)
    with pytest.raises(InvalidInstanceError, match="lies before 5"):
        scheduler.event(4, submitted=Jobs([1.0], [[1, 1]]))
    with pytest.raises(InvalidInstanceError, match="lies before 5"):
        scheduler.event(4)
    assert scheduler.recorded_instant is None
