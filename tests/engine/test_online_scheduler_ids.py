"""A job keeps the id that its owner gave it: in `submit`, in the caller's own key, and back in every answer."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import schedcore
from schedcore import InvalidInstanceError, Jobs, Machines, OnlineScheduler, PolicyError

MACHINES = Machines.identical(2, [4])


class Recorder:
    """A key that keeps what it is shown; orders by the negative id, so that decisions depend on it."""

    def __init__(self) -> None:
        self.seen: list[list[int]] = []

    def __call__(self, jobs: Jobs) -> Any:
        self.seen.append(jobs.id.tolist())
        return -jobs.id


def test_ids_given_to_jobs_are_the_ids_of_the_submission() -> None:
    scheduler = OnlineScheduler("pq", MACHINES)
    jobs = Jobs([1.0, 2.0, 3.0], [[1], [1], [1]], id=[77, 5, 900])
    assert scheduler.submit(jobs[:1], 0).tolist() == [77]
    assert scheduler.submit(jobs.replace(weight=2)[1:2], 0).tolist() == [5]
    assert scheduler.submit(Jobs.from_arrow(jobs[2:].to_arrow()), 0).tolist() == [900]
    assert sorted(start.id for start in scheduler.advance(0).starts) == [5, 77, 900]
    with pytest.raises(InvalidInstanceError, match="job 77 was submitted already"):
        scheduler.submit(jobs[:1], 0)


def test_ids_of_the_call_come_before_those_of_the_jobs() -> None:
    scheduler = OnlineScheduler("pq", MACHINES)
    jobs = Jobs([1.0], [[1]], id=[77])
    assert scheduler.submit(jobs, 0, ids=[3]).tolist() == [3]
    assert scheduler.submit(jobs.replace(id=None), 0).tolist() == [4]


def test_jobs_without_ids_of_their_own_get_running_numbers_slice_by_slice() -> None:
    scheduler = OnlineScheduler("pq", MACHINES)
    jobs = Jobs([1.0, 2.0, 3.0], [[1], [1], [1]])
    assert scheduler.submit(jobs[2:], 0).tolist() == [0]
    assert scheduler.submit(Jobs.from_arrow(jobs.to_arrow())[:2], 0).tolist() == [1, 2]


@pytest.mark.parametrize("policy", ["pq", "ca_pq", "mris"])
@pytest.mark.parametrize("how", ["jobs", "call", "running"])
def test_a_key_sees_the_ids_that_the_scheduler_uses(policy: str, how: str) -> None:
    options: dict[str, Any] = {"ca_pq": {"last_release_time": 5}, "mris": {"gamma0": 1.0}}.get(policy, {})
    key = Recorder()
    scheduler = OnlineScheduler(policy, MACHINES, heuristic=key, **options)
    first = {"jobs": [40, 30], "call": [40, 30], "running": [0, 1]}[how]
    jobs = Jobs([1.0, 2.0], [[3], [3]], id=[40, 30] if how == "jobs" else None)
    returned = scheduler.submit(jobs, 0, ids=[40, 30] if how == "call" else None)
    assert returned.tolist() == first == key.seen[0]
    assert scheduler.submit(Jobs([1.0], [[3]]), 0).tolist() == [max(first) + 1] == key.seen[1]


def test_a_key_sees_the_same_ids_under_simulation_and_embedded() -> None:
    jobs = Jobs([2.0, 3.0, 1.0, 5.0], [[3], [3], [2], [2]], id=[11, 7, 20, 9])
    key = Recorder()
    result = schedcore.solve("pq", schedcore.Instance(jobs, MACHINES), heuristic=key)
    scheduler = OnlineScheduler("pq", MACHINES, heuristic=key)
    scheduler.submit(jobs, 0)
    assert key.seen == [[11, 7, 20, 9]] * 2
    starts = {start.id: start.machine for start in scheduler.advance(0).starts}
    at_once = result.schedule.start_time == 0
    assert starts == dict(
        zip(jobs.id[at_once].tolist(), result.schedule.machine[at_once].tolist(), strict=True)
    )


def test_a_failing_key_uses_up_no_running_number() -> None:
    answers: Iterator[Any] = iter([[np.nan], "no number", [1.0]])
    scheduler = OnlineScheduler("pq", MACHINES, heuristic=lambda jobs: next(answers))
    for _ in range(2):
        with pytest.raises(PolicyError, match="job 0"):
            scheduler.submit(Jobs([1.0], [[1]]), 0)
    with pytest.raises(InvalidInstanceError, match="weight of job 0 is 0"):
        OnlineScheduler("pq", MACHINES, heuristic=Recorder()).submit(Jobs([1.0], [[1]], weight=0), 0)
    assert scheduler.submit(Jobs([1.0], [[1]]), 0).tolist() == [0]


def test_threads_that_submit_at_once_are_shown_the_ids_that_they_get() -> None:
    # Both callables run before either submission is recorded: the barrier lets no one go on alone.
    both = threading.Barrier(2, timeout=60)
    shown: dict[int, list[int]] = {}

    def key(jobs: Jobs) -> Any:
        shown[threading.get_ident()] = jobs.id.tolist()
        both.wait()
        return jobs.processing_time

    scheduler = OnlineScheduler("pq", MACHINES, heuristic=key)

    def submit(length: float) -> tuple[int, list[int]]:
        return threading.get_ident(), scheduler.submit(Jobs([length, length], [[1], [1]]), 0).tolist()

    with ThreadPoolExecutor(2) as pool:
        returned = list(pool.map(submit, [1.0, 2.0]))
    assert sorted(ids for _, ids in returned) == [[0, 1], [2, 3]]
    assert all(shown[thread] == ids for thread, ids in returned)


def test_a_failed_submission_beside_another_takes_no_id_from_it() -> None:
    scheduler = OnlineScheduler("pq", MACHINES, heuristic=lambda jobs: key(jobs))
    inner: list[int] = []

    def key(jobs: Jobs) -> Any:
        if jobs.processing_time[0] == 1.0:  # another submission comes in between, then this one fails
            inner.extend(scheduler.submit(Jobs([2.0], [[1]]), 0).tolist())
            raise ValueError("no key")
        return jobs.processing_time

    with pytest.raises(PolicyError, match="job 0"):
        scheduler.submit(Jobs([1.0], [[1]]), 0)
    assert inner == [1]
    assert scheduler.submit(Jobs([3.0], [[1]]), 0).tolist() == [2]


@pytest.mark.parametrize("how", ["submit", "submit_one"])
def test_a_number_that_the_key_itself_has_submitted_stays_taken(how: str) -> None:
    scheduler = OnlineScheduler("pq", MACHINES, heuristic=lambda jobs: key(jobs))

    def key(jobs: Jobs) -> Any:
        if jobs.processing_time[0] == 1.0:
            scheduler.submit(Jobs([2.0], [[1]]), 0, ids=jobs.id)
        return jobs.processing_time

    with pytest.raises(InvalidInstanceError, match="job 0 was submitted already"):
        scheduler.submit(Jobs([1.0], [[1]]), 0) if how == "submit" else scheduler.submit_one(1.0, [1], 0)
    assert scheduler.submit_one(3.0, [1], 0) == 1
    assert OnlineScheduler.load(scheduler.save(), heuristic=key).save() == scheduler.save()


def test_ids_of_the_caller_stay_the_caller_s() -> None:
    seen: list[Jobs] = []

    def key(jobs: Jobs) -> Any:
        seen.append(jobs)
        return jobs.processing_time

    ids = np.array([4, 2])
    OnlineScheduler("pq", MACHINES, heuristic=key).submit(Jobs([1.0, 1.0], [[1], [1]]), 0, ids=ids)
    ids[:] = 9
    assert seen[0].id.tolist() == [4, 2]
