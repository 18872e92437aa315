"""FCFS, first fit and EASY on clusters: the passes of the specification, word for word.

The first jobs of the queue start while they fit; behind the first that does not, nobody (FCFS), whoever fits (first
fit) or whoever fits beside the reservation of the protected head (EASY) may start. A pass looks at each candidate once,
and passes over whom a limit holds then.
"""

from collections.abc import Callable
from fractions import Fraction
from math import inf

from reference.backfilling_cluster import BackfillClock, Knobs, ShadowRow
from reference.backfilling_scores import score
from reference.cluster_instance import preference_order
from reference.cluster_preemption import make_room
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

    def start_heads(self) -> list[int]:
        """What is left of the queue from the first that does not fit on."""
        queue = self.state.queue()
        while queue:
            job = queue[0]
            if self.state.limit_that_holds(job) is None:
                if not make_room(self.state, job):
                    break
                self.state.start_on(job, None)
            queue = queue[1:]
        return queue


class FirstFit(Fcfs):
    """Behind a blocked head, whatever fits may start; no reservation."""

    def __init__(self, state: ClusterState, selection: str, knobs: Knobs) -> None:
        super().__init__(state)
        self.selection = selection
        self.knobs = knobs
        self.clock = BackfillClock(knobs.interval)

    def run_pass(self) -> None:
        rest = self.start_heads()
        waiting = self.state.queue()
        if waiting and self.clock.runs(self.state.now):
            self.backfill([job for job in waiting[: self.knobs.queue_depth] if job in rest])

    def backfill(self, looked_at: list[int]) -> None:
        start_selected(self.state, self.selection, looked_at, self.state.start_on)

    def wakeup(self) -> float:
        """A run that could have been made now, but for nobody, is not owed to who was preempted just now."""
        owed = self.clock.wakeup(jobs_wait=bool(self.state.candidates_from_now_on()))
        return owed if owed > self.state.now else inf


class Easy(FirstFit):
    """Behind a blocked head, whatever fits beside its reservation may start.

    A job that has no earliest instant, because machines are down, is passed over and not protected.
    """

    def __init__(self, state: ClusterState, selection: str, knobs: Knobs) -> None:
        super().__init__(state, selection, knobs)
        self.shadows: list[ShadowRow] = []
        self.protected: PlannedStart | None = None  # by the last pass
        self.passed_over: list[int] = []  # likewise

    def plan(self) -> list[PlannedStart]:
        """The head that the pass has protected; of a pass between two runs the one that it would have."""
        state = self.state
        if self.protected is not None:
            return [self.protected] if self.is_near(self.protected[1]) else []
        for job in state.queue()[: self.knobs.queue_depth]:
            if job in self.passed_over or state.limit_that_holds(job) is not None:
                continue
            place = state.earliest(job)
            if place is not None:
                start, allocation = place
                return [(job, start, allocation)] if self.is_near(start) and start > state.now else []
        return []

    def is_near(self, start: float) -> bool:
        return self.knobs.window is None or start <= self.state.now + self.knobs.window

    def run_pass(self) -> None:
        self.protected = None
        self.passed_over = []
        super().run_pass()

    def start_heads(self) -> list[int]:
        rest = super().start_heads()
        self.passed_over = [job for job in self.state.queue() if job not in rest]
        return rest

    def backfill(self, looked_at: list[int]) -> None:
        state = self.state
        while looked_at and self.protected is None:
            job, *looked_at = looked_at
            if state.limit_that_holds(job) is not None:
                self.passed_over.append(job)
                continue
            if make_room(state, job):
                state.start_on(job, None)
                continue
            place = state.earliest(job)
            if place is None:
                self.passed_over.append(job)
                continue
            start, allocation = place
            self.protected = (job, start, allocation)
            if self.is_near(start):
                state.reservations[job] = place
                self.shadows.append((state.now, job, start, allocation[0][0]))
        super().backfill(looked_at)
        if self.protected is not None:
            state.reservations.pop(self.protected[0], None)  # it lives for this pass only


def start_selected(
    state: ClusterState, selection: str, jobs: list[int], start: Callable[[int, int | None], None]
) -> None:
    """Start jobs that fit now, beside reservations, as the selection prefers; in order of the queue with "ff".

    ``start`` is given the machine of the selection, None where the job goes to its usual place.
    """
    if selection in IN_ORDER:
        for job in jobs:
            if state.limit_that_holds(job) is None and make_room(state, job):
                start(job, None)
        return
    assert all(state.jobs[j].n_tasks == 1 and not state.jobs[j].exclusive for j in jobs)
    legal = legal_pairs(state, jobs)
    while legal:
        job, machine = chosen_pair(state, selection, legal)
        start(job, machine)
        legal = legal_pairs(state, [j for j in jobs if j in state.waiting])


def legal_pairs(state: ClusterState, jobs: list[int]) -> list[Pair]:
    """Who could start where; nobody whom a limit holds."""
    free = [job for job in jobs if state.limit_that_holds(job) is None]
    return [(j, m) for j in free for m in state.machines_that_fit(j)]


def chosen_pair(state: ClusterState, selection: str, legal: list[Pair]) -> Pair:
    """The lowest score; then the earlier in the queue, then the preferred machine."""
    queue, preference = state.queue(), preference_order(state.machines)

    def key(pair: Pair) -> tuple[Fraction, int, int]:
        job, machine = pair
        capacity = state.machines[machine].capacity
        value = score(state.jobs[job].demand, state.used(machine), capacity, selection, state.estimate(job))
        return value, queue.index(job), preference.index(machine)

    return min(legal, key=key)
