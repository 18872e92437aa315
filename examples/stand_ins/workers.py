"""Workers, users and trouble, to try a cluster manager with: in place of those that a site has."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

Report = Callable[[str, Any], None]


@dataclass(eq=False)
class Job:
    """What a user asks for, what will come of it, and what the manager has written down of it."""

    number: int
    n_tasks: int
    demand: list[int]  # of a task
    estimate: float
    seconds: float
    n_failures: int  # so many runs fail before one succeeds
    n_runs: int = 0
    places: dict["Worker", int] = field(default_factory=dict)  # while it runs: how many tasks are where
    working: set["Worker"] = field(default_factory=set)  # those of them that have not ended


@dataclass(eq=False)
class Worker:
    """A machine: it runs what it is told to, and reports what becomes of it."""

    report: Report
    capacity: list[int]  # cores, GB
    number: int = -1  # by which the scheduler knows it
    is_draining: bool = False
    is_down: bool = False
    tasks: dict[Job, asyncio.Task[None]] = field(default_factory=dict)

    def start(self, job: Job) -> None:
        if not self.is_down:  # otherwise the manager is about to learn of it
            self.tasks[job] = asyncio.create_task(self.work(job, job.n_runs))

    def stop(self, job: Job) -> None:
        if task := self.tasks.pop(job, None):
            task.cancel()

    async def work(self, job: Job, run: int) -> None:
        half = job.seconds / 2 * (1 + 2 / self.capacity[0])  # small ones are slower
        await asyncio.sleep(half)
        self.report("takes", (job, run, half))
        await asyncio.sleep(half)
        del self.tasks[job]
        self.report("ended", (job, run, self, run > job.n_failures))

    async def crash(self, until_repair: float) -> None:
        self.is_down = True
        for job in list(self.tasks):
            self.stop(job)
        self.report("crashed", self)
        await asyncio.sleep(until_repair)
        self.is_down = False
        self.report("came_back", self)


async def user(numbers: range, most_tasks: int, report: Report, draw: Random) -> None:
    """Submit jobs with these numbers, and cancel a few of them."""
    for number in numbers:
        await asyncio.sleep(draw.expovariate(1 / 0.06))
        estimate = draw.choice([0.05, 0.1, 0.2, 0.4])
        job = Job(
            number,
            draw.randint(1, most_tasks),
            [draw.choice([1, 2, 4, 8]), draw.choice([4, 8, 16])],
            estimate,
            seconds=estimate * draw.choice([0.3, 0.6, 1.0, 1.3]),
            n_failures=draw.choice([0, 0, 0, 0, 0, 1, 9]),
        )
        report("submitted", job)
        if draw.random() < 0.1:
            await asyncio.sleep(0.1)
            report("cancelled", job)


async def trouble(workers: dict[int, Worker], report: Report, draw: Random) -> None:
    """Let workers crash and come back, or drain while others join; one that takes too long to drain is switched off."""
    while True:
        await asyncio.sleep(draw.expovariate(1 / 0.1))
        worker = draw.choice([each for each in workers.values() if not each.is_down])
        if draw.random() < 0.5:
            report("joined", Worker(report, worker.capacity))
            report("drains", worker)
            await asyncio.sleep(0.2)
        if worker.number in workers:
            await worker.crash(until_repair=0.2)
