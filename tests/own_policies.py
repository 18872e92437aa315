"""Policies as users write them: two that decide like one of the library, and some that do what a test tells them."""

import json
from collections.abc import Callable
from typing import Any

import schedcore
from schedcore import Instance, Jobs, Machines, Policy
from schedcore.engine.queue_features import QUEUE_FEATURES

__all__ = [
    "Decide",
    "Gangs",
    "OwnFirstFit",
    "OwnRemembering",
    "Told",
    "small",
    "start_all",
    "start_if_it_fits",
    "started",
]

Decide = Callable[[schedcore.engine.Event, schedcore.engine.Turn], object]


class OwnFirstFit(schedcore.Policy):
    """First fit, from what a turn tells alone."""

    takes = QUEUE_FEATURES
    decides_with = "estimated_processing_time"

    def decide(self, event: schedcore.engine.Event, turn: schedcore.engine.Turn) -> None:
        for job in turn.waiting.tolist():
            start_if_it_fits(job, turn)


class OwnRemembering(OwnFirstFit):
    """The same with a queue of its own, kept up by events alone, and a note of free amounts."""

    def __init__(self) -> None:
        self.queue: list[tuple[float, int]] = []

    def decide(self, event: schedcore.engine.Event, turn: schedcore.engine.Turn) -> None:
        gone = {*event.cancelled.tolist(), *event.held.tolist()}
        self.queue = [row for row in self.queue if row[1] not in gone]
        new = [*event.arrived.tolist(), *event.killed.tolist(), *event.released.tolist()]
        if new:
            jobs = turn.jobs(new)
            self.queue.extend(zip(jobs.release_time.tolist(), jobs.id.tolist(), strict=True))
        self.queue.sort()
        assert [job for _, job in self.queue] == turn.waiting.tolist()
        free = turn.free
        for _, job in self.queue:
            before = free.copy()
            machines = turn.machines
            places = start_if_it_fits(job, turn)
            for machine, _ in places:
                row = machines.machine.tolist().index(machine)
                assert machines.up[row]
                assert (free[row] <= before[row]).all()
            assert (free >= 0).all()
        waiting = set(turn.waiting.tolist()) - set(turn.running.id.tolist())
        self.queue = [row for row in self.queue if row[1] in waiting]
        assert not set(event.completed.tolist()) & set(turn.running.id.tolist())

    def __getstate__(self) -> bytes:
        return json.dumps(self.queue).encode()

    def __setstate__(self, state: bytes) -> None:
        self.queue = [(release_time, job) for release_time, job in json.loads(state)]


def start_if_it_fits(job: int, turn: schedcore.engine.Turn) -> list[tuple[int, int]]:
    """Start a job where the walk over the preferred machines finds room for all of its tasks; return where."""
    machines = turn.fits(job).tolist()
    if not machines:
        return []
    left = int(turn.jobs([job]).n_tasks[0])
    if left == 1:
        turn.start(job, machines[0])
        return [(machines[0], 1)]
    places = []
    for machine, room in zip(machines, turn.room(job).tolist(), strict=True):
        n_tasks = min(room, left)
        places.append((machine, n_tasks))
        left -= n_tasks
        if left == 0:
            turn.start(job, places)
            return places
    return []


class Told(Policy):
    """Does what it is told; functions are not copied, so all copies share what these collect."""

    def __init__(self, decide: Decide) -> None:
        self.told = decide

    def decide(self, event: schedcore.engine.Event, turn: schedcore.engine.Turn) -> None:
        return self.told(event, turn)  # type: ignore[return-value]


class Gangs(Told):
    takes = OwnFirstFit.takes


def start_all(event: schedcore.engine.Event, turn: schedcore.engine.Turn) -> None:
    for job in turn.waiting:
        machines = turn.fits(job)
        if len(machines):
            turn.start(job, machines[0])


def small(n_machines: int = 2, **columns: Any) -> Instance:
    return Instance(
        Jobs([4.0, 3.0, 2.0, 1.0], [[2], [1], [2], [1]], release_time=[0, 0, 1, 2], **columns),
        Machines.identical(n_machines, [2]),
    )


def started(decision: schedcore.engine.Decision) -> list[tuple[int, int, float]]:
    return [tuple(each) for each in decision.starts]
