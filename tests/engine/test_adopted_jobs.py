"""`OnlineScheduler.adopt`: jobs that run already when the scheduler hears of them."""

from typing import Any

import numpy as np
import pytest

from engine.policy_cases import CLUSTER_POLICIES
from schedcore import InfeasibleError, InvalidInstanceError, Jobs, Machines, OnlineScheduler, UnsupportedError

PAIR = Machines.identical(2, [4])


def starts(scheduler: OnlineScheduler, now: float) -> list[tuple[int, int, float]]:
    return [tuple(each) for each in scheduler.advance(now).starts]


@pytest.mark.parametrize(("policy", "options"), CLUSTER_POLICIES)
def test_adopted_jobs_hold_their_machines_until_they_are_completed(
    policy: str, options: dict[str, Any]
) -> None:
    scheduler = OnlineScheduler(policy, PAIR, **options)
    assert scheduler.adopt(Jobs([20.0, 30.0], [[4], [3]]), [1, 0], [5, 0], 9).tolist() == [0, 1]
    scheduler.submit(Jobs([8.0], [[4]]), 9)
    assert starts(scheduler, 9) == []
    assert (scheduler.n_running, scheduler.n_waiting) == (2, 1)
    running = scheduler.jobs("running")
    assert running.machine.tolist() == [1, 0]
    assert running.start_time.tolist() == [5.0, 0.0]
    assert running.estimated_end.tolist() == [25.0, 30.0]
    loaded = OnlineScheduler.load(scheduler.save())
    assert loaded.save() == scheduler.save()
    for each in (scheduler, loaded):
        each.complete([0], 12)
        first = starts(each, 12) or starts(each, 16) or starts(each, 32)
        assert [(job, machine) for job, machine, _ in first] == [(2, 1)]


def test_plans_reckon_with_the_end_that_they_say() -> None:
    scheduler = OnlineScheduler("conservative", PAIR)
    scheduler.adopt(Jobs([20.0, 30.0], [[4], [4]]), [1, 0], [5, 0], 9)
    scheduler.submit(Jobs([8.0, 1.0], [[4], [4]]), 9)
    assert [tuple(each) for each in scheduler.advance(9).plan] == [(2, 1, 25.0), (3, 0, 30.0)]


def test_a_reservation_that_an_adopted_job_meets_stands_and_waits() -> None:
    scheduler = OnlineScheduler("conservative", Machines.identical(1, [4]))
    scheduler.submit(Jobs([5.0, 5.0], [[3], [3]]), 0)
    assert [tuple(each) for each in scheduler.advance(0).plan] == [(1, 0, 5.0)]
    scheduler.adopt(Jobs([8.0], [[1]]), [0], 1, 2)
    scheduler.submit(Jobs([1.0], [[1]]), 2)
    assert [tuple(each) for each in scheduler.advance(2).plan] == [(1, 0, 5.0), (3, 0, 9.0)]
    scheduler.complete([0], 4)
    assert starts(scheduler, 4) == [(1, 0, 4.0)]


def test_jobs_of_several_tasks() -> None:
    scheduler = OnlineScheduler("first_fit", Machines([[4], [4], [8]], weight=[1, 0, 2]))
    jobs = Jobs([9.0, 9.0], [[2], [1]], n_tasks=[3, 2], exclusive=[False, True])
    scheduler.adopt(jobs, [[(1, 1), (0, 2)], [(2, 2)]], 0.0, 1, ids=[7, 3])
    assert starts(scheduler, 1) == []
    running = scheduler.jobs("running")
    assert running.allocation.of(7) == [(1, 1), (0, 2)]
    assert running.allocation.of(3) == [(2, 2)]
    assert scheduler.machine_state().free.tolist() == [[0], [2], [0]]
    scheduler.complete([7, 3], 5)
    scheduler.advance(5)
    assert scheduler.machine_state().free.tolist() == [[4], [4], [8]]


def test_a_killed_one_waits_at_the_place_of_its_release() -> None:
    scheduler = OnlineScheduler("fcfs", Machines.identical(1, [4]))
    scheduler.submit(Jobs([5.0], [[4]]), 2)
    scheduler.adopt(Jobs([5.0], [[4]], release_time=[0.5]), [0], 1, 2)
    scheduler.advance(2)
    scheduler.requeue([1], 3)
    assert starts(scheduler, 3) == [(1, 0, 3.0)]


def test_machines_may_be_closed_but_not_have_failed() -> None:
    scheduler = OnlineScheduler("easy", PAIR)
    scheduler.close([0], 0)
    scheduler.fail_machines([1], 0)
    one = Jobs([5.0], [[4]])
    with pytest.raises(InvalidInstanceError, match="machine 1 has failed"):
        scheduler.adopt(one, [1], 0, 0)
    scheduler.adopt(one, [0], 0, 0)
    scheduler.advance(0)
    with pytest.raises(InvalidInstanceError, match="machine 1 has failed"):
        scheduler.adopt(one, [1], 0, 1)
    scheduler.repair_machines([1], 1)
    scheduler.adopt(one, [1], 0, 1)
    scheduler.advance(1)
    assert scheduler.n_running == 2


@pytest.mark.parametrize("killed", ["requeue", "drop"])
def test_one_whose_machine_fails_at_that_very_instant_is_killed(killed: str) -> None:
    scheduler = OnlineScheduler("easy", Machines.identical(1, [4]), killed=killed)
    scheduler.adopt(Jobs([5.0], [[4]]), [0], 0, 1)
    scheduler.fail_machines([0], 1)
    loaded = OnlineScheduler.load(scheduler.save())
    for each in (scheduler, loaded):
        assert each.advance(1).killed.tolist() == [0]
        assert each.jobs().state.tolist() == (["waiting"] if killed == "requeue" else [])
        each.repair_machines([0], 2)
        assert starts(each, 2) == ([(0, 0, 2.0)] if killed == "requeue" else [])


def test_what_else_may_be_recorded_at_that_instant() -> None:
    scheduler = OnlineScheduler("easy", PAIR)
    scheduler.adopt(Jobs([5.0, 6.0, 7.0], [[1]] * 3), [0, 0, 1], 0, 1)
    for record, message in (
        (scheduler.complete, "job 1 cannot complete: it does not run"),
        (scheduler.hold, "job 1 cannot be held: it does not wait"),
        (scheduler.requeue, "job 1 cannot be requeued"),
    ):
        with pytest.raises(InvalidInstanceError, match=message):
            record([1], 1)
    scheduler.cancel([0], 1)
    scheduler.update([2], 1, remaining_time=2.0)
    scheduler.advance(1)
    assert scheduler.jobs().id.tolist() == [1, 2]
    assert scheduler.jobs().estimated_end.tolist() == [6.0, 3.0]


def test_a_late_one_gets_its_estimate_once_more() -> None:
    scheduler = OnlineScheduler("conservative", Machines.identical(1, [4]))
    scheduler.adopt(Jobs([3.0], [[4]]), [0], 0, 10)
    scheduler.submit(Jobs([1.0], [[4]]), 10)
    assert [tuple(each) for each in scheduler.advance(10).plan] == [(1, 0, 13.0)]
    assert scheduler.n_overruns == 1


BAD: list[tuple[dict[str, Any], Any, str]] = [
    ({"start_time": 3}, InvalidInstanceError, "start_time, 3, must lie between 0 and now = 2"),
    ({"start_time": -1}, InvalidInstanceError, "start_time"),
    ({"start_time": float("nan")}, InvalidInstanceError, "start_time"),
    ({"start_time": [0, 1, 2]}, InvalidInstanceError, "start_time"),
    ({"machine": [0]}, InvalidInstanceError, "machine has 1 entries for 2 jobs"),
    ({"machine": [0, 2]}, InvalidInstanceError, "machine 2 is not there"),
    ({"machine": [0, -1]}, InvalidInstanceError, "machine -1 is not there"),
    ({"machine": [[(0, 1)], [(0, 1), (1, 1)]]}, InvalidInstanceError, "adopted with 2 tasks; it has 1"),
    ({"machine": [[(0, 1)], []]}, InvalidInstanceError, "job 12 cannot be adopted with 0 tasks"),
    ({"machine": [[(0, 1)], [(1, 0)]]}, InvalidInstanceError, "0 tasks on machine 1"),
    ({"machine": [[(0, 1)], [(1,)]]}, InvalidInstanceError, r"machine\[1\] \(job 1\) holds \(1,\)"),
    ({"machine": [0.5, 1]}, InvalidInstanceError, "integers"),
    ({"ids": [11, 11]}, InvalidInstanceError, "job 11 was submitted already"),
    ({"jobs": Jobs([9.0, 9.0], [[1], [9]])}, InfeasibleError, "no machine can run it|no machine can run job"),
    ({"jobs": Jobs([9.0, 9.0], [[1], [1]], release_time=[0, 1])}, InvalidInstanceError, "release_time, 1, lies after"),
    ({"jobs": Jobs([9.0, 9.0], [[2], [3]]), "machine": [0, 0]}, InvalidInstanceError, "would hold 5"),
    ({"jobs": 7}, TypeError, "jobs must be"),
]  # fmt: skip


@pytest.mark.parametrize(("wrong", "error", "message"), BAD)
def test_bad_input_changes_nothing(wrong: dict[str, Any], error: Any, message: str) -> None:
    scheduler = OnlineScheduler("easy", PAIR)
    scheduler.advance(1)
    before = scheduler.save()
    right: dict[str, Any] = {
        "jobs": Jobs([9.0, 9.0], [[1], [1]]),
        "machine": [0, 1],
        "start_time": 0.0,
        "now": 2,
        "ids": [11, 12],
    }
    with pytest.raises(error, match=message):
        scheduler.adopt(**{**right, **wrong})
    assert scheduler.save() == before
    scheduler.adopt(**right)
    with pytest.raises(InvalidInstanceError, match="job 11 was submitted already"):
        scheduler.adopt(**right)
    with pytest.raises(InvalidInstanceError, match="would hold 5 of resource 0"):
        scheduler.adopt(Jobs([9.0], [[4]]), [0], 0, 2)


def test_room_is_that_beside_what_is_known_to_run() -> None:
    scheduler = OnlineScheduler("first_fit", Machines.identical(1, [4]))
    scheduler.submit(Jobs([9.0], [[3]]), 0)
    scheduler.advance(0)
    two = Jobs([9.0], [[2]])
    with pytest.raises(InvalidInstanceError, match="would hold 5 of resource 0"):
        scheduler.adopt(two, [0], 0, 1)
    scheduler.complete([0], 1)
    scheduler.adopt(two, [0], 0, 1)
    scheduler.advance(1)
    assert scheduler.machine_state().used.tolist() == [[2]]


def test_many_at_once() -> None:
    n = 5000
    scheduler = OnlineScheduler("easy", Machines.identical(n, [4]))
    scheduler.adopt(Jobs(np.full(n, 9.0), np.full((n, 1), 3)), np.arange(n)[::-1], 0, 1)
    scheduler.advance(1)
    assert scheduler.n_running == n
    assert scheduler.machine_state().free.sum() == n


def test_policies_for_tasks_adopt_nothing() -> None:
    with pytest.raises(UnsupportedError, match="cancellations and holds"):
        OnlineScheduler("jsq_mw", PAIR, remote_penalty=2).adopt(Jobs([1.0], [[1]]), [0], 0, 0)


@pytest.mark.parametrize("policy", ["easy", "conservative"])
def test_more_than_there_is_room_for_is_reckoned_with(policy: str) -> None:
    # job 0 starts at 1, which nobody knew when job 1 was adopted beside it
    scheduler = OnlineScheduler(policy, Machines.identical(1, [4]))
    scheduler.submit(Jobs([4.0], [[4]]), 1)
    scheduler.adopt(Jobs([9.0], [[3]]), [0], 1, 2)
    scheduler.advance(2)
    assert scheduler.n_running == 2
    scheduler.submit(Jobs([3.0], [[1]]), 3)
    decision = scheduler.advance(3)
    assert scheduler.machine_state().free.tolist() == [[0]]
    # at 5 job 0 leaves one unit beside job 1
    assert [tuple(row) for row in decision.plan] == [(2, 0, 5.0)]
    assert OnlineScheduler.load(scheduler.save()).save() == scheduler.save()
    assert scheduler.estimate_start().tolist() == [5.0]
