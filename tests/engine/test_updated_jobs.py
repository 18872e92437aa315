"""`OnlineScheduler.update`: something else is said of jobs that wait, are held or run."""

from typing import Any

import numpy as np
import pytest

from schedcore import (
    InfeasibleError,
    InvalidInstanceError,
    Jobs,
    Machines,
    OnlineScheduler,
    UnsupportedError,
)

PAIR = Machines.identical(2, [4])
LABELLED = Machines([[4], [4]], labels=[["a"], ["b"]])


def plan(scheduler: OnlineScheduler, now: float) -> list[tuple[int, int, float]]:
    return [tuple(each) for each in scheduler.advance(now).plan]


def starts(scheduler: OnlineScheduler, now: float) -> list[tuple[int, int, float]]:
    return [tuple(each) for each in scheduler.advance(now).starts]


def conservative(machines: Machines = PAIR) -> OnlineScheduler:
    """Jobs 0 and 1 run until 5 and 8; job 2 is promised machine 0 at 5, job 3 machine 1 at 8."""
    scheduler = OnlineScheduler("conservative", machines)
    scheduler.submit(Jobs([5.0, 8.0, 6.0, 2.0], [[4]] * 4), 0)
    assert plan(scheduler, 0) == [(2, 0, 5.0), (3, 1, 8.0)]
    return scheduler


def test_a_running_job_that_ends_earlier_gives_room_back() -> None:
    scheduler = conservative()
    scheduler.update([1], 1, remaining_time=2.0)
    # job 2 would reach into the reservation of job 3, which moves
    assert plan(scheduler, 1) == [(3, 1, 3.0), (2, 0, 5.0)]
    assert scheduler.jobs("running").estimated_end.tolist() == [5.0, 3.0]


def test_a_running_job_that_ends_later_voids_nothing() -> None:
    scheduler = conservative()
    scheduler.update([0], 1, remaining_time=10.0)
    # told with the start that is possible; the machine stays
    assert plan(scheduler, 1) == [(3, 1, 8.0), (2, 0, 11.0)]
    scheduler.complete([0], 6)
    assert starts(scheduler, 6) == [(2, 0, 6.0)]


def test_a_job_that_is_late_says_when_it_ends() -> None:
    scheduler = conservative()
    scheduler.advance(5)  # job 0 is late: until 10
    scheduler.update([0], 6, remaining_time=1.0)
    assert plan(scheduler, 6) == [(2, 0, 7.0), (3, 1, 8.0)]


def test_a_waiting_job_with_another_length_gets_a_new_reservation() -> None:
    scheduler = conservative()
    scheduler.submit(Jobs([3.0], [[4]]), 1)
    assert plan(scheduler, 1) == [(2, 0, 5.0), (3, 1, 8.0), (4, 1, 10.0)]
    scheduler.update([3], 2, remaining_time=9.0)
    # what it gives back lets job 4 move; it keeps its place in the queue, but not its promise
    assert plan(scheduler, 2) == [(2, 0, 5.0), (4, 1, 8.0), (3, 0, 11.0)]


def test_weights_change_no_reservation() -> None:
    scheduler = conservative()
    scheduler.update([2, 3], 1, weight=[5.0, 7.0], priority=3)
    assert plan(scheduler, 1) == [(2, 0, 5.0), (3, 1, 8.0)]
    assert scheduler.jobs("waiting").weight.tolist() == [5.0, 7.0]


def test_weights_change_the_order_of_a_priority_queue() -> None:
    scheduler = OnlineScheduler("pq", Machines.identical(1, [4]))
    scheduler.submit(Jobs([5.0, 5.0, 5.0], [[4]] * 3), 0)
    scheduler.advance(0)
    scheduler.update([2], 1, weight=9)
    scheduler.advance(1)
    scheduler.complete([0], 5)
    assert starts(scheduler, 5) == [(2, 0, 5.0)]


def test_another_constraint_counts_at_once_for_a_waiting_job() -> None:
    scheduler = conservative(LABELLED)
    scheduler.update([2], 1, constraint="b")
    # the place of job 2 goes to job 3, and job 2 has none before it
    assert plan(scheduler, 1) == [(3, 0, 5.0), (2, 1, 8.0)]
    scheduler.update([2], 2, constraint="")
    assert plan(scheduler, 2) == [(3, 0, 5.0), (2, 0, 7.0)]


def test_for_a_running_job_another_constraint_counts_when_it_runs_again() -> None:
    scheduler = OnlineScheduler("easy", LABELLED)
    scheduler.submit(Jobs([5.0], [[4]]), 0)
    assert starts(scheduler, 0) == [(0, 0, 0.0)]
    scheduler.update([0], 1, constraint="b")
    scheduler = OnlineScheduler.load(scheduler.save())
    assert starts(scheduler, 1) == []
    assert OnlineScheduler.load(scheduler.save()).save() == scheduler.save()
    scheduler.requeue([0], 2)
    assert starts(scheduler, 2) == [(0, 1, 2.0)]


def test_held_jobs_and_arrivals_are_updated_too() -> None:
    scheduler = OnlineScheduler("conservative", Machines.identical(1, [4]))
    scheduler.submit(Jobs([5.0, 5.0], [[4], [4]]), 0)
    scheduler.update([1], 0, remaining_time=2.0)
    scheduler.hold([0], 0)
    assert starts(scheduler, 0) == [(1, 0, 0.0)]
    assert scheduler.jobs("running").estimated_end.tolist() == [2.0]
    scheduler.update([0], 1, remaining_time=7.0)
    scheduler.advance(1)
    scheduler.release([0], 1)
    scheduler.submit(Jobs([1.0], [[4]]), 1)
    assert plan(scheduler, 1) == [(0, 0, 2.0), (2, 0, 9.0)]


def test_a_job_that_is_updated_and_held_at_one_instant() -> None:
    scheduler = conservative()
    scheduler.hold([2], 1)
    scheduler.update([2], 1, remaining_time=1.0, weight=4.0)
    assert plan(scheduler, 1) == [(3, 0, 5.0)]
    scheduler.release([2], 2)
    assert plan(scheduler, 2) == [(3, 0, 5.0), (2, 0, 7.0)]
    assert scheduler.jobs("waiting").weight.tolist() == [4.0, 1.0]


def test_the_last_word_of_an_instant_counts() -> None:
    scheduler = conservative()
    scheduler.update([1], 1, remaining_time=1.0)
    scheduler.update([1, 0], 1, weight=[2.0, 3.0])
    scheduler.update([1], 1, remaining_time=2.0)
    assert plan(scheduler, 1) == [(3, 1, 3.0), (2, 0, 5.0)]
    assert scheduler.jobs("running").weight.tolist() == [3.0, 2.0]


def test_what_remains_counts_the_cost_of_resuming() -> None:
    scheduler = OnlineScheduler("conservative", Machines.identical(1, [1]), killed="checkpoint")
    scheduler.submit(Jobs([20.0], [[1]], checkpoint_interval=2.0, restart_cost=3.0), 0)
    scheduler.advance(0)
    scheduler.requeue([0], 5)
    scheduler.close([0], 5)
    scheduler.advance(5)
    assert scheduler.jobs().processing_time.tolist() == [20 - 4 + 3]
    with pytest.raises(InvalidInstanceError, match="no longer than its restart_cost, 3"):
        scheduler.update([0], 6, remaining_time=3.0)
    scheduler.update([0], 6, remaining_time=10.0)
    scheduler.open([0], 6)
    scheduler.advance(6)
    assert scheduler.jobs().estimated_end.tolist() == [16.0]
    scheduler.requeue([0], 13)  # 7 - 3 of work, 4 are saved
    scheduler.close([0], 13)
    scheduler.advance(13)
    assert scheduler.jobs().processing_time.tolist() == [7 - 4 + 3]
    assert OnlineScheduler.load(scheduler.save()).save() == scheduler.save()


def test_easy_heeds_the_new_end_of_a_running_job() -> None:
    scheduler = OnlineScheduler("easy", Machines.identical(1, [4]))
    scheduler.submit(Jobs([10.0, 10.0, 6.0], [[2], [4], [2]]), 0)
    assert starts(scheduler, 0) == [(0, 0, 0.0), (2, 0, 0.0)]
    scheduler.submit(Jobs([6.0], [[2]]), 6)
    scheduler.complete([2], 6)
    assert starts(scheduler, 6) == []  # it would keep the head, at 10, waiting
    scheduler.update([0], 7, remaining_time=6.0)
    assert starts(scheduler, 7) == [(3, 0, 7.0)]


def test_mris_keeps_a_plan_where_the_weight_changes_and_voids_it_where_the_length_does() -> None:
    scheduler = OnlineScheduler("mris", Machines.identical(1, [4]), gamma0=1, origin=0)
    scheduler.submit(Jobs([2.0, 2.0], [[2], [3]]), 3)
    assert plan(scheduler, 4) == [(1, 0, 6.0)]
    scheduler.update([1], 5, weight=3.0)
    assert plan(scheduler, 5) == [(1, 0, 6.0)]
    scheduler.update([1], 5, remaining_time=3.0)
    assert plan(scheduler, 5) == []
    scheduler.complete([0], 6)
    assert starts(scheduler, 8) == [(1, 0, 8.0)]


def test_records_to_come_are_saved() -> None:
    scheduler = conservative(LABELLED)
    scheduler.update([1], 1, remaining_time=2.0, weight=2.0, constraint="a|b")
    scheduler.update([3], 1, constraint="a")
    loaded = OnlineScheduler.load(scheduler.save())
    assert loaded.save() == scheduler.save()
    assert loaded.advance(1) == scheduler.advance(1)
    assert loaded.save() == scheduler.save()


@pytest.mark.parametrize(
    ("said", "error", "message"),
    [
        (
            {"remaining_time": 0},
            InvalidInstanceError,
            "remaining_time of job 2 is 0; it must be finite and above 0",
        ),
        ({"remaining_time": float("nan")}, InvalidInstanceError, "remaining_time of job 2 is nan"),
        ({"remaining_time": float("inf")}, InvalidInstanceError, "remaining_time of job 2 is inf"),
        ({"remaining_time": [1.0, 2.0]}, InvalidInstanceError, "2 entries for 1|shape|one for each"),
        ({"remaining_time": 1e-30}, InvalidInstanceError, "processing_time of job 2 is 1e-30"),
        ({"weight": -1}, InvalidInstanceError, "weight of job 2 is -1"),
        ({"priority": float("inf")}, InvalidInstanceError, "priority of job 2 is inf"),
        ({"constraint": "a &"}, InvalidInstanceError, "constraint of job 2: "),
        ({"constraint": "c"}, InfeasibleError, "job 2 can never run|no machine can run it"),
        ({"constraint": 5}, (InvalidInstanceError, TypeError), "constraint"),
    ],
)
def test_bad_values(said: dict[str, Any], error: Any, message: str) -> None:
    scheduler = conservative(LABELLED)
    before = scheduler.save()
    with pytest.raises(error, match=message):
        scheduler.update([2], 1, **said)
    assert scheduler.save() == before


def test_bad_ids_and_instants() -> None:
    scheduler = conservative()
    before = scheduler.save()
    for ids, message in (([7], "job 7 is unknown"), ([0, -1], "job -1 is unknown"), ([0.5], "integers")):
        with pytest.raises(InvalidInstanceError, match=message):
            scheduler.update(ids, 1, weight=2)
    scheduler.update([], 1, weight=2)
    scheduler.update([0], 1)
    assert scheduler.save() == before
    scheduler.complete([0], 2)
    scheduler.cancel([2], 2)
    for job in (0, 2):
        with pytest.raises(InvalidInstanceError, match=f"job {job} is unknown or has ended already"):
            scheduler.update([job], 2, weight=2)
    with pytest.raises(InvalidInstanceError, match="lies before"):
        scheduler.update([1], 1, weight=2)


def test_mris_does_not_take_a_waiting_job_that_becomes_too_short() -> None:
    scheduler = OnlineScheduler("mris", PAIR, gamma0=2)
    scheduler.submit(Jobs([3.0], [[4]]), 0)
    with pytest.raises(InvalidInstanceError, match="processing_time of job 0 is 1, below gamma0 = 2"):
        scheduler.update([0], 0, remaining_time=1.0)
    scheduler.advance(4)
    scheduler.update([0], 4.5, remaining_time=0.5)  # it runs
    scheduler.requeue([0], 4.5)
    scheduler.advance(4.5)
    assert OnlineScheduler.load(scheduler.save()).save() == scheduler.save()


def test_policies_that_heed_no_changes() -> None:
    with pytest.raises(UnsupportedError, match="cancellations and holds"):
        OnlineScheduler("jsq_mw", PAIR, remote_penalty=2).update([], 0)


def test_many_updates_at_once() -> None:
    scheduler = OnlineScheduler("pq", Machines.identical(1, [4]))
    n = 3000
    scheduler.submit(Jobs(np.full(n, 5.0), np.full((n, 1), 4)), 0)
    scheduler.update(np.arange(n), 0, weight=np.arange(1.0, n + 1))
    assert starts(scheduler, 0) == [(n - 1, 0, 0.0)]
    scheduler.update(np.arange(n - 1), 1, weight=np.arange(n - 1.0, 0, -1))
    scheduler.complete([n - 1], 1)
    assert starts(scheduler, 1) == [(0, 0, 1.0)]
