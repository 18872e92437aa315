"""FCFS, first fit and EASY on clusters: the passes of the specification, word for word.

The first jobs of the queue start while they fit; behind the first that does not, nobody (FCFS), whoever fits (first
fit) or whoever fits beside the reservation of the protected head (EASY) may start.
"""

from collections.abc import Callable
from fractions import Fraction
from math import inf

from reference.backfilling_cluster import BackfillClock, Knobs, ShadowRow
from reference.backfilling_scores import score
from reference.cluster_instance import preference_order
from reference.cluster_state import ClusterState, PlannedStart

Pair = tuple[int, int]  # job, machine
IN_ORDER = ("ff", "bl(0)!")  # two names of one selection


class Fcfs:
    """Nothing overtakes a blocked head, also where no machine of it is up."""

    def __init__(self, state: ClusterState) -> None:
        self.state = state

    def run_pass(self) -> None:
        self.start_heads()

    def wakeup(self) -> float:
        return inf

    def plan(self) -> list[PlannedStart]:
        return []

    def start_heads(self) -> None:
        for job in self.state.queue():
            allocation = self.state.fits_at(job, self.state.now)
            if allocation is None:
                return
            self.state.start(job, allocation)


class FirstFit(Fcfs):
    """Behind a blocked head, whatever fits may start; no reservation."""

    def __init__(self, state: ClusterState, selection: str, knobs: Knobs) -> None:
        super().__init__(state)
        self.selection = selection
        self.knobs = knobs
        self.clock = BackfillClock(knobs.interval)

    def run_pass(self) -> None:
        self.start_heads()
        if self.state.queue() and self.clock.runs(self.state.now):
            self.backfill(self.state.queue()[: self.knobs.queue_depth])

    def backfill(self, looked_at: list[int]) -> None:
        start_selected(self.state, self.selection, looked_at, self.state.start_on)

    def wakeup(self) -> float:
        return self.clock.wakeup(jobs_wait=bool(self.state.queue()))


class Easy(FirstFit):
    """Behind a blocked head, whatever fits beside its reservation may start.

    A job that has no earliest instant, because machines are down, is passed over and not protected.
    """

    def __init__(self, state: ClusterState, selection: str, knobs: Knobs) -> None:
        super().__init__(state, selection, knobs)
        self.shadows: list[ShadowRow] = []

    def plan(self) -> list[PlannedStart]:
        """The head that is protected now, and lives for this pass only."""
        state = self.state
        for job in state.queue()[: self.knobs.queue_depth]:
            place = state.earliest(job)
            if place is not None:
                start, allocation = place
                is_near = self.knobs.window is None or start <= state.now + self.knobs.window
                return [(job, start, allocation)] if is_near and start > state.now else []
        return []

    def backfill(self, looked_at: list[int]) -> None:
        state = self.state
        head = None
        while looked_at and head is None:
            job, *looked_at = looked_at
            place = state.earliest(job)
            if place is None:
                continue
            start, allocation = place
            if start == state.now:
                state.start(job, allocation)
                continue
            head = job
            if self.knobs.window is None or start <= state.now + self.knobs.window:
                state.reservations[job] = place
                self.shadows.append((state.now, job, start, allocation[0][0]))
        super().backfill(looked_at)
        if head is not None:
            state.reservations.pop(head, None)  # it lives for this pass only


def start_selected(
    state: ClusterState, selection: str, jobs: list[int], start: Callable[[int, int | None], None]
) -> None:
    """Start jobs that fit now, beside reservations, as the selection prefers; in order of the queue with "ff".

    ``start`` is given the machine of the selection, None where the job goes to its usual place.
    """
    if selection in IN_ORDER:
        for job in jobs:
            if state.fits_at(job, state.now) is not None:
                start(job, None)
        return
    assert all(state.jobs[j].n_tasks == 1 and not state.jobs[j].exclusive for j in jobs)
    legal = [(j, m) for j in jobs for m in state.machines_of(j) if state.fits_on(j, m)]
    while legal:
        job, machine = chosen_pair(state, selection, legal)
        start(job, machine)
        legal = [(j, m) for j, m in legal if j != job and state.fits_on(j, m)]


def chosen_pair(state: ClusterState, selection: str, legal: list[Pair]) -> Pair:
    """The lowest score; then the earlier in the queue, then the preferred machine."""
    queue, preference = state.queue(), preference_order(state.machines)

    def key(pair: Pair) -> tuple[Fraction, int, int]:
        job, machine = pair
        capacity = state.machines[machine].capacity
        value = score(state.jobs[job].demand, state.used(machine), capacity, selection, state.estimate(job))
        return value, queue.index(job), preference.index(machine)

    return min(legal, key=key)
