"""PRIORITY-QUEUE on clusters: online, offline, and after collecting everything.

In every pass each waiting job, in key order, starts if it fits for its whole processing time; the others are passed
over.
"""

from dataclasses import replace
from math import inf

from reference.cluster_keys import Key, priority_key
from reference.cluster_state import ClusterState, PlannedStart


class PriorityQueue:
    """A requeued job keeps its key."""

    def __init__(self, state: ClusterState, heuristic: Key = "wsjf") -> None:
        self.state = state
        self.heuristic = heuristic

    def run_pass(self) -> None:
        for job in sorted(self.state.queue(), key=lambda j: (self.key(j), j)):
            allocation = self.state.fits_at(job, self.state.now)
            if allocation is not None:
                self.state.start(job, allocation)

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
