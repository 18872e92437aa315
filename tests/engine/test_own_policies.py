"""Policies of somebody's own: what they are told, and what they may do."""

import copy
import os
import sys
import threading
from typing import Any

import numpy as np
import pytest

import schedcore
from own_policies import Gangs, OwnFirstFit, OwnRemembering, Told, small, start_all, started
from schedcore import (
    Incidents,
    Instance,
    Jobs,
    Machines,
    OnlineScheduler,
    Outages,
    Policy,
    PolicyError,
)


def test_a_policy_solves_an_instance() -> None:
    result = schedcore.solve(Told(start_all), small())
    expected = schedcore.solve("first_fit", small())
    assert result.algorithm == "Told"
    assert np.array_equal(result.schedule.start_time, expected.schedule.start_time)
    assert np.array_equal(result.schedule.machine, expected.schedule.machine)
    assert schedcore.validate(small(), result.schedule).ok
    assert result.lower_bound is not None
    assert result.value >= result.lower_bound


def test_what_a_turn_tells() -> None:
    seen: list[Any] = []

    def decide(event: schedcore.engine.Event, turn: schedcore.engine.Turn) -> None:
        free = turn.free
        before = free.tolist()
        waiting = turn.waiting.tolist()
        start_all(event, turn)
        running = turn.running
        seen.append(
            (event.now, event.arrived.tolist(), event.completed.tolist(), waiting, before, free.tolist())
        )
        assert turn.waiting.tolist() == waiting
        assert running.id.tolist() == sorted(
            running.id.tolist(),
            key=lambda j: (dict(zip(running.id, running.estimated_end, strict=True))[j], j),
        )
        assert [len(turn.fits(job)) for job in running.id] == [0] * len(running)

    schedcore.solve(Told(decide), small())
    assert seen == [
        (0.0, [0, 1], [], [0, 1], [[2], [2]], [[0], [1]]),
        (1.0, [2], [], [2], [[0], [1]], [[0], [1]]),
        (2.0, [3], [], [2, 3], [[0], [1]], [[0], [0]]),
        (3.0, [], [1, 3], [2], [[0], [2]], [[0], [0]]),
        (4.0, [], [0], [], [[2], [0]], [[2], [0]]),
        (5.0, [], [2], [], [[2], [2]], [[2], [2]]),
    ]


def test_jobs_that_arrive_are_told_in_columns() -> None:
    seen: list[Jobs] = []

    def decide(event: schedcore.engine.Event, turn: schedcore.engine.Turn) -> None:
        seen.append(turn.jobs(event.arrived[::-1]))
        start_all(event, turn)

    instance = small(weight=[1, 2, 3, 4], estimated_processing_time=[5, 6, 7, 8])
    schedcore.solve(Told(decide), instance)
    assert seen[0] == instance.jobs[np.array([1, 0])].replace(estimated_processing_time=None)
    assert len(seen[-1]) == 0
    with pytest.raises(ValueError, match="read-only"):
        seen[0].weight[0] = 3


class Estimating(Policy):
    decides_with = "estimated_processing_time"
    name = "by estimates"
    objective = "makespan"

    def decide(self, event: schedcore.engine.Event, turn: schedcore.engine.Turn) -> None:
        start_all(event, turn)
        assert set((turn.running.estimated_end - turn.running.start_time).tolist()) <= {9.0}


def test_a_policy_that_asks_for_estimates_is_told_these() -> None:
    result = schedcore.solve(Estimating(), small(estimated_processing_time=9.0))
    assert (result.algorithm, result.objective, result.value) == ("by estimates", "makespan", 5.0)


@pytest.mark.parametrize("seed", range(20))
def test_on_clusters_it_decides_like_the_policy_of_the_library(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = 40
    instance = Instance(
        Jobs(
            rng.integers(1, 20, n),
            rng.integers(1, 5, (n, 2)),
            release_time=rng.integers(0, 60, n),
            n_tasks=rng.integers(1, 4, n),
            exclusive=rng.random(n) < 0.2,
            constraint=rng.choice([None, "gpu", "!gpu"], n, p=[0.6, 0.2, 0.2]).tolist(),
        ),
        Machines(rng.integers(4, 9, (5, 2)), labels=[["gpu"]] * 3 + [[]] * 2, weight=[3, 1, 2, 1, 2]),
        outages=Outages([0, 3], [10, 30], [20, 50]),
    )
    incidents = Incidents(
        failures=Outages([1, 2], [15, 40], [35, 45]), cancellations={3: 12.0, 7: 33.0}, killed="requeue"
    )
    own = schedcore.solve(OwnFirstFit(), instance, incidents=incidents, infeasible="drop")
    remembering = schedcore.solve(OwnRemembering(), instance, incidents=incidents, infeasible="drop")
    expected = schedcore.solve("first_fit", instance, incidents=incidents, infeasible="drop")
    assert own.runs == expected.runs
    assert remembering.runs == expected.runs
    assert own.outcome.tolist() == expected.outcome.tolist()


def test_it_is_woken_when_it_asks_for_it() -> None:
    asked: list[float] = []

    def decide(event: schedcore.engine.Event, turn: schedcore.engine.Turn) -> None:
        asked.append(event.now)
        if event.now == 0:
            turn.wake(7)
            turn.wake(2.5)
        if event.now >= 7:
            start_all(event, turn)

    instance = Instance(Jobs([4.0, 1.0], [[2], [2]], release_time=[0, 5]), Machines.identical(2, [2]))
    assert schedcore.solve(Told(decide), instance).schedule.start_time.tolist() == [7.0, 7.0]
    assert asked == [0, 2.5, 5, 7, 8, 11]
    scheduler = OnlineScheduler(Told(decide), instance.machines)
    scheduler.submit(instance.jobs[:1], 0)
    assert scheduler.advance(0).next_wakeup == 2.5
    assert copy.copy(scheduler).advance(3).next_wakeup == 7


def test_while_jobs_wait_it_is_asked_when_an_outage_ends() -> None:
    instance = Instance(Jobs([4.0], [[2]]), Machines.identical(1, [2]), outages=Outages([0], [1], [9]))
    assert schedcore.solve(Told(start_all), instance).schedule.start_time.tolist() == [9.0]


def test_machines_have_the_numbers_of_the_caller() -> None:
    seen: list[Any] = []

    def decide(event: schedcore.engine.Event, turn: schedcore.engine.Turn) -> None:
        machines = turn.machines
        seen.append((machines.machine.tolist(), machines.capacity.tolist(), turn.free.tolist()))
        for job in turn.waiting:
            seen.append(turn.fits(job).tolist())
            turn.start(job, turn.fits(job)[-1])

    machines = Machines([[1], [2], [3]], weight=[5, 9, 1])
    result = schedcore.solve(Told(decide), Instance(Jobs([1.0], [[1]]), machines))
    assert seen[:2] == [([0, 1, 2], [[1], [2], [3]], [[1], [2], [3]]), [2, 0, 1]]
    assert result.schedule.machine.tolist() == [1]

    scheduler = OnlineScheduler(Told(decide), machines)
    scheduler.remove_machines([2], 0)
    scheduler.add_machines(Machines([[7]], weight=[0]), 0)
    scheduler.submit(Jobs([1.0], [[1]]), 0)
    seen.clear()
    assert started(scheduler.advance(0)) == [(0, 1, 0.0)]
    assert seen[:2] == [([0, 1, 3], [[1], [2], [7]], [[1], [2], [7]]), [3, 0, 1]]


def test_nothing_is_free_on_machines_that_are_down() -> None:
    seen: list[Any] = []

    def decide(event: schedcore.engine.Event, turn: schedcore.engine.Turn) -> None:
        seen.append((turn.free.tolist(), turn.machines.up.tolist(), event.machines_changed.tolist()))

    scheduler = OnlineScheduler(Told(decide), Machines.identical(3, [4]))
    scheduler.advance(0)
    scheduler.fail_machines([1], 1)
    scheduler.announce_outage(2, 2, 3, 1)
    scheduler.advance(1)
    scheduler.set_capacity(0, [5], 2)
    scheduler.repair_machines([1], 2)
    scheduler.advance(2)
    assert seen == [
        ([[4], [4], [4]], [True] * 3, []),
        ([[4], [0], [4]], [True, False, True], [1, 2]),
        ([[5], [4], [0]], [True, True, False], [0, 1, 2]),
    ]


def test_questions_to_a_live_engine_are_answered() -> None:
    scheduler = OnlineScheduler(OwnRemembering(), Machines.identical(1, [2]))
    scheduler.submit(Jobs([5.0, 2.0, 2.0], [[2], [2], [1]]), 0)
    scheduler.advance(0)
    assert [each.reason for each in scheduler.explain()] == ["resources", "resources"]
    assert scheduler.estimate_start().tolist() == [5.0, 7.0]
    history = Jobs([5.0] * 30, [[1]] * 30, estimated_processing_time=10.0)
    assert scheduler.forecast(None, history, 50, 1).q50.tolist() == [2.5, 3.5]


def test_a_forecast_asks_a_policy_in_python_from_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    asked_from: set[int] = set()

    def note(event: schedcore.engine.Event, turn: schedcore.engine.Turn) -> None:
        asked_from.add(threading.get_ident())
        start_all(event, turn)

    scheduler = OnlineScheduler(Told(note), Machines.identical(1, [2]))
    scheduler.submit(Jobs([5.0] * 9, [[2]] * 9), 0)
    scheduler.advance(0)
    asked_from.clear()
    history = Jobs([5.0] * 30, [[1]] * 30, estimated_processing_time=10.0)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _pid: set(range(4)), raising=False)
    forecast = scheduler.forecast(None, history, 400, 1)
    assert forecast.q50.tolist() == [2.5 * (i + 1) for i in range(8)]
    has_gil = getattr(sys, "_is_gil_enabled", lambda: True)()
    assert len(asked_from) == 1 or not has_gil
    own = OnlineScheduler(OwnFirstFit(), Machines.identical(1, [2]))
    again = OnlineScheduler.load(own.save(), policy=OwnFirstFit())
    assert [each._n_workers() for each in (own, own.copy(), again)] == [1 if has_gil else 4] * 3
    assert OnlineScheduler("first_fit", Machines.identical(1, [2]))._n_workers() == 4
    monkeypatch.setattr(sys, "_is_gil_enabled", lambda: False, raising=False)
    assert own._n_workers() == 4


def test_a_policy_that_always_wants_to_be_woken_comes_to_an_end() -> None:
    def poll(event: schedcore.engine.Event, turn: schedcore.engine.Turn) -> None:
        turn.wake(event.now + 1)
        start_all(event, turn)

    expected = schedcore.solve(Told(start_all), small()).schedule.start_time
    assert np.array_equal(schedcore.solve(Told(poll), small()).schedule.start_time, expected)
    later = small().replace(outages=Outages([0], [100], [101]))
    assert np.array_equal(schedcore.solve(Told(poll), later).schedule.start_time, expected)


def test_several_tasks_may_come_as_an_array() -> None:
    def decide(event: schedcore.engine.Event, turn: schedcore.engine.Turn) -> None:
        turn.start(0, np.array([[0, 2], [1, 1]]))

    instance = Instance(Jobs([1.0], [[1]], n_tasks=3), Machines.identical(2, [2]))
    result = schedcore.solve(
        Gangs(lambda event, turn: decide(event, turn) if len(turn.waiting) else None), instance
    )
    assert result.runs is not None
    assert result.runs.allocation.of(0) == [(0, 2), (1, 1)]


def test_room_counts_the_tasks_that_may_start_on_each_machine() -> None:
    told: dict[int, list[tuple[int, int]]] = {}

    def ask(event: schedcore.engine.Event, turn: schedcore.engine.Turn) -> None:
        for job in turn.waiting.tolist():
            told[job] = list(zip(turn.fits(job).tolist(), turn.room(job).tolist(), strict=True))

    scheduler = OnlineScheduler(Gangs(ask), Machines([[4], [3], [0]]))
    scheduler.reserve([2], 5, 20, 0, machines=[0])
    scheduler.reserve([3], 5, 20, 0, machines=[1])
    lengths = [5.0, 10.0, 10.0, 10.0, 5.0, 4.0]
    scheduler.submit(
        Jobs(
            lengths,
            [[1], [1], [1], [2], [1], [1]],
            n_tasks=[6, 6, 2, 3, 4, 2],
            max_tasks_per_machine=[0, 0, 1, 0, 2, 0],
            exclusive=[False, False, False, False, False, True],
        ),
        0,
    )
    scheduler.advance(0)
    assert told == {
        0: [(0, 4), (1, 3)],  # ends as the reservations begin
        1: [(0, 2)],  # what they leave
        2: [(0, 1)],
        3: [(0, 1)],
        4: [(0, 2), (1, 2)],
        5: [(0, 2), (1, 2)],
    }
    with pytest.raises(PolicyError, match="'x'"):
        OnlineScheduler(Gangs(lambda event, turn: turn.room("x")), Machines([[1]])).advance(0)  # type: ignore[arg-type]
