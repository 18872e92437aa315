"""Several things that happen to one job at one instant, and answers that follow them."""

from typing import Any

import pytest

from engine.policy_cases import CLUSTER_POLICIES
from schedcore import InvalidInstanceError, Jobs, Machines, OnlineScheduler

ONE = Machines.identical(1, [4])


def starts(scheduler: OnlineScheduler, now: float) -> list[tuple[int, int, float]]:
    return [tuple(each) for each in scheduler.advance(now).starts]


@pytest.mark.parametrize(("policy", "options"), CLUSTER_POLICIES)
@pytest.mark.parametrize("said", [{"constraint": ""}, {"remaining_time": 3.0}, {"weight": 2.0}])
@pytest.mark.parametrize("killed", ["requeue", "drop"])
def test_an_adopted_job_whose_machine_fails_is_updated(
    policy: str, options: dict[str, Any], said: dict[str, Any], killed: str
) -> None:
    scheduler = OnlineScheduler(policy, Machines.identical(2, [4]), killed=killed, **options)
    scheduler.adopt(Jobs([10.0], [[4]]), [0], 0, 5)
    scheduler.fail_machines([0], 5)
    scheduler.update([0], 5, **said)
    assert scheduler.advance(5).killed.tolist() == [0]
    assert len(scheduler.jobs()) == (1 if killed == "requeue" else 0)
    assert OnlineScheduler.load(scheduler.save()).save() == scheduler.save()


@pytest.mark.parametrize(("policy", "options"), CLUSTER_POLICIES)
@pytest.mark.parametrize("said", [{"constraint": ""}, {"remaining_time": 3.0}, {"weight": 2.0}])
def test_a_job_is_held_updated_and_released(
    policy: str, options: dict[str, Any], said: dict[str, Any]
) -> None:
    scheduler = OnlineScheduler(policy, ONE, **options)
    scheduler.submit(Jobs([10.0, 10.0, 10.0], [[4], [4], [2]]), 0)
    scheduler.advance(0)
    (job,) = [j for j in (1, 2) if j in scheduler.jobs("waiting").id.tolist()][:1]
    scheduler.hold([job], 1)
    scheduler.update([job], 1, **said)
    scheduler.release([job], 1)
    scheduler.advance(1)
    assert len(scheduler.jobs("held")) == 0
    assert job in scheduler.jobs().id.tolist()
    assert OnlineScheduler.load(scheduler.save()).save() == scheduler.save()
    now = 1.0
    while len(scheduler.jobs()) > 0:
        scheduler.complete(scheduler.jobs("running").id, now)
        now = max(
            now + 1, min(scheduler.advance(now).next_wakeup, 1e6) if scheduler.n_running == 0 else now + 1
        )
        scheduler.advance(now)
        assert now < 1e7


def test_jobs_of_several_pending_instants_are_updated_and_adopted() -> None:
    scheduler = OnlineScheduler("easy", Machines.identical(2, [4]))
    for now in (1, 2, 3):
        scheduler.submit(Jobs([10.0], [[4]]), now)
    scheduler.update([1, 2], 3, weight=2.0)
    scheduler.adopt(Jobs([10.0], [[1]]), [0], 0, 4)
    scheduler.adopt(Jobs([10.0], [[1]]), [1], 0, 4)
    scheduler.update([3, 4, 1], 4, weight=3.0)
    loaded = OnlineScheduler.load(scheduler.save())
    assert loaded.advance(4) == scheduler.advance(4)
    assert loaded.jobs().weight.tolist() == [1.0, 3.0, 2.0, 3.0, 3.0]


def test_a_job_is_asked_about_twice() -> None:
    scheduler = OnlineScheduler("fcfs", ONE)
    scheduler.submit(Jobs([10.0, 5.0, 5.0], [[4]] * 3), 0)
    scheduler.advance(0)
    assert scheduler.estimate_start([2, 1, 2]).tolist() == [15.0, 10.0, 15.0]
    assert scheduler.forecast([1, 1], Jobs([1.0], [[1]]), 5).q50.tolist() == [10.0, 10.0]


def test_a_run_that_is_cut_does_not_leave_what_no_clock_can_tell() -> None:
    scheduler = OnlineScheduler("easy", ONE)
    scheduler.submit(Jobs([10.0], [[4]]), 0)
    scheduler.advance(0)
    with pytest.raises(InvalidInstanceError, match="processing_time of job 0 is 1e-09"):
        scheduler.update([0], 0, remaining_time=1e-9)
    scheduler.update([0], 1, remaining_time=1e-9)  # it has run for 1
    scheduler.requeue([0], 1)
    with pytest.raises(InvalidInstanceError, match="processing_time of job 0 is 1e-12"):
        scheduler.update([0], 1, remaining_time=1e-12)
    scheduler.close([0], 1)
    scheduler.advance(1)
    assert scheduler.jobs().processing_time.tolist() == [10.0]
    loaded = OnlineScheduler.load(scheduler.save())
    loaded.open([0], 1e6)
    assert starts(loaded, 1e6) == [(0, 0, 1e6)]


def test_what_starts_beyond_the_end_of_the_clock_does_not_start() -> None:
    scheduler = OnlineScheduler("easy", ONE)
    scheduler.submit(Jobs([10.0, 10.0], [[4], [4]]), 0)
    scheduler.advance(0)
    scheduler.update([0], 1, remaining_time=1e18)
    scheduler.advance(1)
    assert scheduler.estimate_start().tolist() == [float("inf")]
    long = Jobs([1e17], [[1]], estimated_processing_time=[1.0])
    assert scheduler.forecast(None, long, 3).q50.tolist() == [float("inf")]
    endless = Jobs([1.0, 1e308], [[1], [1]], estimated_processing_time=[1.0, 1e-5])
    with pytest.raises(InvalidInstanceError, match=r"of the history, processing_time\[1\] = 1e\+308"):
        scheduler.forecast(None, endless, 3)


def test_messages_call_machines_and_jobs_as_the_caller_does() -> None:
    def scheduler() -> OnlineScheduler:
        return OnlineScheduler("easy", Machines([[4], [4]], weight=[1, 0]))

    removed = scheduler()
    removed.remove_machines([0], 0)
    for each in (removed, removed.copy(), OnlineScheduler.load(removed.save())):
        with pytest.raises(InvalidInstanceError, match="machine 0 was removed"):
            each.close([0], 0)
    failed = scheduler()
    failed.fail_machines([0], 0)
    with pytest.raises(InvalidInstanceError, match="machine 0 has failed"):
        failed.adopt(Jobs([5.0], [[1]]), [0], 0, 0)
    with pytest.raises(InvalidInstanceError, match="an outage of machine 0"):
        failed.announce_outage(0, 5, 5, 0)
    with pytest.raises(InvalidInstanceError, match="machine 1 is named twice"):
        failed.adopt(Jobs([5.0], [[1]], n_tasks=2), [[(1, 1), (1, 1)]], 0, 0)
    with pytest.raises(InvalidInstanceError, match=r"jobs on machine 1 would hold 6 .* with job 80"):
        scheduler().adopt(Jobs([5.0, 5.0], [[3], [3]]), [1, 1], 0, 0, ids=[70, 80])
    mris = OnlineScheduler("mris", ONE, gamma0=5)
    mris.submit(Jobs([10.0], [[4]]), 0)
    mris.advance(0)
    history = Jobs([9.0, 99.0, 2.0], [[1], [9], [1]], [0.0, 1.0, 2.0])
    with pytest.raises(
        InvalidInstanceError, match="of the history, processing_time of job 2 is 2, below gamma0"
    ):
        mris.forecast(None, history, 3, arrivals=True)


def test_an_id_without_a_user_has_none() -> None:
    scheduler = OnlineScheduler("fcfs", ONE)
    scheduler.submit(Jobs([1.0], [[4]], user=["ann"]), 0, ids=[5])
    scheduler.advance(0)
    scheduler.complete([5], 1)
    scheduler.advance(1)
    scheduler.submit_one(1.0, [4], 1, id=5)
    assert b"ann" not in scheduler.save()


def test_the_last_decision_has_the_ids_of_the_event() -> None:
    scheduler = OnlineScheduler("fcfs", ONE)
    decision = scheduler.event(0, submitted=Jobs([1.0], [[4]]), ids=[7])
    assert scheduler.last_decision is not None
    assert scheduler.last_decision.submitted.tolist() == decision.submitted.tolist() == [7]


def test_a_hold_that_is_over_breaks_no_promise() -> None:
    scheduler = OnlineScheduler("conservative", ONE)
    scheduler.submit(Jobs([10.0, 10.0, 10.0], [[4]] * 3), 0)
    scheduler.advance(0)
    scheduler.hold([1], 1)
    scheduler.release([1], 1)
    decision = scheduler.advance(1)
    assert [tuple(row) for row in decision.plan] == [(2, 0, 10.0), (1, 0, 20.0)]
    assert len(decision.broken) == 0
    scheduler.update([0], 2, remaining_time=5.0)
    assert len(scheduler.advance(2).broken) == 0
