"""A program around the embedded engine: it keeps the calendar, the free amounts and the truth about durations.

The driver calls `OnlineScheduler` the way a cluster manager would: at every instant it reports what completed and what
arrived, in any order and in several calls, asks for a decision, and comes back at the next arrival, completion or
wake-up. It trusts nothing: every decision is checked against its own accounting of free amounts.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

import schedcore
from schedcore import Decision, Instance, OnlineScheduler

Between = Callable[[OnlineScheduler], OnlineScheduler]


@dataclass
class Driver:
    """One run of an instance through an embedded scheduler.

    Attributes
    ----------
    ids : list of int
        The id of every job; by default its index.
    duration : list of float
        How long every job really runs; by default its processing time.
    lag : float
        How much later than asked the caller comes where only a wake-up calls it.
    extra_instants : list of float
        Instants at which the caller asks although nothing happened and nobody wanted it.
    between : callable
        What happens to the scheduler between two events: a copy, say.
    shuffle : random.Random
        Order of the records of an instant.
    work_limit : int, optional
        Of every decision.
    """

    scheduler: OnlineScheduler
    instance: Instance
    ids: list[int] = field(default_factory=list)
    duration: list[float] = field(default_factory=list)
    lag: float = 0.0
    extra_instants: list[float] = field(default_factory=list)
    between: Between = lambda scheduler: scheduler
    shuffle: random.Random = field(default_factory=lambda: random.Random(1))
    work_limit: int | None = None
    decisions: list[tuple[float, Decision]] = field(default_factory=list)
    start_time: list[float] = field(default_factory=list)
    machine: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        jobs = self.instance.jobs
        n = jobs.n_jobs
        self.ids = self.ids or list(range(n))
        self.duration = self.duration or jobs.processing_time.tolist()
        self.extra_instants = sorted(self.extra_instants)
        self.start_time = [-1.0] * n
        self.machine = [-1] * n
        self._index = {job_id: j for j, job_id in enumerate(self.ids)}
        self._free = self.instance.machines.capacity.astype(object)
        self._demand = jobs.demand.astype(object)
        self._release = jobs.release_time.tolist()
        self._to_come = sorted(range(n), key=self._release.__getitem__, reverse=True)
        self._ends: dict[int, float] = {}
        self._wakeup = float("inf")
        self.now = -1.0

    def run(self) -> Driver:
        """Until every job has started and ended."""
        while (now := self.next_instant()) < float("inf"):
            self.event(now)
        assert not self._to_come
        assert min(self.start_time, default=0.0) >= 0, "a job never started"
        return self

    def next_instant(self) -> float:
        """When something is to be reported or the scheduler wants to be called, inf if never."""
        reports = [self._release[self._to_come[-1]]] if self._to_come else []
        reports += self._ends.values()
        wakeup = self._wakeup + self.lag
        while self.extra_instants and self.extra_instants[0] <= self.now:
            self.extra_instants.pop(0)
        more = self.extra_instants[:1] if reports or wakeup < float("inf") else []
        return min([wakeup, *reports, *more])

    def event(self, now: float) -> None:
        """Report what happened at `now` and check the decision."""
        self.now = now
        self.scheduler = self.between(self.scheduler)
        completed = [j for j, end in self._ends.items() if end == now]
        for part in self._in_parts(completed):
            self.scheduler.complete([self.ids[j] for j in part], now)
        for j in completed:
            del self._ends[j]
            self._free[self.machine[j]] += self._demand[j]
        arrived = []
        while self._to_come and self._release[self._to_come[-1]] == now:
            arrived.append(self._to_come.pop())
        for part in self._in_parts(arrived):
            given = self.scheduler.submit(self.instance.jobs[part], now, ids=[self.ids[j] for j in part])
            assert given.tolist() == [self.ids[j] for j in part]
        decision = self.scheduler.advance(now, self.work_limit)
        self.decisions.append((now, decision))
        self._account(now, decision)

    def _in_parts(self, jobs: list[int]) -> list[list[int]]:
        """The jobs in any order, in up to three calls."""
        self.shuffle.shuffle(jobs)
        cut = sorted(self.shuffle.randint(0, len(jobs)) for _ in range(2))
        return [part for part in (jobs[: cut[0]], jobs[cut[0] : cut[1]], jobs[cut[1] :]) if part]

    def _account(self, now: float, decision: Decision) -> None:
        for job_id, machine, start in decision.starts:
            j = self._index[job_id]
            assert start == now, "a start lies in the past or the future"
            assert self.start_time[j] < 0, f"job {job_id} started twice"
            assert self._release[j] <= now, f"job {job_id} started before it was submitted"
            assert all(self._demand[j] <= self._free[machine]), f"job {job_id} exceeds machine {machine}"
            self._free[machine] -= self._demand[j]
            self.start_time[j], self.machine[j] = start, machine
            self._ends[j] = now + self.duration[j]
        for job_id, machine, start in decision.plan:
            j = self._index[job_id]
            assert self.start_time[j] < 0, f"job {job_id} is planned although it runs"
            assert self._release[j] <= now
            assert start >= now, "a planned start lies in the past"
            if start == now:
                assert not all(self._demand[j] <= self._free[machine]), f"job {job_id} is due, fits and waits"
        if decision.shortened and decision.next_wakeup == now:
            assert self.work_limit is not None, "work is put off without a limit"
        else:
            assert decision.next_wakeup > now
        self._wakeup = decision.next_wakeup
        assert self.scheduler.now == now
        assert self.scheduler.n_running == len(self._ends)
        waiting = sum(1 for j in range(self.instance.n_jobs) if self.start_time[j] < 0) - len(self._to_come)
        assert self.scheduler.n_waiting == waiting


def embedded_options(name: str, instance: Instance, options: dict[str, object]) -> dict[str, object]:
    """The same options as for `solve`, whose defaults are not all those of an online caller, and what such a caller has
    to say of jobs to come."""
    if name == "ca_pq":
        return {**options, "last_release_time": instance.jobs.release_time.max(initial=0.0)}
    if name == "mris":
        shortest = instance.jobs.processing_time.min(initial=np.inf) if instance.n_jobs else 1.0
        return {"gamma0": shortest, "origin": 0.0, **options}
    return options


def drive(name: str, instance: Instance, options: dict[str, object], **how: object) -> Driver:
    """Run `instance` through an embedded scheduler with the options of `solve`."""
    scheduler = schedcore.OnlineScheduler(
        name, instance.machines, **embedded_options(name, instance, options)
    )
    return Driver(scheduler, instance, **how).run()  # type: ignore[arg-type]
