"""FCFS, first fit and EASY: the head starts when it fits; behind a blocked head others may, by one of three rules.

Each pass is written as in the specification: start heads while they fit; then nothing (FCFS), whatever fits (first
fit), or whatever fits and leaves room for the head at its shadow time (EASY).
"""

from dataclasses import dataclass
from math import inf

from reference.backfilling_cluster import BackfillClock, Cluster, Knobs, Pair, ShadowRow, start_selected
from reference.vector_fit import fits


class Fcfs:
    """Nothing overtakes a blocked head."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster

    def run_pass(self, now: float, gave_back: bool) -> None:
        self.start_heads(now)

    def wakeup(self, now: float) -> float:
        return inf

    def start_heads(self, now: float) -> None:
        while self.cluster.queue:
            head = self.cluster.queue[0]
            machine = next((m for m in self.cluster.machines if self.cluster.fits(head, m)), None)
            if machine is None:
                return
            self.cluster.start(head, machine, now)


class FirstFit(Fcfs):
    """Behind a blocked head, whatever fits may start; no reservation."""

    def __init__(self, cluster: Cluster, selection: str, knobs: Knobs) -> None:
        super().__init__(cluster)
        self.selection = selection
        self.knobs = knobs
        self.clock = BackfillClock(knobs.interval)

    def run_pass(self, now: float, gave_back: bool) -> None:
        self.start_heads(now)
        if self.cluster.queue and self.clock.runs(now):
            self.backfill(now)

    def backfill(self, now: float) -> None:
        start_selected(
            self.cluster,
            self.selection,
            self.candidates(),
            self.cluster.fits,
            lambda job, machine: self.cluster.start(job, machine, now),
        )

    def candidates(self) -> list[Pair]:
        """The jobs beside the one that is protected; the queue depth counts it."""
        shown, protected = self.cluster.queue[: self.knobs.queue_depth], self.protected()
        return [(j, m) for j in shown if j != protected for m in self.cluster.machines]

    def protected(self) -> int:
        """The head."""
        return self.cluster.queue[0]

    def wakeup(self, now: float) -> float:
        return self.clock.wakeup(jobs_wait=bool(self.cluster.queue))


@dataclass
class Shadow:
    """When and where the head fits by the estimates, and what is left beside it then."""

    time: float
    machine: int
    extra: list[int]


class Easy(FirstFit):
    """Behind a blocked head, whatever fits and does not delay it may start."""

    def __init__(self, cluster: Cluster, selection: str, knobs: Knobs) -> None:
        super().__init__(cluster, selection, knobs)
        self.shadows: list[ShadowRow] = []

    def backfill(self, now: float) -> None:
        cluster, head = self.cluster, self.protected()
        shadow = self.shadow(head)
        if self.knobs.window is not None and shadow.time > now + self.knobs.window:
            super().backfill(now)
            return
        self.shadows.append((now, head, shadow.time, shadow.machine))

        def ends_in_time(job: int) -> bool:
            return cluster.end_if_started(job, now) <= shadow.time

        def is_legal(job: int, machine: int) -> bool:
            return cluster.fits(job, machine) and (
                machine != shadow.machine
                or ends_in_time(job)
                or fits(cluster.instance.demand[job], shadow.extra)
            )

        def start(job: int, machine: int) -> None:
            cluster.start(job, machine, now)
            if machine == shadow.machine and not ends_in_time(job):
                demand = cluster.instance.demand[job]
                shadow.extra = [e - d for e, d in zip(shadow.extra, demand, strict=True)]

        start_selected(cluster, self.selection, self.candidates(), is_legal, start)

    def plan(self, now: float) -> list[tuple[int, int, float]]:
        """The head, if it is protected; a shadow and no reservation."""
        if not self.cluster.queue:
            return []
        head = self.protected()
        shadow = self.shadow(head)
        is_near = self.knobs.window is None or shadow.time <= now + self.knobs.window
        return [(head, shadow.machine, shadow.time)] if is_near else []

    def shadow(self, head: int) -> Shadow:
        shadows = [self.shadow_on(head, machine) for machine in self.cluster.machines]
        return min((s for s in shadows if s is not None), key=lambda s: (s.time, s.machine))

    def shadow_on(self, head: int, machine: int) -> Shadow | None:
        """Walk over the running jobs by estimated end; None where the machine is too small."""
        cluster = self.cluster
        demand = cluster.instance.demand[head]
        if not fits(demand, cluster.instance.capacity[machine]):
            return None
        available = cluster.free(machine)
        here = {j: run for j, run in cluster.running.items() if run.machine == machine}
        for end in sorted({run.planned_end for run in here.values()}):
            for job, run in here.items():
                if run.planned_end == end:
                    available = [a + d for a, d in zip(available, cluster.instance.demand[job], strict=True)]
            if fits(demand, available):
                return Shadow(end, machine, [a - d for a, d in zip(available, demand, strict=True)])
        raise AssertionError("a job that the empty machine holds fits at the last estimated end")
