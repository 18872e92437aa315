"""A cluster that is never idle, for as long as anybody likes: what an embedded scheduler holds must not grow with time.

As many jobs arrive as have left, so that about `N_ALIVE` wait or run. Nodes fail and come back, are closed and opened,
leave for ever while others join, and have outages; jobs are cancelled, held, requeued and updated. An event is one of
these things that is said of one job or of one machine, or one arrival or completion; decisions are counted apart.

``python tests/engine/steady_load.py --policies easy pq --events 10000000`` runs it and prints, a line for each tenth,
how large state and process are; ``test_constant_memory.py`` runs less of it.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import schedcore
from schedcore.engine import Decision

N_ALIVE = 240
N_MACHINES = 24
LABELS = ("gpu", "ssd", "rack=1")
CONSTRAINTS = (None, None, None, None, "gpu", "!gpu", "ssd|rack=1")
# how often in an instant, on average
FAILURES, CLOSINGS, OUTAGES, REMOVALS, RESIZES = 0.1, 0.1, 0.05, 0.02, 0.05
CANCELLATIONS, HOLDS, REQUEUES, UPDATES = 0.4, 0.4, 0.3, 2.0

GANGS = ("fcfs", "first_fit", "easy", "conservative", "backfill", "pq")
CASES: dict[str, tuple[str, dict[str, Any]]] = {
    **{name: (name, {}) for name in (*GANGS, "tetris", "bf_exec") if name != "backfill"},
    "backfill-protected=3": ("backfill", {"protected": 3}),
    "mris": ("mris", {"gamma0": 1.0, "opportunistic": True, "knapsack": "greedy"}),
    "mris-always": ("mris", {"gamma0": 1.0, "opportunistic": True, "replan": "always", "knapsack": "greedy"}),
}


@dataclass(frozen=True)
class Sample:
    """How large everything was when so many events had been reported."""

    n_events: int
    n_decisions: int
    n_alive: int
    n_machines: int
    snapshot_bytes: int
    resident_bytes: int


def resident_bytes() -> int:
    """What the process holds in memory now, where the system tells; otherwise 0."""
    status = Path("/proc/self/status")
    if not status.exists():
        return 0
    line = next(line for line in status.read_text().splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) * 1024


class SteadyCluster:
    """The cluster and its book: who is alive, who runs since when, which machines are there."""

    def __init__(self, case: str, seed: int = 1) -> None:
        policy, options = CASES[case]
        self.has_gangs = policy in GANGS
        self.draw = np.random.default_rng(seed)
        self.scheduler = schedcore.OnlineScheduler(policy, self.nodes(N_MACHINES), **options)
        self.now = 0.0
        self.n_events = self.n_decisions = self.n_submitted = 0
        self.machines = list(range(N_MACHINES))  # that were not removed
        self.failed: list[int] = []
        self.closed: list[int] = []
        self.estimate: dict[int, float] = {}  # of the jobs that are alive
        self.began: dict[int, float] = {}  # of those that run
        self.held: list[int] = []
        self.ends: dict[float, list[tuple[int, float]]] = {}  # by instant: the job, and since when it runs

    def nodes(self, count: int) -> schedcore.Machines:
        labels = [[label for label in LABELS if self.draw.random() < 0.5] for _ in range(count)]
        return schedcore.Machines(np.full((count, 2), (64, 256)), labels=labels)

    def times(self, mean: float) -> int:
        return int(self.draw.poisson(mean))

    def some(self, things: list[int], mean: float) -> list[int]:
        """A few of them, none twice."""
        count = min(self.times(mean), len(things))
        if count == 0:
            return []
        return [things[row] for row in self.draw.choice(len(things), count, replace=False).tolist()]

    def instant(self) -> Decision:
        """All that happens at one instant, and the decision."""
        self.now += 1.0
        completed = [job for job, began in self.ends.pop(self.now, []) if self.began.get(job, -1.0) == began]
        for job in completed:
            self.leave(job)
        self.change_jobs()
        cancelled = self.some(list(self.estimate), CANCELLATIONS)
        for job in cancelled:
            self.leave(job)
        self.change_machines()
        repaired = self.some(self.failed, len(self.failed) / 8)
        self.failed = [machine for machine in self.failed if machine not in repaired]
        failed = self.some([each for each in self.machines if each not in self.failed], FAILURES)
        self.failed += failed
        arriving, ids = self.arriving(max(0, N_ALIVE + self.times(9) - 9 - len(self.estimate)))
        self.n_events += len(completed) + len(cancelled) + len(repaired) + len(failed) + len(ids)
        decision = self.scheduler.event(
            self.now,
            completed=completed,
            failed=failed,
            repaired=repaired,
            cancelled=cancelled,
            submitted=arriving,
            ids=ids,
        )
        self.n_decisions += 1
        self.follow(decision)
        return decision

    def leave(self, job: int) -> None:
        del self.estimate[job]
        self.began.pop(job, None)
        if job in self.held:
            self.held.remove(job)

    def arriving(self, count: int) -> tuple[schedcore.Jobs, NDArray[np.int64]]:
        draw = self.draw
        ids = np.arange(self.n_submitted, self.n_submitted + count)
        self.n_submitted += count
        estimate = draw.integers(1, 9, count).astype(float)
        self.estimate.update(zip(ids.tolist(), estimate.tolist(), strict=True))
        more: dict[str, Any] = {"n_tasks": draw.choice([1, 1, 1, 2, 4], count)} if self.has_gangs else {}
        jobs = schedcore.Jobs(
            estimate,
            np.stack([draw.choice([4, 8, 16, 32], count), draw.choice([8, 16, 32, 64, 128], count)], 1),
            weight=draw.integers(1, 9, count),
            user=[f"user {user}" for user in draw.integers(0, 20, count).tolist()],
            constraint=[CONSTRAINTS[row] for row in draw.integers(0, len(CONSTRAINTS), count).tolist()],
            **more,
        )
        return jobs, ids

    def change_jobs(self) -> None:
        scheduler, now = self.scheduler, self.now
        waiting = [job for job in self.estimate if job not in self.began and job not in self.held]
        released = self.some(self.held, len(self.held) / 8)
        self.held = [job for job in self.held if job not in released]
        held = self.some(waiting, HOLDS)
        self.held += held
        requeued = self.some(list(self.began), REQUEUES)
        updated = self.some(list(self.estimate), UPDATES)
        scheduler.release(released, now)
        scheduler.hold(held, now)
        scheduler.requeue(requeued, now)
        if updated:
            kind = self.times(1)
            if kind == 0:
                scheduler.update(updated, now, weight=self.draw.integers(1, 9, len(updated)))
            elif kind == 1:
                remaining = self.draw.integers(1, 9, len(updated))
                scheduler.update(updated, now, remaining_time=remaining)
            else:
                scheduler.update(updated, now, constraint="" if kind == 2 else f"!host{now:g}")
        self.n_events += len(released) + len(held) + len(requeued) + len(updated)

    def change_machines(self) -> None:
        scheduler, now = self.scheduler, self.now
        opened = self.some(self.closed, len(self.closed) / 8)
        closed = self.some(self.machines, CLOSINGS)
        self.closed = [machine for machine in self.closed if machine not in opened and machine not in closed]
        self.closed += closed
        resized, out = self.some(self.machines, RESIZES), self.some(self.machines, OUTAGES)
        removed = self.some(self.machines, REMOVALS)
        scheduler.open(opened, now)
        scheduler.close(closed, now, running="requeue" if self.times(1) else "finish")
        for machine in resized:
            scheduler.set_capacity(machine, [64 - 8 * min(self.times(1), 4), 256], now)
        for machine in out:
            scheduler.announce_outage(machine, now + 4, now + 12, now)
        if removed:
            scheduler.remove_machines(removed, now, running="requeue")
            self.machines += scheduler.add_machines(self.nodes(len(removed)), now).tolist()
        for gone in removed:
            for known in (self.machines, self.failed, self.closed):
                if gone in known:
                    known.remove(gone)
        self.n_events += len(opened) + len(closed) + len(resized) + len(out) + 2 * len(removed)

    def follow(self, decision: Decision) -> None:
        """Take note of what was decided; most jobs end early, some on time and some late."""
        for job in decision.killed.tolist():
            self.began.pop(job, None)
        for job in decision.starts.id.tolist():
            assert job in self.estimate, f"job {job} starts and is not there"
            assert job not in self.began, f"job {job} starts twice"
            self.began[job] = self.now
            share = (0.25, 0.5, 0.75, 1.0, 1.25)[int(self.draw.integers(5))]
            end = self.now + max(1.0, round(self.estimate[job] * share))
            self.ends.setdefault(end, []).append((job, self.now))

    def sample(self) -> Sample:
        """Compare the book with what the scheduler knows, and measure."""
        jobs, machines = self.scheduler.jobs(), self.scheduler.machine_state()
        assert jobs.id.tolist() == sorted(self.estimate)
        assert jobs.id[jobs.state == "running"].tolist() == sorted(self.began)
        assert jobs.id[jobs.state == "held"].tolist() == sorted(self.held)
        assert machines.machine.tolist() == sorted(self.machines)
        return Sample(
            self.n_events, self.n_decisions, len(jobs), len(machines), len(self.scheduler.save()), resident_bytes()
        )  # fmt: skip

    def samples(self, until: int, count: int = 10) -> Iterator[Sample]:
        """So many samples, in equal distances, on the way to that many events."""
        for taken in range(1, count + 1):
            while self.n_events * count < until * taken:
                self.instant()
            yield self.sample()


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--events", type=int, default=100_000)
    parser.add_argument("--policies", nargs="+", choices=CASES, default=list(CASES))
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    for case in arguments.policies:
        began = time.perf_counter()
        for sample in SteadyCluster(case, arguments.seed).samples(arguments.events):
            print(json.dumps({"policy": case, **vars(sample)}), flush=True)
        print(json.dumps({"policy": case, "seconds": round(time.perf_counter() - began, 1)}), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
