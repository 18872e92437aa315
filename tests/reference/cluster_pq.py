"""PRIORITY-QUEUE on clusters: online, offline, and after collecting everything.

In every pass each waiting job, in key order, starts if it fits for its whole processing time; the others are passed
over. Tiers of partitions come before the key.
"""

from dataclasses import replace
from math import inf
from typing import Any

from reference.cluster_keys import Key, priority_key
from reference.cluster_preemption import make_room
from reference.cluster_state import ClusterState, PlannedStart


class PriorityQueue:
    """A requeued job keeps its key."""

    def __init__(self, state: ClusterState, heuristic: Key = "wsjf") -> None:
        self.state = state
        self.heuristic = heuristic

    def run_pass(self) -> None:
        for job in self.queue():
            if self.state.limit_that_holds(job) is None and make_room(self.state, job):
                self.state.start_on(job, None)

    def queue(self) -> list[int]:
        """The candidates in the order in which they are served."""
        return sorted(self.state.queue(), key=self.order)

    def order(self, job: int) -> Any:
        return -self.state.site.partition_of(self.state.jobs[job]).tier, self.key(job), job

    def wakeup(self) -> float:
        return inf

    def plan(self) -> list[PlannedStart]:
        return []

    def key(self, job: int) -> object:
        return priority_key(self.heuristic, job, self.state.jobs[job], self.state.machines)


class CollectAll(PriorityQueue):
    """Nothing starts before the last release; release times, also those in the keys, count as 0."""

    def __init__(self, state: ClusterState, heuristic: Key = "wsjf", *, last_release_time: float) -> None:
        super().__init__(state, heuristic)
        self.last_release_time = last_release_time

    def run_pass(self) -> None:
        if self.state.now >= self.last_release_time:
            super().run_pass()

    def wakeup(self) -> float:
        collects = self.state.now < self.last_release_time and bool(self.state.queue())
        return self.last_release_time if collects else inf

    def key(self, job: int) -> object:
        row = replace(self.state.jobs[job], release_time=0)
        return priority_key(self.heuristic, job, row, self.state.machines)
