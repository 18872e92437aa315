"""Ctrl-C inside `advance`: the scheduler is as it was before the call, or the decision stands and can be had again.

Interrupts come from an interval timer, at random moments of short decisions and in the middle of long ones.
"""

import os
import pickle
import random
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

from schedcore import Decision, InvalidInstanceError, Jobs, Machines, OnlineScheduler, UnsupportedError

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs interval timers")


class Interrupted(BaseException):
    """Raised by the signal handler, as KeyboardInterrupt is."""


@contextmanager
def interrupts(handler: Any = None) -> Iterator[None]:
    def interrupt(*_: object) -> None:
        raise Interrupted

    before = signal.signal(signal.SIGALRM, handler or interrupt)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def advance_interrupted(scheduler: OnlineScheduler, now: float, after: float) -> Decision | None:
    """The decision if it was returned before the interrupt came."""
    decision = None
    try:
        signal.setitimer(signal.ITIMER_REAL, after)
        decision = scheduler.advance(now)
        signal.setitimer(signal.ITIMER_REAL, 0)
    except Interrupted:
        pass
    return decision


def crowd(n_jobs: int, seed: int, n_machines: int = 10) -> tuple[Jobs, Machines]:
    rng = np.random.default_rng(seed)
    jobs = Jobs(
        rng.integers(1, 50, n_jobs).astype(float),
        rng.integers(1, 40, (n_jobs, 2)),
        weight=rng.integers(1, 9, n_jobs).astype(float),
    )
    return jobs, Machines.identical(n_machines, [64, 64])


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("pq", {}),
        ("tetris", {}),
        ("bf_exec", {}),
        ("mris", {"gamma0": 1.0, "knapsack": "greedy"}),
        ("mris", {"gamma0": 1.0, "replan": "always", "opportunistic": True}),
        ("easy", {}),
        ("conservative", {}),
    ],
)
def test_an_interrupt_at_any_moment_loses_no_decision(name: str, options: dict[str, Any]) -> None:
    jobs, machines = crowd(600, seed=1)
    rng = random.Random(2)
    scheduler = OnlineScheduler(name, machines, **options)
    copy = OnlineScheduler(name, machines, **options)
    running: list[int] = []
    for step in range(100):
        now, part = float(step), jobs[6 * step : 6 * step + 6]
        ended = [job for job in running if rng.random() < 0.3]
        running = [job for job in running if job not in ended]
        for each in (scheduler, copy):
            each.submit(part, now)
            each.complete(ended, now)
        before = pickle.dumps(scheduler)
        expected = copy.advance(now)
        n_advances = scheduler.n_advances
        with interrupts():
            decision = advance_interrupted(scheduler, now, after=rng.choice([1e-6, 1e-5, 3e-5, 1e-4, 3e-4]))
        if decision is None and scheduler.n_advances > n_advances:
            # the interrupt came between the decision and the caller
            decision = scheduler.last_decision
        elif decision is None:
            assert pickle.dumps(scheduler) == before
            decision = scheduler.advance(now)
        assert decision == expected
        assert pickle.dumps(scheduler) == pickle.dumps(copy)
        running += decision.starts.id.tolist()


def many_instants(name: str, n_instants: int, **options: Any) -> OnlineScheduler:
    """Arrivals of many instants, each of which has to be decided: seconds, with a look for signals between them."""
    jobs, machines = crowd(n_instants, seed=3, n_machines=2)
    scheduler = OnlineScheduler(name, machines, **options)
    scheduler.submit(jobs[:50], 0)
    scheduler.advance(0)
    rest = jobs[50:]
    columns = (rest.processing_time.tolist(), rest.demand.tolist(), rest.weight.tolist())
    for instant, (length, demand, weight) in enumerate(zip(*columns, strict=True), start=50):
        scheduler.submit_one(length, demand, float(instant), weight=weight)
    return scheduler


@pytest.mark.slow
@pytest.mark.parametrize("name", ["first_fit", "conservative"])
def test_an_interrupt_of_a_long_advance_leaves_everything_as_it_was(name: str) -> None:
    n = {"first_fit": 80_000, "conservative": 2_000}[name]  # tens of milliseconds at the least
    scheduler = many_instants(name, n)
    copy = scheduler.copy()
    before = pickle.dumps(scheduler)
    seen = (scheduler.now, scheduler.recorded_instant, scheduler.n_waiting, scheduler.n_running)
    last = scheduler.last_decision
    with interrupts():
        for after in (0.001, 0.003, 0.01):
            assert advance_interrupted(scheduler, float(n), after) is None
            now = (scheduler.now, scheduler.recorded_instant, scheduler.n_waiting, scheduler.n_running)
            assert now == seen
            assert scheduler.last_decision == last
            assert pickle.dumps(scheduler) == before
    assert scheduler.advance(float(n)) == copy.advance(float(n))
    assert pickle.dumps(scheduler) == pickle.dumps(copy)


@pytest.mark.slow
def test_an_interrupt_inside_one_long_decision_leaves_everything_as_it_was() -> None:
    # One event; nobody looks for signals before its end.
    jobs, machines = crowd(200_000, seed=4, n_machines=500)
    scheduler = OnlineScheduler("tetris", machines)
    scheduler.submit(jobs, 1)
    copy = scheduler.copy()
    before = pickle.dumps(scheduler)
    with interrupts():
        assert advance_interrupted(scheduler, 1, after=0.01) is None
    assert (scheduler.n_waiting, scheduler.n_running, scheduler.now) == (0, 0, 0)
    assert scheduler.recorded_instant == 1
    assert pickle.dumps(scheduler) == before
    assert scheduler.advance(1) == copy.advance(1)


@pytest.mark.slow
def test_a_signal_handler_that_calls_the_deciding_scheduler_is_refused_instead_of_hanging() -> None:
    scheduler = many_instants("first_fit", 100_000)
    answers: list[str] = []

    def look(*_: object) -> None:
        try:
            answers.append(f"{scheduler.n_waiting} waiting")
        except UnsupportedError as error:
            answers.append(str(error))

    with interrupts(look):
        signal.setitimer(signal.ITIMER_REAL, 0.005)
        scheduler.advance(100_000.0)
    assert len(answers) == 1
    assert "signal handler" in answers[0]
    assert scheduler.now == 100_000


def test_threads_record_decide_and_look_without_a_lock_of_their_own() -> None:
    scheduler = OnlineScheduler("pq", Machines.identical(2, [8, 8]))
    jobs = Jobs([1.0, 1.0], [[1, 2], [2, 1]])
    stop = threading.Event()
    started: list[int] = []
    problems: list[BaseException] = []

    def guarded(work: Any) -> threading.Thread:
        def run() -> None:
            try:
                work()
            except BaseException as problem:
                problems.append(problem)

        thread = threading.Thread(target=run)
        thread.start()
        return thread

    def record() -> None:
        for _ in range(200):
            scheduler.submit(
                jobs, 1e6
            )  # far ahead of every decision: in order of time for any number of threads

    def look() -> None:
        while not stop.is_set():
            assert scheduler.recorded_instant in (None, 1e6)
            assert scheduler.n_waiting + scheduler.n_running >= 0
            scheduler.copy().advance(1e6)
            time.sleep(0.001)

    def decide() -> None:
        for instant in range(200):
            started.extend(scheduler.advance(float(instant)).starts.id.tolist())

    watcher = guarded(look)
    for thread in [guarded(record), guarded(record), guarded(decide)]:
        thread.join()
    stop.set()
    watcher.join()
    assert not problems
    assert started == []
    now = 1e6
    while len(started) < 800:
        decision = scheduler.advance(now)
        started += decision.starts.id.tolist()
        now += 1
        scheduler.complete(decision.starts.id, now)
    assert sorted(started) == list(range(800))


@pytest.mark.slow
@pytest.mark.parametrize("heuristic", ["wsjf", lambda jobs: jobs.processing_time], ids=["name", "callable"])
@pytest.mark.parametrize("call", ["submit", "submit_one", "complete"])
def test_an_interrupt_of_a_call_that_waits_for_another_thread_records_nothing(
    call: str, heuristic: Any
) -> None:
    jobs, machines = crowd(200_000, seed=6, n_machines=100)
    one = Jobs([1.0], [[1, 1]])
    for attempt in range(20):
        scheduler = OnlineScheduler("pq", machines, heuristic=heuristic)
        running = [scheduler.submit_one(1.0, [1, 1], 0.0)]
        scheduler.advance(0.0)
        records: dict[str, Any] = {
            "submit": lambda scheduler=scheduler: scheduler.submit(one, 1.0).tolist(),
            "submit_one": lambda scheduler=scheduler: [scheduler.submit_one(1.0, [1, 1], 1.0)],
            "complete": lambda scheduler=scheduler, running=running: scheduler.complete(running, 1.0),
        }
        scheduler.submit(jobs, 1.0)
        other = threading.Thread(target=scheduler.advance, args=(1.0,))
        was_interrupted = True
        with interrupts():
            other.start()
            time.sleep(0.004 * (attempt % 5))  # a busy machine begins the other thread late
            try:
                signal.setitimer(signal.ITIMER_REAL, 0.01)
                records[call]()
                was_interrupted = False
                signal.pause()
            except Interrupted:
                pass
        other.join()
        if was_interrupted:
            assert scheduler.recorded_instant is None
            assert records[call]() == {"complete": None}.get(call, [jobs.n_jobs + 1])
            assert (
                OnlineScheduler.load(scheduler.save(), *filter(callable, [heuristic])).save()
                == scheduler.save()
            )
            return
    pytest.fail("the other thread was done too soon, each time")


def test_the_number_of_advances_tells_whether_an_interrupted_one_stands() -> None:
    # The same instant is decided again, so `now` alone would not tell.
    jobs, machines = crowd(20, seed=7)
    scheduler = OnlineScheduler("pq", machines)
    assert scheduler.n_advances == 0
    scheduler.submit(jobs[:10], 5.0)
    scheduler.advance(5.0)
    assert scheduler.n_advances == scheduler.copy().n_advances == 1
    scheduler.submit(jobs[10:], 5.0)
    with pytest.raises(InvalidInstanceError):
        scheduler.advance(4.0)
    assert scheduler.n_advances == 1
    scheduler.advance(5.0)
    assert scheduler.n_advances == 2
    assert pickle.loads(pickle.dumps(scheduler)).n_advances == 0
