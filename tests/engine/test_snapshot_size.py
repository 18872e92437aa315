"""The state of an embedded scheduler is in proportion to the jobs that wait or run, not to those that ever did.

A closed loop keeps 200 jobs waiting: as many are submitted as have started. Jobs end on time or early, which
leaves notes behind that nothing asks for again.
"""

import heapq
import pickle
from typing import Any

import numpy as np
import pytest

import schedcore
from engine.policy_cases import named

BEGIN = 1024.0
MACHINES = schedcore.Machines.identical(12, [64, 64])

STEADY: list[tuple[str, dict[str, Any]]] = [
    ("pq", {}),
    ("pq", {"heuristic": "erf"}),
    ("ca_pq", {"last_release_time": BEGIN}),
    ("tetris", {}),
    ("tetris", {"mode": "plus"}),
    ("bf_exec", {}),
    ("fcfs", {}),
    ("first_fit", {}),
    ("easy", {}),
    ("easy", {"resolution": 4096.0, "selection": "sb"}),
    ("backfill", {"protected": 3, "selection": "bb"}),
    ("bbsched", {}),
    ("plan_annealing", {"steps": 1, "exhaustive": 0}),
    ("conservative", {}),
    ("conservative", {"resolution": 4096.0, "compression": "fixpoint"}),
    ("mris", {"opportunistic": True, "knapsack": "greedy"}),
    ("mris", {"opportunistic": True, "placement": "nobackfill", "knapsack": "greedy"}),
    ("mris", {"opportunistic": True, "replan": True, "knapsack": "greedy"}),
    ("mris", {"opportunistic": True, "replan": "always", "knapsack": "greedy"}),
]


# Between its instants plain MRIS starts nothing, however long the queue: it gets its jobs in waves, which end.
IN_WAVES: list[tuple[str, dict[str, Any]]] = [
    ("mris", {"knapsack": "greedy"}),
    ("mris", {"knapsack": "greedy", "placement": "list"}),
    ("mris", {"knapsack": "greedy", "replan": True}),
    ("mris", {"knapsack": "greedy", "replan": "always"}),
]


class ClosedLoop:
    """As many jobs are submitted as have started; 30 demand vectors, processing times of 1 to 8.

    It begins at an instant gamma_k of MRIS, so that the next one is far away.
    """

    def __init__(self, policy: str, options: dict[str, Any], n_waiting: int, in_waves: bool = False) -> None:
        given = {"gamma0": 1.0, "origin": 0.0, **options} if policy == "mris" else options
        self.scheduler = schedcore.OnlineScheduler(policy, MACHINES, **given)
        self.draw = np.random.default_rng(5)
        self.demands = self.draw.integers(4, 41, (30, 2))
        self.n_waiting = n_waiting
        self.in_waves = in_waves
        self.n_arrived = self.n_started = 0
        self.now = BEGIN
        self.duration: dict[int, float] = {}
        self.running: list[tuple[float, int]] = []

    def event(self) -> None:
        ended = []
        while self.running and self.running[0][0] <= self.now:
            ended.append(heapq.heappop(self.running)[1])
        self.scheduler.complete(ended, self.now)
        if self.scheduler.policy != "ca_pq":
            if not (self.in_waves and self.scheduler.n_waiting + self.scheduler.n_running > 0):
                self.submit(self.n_waiting - self.scheduler.n_waiting)
        elif self.now == BEGIN:
            self.submit(9000)  # it takes no job after its last release
        for job in self.scheduler.advance(self.now).starts.id.tolist():
            heapq.heappush(self.running, (self.now + self.duration.pop(job), job))
            self.n_started += 1
        self.now += 1.0

    def submit(self, n: int) -> None:
        length = self.draw.integers(1, 9, n).astype(float)
        early = self.draw.choice([0.25, 0.5, 1.0, 1.0], n)
        jobs = schedcore.Jobs(
            length, self.demands[self.draw.integers(0, 30, n)], weight=self.draw.integers(1, 9, n)
        )
        ids = self.scheduler.submit(
            jobs, self.now, ids=np.arange(self.n_arrived, self.n_arrived + n)
        ).tolist()
        self.duration.update(zip(ids, (length * early).tolist(), strict=True))
        self.n_arrived += n

    def largest_snapshot(self, until: int) -> int:
        """Over the last instants on the way to that many starts."""
        sizes = []
        while self.n_started < until:
            self.event()
            if self.n_started > until - 100:
                sizes.append(len(pickle.dumps(self.scheduler)))
        return max(sizes)


@pytest.mark.parametrize(("policy", "options"), named(STEADY))
@pytest.mark.parametrize("n_waiting", [200, 10])  # more than the machines take at an instant, and less
def test_a_snapshot_does_not_grow_with_the_number_of_starts(
    n_waiting: int, policy: str, options: dict[str, Any]
) -> None:
    loop = ClosedLoop(policy, options, n_waiting)
    early = loop.largest_snapshot(500)
    late = loop.largest_snapshot(4000)  # a few bytes more for each start would be too much
    assert late <= 1.4 * early


@pytest.mark.parametrize(("policy", "options"), named(IN_WAVES))
def test_a_snapshot_does_not_grow_with_the_number_of_waves(policy: str, options: dict[str, Any]) -> None:
    loop = ClosedLoop(policy, {**options, "origin": "busy"}, n_waiting=50, in_waves=True)
    early = loop.largest_snapshot(500)
    late = loop.largest_snapshot(3000)
    assert late <= 1.4 * early
