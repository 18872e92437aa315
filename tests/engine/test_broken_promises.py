"""`Decision.broken`: planned starts that were told and have moved later, with the cause."""

import pytest

import schedcore
from schedcore import Jobs, Machines, OnlineScheduler

PAIR = Machines.identical(2, [4])
INF = float("inf")


def promised(policy: str = "conservative", **options: str) -> OnlineScheduler:
    """Jobs 0 and 1 run until 5 and 8 on machines 0 and 1; job 2 is promised machine 0 at 5."""
    scheduler = OnlineScheduler(policy, PAIR, **options)
    scheduler.submit(Jobs([5.0, 8.0, 3.0], [[4]] * 3), 0)
    decision = scheduler.advance(0)
    assert [tuple(row) for row in decision.plan] == [(2, 0, 5.0)]
    assert len(decision.broken) == 0
    return scheduler


def broken(decision: schedcore.Decision) -> list[tuple[int, float, float, str]]:
    rows = decision.broken
    columns = (rows.id, rows.promised, rows.expected, rows.cause)
    return list(zip(*(column.tolist() for column in columns), strict=True))


@pytest.mark.parametrize("policy", ["conservative", "easy", "backfill"])
def test_machines_that_fail_are_closed_or_will_be_out(policy: str) -> None:
    scheduler = promised(policy)
    scheduler.fail_machines([0], 1)
    # the killed job comes first in the queue; where one job is protected, it is that one
    expected = 13.0 if policy == "conservative" else INF
    assert broken(scheduler.advance(1)) == [(2, 5.0, expected, "failure")]
    scheduler = promised(policy)
    scheduler.close([0], 1)
    assert broken(scheduler.advance(1)) == [(2, 5.0, 8.0, "closed")]
    scheduler = promised(policy)
    scheduler.announce_outage(0, 6, 20, 1)
    assert broken(scheduler.advance(1)) == [(2, 5.0, 8.0, "outage")]
    assert broken(scheduler.advance(2)) == []


@pytest.mark.parametrize("policy", ["conservative", "easy", "backfill"])
def test_jobs_that_take_longer_than_they_said(policy: str) -> None:
    scheduler = promised(policy)
    for each in (scheduler, scheduler.copy(), OnlineScheduler.load(scheduler.save())):
        # a reservation keeps its machine; one that lives for a pass is made anew
        expected = 10.0 if policy == "conservative" else 8.0
        assert broken(each.advance(5)) == [(2, 5.0, expected, "late")]
    scheduler = promised(policy)
    scheduler.update([0], 1, remaining_time=6.0)
    assert broken(scheduler.advance(1)) == [(2, 5.0, 7.0, "late")]


def test_a_start_that_comes_later_than_it_was_told() -> None:
    scheduler = promised()
    scheduler.complete([0], 6)
    scheduler.complete([1], 6)
    decision = scheduler.advance(6)
    assert [tuple(row) for row in decision.starts] == [(2, 0, 6.0)]
    assert broken(decision) == [(2, 5.0, 6.0, "order")]


def test_adopted_jobs() -> None:
    scheduler = OnlineScheduler("conservative", Machines.identical(1, [4]))
    scheduler.submit(Jobs([5.0, 3.0], [[3], [4]]), 0)
    scheduler.advance(0)
    scheduler.adopt(Jobs([9.0], [[1]]), [0], 1, 2)
    assert broken(scheduler.advance(2)) == [(1, 5.0, 10.0, "adopted")]


def test_what_the_caller_asked_for_breaks_nothing() -> None:
    for record in ("hold", "cancel"):
        scheduler = promised()
        getattr(scheduler, record)([2], 1)
        assert broken(scheduler.advance(1)) == []
    scheduler = promised()
    scheduler.submit(Jobs([2.0], [[4]]), 1)
    scheduler.advance(1)
    scheduler.update([2], 2, remaining_time=30.0)
    assert broken(scheduler.advance(2)) == []


def test_promises_that_move_earlier_are_not_broken() -> None:
    scheduler = promised()
    scheduler.complete([1], 3)
    decision = scheduler.advance(3)
    assert [tuple(row) for row in decision.starts] == [(2, 1, 3.0)]
    assert broken(decision) == []


def test_a_head_that_is_not_protected_any_more() -> None:
    # job 1 has no earliest instant while machine 1 is down, so job 2 is protected until then
    scheduler = OnlineScheduler("easy", PAIR)
    scheduler.fail_machines([1], 0)
    scheduler.submit(Jobs([5.0, 3.0, 3.0], [[4]] * 3, n_tasks=[1, 2, 1]), 0)
    assert [tuple(row) for row in scheduler.advance(0).plan] == [(2, 0, 5.0)]
    scheduler.repair_machines([1], 1)
    scheduler.submit(Jobs([9.0], [[4]]), 1)
    decision = scheduler.advance(1)
    assert [tuple(row) for row in decision.starts] == [(2, 1, 1.0)]
    assert broken(decision) == []
    assert [tuple(row) for row in decision.plan] == [(1, 0, 5.0)]


def test_a_refused_decision_tells_nothing() -> None:
    scheduler = promised()
    with pytest.raises(schedcore.InvalidInstanceError):
        scheduler.event(1, failed=[0], cancelled=[99])
    assert broken(scheduler.event(1, failed=[0]))[0][:2] == (2, 5.0)
