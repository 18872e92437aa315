"""Machines of an embedded scheduler that are closed, opened and removed, and the jobs that run there."""

from typing import Any

import numpy as np
import pytest

import schedcore
from engine.policy_cases import CLUSTER_POLICIES
from schedcore import InvalidInstanceError, Jobs, Machines, OnlineScheduler, UnsupportedError


def started(decision: schedcore.engine.Decision) -> list[tuple[int, int, float]]:
    return [tuple(each) for each in decision.starts]


def two_running(policy: str = "first_fit", **options: Any) -> OnlineScheduler:
    """Job 0 runs on machine 0, job 1 on machine 1, until 10; job 2 waits for a whole machine."""
    scheduler = OnlineScheduler(policy, Machines.identical(2, [4]), **options)
    scheduler.submit(Jobs([10.0, 10.0, 5.0], [[4], [4], [4]]), 0)
    assert started(scheduler.advance(0)) == [(0, 0, 0.0), (1, 1, 0.0)]
    return scheduler


@pytest.mark.parametrize(
    ("policy", "options"), [case for case in CLUSTER_POLICIES if case[0] not in ("mris", "ca_pq")]
)
def test_nothing_starts_on_a_closed_machine_until_it_is_opened(policy: str, options: dict[str, Any]) -> None:
    scheduler = OnlineScheduler(policy, Machines.identical(2, [4]), **options)
    assert scheduler.close([0], 0).tolist() == []
    scheduler.submit(Jobs([2.0, 2.0], [[4], [4]]), 0)
    assert started(scheduler.advance(0)) == [(0, 1, 0.0)]
    assert scheduler.n_waiting == 1
    scheduler.open([0], 3)
    assert started(scheduler.advance(3)) == [(1, 0, 3.0)]


def test_mris_plans_on_open_machines() -> None:
    scheduler = OnlineScheduler("mris", Machines.identical(2, [4]), gamma0=2.0, origin=0.0)
    scheduler.submit(Jobs([2.0, 2.0, 2.0], [[4], [4], [4]]), 3)
    scheduler.close([0], 3)
    decision = scheduler.advance(4)
    assert started(decision) == [(0, 1, 4.0)]
    assert [tuple(each) for each in decision.plan] == [(1, 1, 6.0), (2, 1, 8.0)]
    # what was planned on a machine that is closed waits for a later batch
    scheduler.close([1], 5)
    scheduler.open([0], 5)
    assert len(scheduler.advance(5).plan) == 0
    assert started(scheduler.advance(8)) == [(1, 0, 8.0)]


def test_a_drained_machine_finishes_what_runs_there_and_takes_nothing_new() -> None:
    scheduler = two_running()
    assert scheduler.close([0], 1).tolist() == []
    assert started(scheduler.advance(1)) == []
    assert (scheduler.n_running, scheduler.n_waiting) == (2, 1)
    scheduler.complete([0], 4)
    assert started(scheduler.advance(4)) == []
    scheduler.complete([1], 6)
    assert started(scheduler.advance(6)) == [(2, 1, 6.0)]


@pytest.mark.parametrize("killed", ["requeue", "drop", "checkpoint"])
def test_jobs_on_a_closed_machine_wait_again_whatever_the_rule_for_failures(killed: str) -> None:
    scheduler = two_running(killed=killed)
    assert scheduler.close([0], 1, "requeue").tolist() == [0]
    decision = scheduler.advance(1)
    assert decision.killed.tolist() == [0]
    assert scheduler.jobs("waiting").id.tolist() == [0, 2]
    scheduler.open([0], 2)
    assert started(scheduler.advance(2)) == [(0, 0, 2.0)]


def test_jobs_on_a_closed_machine_that_are_dropped_are_gone() -> None:
    scheduler = two_running()
    assert scheduler.close([0], 1, running="drop").tolist() == [0]
    assert scheduler.advance(1).killed.tolist() == [0]
    assert scheduler.jobs().id.tolist() == [1, 2]
    assert scheduler.submit(Jobs([1.0], [[1]]), 2, ids=[0]).tolist() == [0]


def test_saved_work_is_kept_where_the_rule_says_so() -> None:
    scheduler = OnlineScheduler("pq", Machines.identical(1, [1]), killed="checkpoint")
    scheduler.submit(Jobs([10.0], [[1]], checkpoint_interval=3.0, restart_cost=0.5), 0)
    scheduler.advance(0)
    scheduler.close([0], 7, "requeue")
    scheduler.advance(7)
    assert scheduler.jobs().processing_time.tolist() == [10 - 6 + 0.5]


def test_a_draining_machine_can_be_closed_again_to_stop_what_still_runs() -> None:
    scheduler = two_running()
    scheduler.close([0], 1)
    scheduler.advance(1)
    assert scheduler.close([0], 2, "requeue").tolist() == [0]
    assert scheduler.advance(2).killed.tolist() == [0]


def test_a_draining_machine_may_fail_and_is_back_once_it_is_repaired_and_opened() -> None:
    scheduler = two_running()
    scheduler.close([0], 1)
    scheduler.advance(1)
    assert scheduler.fail_machines([0], 2).tolist() == [0]
    scheduler.advance(2)
    scheduler.repair_machines([0], 3)
    assert started(scheduler.advance(3)) == []
    scheduler.open([0], 4)
    assert started(scheduler.advance(4)) == [(0, 0, 4.0)]


def test_machines_that_are_opened_and_closed_at_one_instant_are_closed() -> None:
    scheduler = OnlineScheduler("fcfs", Machines.identical(1, [1]))
    scheduler.close([0], 0)
    scheduler.open([0], 0)
    scheduler.submit(Jobs([1.0], [[1]]), 0)
    assert started(scheduler.advance(0)) == []
    assert scheduler.machine_state().state.tolist() == ["closed"]


def test_a_reservation_on_a_machine_that_is_closed_is_made_anew() -> None:
    scheduler = OnlineScheduler("conservative", Machines.identical(2, [4]))
    scheduler.submit(Jobs([5.0, 8.0, 3.0], [[4], [4], [4]]), 0)
    assert [tuple(each) for each in scheduler.advance(0).plan] == [(2, 0, 5.0)]
    scheduler.close([0], 1)
    assert [tuple(each) for each in scheduler.advance(1).plan] == [(2, 1, 8.0)]
    # what still runs on the closed machine makes no room there by ending
    scheduler.complete([0], 3)
    assert [tuple(each) for each in scheduler.advance(3).plan] == [(2, 1, 8.0)]
    scheduler.open([0], 4)
    assert started(scheduler.advance(4)) == [(2, 0, 4.0)]


def test_a_removed_machine_is_gone_for_good() -> None:
    scheduler = two_running()
    assert scheduler.remove_machines([0], 1).tolist() == []
    with pytest.raises(InvalidInstanceError, match="machine 0 was removed"):
        scheduler.open([0], 1)
    scheduler.advance(1)
    for record in (
        lambda: scheduler.open([0], 2),
        lambda: scheduler.close([0], 2),
        lambda: scheduler.remove_machines([0, 1], 2),
        lambda: scheduler.fail_machines([0], 2),
        lambda: scheduler.repair_machines([0], 2),
        lambda: scheduler.announce_outage(0, 3, 4, 2),
        lambda: OnlineScheduler.load(scheduler.save()).open([0], 2),
    ):
        with pytest.raises(InvalidInstanceError, match="machine 0 was removed"):
            record()
    assert scheduler.recorded_instant is None
    assert scheduler.machine_state().machine.tolist() == [1]
    scheduler.complete([0, 1], 5)
    assert started(scheduler.advance(5)) == [(2, 1, 5.0)]


def test_a_machine_that_is_removed_with_its_jobs() -> None:
    scheduler = two_running()
    assert scheduler.remove_machines([1], 1, running="drop").tolist() == [1]
    assert scheduler.advance(1).killed.tolist() == [1]
    assert scheduler.jobs().id.tolist() == [0, 2]


def test_saving_keeps_what_is_closed_and_what_runs_there() -> None:
    scheduler = two_running("easy")
    scheduler.close([0], 1)
    scheduler.advance(1)
    scheduler.remove_machines([1], 2, "requeue")
    loaded = OnlineScheduler.load(scheduler.save())
    assert loaded.save() == scheduler.save()
    for each in (scheduler, loaded):
        assert each.advance(2).killed.tolist() == [1]
        each.complete([0], 3)
        each.advance(3)
        assert each.jobs("waiting").id.tolist() == [1, 2]
        each.open([0], 4)
        assert started(each.advance(4)) == [(1, 0, 4.0)]


def test_indices_are_those_of_the_caller_where_machines_have_weights() -> None:
    scheduler = OnlineScheduler("first_fit", Machines([[4], [4], [4]], weight=[2, 1, 0]))
    scheduler.close([2], 0)
    scheduler.remove_machines([0], 0)
    scheduler.submit(Jobs([1.0], [[4]]), 0)
    assert started(scheduler.advance(0)) == [(0, 1, 0.0)]
    states = scheduler.machine_state()
    assert (states.machine.tolist(), states.state.tolist()) == ([1, 2], ["up", "closed"])


def test_bad_input() -> None:
    scheduler = two_running()
    with pytest.raises(InvalidInstanceError, match="machine 2 is not there; there are 2 machines"):
        scheduler.close([2], 1)
    with pytest.raises(InvalidInstanceError, match="unknown running 'finnish'; did you mean 'finish'"):
        scheduler.close([1], 1, "finnish")
    with pytest.raises(InvalidInstanceError, match="lies before"):
        scheduler.advance(1) and scheduler.open([0], 0)
    with pytest.raises(InvalidInstanceError, match="one-dimensional integers"):
        scheduler.remove_machines(np.array([0.5]), 1)
    assert scheduler.recorded_instant is None
    with pytest.raises(UnsupportedError, match="failures, outages"):
        OnlineScheduler("jsq_mw", Machines.identical(1, [1]), remote_penalty=2).close([0], 0)
