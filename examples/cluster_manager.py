"""A cluster manager around `OnlineScheduler`: one task owns the scheduler, all others report to it.

Workers join, drain, crash and come back. Jobs of several tasks run on several workers at once; they fail and are
retried, tell how long they still take, and are cancelled. ``python examples/cluster_manager.py [POLICY [SEED]]``:
the policies that take jobs of several tasks here are pq, easy, conservative, fcfs, first_fit and backfill.
"""

import asyncio
import math
import sys
from collections import Counter
from contextlib import suppress
from itertools import groupby
from operator import itemgetter
from random import Random
from typing import Any

from stand_ins.workers import Job, Worker, trouble, user  # yours go here

import schedcore

POLICIES = ("pq", "easy", "conservative", "fcfs", "first_fit", "backfill")
MOST_RUNS = 3  # of a job that fails or whose workers crash; then it is given up
CLUSTER = [[16, 64]] * 4 + [[8, 32]] * 4  # cores and GB of each worker


class ClusterManager:
    """The owner of the scheduler. Reports wait in a mailbox; those of one kind that came together are one event.

    A method for each kind writes them down, and returns what `OnlineScheduler.event` is to be told.
    """

    def __init__(self, policy: str, capacities: list[list[int]]) -> None:
        self.workers = {number: Worker(self.report, each, number) for number, each in enumerate(capacities)}
        self.scheduler = schedcore.OnlineScheduler(policy, schedcore.Machines(capacities))
        self.jobs: dict[int, Job] = {}  # that have not ended
        self.outcomes: dict[int, str] = {}  # of those that have
        self.mailbox: asyncio.Queue[tuple[str, Any]] = asyncio.Queue()
        self.now, self.wakeup = 0.0, math.inf
        self.counts: Counter[str] = Counter()

    def report(self, kind: str, what: Any) -> None:
        self.mailbox.put_nowait((kind, what))

    async def serve(self) -> None:
        """Wait for reports, or for the instant at which the scheduler wants to be asked."""
        while True:
            reports: list[tuple[str, Any]] = []
            with suppress(TimeoutError):
                async with asyncio.timeout_at(self.wakeup):
                    reports.append(await self.mailbox.get())
            while not self.mailbox.empty():
                reports.append(self.mailbox.get_nowait())
            for kind, group in groupby(reports or [("woken", None)], key=itemgetter(0)):
                self.now = asyncio.get_running_loop().time()
                self.remove_drained()
                happened = getattr(self, kind)([what for _, what in group])
                self.follow(self.scheduler.event(self.now, **happened))
                self.counts[kind] += 1

    def follow(self, decision: schedcore.engine.Decision) -> None:
        """Carry out what the scheduler has decided: first who stops, then who starts."""
        for number in decision.killed.tolist():
            if number in self.jobs:  # not given up
                self.halt(self.jobs[number])
        for number in decision.starts.id.tolist():
            job = self.jobs[number]
            job.n_runs += 1
            job.places = {self.workers[at]: count for at, count in decision.starts.allocation.of(number)}
            job.working = set(job.places)
            for worker in job.places:
                worker.start(job)
        self.wakeup = decision.next_wakeup

    def woken(self, _: list[Any]) -> dict[str, Any]:
        return {}

    def submitted(self, jobs: list[Job]) -> dict[str, Any]:
        self.jobs.update((job.number, job) for job in jobs)
        columns = [[job.estimate for job in jobs], [job.demand for job in jobs]]
        wanted = schedcore.Jobs(*columns, n_tasks=[job.n_tasks for job in jobs])
        return {"submitted": wanted, "ids": [job.number for job in jobs]}

    def cancelled(self, jobs: list[Job]) -> dict[str, Any]:
        return {"cancelled": self.end([job for job in jobs if job.number in self.jobs], "cancelled")}

    def takes(self, news: list[tuple[Job, int, float]]) -> dict[str, Any]:
        left = {job.number: seconds for job, run, seconds in news if job.places and job.n_runs == run}
        self.scheduler.update(list(left), self.now, remaining_time=list(left.values()))
        return {}

    def ended(self, ends: list[tuple[Job, int, Worker, bool]]) -> dict[str, Any]:
        """A job is complete when all its tasks are. One with a task that failed runs again, or is given up."""
        completed: list[int] = []
        for job, run, worker, went_well in ends:
            if not job.places or job.n_runs != run:
                continue  # it was killed or cancelled, or another task of it has failed
            job.working.discard(worker)
            if not went_well and run < MOST_RUNS:
                self.halt(job)
                self.scheduler.requeue([job.number], self.now)
            elif not went_well or not job.working:
                completed += self.end([job], "completed" if went_well else "given up")
        return {"completed": completed}

    def joined(self, workers: list[Worker]) -> dict[str, Any]:
        joining = schedcore.Machines([worker.capacity for worker in workers])
        for number, worker in zip(self.scheduler.add_machines(joining, self.now), workers, strict=True):
            worker.number = int(number)
            self.workers[worker.number] = worker
        return {}

    def drains(self, workers: list[Worker]) -> dict[str, Any]:
        for worker in workers:
            worker.is_draining = True
        self.scheduler.close(self.numbers(workers), self.now)
        return {}

    def remove_drained(self) -> None:
        busy = {worker for job in self.jobs.values() for worker in job.places}
        empty = [each.number for each in self.workers.values() if each.is_draining and each not in busy]
        self.scheduler.remove_machines(empty, self.now)
        for number in empty:
            del self.workers[number]

    def crashed(self, workers: list[Worker]) -> dict[str, Any]:
        """Tell at once of the crash and of the jobs that get no other run: else they might start again."""
        hit = [job for job in self.jobs.values() if not job.places.keys().isdisjoint(workers)]
        given_up = self.end([job for job in hit if job.n_runs == MOST_RUNS], "given up")
        return {"failed": self.numbers(workers), "cancelled": given_up}

    def came_back(self, workers: list[Worker]) -> dict[str, Any]:
        return {"repaired": self.numbers(workers)}

    def numbers(self, workers: list[Worker]) -> list[int]:
        """Those of workers that have not been removed meanwhile."""
        return [worker.number for worker in workers if worker.number in self.workers]

    def halt(self, job: Job) -> None:
        for worker in job.places:
            worker.stop(job)
        job.places = {}

    def end(self, jobs: list[Job], outcome: str) -> list[int]:
        for job in jobs:
            self.halt(job)
            self.outcomes[job.number] = outcome
            del self.jobs[job.number]
        return [job.number for job in jobs]


async def manage(
    policy: str, seed: int, most_tasks: int = 6, n_users: int = 4, n_jobs: int = 15
) -> ClusterManager:
    """Manage a cluster until the jobs of all users have ended; a job has at most `most_tasks` tasks."""
    manager = ClusterManager(policy, CLUSTER)
    async with asyncio.TaskGroup() as group:
        services = [group.create_task(manager.serve())]
        services += [
            group.create_task(trouble(manager.workers, manager.report, Random(f"{seed} {who}")))
            for who in ("first", "second")
        ]
        for who in range(n_users):
            jobs = range(who * n_jobs, (who + 1) * n_jobs)
            group.create_task(user(jobs, most_tasks, manager.report, Random(f"{seed} {who}")))
        while len(manager.outcomes) < n_users * n_jobs:
            await asyncio.sleep(0.01)
        for service in services:
            service.cancel()
    return manager


def main(policy: str = "easy", seed: str = "1") -> None:
    """Print how jobs ended, and how many events of each kind there were."""
    if policy not in POLICIES:
        sys.exit(f"policy {policy!r} does not work here; choose one of {', '.join(POLICIES)}")
    if not seed.isdecimal():
        sys.exit(f"seed {seed!r} must be a whole number")
    manager = asyncio.run(manage(policy, int(seed)))
    for title, counts in (("jobs", Counter(manager.outcomes.values())), ("events", manager.counts)):
        print(f"{counts.total():4} {title}: {', '.join(f'{n} {what}' for what, n in counts.most_common())}")


if __name__ == "__main__":
    main(*sys.argv[1:3])
