"""Records of several instants and one `advance`: the outcome of asking at every instant, with the starts of all.

`advance(now)` applies every recorded instant up to `now` and the wake-ups behind the first one, each at its own time.
The reference of the property is a caller who asks at each of these instants.
"""

import pickle
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import schedcore
from engine.event_driver import embedded_options
from engine.policy_cases import CASES, crowded, named
from example_shares import examples
from schedcore import InvalidInstanceError, Jobs, Machines, OnlineScheduler

Options = dict[str, Any]
Rows = list[tuple[int, int, float]]
Event = tuple[float, list[int], list[int]]  # instant, ids that complete, jobs that arrive
INFINITY = float("inf")
# Made once: strategies are drawn from tens of thousands of times, and to make one costs more than to draw.
SPANS = st.sampled_from([0, 1, 3, 10, 40])
OFFSETS = st.sets(st.sampled_from([0, 0.5, 1, 2, 5]))
ARRIVALS = [st.integers(0, most) for most in range(4)]
COMPLETES = st.booleans()
MACHINE = Machines.identical(1, [2])
BACKFILLING: list[tuple[str, Options]] = [
    ("fcfs", {}),
    ("first_fit", {}),
    ("first_fit", {"interval": 2.0}),
    ("easy", {}),
    ("easy", {"selection": "bb", "interval": 1.5}),
    ("conservative", {}),
    ("conservative", {"compression": "fixpoint", "resolution": 2.0}),
    ("backfill", {"protected": 2}),
]


def rows(placements: Iterable[schedcore.engine.Placement]) -> Rows:
    return [tuple(row) for row in placements]


def test_records_are_applied_at_their_own_instants() -> None:
    scheduler = OnlineScheduler("pq", MACHINE)
    # J0 takes the machine at 1. At 3 it ends and J1, the longer one, arrives alone; J2 arrives at 4 and waits for it.
    scheduler.submit(Jobs([9.0], [[2]]), 1)
    assert rows(scheduler.advance(1).starts) == [(0, 0, 1.0)]
    scheduler.complete([0], 3)
    scheduler.submit(Jobs([8.0], [[2]]), 3)
    scheduler.submit(Jobs([1.0], [[2]]), 4)
    assert scheduler.recorded_instant == 3
    assert (scheduler.n_waiting, scheduler.n_running) == (0, 1)
    decision = scheduler.advance(7)
    assert rows(decision.starts) == [(1, 0, 3.0)]
    assert (scheduler.now, scheduler.n_waiting, scheduler.n_running) == (7, 1, 1)
    assert scheduler.recorded_instant is None


def test_one_record_and_a_later_advance_need_no_call_in_between() -> None:
    scheduler = OnlineScheduler("pq", MACHINE)
    scheduler.submit(Jobs([1.0], [[1]]), 5)
    assert rows(scheduler.advance(9).starts) == [(0, 0, 5.0)]


def test_records_at_later_instants_stay_pending() -> None:
    scheduler = OnlineScheduler("pq", MACHINE)
    for instant in (2, 4, 4, 6):
        scheduler.submit(Jobs([1.0], [[1]]), instant)
    assert rows(scheduler.advance(1).starts) == []
    assert scheduler.recorded_instant == 2
    assert rows(scheduler.advance(5).starts) == [(0, 0, 2.0), (1, 0, 4.0)]
    assert scheduler.recorded_instant == 6
    assert (scheduler.now, scheduler.n_waiting, scheduler.n_running) == (5, 1, 2)
    with pytest.raises(InvalidInstanceError, match="job 3 cannot complete: it does not run"):
        scheduler.complete([3], 6)
    scheduler.complete([1], 6)
    restored = pickle.loads(pickle.dumps(scheduler))
    for each in (scheduler, restored, scheduler.copy()):
        assert each.recorded_instant == 6
        assert rows(each.advance(6).starts) == [(2, 0, 6.0)]
        assert each.recorded_instant is None


def test_wakeups_behind_the_first_record_are_decided_at_their_own_times() -> None:
    # gamma_k = 1, 2, 4, 8. J0 arrives at 1.5 and is batched at 2; J1 (4 long) arrives at 3 and is batched at 4.
    scheduler = OnlineScheduler("mris", Machines.identical(1, [4]), gamma0=1, origin=0)
    scheduler.submit(Jobs([1.0], [[1]]), 1.5)
    scheduler.submit(Jobs([4.0], [[1]]), 3)
    decision = scheduler.advance(100)
    assert rows(decision.starts) == [(0, 0, 2.0), (1, 0, 4.0)]


def test_wakeups_that_the_caller_let_pass_are_served_late() -> None:
    # The caller was told of gamma_1 = 2 and comes back with records of 3 and later: J0 starts at 3.
    scheduler = OnlineScheduler("mris", Machines.identical(1, [4]), gamma0=1, origin=0)
    scheduler.submit(Jobs([1.0], [[1]]), 1.5)
    assert scheduler.advance(1.5).next_wakeup == 2
    late = scheduler.copy()
    scheduler.submit(Jobs([4.0], [[1]]), 3)
    assert rows(scheduler.advance(100).starts) == [(0, 0, 3.0), (1, 0, 4.0)]
    assert rows(late.advance(100).starts) == [(0, 0, 100.0)]


def test_a_job_can_complete_only_where_the_caller_has_seen_its_start() -> None:
    scheduler = OnlineScheduler("pq", MACHINE)
    scheduler.submit(Jobs([1.0], [[1]]), 0)
    with pytest.raises(InvalidInstanceError, match="job 0 cannot complete: it does not run"):
        scheduler.complete([0], 5)
    scheduler.advance(0)
    scheduler.complete([0], 5)
    with pytest.raises(InvalidInstanceError, match="job 0 has completed already"):
        scheduler.complete([0], 6)
    with pytest.raises(InvalidInstanceError, match="job 0 was submitted already"):
        scheduler.submit(Jobs([1.0], [[1]]), 6, ids=[0])
    scheduler.advance(7)
    assert scheduler.submit(Jobs([1.0], [[1]]), 7, ids=[0]).tolist() == [0]


def test_many_instants_are_recorded_and_applied_one_by_one() -> None:
    n = 5000
    scheduler = OnlineScheduler("pq", Machines.identical(1, [n]))
    for instant in range(n):
        scheduler.submit(Jobs([1.0], [[1]]), instant)
    for instant in range(0, n, 2):
        assert scheduler.recorded_instant == (instant or 0)
        starts = scheduler.advance(instant + 1).starts
        assert rows(starts) == [(instant, 0, float(instant)), (instant + 1, 0, instant + 1.0)]


def test_the_last_decision_can_be_had_again() -> None:
    scheduler = OnlineScheduler("pq", MACHINE)
    assert scheduler.last_decision is None
    scheduler.submit(Jobs([1.0], [[1]]), 2)
    decision = scheduler.advance(3)
    assert scheduler.last_decision == scheduler.copy().last_decision == decision
    assert pickle.loads(pickle.dumps(scheduler)).last_decision is None


@dataclass
class Caller:
    """Tells a scheduler of events, all at once or one by one, and keeps account of who runs."""

    scheduler: OnlineScheduler
    instance: schedcore.Instance
    starts: Rows = field(default_factory=list)
    wakeup: float = INFINITY

    def record(self, event: Event) -> None:
        now, completed, arrived = event
        if arrived:
            self.scheduler.submit(self.instance.jobs[arrived], now, ids=arrived)
        if completed:
            self.scheduler.complete(completed, now)

    def ask(self, now: float) -> None:
        decision = self.scheduler.advance(now)
        self.starts += rows(decision.starts)
        self.wakeup = decision.next_wakeup

    def all_at_once(self, events: list[Event], now: float) -> None:
        for event in events:
            self.record(event)
        assert self.scheduler.recorded_instant == (events[0][0] if events else None)
        self.ask(now)

    def one_by_one(self, events: list[Event], now: float) -> None:
        self.wakeup = INFINITY  # what was told before is served late
        for event in events:
            self.wake(event[0])
            self.record(event)
            self.ask(event[0])
        self.wake(now)
        if self.scheduler.now < now or not events:
            self.ask(now)

    def wake(self, until: float) -> None:
        while self.wakeup < until:
            self.ask(self.wakeup)


def bulk_is_one_by_one(
    name: str, options: Options, instance: schedcore.Instance, data: st.DataObject
) -> None:
    """Calls of several instants each; who completes ran when the call was made: early, late or on time."""
    bulk, single = (Caller(OnlineScheduler(name, instance.machines, **options), instance) for _ in range(2))
    to_come = sorted(range(instance.n_jobs), key=instance.jobs.release_time.__getitem__)
    running: list[int] = []
    now = 0.0
    for _ in range(100):
        events: list[Event] = []
        last = now + data.draw(SPANS, label="span")
        instants = {now + offset for offset in data.draw(OFFSETS)}
        for instant in sorted(instant for instant in instants if instant <= last):
            n_arrivals = data.draw(ARRIVALS[min(3, len(to_come))])
            arrived, to_come = to_come[:n_arrivals], to_come[n_arrivals:]
            completed = [job for job in running if data.draw(COMPLETES)]
            running = [job for job in running if job not in completed]
            if arrived or completed:
                events.append((instant, completed, arrived))
        n_before = len(bulk.starts)
        bulk.all_at_once(events, last)
        single.one_by_one(events, last)
        assert bulk.starts == single.starts
        assert bulk.scheduler.last_decision is not None
        assert single.scheduler.last_decision is not None
        assert bulk.scheduler.last_decision.plan == single.scheduler.last_decision.plan
        assert bulk.wakeup == single.wakeup
        assert bulk.scheduler.n_overruns == single.scheduler.n_overruns
        if not any(callable(option) for option in options.values()):
            assert pickle.dumps(bulk.scheduler) == pickle.dumps(single.scheduler)
        running += [job for job, _, _ in bulk.starts[n_before:]]
        now = last
        if not to_come and not running and len(bulk.starts) == instance.n_jobs:
            return


@pytest.mark.parametrize(("name", "options"), named(CASES + BACKFILLING))
@examples(10)
@given(instance=crowded(max_jobs=10), data=st.data())
def test_records_of_several_instants_are_decided_as_if_each_had_been_asked_about(
    name: str, options: Options, instance: schedcore.Instance, data: st.DataObject
) -> None:
    options = embedded_options(name, instance, options)
    if name == "ca_pq":  # jobs arrive when the test says, not at their release times
        options["last_release_time"] = 1e6
    bulk_is_one_by_one(name, options, instance, data)
