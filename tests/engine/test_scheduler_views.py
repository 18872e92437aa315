"""What an embedded scheduler tells of its jobs and machines."""

import math

import numpy as np
import pytest

from schedcore import InvalidInstanceError, Jobs, Machines, OnlineScheduler

MACHINES = Machines([[4, 8], [4, 8], [8, 8]], ["cores", "memory"])


def a_cluster() -> OnlineScheduler:
    scheduler = OnlineScheduler("easy", MACHINES)
    jobs = Jobs(
        [5.0, 9.0, 4.0, 1.0],
        [[2, 1], [1, 1], [8, 8], [1, 1]],
        weight=[1.0, 2.0, 3.0, 4.0],
        estimated_processing_time=[6.0, 9.0, 4.0, 2.0],
        n_tasks=[3, 1, 1, 1],
        exclusive=[False, True, False, False],
    )
    scheduler.submit(jobs, 1, ids=[10, 7, 5, 6])
    scheduler.hold([6], 1)
    scheduler.advance(1)
    return scheduler


def test_jobs_in_columns() -> None:
    jobs = a_cluster().jobs()
    assert jobs.id.tolist() == [5, 6, 7, 10]
    assert jobs.state.tolist() == ["running", "held", "running", "waiting"]
    assert jobs.release_time.tolist() == [1.0] * 4
    assert jobs.processing_time.tolist() == [4.0, 2.0, 9.0, 6.0]  # estimates, with which EASY decides
    assert jobs.weight.tolist() == [3.0, 4.0, 2.0, 1.0]
    assert jobs.n_tasks.tolist() == [1, 1, 1, 3]
    assert jobs.demand.tolist() == [[8, 8], [1, 1], [1, 1], [2, 1]]


def test_running_jobs_say_where_and_until_when() -> None:
    scheduler = OnlineScheduler("first_fit", MACHINES)
    scheduler.submit(Jobs([5.0, 9.0], [[2, 1], [1, 1]], n_tasks=[3, 1], exclusive=[False, True]), 1)
    scheduler.advance(1)
    jobs = scheduler.jobs("running")
    assert jobs.machine.tolist() == [0, 2]
    assert jobs.start_time.tolist() == [1.0, 1.0]
    assert jobs.estimated_end.tolist() == [6.0, 10.0]
    assert jobs.allocation.of(0) == [(0, 2), (1, 1)]
    assert jobs.allocation.of(1) == [(2, 1)]
    scheduler.advance(8)  # job 0 is late: its estimate once more
    assert scheduler.jobs("running").estimated_end.tolist() == [13.0, 10.0]
    states = scheduler.machine_state()
    assert states.machine.tolist() == [0, 1, 2]
    assert states.used.tolist() == [[4, 2], [2, 1], [8, 8]]
    assert states.free.tolist() == [[0, 6], [2, 7], [0, 0]]
    assert states.n_jobs.tolist() == [1, 1, 1]


def test_jobs_of_one_state() -> None:
    scheduler = a_cluster()
    for state in ("waiting", "held", "running"):
        assert set(scheduler.jobs(state).state.tolist()) == {state}
    waiting = scheduler.jobs("waiting")
    assert waiting.id.tolist() == [10]
    assert waiting.machine.tolist() == [-1]
    assert all(math.isnan(time) for time in (*waiting.start_time, *waiting.estimated_end))
    assert len(waiting.allocation) == 0
    with pytest.raises(InvalidInstanceError, match="unknown state 'waitin'; did you mean 'waiting'"):
        scheduler.jobs("waitin")


def test_planned_jobs_wait() -> None:
    scheduler = OnlineScheduler("mris", Machines.identical(1, [4]), gamma0=1, origin=0)
    scheduler.submit(Jobs([1.0, 1.0], [[4], [4]]), 1.5)
    assert len(scheduler.advance(2).plan) == 1
    assert scheduler.jobs().state.tolist() == ["running", "waiting"]


def test_they_tell_of_the_last_decision_not_of_records() -> None:
    scheduler = a_cluster()
    scheduler.complete([5], 3)
    scheduler.submit(Jobs([1.0], [[1, 1]]), 3)
    assert scheduler.jobs().id.tolist() == [5, 6, 7, 10]
    assert scheduler.machine_state().n_jobs.tolist() == [1, 0, 1]


def test_machines_that_nothing_can_start_on() -> None:
    scheduler = OnlineScheduler("first_fit", Machines.identical(4, [4]))
    scheduler.submit(Jobs([9.0, 9.0], [[3], [3]]), 0)
    scheduler.advance(0)
    scheduler.close([0], 1)
    scheduler.announce_outage(1, 1, 5, 1)
    scheduler.fail_machines([2], 1)
    scheduler.advance(1)
    states = scheduler.machine_state()
    assert states.state.tolist() == ["closed", "outage", "failed", "up"]
    assert states.used.tolist() == [[3], [3], [0], [0]]
    assert states.free.tolist() == [[0], [0], [0], [4]]
    assert len(states) == 4


def test_an_empty_scheduler() -> None:
    scheduler = OnlineScheduler("pq", MACHINES)
    jobs = scheduler.jobs()
    assert len(jobs) == 0
    assert jobs.demand.shape == (0, 2)
    assert jobs.state.dtype.kind == "U"
    assert np.array_equal(scheduler.machine_state().free, MACHINES.capacity)
