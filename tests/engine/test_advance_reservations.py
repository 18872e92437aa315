"""Advance reservations of an embedded scheduler: what they take from others, and the jobs inside."""

import pickle
from typing import Any

import numpy as np
import pytest

import schedcore
from engine.policy_cases import CLUSTER_POLICIES
from schedcore import (
    InfeasibleError,
    InvalidInstanceError,
    Jobs,
    Limit,
    Machines,
    OnlineScheduler,
    Site,
    UnsupportedError,
)

SERVING_AT_ONCE = [case for case in CLUSTER_POLICIES if case[0] not in ("mris", "ca_pq")]


def started(decision: schedcore.engine.Decision) -> list[tuple[int, int, float]]:
    return [tuple(each) for each in decision.starts]


def reserved(policy: str = "first_fit", **options: Any) -> OnlineScheduler:
    """Of 4 units of each of two machines, 3 of machine 0 are set aside on [5, 10)."""
    scheduler = OnlineScheduler(policy, Machines.identical(2, [4]), **options)
    assert scheduler.reserve([3], 5, 10, 0, machines=[0]) == 0
    return scheduler


@pytest.mark.parametrize(("policy", "options"), SERVING_AT_ONCE)
def test_others_start_only_where_they_leave_it_alone(policy: str, options: dict[str, Any]) -> None:
    scheduler = reserved(policy, **options)
    # one that ends before it, one that leaves enough beside it, and two that do neither
    scheduler.submit(Jobs([5.0, 9.0, 9.0, 9.0], [[3], [1], [2], [4]]), 0)
    places = {job: machine for job, machine, _ in started(scheduler.advance(0))}
    assert places.keys() >= {0, 1}
    assert places.get(2, 1) == 1
    assert places.get(3, 1) == 1


@pytest.mark.parametrize(("policy", "options"), SERVING_AT_ONCE)
def test_its_amounts_are_free_again_at_its_end(policy: str, options: dict[str, Any]) -> None:
    scheduler = OnlineScheduler(policy, Machines.identical(1, [4]), **options)
    scheduler.reserve([3], 5, 10, 0)
    scheduler.submit(Jobs([20.0], [[2]]), 0)
    decision = scheduler.advance(0)
    assert started(decision) == []
    assert decision.next_wakeup == 10
    assert started(scheduler.advance(6)) == []
    assert started(scheduler.advance(10)) == [(0, 0, 10.0)]


@pytest.mark.parametrize(("policy", "options"), SERVING_AT_ONCE)
def test_jobs_that_name_it_run_inside(policy: str, options: dict[str, Any]) -> None:
    scheduler = reserved(policy, **options)
    # inside there are 3 units; the second waits for the first, and the third fits beside it
    named = Jobs([2.0, 2.0, 2.0], [[2], [2], [1]])
    assert scheduler.submit(named, 0, reservation=0).tolist() == [0, 1, 2]
    decision = scheduler.advance(0)
    assert started(decision) == []
    assert decision.next_wakeup == 5
    assert scheduler.jobs("waiting").reservation.tolist() == [0, 0, 0]
    assert started(scheduler.advance(5)) == [(0, 0, 5.0), (2, 0, 5.0)]
    scheduler.complete([0], 7)
    assert started(scheduler.advance(7)) == [(1, 0, 7.0)]
    rows = scheduler.reservations()
    assert (rows.reservation.tolist(), rows.machine.tolist()) == ([0], [0])
    assert (rows.amounts.tolist(), rows.free.tolist()) == ([[3]], [[0]])
    machines = scheduler.machine_state()
    assert (machines.used[0, 0], machines.reserved[0, 0], machines.free[0, 0]) == (3, 3, 1)


@pytest.mark.parametrize("policy", ["fcfs", "easy", "conservative", "pq"])
def test_from_its_end_on_its_jobs_are_like_all_others(policy: str) -> None:
    scheduler = OnlineScheduler(policy, Machines.identical(1, [4]))
    scheduler.reserve([2], 0, 10, 0)
    scheduler.submit(Jobs([10.0, 4.0], [[2], [2]]), 0, reservation=0)
    assert started(scheduler.advance(0)) == [(0, 0, 0.0)]
    # job 0 runs late; job 1 has waited for it and fits beside it now
    assert started(scheduler.advance(10)) == [(1, 0, 10.0)]
    assert len(scheduler.reservations()) == 0
    assert scheduler.jobs().reservation.tolist() == [-1, -1]
    assert scheduler.machine_state().free.tolist() == [[0]]
    scheduler.complete([0, 1], 12)
    scheduler.advance(12)
    assert scheduler.machine_state().free.tolist() == [[4]]


def test_a_cancelled_one_gives_back_what_it_took() -> None:
    scheduler = reserved("conservative")
    scheduler.submit(Jobs([20.0, 20.0], [[4], [4]]), 0)
    decision = scheduler.advance(0)
    assert started(decision) == [(0, 1, 0.0)]
    assert [tuple(each) for each in decision.plan] == [(1, 0, 10.0)]
    scheduler.cancel_reservation(0, 1)
    assert started(scheduler.advance(1)) == [(1, 0, 1.0)]
    with pytest.raises(InvalidInstanceError, match="reservation 0 is unknown, or over"):
        scheduler.cancel_reservation(0, 1)


def test_what_was_promised_there_is_void() -> None:
    scheduler = OnlineScheduler("conservative", Machines.identical(1, [4]))
    scheduler.submit(Jobs([4.0, 4.0, 2.0], [[4], [4], [1]]), 0)
    plan = scheduler.advance(0).plan
    assert [tuple(each) for each in plan] == [(1, 0, 4.0), (2, 0, 8.0)]
    # job 2 fits before it, where job 1 does not any more
    scheduler.reserve([2], 6, 9, 1, machines=[0])
    decision = scheduler.advance(1)
    assert [tuple(each) for each in decision.plan] == [(2, 0, 4.0), (1, 0, 9.0)]
    assert decision.broken.id.tolist() == [1]
    assert decision.broken.cause.tolist() == ["reservation"]


def test_a_task_goes_to_the_first_machine_with_room_for_it() -> None:
    scheduler = OnlineScheduler("pq", Machines.identical(3, [4]))
    scheduler.submit(Jobs([6.0], [[2]]), 0)
    scheduler.advance(0)
    scheduler.reserve([[3], [2], [3]], 5, 8, 0)
    scheduler.advance(0)
    rows = scheduler.reservations()
    assert dict(zip(rows.machine.tolist(), rows.amounts[:, 0].tolist(), strict=True)) == {0: 2, 1: 3, 2: 3}
    scheduler.close([0], 1)
    with pytest.raises(InfeasibleError, match=r"no machine has room for task 1 of a reservation on \[6, 7\)"):
        scheduler.reserve([[1], [2]], 6, 7, 1)
    assert scheduler.reserve([[1], [1]], 6, 7, 1) == 1


def test_gangs_and_jobs_that_are_alone_run_inside() -> None:
    scheduler = OnlineScheduler("easy", Machines.identical(3, [4]))
    whole = scheduler.reserve([4], 0, 9, 0, machines=[0, 2])
    jobs = Jobs([3.0, 3.0], [[2], [1]], n_tasks=[4, 2], exclusive=[False, True])
    scheduler.submit(jobs, 0, reservation=whole)
    decision = scheduler.advance(0)
    assert started(decision) == [(0, 0, 0.0)]
    assert decision.starts.allocation.of(0) == [(0, 2), (2, 2)]
    scheduler.complete([0], 3)
    assert scheduler.advance(3).starts.allocation.of(1) == [(0, 2)]
    partial = scheduler.reserve([3], 3, 9, 3, machines=[1])
    with pytest.raises(InfeasibleError, match=r"job 2 does not fit reservation 1: .* 0 of 1 tasks"):
        scheduler.submit(Jobs([1.0], [[1]], exclusive=[True]), 3, reservation=partial)


def test_whoever_waits_says_why() -> None:
    scheduler = OnlineScheduler("pq", Machines.identical(1, [4]))
    number = scheduler.reserve([3], 5, 10, 0)
    scheduler.submit(Jobs([20.0], [[2]]), 0)
    scheduler.submit(Jobs([5.0, 2.0], [[3], [1]]), 0, reservation=number)
    scheduler.advance(0)
    other, first, second = scheduler.explain()
    assert (other.reason, other.machines) == ("reservation", (0,))
    assert (first.reason, first.machines, first.time) == ("reservation", (0,), 5.0)
    assert scheduler.estimate_start().tolist() == [10.0, 5.0, 10.0]
    scheduler.advance(5)
    assert (scheduler.explain([2])[0].reason, scheduler.explain([2])[0].time) == ("reservation", 10.0)
    assert second.id == 2


@pytest.mark.parametrize(("policy", "options"), SERVING_AT_ONCE)
def test_a_machine_of_it_may_fail_and_its_jobs_be_held_or_cancelled(
    policy: str, options: dict[str, Any]
) -> None:
    scheduler = reserved(policy, **options)
    scheduler.submit(Jobs([3.0, 3.0, 3.0], [[1], [1], [1]]), 5, reservation=0)
    scheduler.hold([1], 5)
    assert started(scheduler.advance(5)) == [(0, 0, 5.0), (2, 0, 5.0)]
    assert scheduler.fail_machines([0], 6).tolist() == [0, 2]
    scheduler.cancel([2], 6)
    scheduler.release([1], 6)
    assert started(scheduler.advance(6)) == []
    scheduler.repair_machines([0], 7)
    assert started(scheduler.advance(7)) == [(0, 0, 7.0), (1, 0, 7.0)]
    assert scheduler.jobs().id.tolist() == [0, 1]


def test_it_is_kept_with_the_scheduler() -> None:
    scheduler = reserved("easy")
    scheduler.submit(Jobs([4.0, 4.0], [[2], [2]]), 0, reservation=0)
    scheduler.submit(Jobs([9.0], [[4]]), 0)
    scheduler.reserve([1], 3, 4, 0, machines=[1])
    before = pickle.loads(pickle.dumps(scheduler))
    decided = [(started(each), each.next_wakeup) for each in map(scheduler.advance, (0, 5, 6))]
    assert [(started(each), each.next_wakeup) for each in map(before.advance, (0, 5, 6))] == decided
    assert before.save() == scheduler.save()
    assert OnlineScheduler.load(scheduler.save()).reserve([1], 20, 21, 6) == 2


def test_nonsense_is_refused_and_changes_nothing() -> None:
    scheduler = reserved()
    scheduler.advance(1)
    kept = scheduler.save()
    cases: list[tuple[type[Exception], str, tuple[Any, ...], dict[str, Any]]] = [
        (InvalidInstanceError, r"begins before now = 1", ([1], 0.5, 3, 1), {}),
        (InvalidInstanceError, r"must end, and after its begin", ([1], 3, 3, 1), {}),
        (InvalidInstanceError, r"end = inf is not a finite", ([1], 3, float("inf"), 1), {}),
        (InvalidInstanceError, r"demands nothing", ([0], 3, 4, 1), {}),
        (InvalidInstanceError, r"demand\[0\].*-1", ([-1], 3, 4, 1), {}),
        (InvalidInstanceError, r"2 resources; the machines have 1", ([1, 1], 3, 4, 1), {}),
        (InvalidInstanceError, r"machine 7 is not there", ([1], 3, 4, 1), {"machines": [7]}),
        (InvalidInstanceError, r"names none", ([1], 3, 4, 1), {"machines": []}),
        (InvalidInstanceError, r"1 machines for 2 tasks", ([[1], [1]], 3, 4, 1), {"machines": [0]}),
        (InvalidInstanceError, r"now = 0 lies before 1", ([1], 3, 4, 0), {}),
        (
            InfeasibleError,
            r"would take 2 of resource 0 of machine 0, which has 1 beside",
            ([2], 9, 12, 1),
            {"machines": 0},
        ),
        (InfeasibleError, r"no machine has room for task 0", ([5], 3, 4, 1), {}),
        (TypeError, r"start must be a number", ([1], "3", 4, 1), {}),
    ]
    for error, match, given, named in cases:
        with pytest.raises(error, match=match):
            scheduler.reserve(*given, **named)
    job = Jobs([2.0], [[1]])
    with pytest.raises(InvalidInstanceError, match="reservation 3 is unknown, or over"):
        scheduler.submit(job, 1, reservation=3)
    with pytest.raises(InvalidInstanceError, match="reservation -1 is unknown"):
        scheduler.submit(job, 1, reservation=-1)
    with pytest.raises(TypeError, match="reservation must be an integer"):
        scheduler.submit(job, 1, reservation=True)
    with pytest.raises(InfeasibleError, match="it takes 6, and the reservation ends at 10"):
        scheduler.submit(Jobs([6.0], [[1]]), 1, reservation=0)
    with pytest.raises(InfeasibleError, match="0 of 1 tasks"):
        scheduler.submit(Jobs([2.0], [[4]]), 1, reservation=0)
    assert scheduler.save() == kept


@pytest.mark.parametrize("policy", ["tetris_np", "jsq_mw"])
def test_policies_that_heed_no_clusters_take_none(policy: str) -> None:
    scheduler = OnlineScheduler(policy, Machines.identical(1, [4]), remote_penalty=1.5)
    with pytest.raises(UnsupportedError):
        scheduler.reserve([1], 3, 4, 0)


@pytest.mark.parametrize(("policy", "options"), SERVING_AT_ONCE)
@pytest.mark.parametrize("change", ["set_capacity", "add_machines", "remove_machines"])
def test_jobs_may_come_inside_at_the_instant_at_which_machines_change(
    policy: str, options: dict[str, Any], change: str
) -> None:
    scheduler = reserved(policy, **options)
    scheduler.submit(Jobs([2.0], [[1]]), 0)
    scheduler.advance(0)
    if change == "set_capacity":
        scheduler.set_capacity(1, [3], 5)
    elif change == "add_machines":
        scheduler.add_machines(Machines.identical(1, [4]), 5)
    else:
        scheduler.remove_machines([1], 5)
    scheduler.submit(Jobs([2.0], [[1]]), 5, reservation=0)
    assert started(scheduler.advance(5)) == [(1, 0, 5.0)]


@pytest.mark.parametrize("policy", ["easy", "conservative", "pq"])
def test_one_that_is_made_and_cancelled_at_one_instant_was_never_there(policy: str) -> None:
    scheduler = OnlineScheduler(policy, Machines.identical(2, [4]))
    number = scheduler.reserve([2], 0, 10, 0)
    scheduler.submit(Jobs([2.0, 2.0], [[1], [1]]), 0, reservation=number)
    scheduler.hold([0], 0)
    scheduler.cancel_reservation(number, 0)
    assert started(scheduler.advance(0)) == [(1, 0, 0.0)]
    assert scheduler.jobs().reservation.tolist() == [-1, -1]
    loaded = OnlineScheduler.load(scheduler.save())
    loaded.release([0], 1)
    assert started(loaded.advance(1)) == [(0, 0, 1.0)]


def test_what_cannot_be_a_number_or_cannot_run_is_refused() -> None:
    scheduler = OnlineScheduler("easy", Machines.identical(1, [4]))
    late = scheduler.reserve([2], 1e16, 2e16, 0)
    with pytest.raises(InvalidInstanceError, match="job 0"):
        scheduler.submit(Jobs([0.5], [[2]]), 0, reservation=late)  # no longer than the clock can tell
    nonsense: list[Any] = [1.0, "0", None, [0]]
    for number in nonsense:
        with pytest.raises(TypeError):
            scheduler.cancel_reservation(number, 0)
    with pytest.raises(InvalidInstanceError, match="reservation 7 is unknown, or over"):
        scheduler.submit(Jobs(np.empty(0), np.empty((0, 1))), 0, reservation=7)


def test_a_job_that_is_updated_and_completes_at_one_instant_is_kept() -> None:
    scheduler = OnlineScheduler("easy", Machines.identical(1, [4]))
    scheduler.submit(Jobs([3.0], [[1]]), 0)
    scheduler.advance(0)
    scheduler.update([0], 1, remaining_time=5)
    scheduler.complete([0], 1)
    loaded = OnlineScheduler.load(scheduler.save())
    assert loaded.save() == scheduler.save()
    loaded.advance(1)
    assert loaded.n_running == 0


def test_a_late_start_in_an_outage_is_not_void_for_a_reservation_behind_it() -> None:
    scheduler = OnlineScheduler("conservative", Machines([[4]]), compression="none")
    scheduler.submit(Jobs([4.0], [[1]], n_tasks=[2]), 1)  # will be late
    scheduler.advance(1)
    scheduler.submit(Jobs([1.0], [[1]], n_tasks=[3]), 2)
    assert scheduler.advance(2).plan.start_time.tolist() == [5.0]
    scheduler.submit(Jobs([1.0], [[1]]), 3)
    scheduler.hold([2], 3)
    scheduler.announce_outage(0, 7, 10, 4)
    scheduler.advance(6)
    scheduler.reserve([4], 8, 14, 7, machines=[0])
    scheduler.release([2], 7)
    scheduler.advance(7)
    # Job 1 would start now, where there is nothing in the outage, and keeps its place: so job 2 passes it.
    scheduler.update([2], 11, constraint="")
    plan = scheduler.advance(11).plan
    assert dict(zip(plan.id.tolist(), plan.start_time.tolist(), strict=True)) == {2: 14.0, 1: 15.0}


@pytest.mark.parametrize(("policy", "options"), SERVING_AT_ONCE)
def test_what_is_left_for_others_follows_every_run(policy: str, options: dict[str, Any]) -> None:
    def can_start(job: int, now: float) -> bool:
        scheduler.submit(Jobs([30.0], [[1]], constraint=["m0"]), now, ids=[job])
        return job in scheduler.advance(now).starts.id

    scheduler = OnlineScheduler(policy, Machines([[4], [4]], labels=[{"m0"}, {"m1"}]), **options)
    scheduler.reserve([3], 5, 10, 0, machines=[0])  # and one unit is left
    assert can_start(0, 0)
    scheduler.complete([0], 1)
    scheduler.advance(1)
    assert can_start(1, 2)  # in the place of the one that has ended
    assert not can_start(2, 2)
    scheduler.update([1], 3, remaining_time=1)
    assert 2 in scheduler.advance(3).starts.id  # the other will be gone by then
    assert not can_start(3, 3)
    scheduler.advance(
        4
    )  # job 1 is late: until 5 by what it says, and once more as long from the next event on
    scheduler.cancel([2], 4)
    loaded = OnlineScheduler.load(scheduler.save())
    decisions = [each.advance(4) for each in (scheduler, loaded)]
    assert started(decisions[0]) == started(decisions[1])


@pytest.mark.parametrize("policy", ["first_fit", "easy", "backfill", "conservative"])
@pytest.mark.parametrize("selection", ["ff", "sb"])
@pytest.mark.parametrize("how", ["complete", "cancel"])
def test_limits_count_jobs_inside_until_they_end(policy: str, selection: str, how: str) -> None:
    site = Site(limits=[Limit("user=ann", "jobs", 1)])
    scheduler = OnlineScheduler(policy, Machines([[10]]), site=site, selection=selection)
    course = scheduler.reserve([2], 0, 100, 0, machines=[0])
    scheduler.submit(Jobs([90.0], [[5]]), 0)
    scheduler.submit(Jobs([50.0], [[2]], user=["ann"]), 0, reservation=course)
    assert scheduler.advance(0).starts.id.tolist() == [0, 1]
    scheduler.submit(Jobs([50.0], [[8]]), 1)  # blocked, and the head of the queue
    scheduler.advance(1)
    scheduler.submit(Jobs([5.0], [[2]], user=["ann"]), 2)  # fits beside it
    assert scheduler.advance(2).starts.id.tolist() == []
    (waiting,) = scheduler.explain([3])
    assert (waiting.reason, waiting.limit) == ("limit", 0)
    copies = [scheduler, OnlineScheduler.load(scheduler.save())]
    for each in copies:
        getattr(each, how)([1], 10)
        assert each.advance(10).starts.id.tolist() == [3]
