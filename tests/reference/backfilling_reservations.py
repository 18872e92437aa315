"""Conservative backfilling and its relatives: waiting jobs hold reservations in the availability profile.

``Reserving`` protects the first n waiting jobs (all of them: conservative), ``SelectingConservative`` lets a selector
choose in a compression, ``Rebuilding`` forgets all reservations at every decision time. The steps carry the numbers of
the specification. A running job keeps its rectangle until it ends, so giving one back means that it is not counted any
more.
"""

from math import inf

from reference.backfilling_cluster import (
    BackfillClock,
    Cluster,
    Knobs,
    Place,
    PlaceRow,
    chosen_pair,
    start_selected,
)
from reference.backfilling_profile import Profile, Rectangle


class Reserving:
    """The first ``protected`` waiting jobs hold reservations; a selector rules the others."""

    def __init__(
        self, cluster: Cluster, selection: str, knobs: Knobs, protected: float, compression: str = "pass"
    ) -> None:
        self.cluster = cluster
        self.selection = selection
        self.knobs = knobs
        self.protected = protected
        self.compression = compression
        self.clock = BackfillClock(knobs.interval)
        self.held: dict[int, Place] = {}
        self.gave_back = False  # since the last run of the backfilling part
        self.log: dict[int, list[PlaceRow]] = {}

    def wakeup(self, now: float) -> float:
        to_come = [start for start, _ in self.held.values() if start > now]
        return min([self.clock.wakeup(jobs_wait=bool(self.cluster.queue)), *to_come], default=inf)

    def run_pass(self, now: float, gave_back: bool) -> None:
        self.gave_back |= gave_back  # step 1
        if not self.cluster.queue:
            return
        if not self.clock.runs(now):
            self.pass_between_runs(now)
            return
        self.backfill(now)

    def backfill(self, now: float) -> None:
        looked_at = self.cluster.queue[: self.knobs.queue_depth]
        compresses = self.gave_back and self.compression != "none"
        self.gave_back = False
        if compresses:
            self.compress(now)  # step 2
        else:
            self.start_due(now)
        self.reserve(now, looked_at)  # step 3
        self.start_unprotected(now, looked_at)  # step 4

    def plan(self, now: float) -> list[tuple[int, int, float]]:
        """(job, machine, start) of every reservation, in order of start."""
        return [(job, machine, start) for job in self.in_order() for start, machine in [self.held[job]]]

    def in_order(self) -> list[int]:
        return sorted(self.holders(), key=lambda job: self.held[job][0])

    def holders(self) -> list[int]:
        return [job for job in self.cluster.queue if job in self.held]

    def profile(self, now: float, without: int | None = None) -> Profile:
        """Running jobs and reservations, except that of one job."""
        instance = self.cluster.instance
        rectangles = [
            Rectangle(run.machine, run.start, run.planned_end, instance.demand[job])
            for job, run in self.cluster.running.items()
        ]
        rectangles += [self.rectangle(job, now) for job in self.held if job != without]
        return Profile(instance.capacity, rectangles)

    def rectangle(self, job: int, now: float) -> Rectangle:
        start, machine = self.held[job]
        end = self.cluster.end_if_started(job, start)
        return Rectangle(machine, start, end, self.cluster.instance.demand[job])

    def earliest(self, job: int, now: float) -> Place:
        """The best place for a job, its own reservation taken out."""
        return self.profile(now, without=job).earliest(
            self.cluster.instance.demand[job], lambda start: self.cluster.end_if_started(job, start), now
        )

    def has_room_now(self, job: int, machine: int, now: float) -> bool:
        """Whether the whole rectangle of a job that starts now fits, its own reservation taken out."""
        return self.profile(now, without=job).has_room(
            machine, now, self.cluster.end_if_started(job, now), self.cluster.instance.demand[job]
        )

    def put(self, job: int, place: Place, now: float) -> None:
        """Start the job if its place is now, else let it hold the place; log changes of jobs that had to wait."""
        start, machine = place
        rows = self.log.get(job, [])
        if (rows or start > now) and (not rows or rows[-1][1:] != place):
            self.log[job] = [*rows, (now, start, machine)]
        if start == now:
            self.held.pop(job, None)
            self.cluster.start(job, machine, now)
        else:
            self.held[job] = place

    def start_due(self, now: float) -> None:
        for job in self.holders():
            if self.held[job][0] == now:
                self.put(job, self.held[job], now)

    def compress(self, now: float) -> None:
        changed = True
        while changed:
            changed = self.compression_pass(now) and self.compression == "fixpoint"

    def compression_pass(self, now: float) -> bool:
        """Whether a place changed."""
        changed = False
        for job in self.holders():
            place = self.earliest(job, now)
            changed |= place != self.held[job]
            self.put(job, place, now)
        return changed

    def reserve(self, now: float, looked_at: list[int]) -> None:
        for job in looked_at:
            if job in self.held or job in self.cluster.started:
                continue
            if len(self.held) >= self.protected:
                return
            place = self.earliest(job, now)
            if not self.beyond_window(place, now):
                self.put(job, place, now)

    def beyond_window(self, place: Place, now: float) -> bool:
        return self.knobs.window is not None and place[0] > now + self.knobs.window

    def start_unprotected(self, now: float, looked_at: list[int]) -> None:
        unprotected = [j for j in looked_at if j not in self.held and j not in self.cluster.started]
        start_selected(
            self.cluster,
            self.selection,
            [(j, m) for j in unprotected for m in self.cluster.machines],
            lambda job, machine: self.has_room_now(job, machine, now),
            lambda job, machine: self.put(job, (now, machine), now),
        )

    def pass_between_runs(self, now: float) -> None:
        """Due reservations, then heads that could start now."""
        self.start_due(now)
        while self.cluster.queue:
            head = self.cluster.queue[0]
            machine = next((m for m in self.cluster.machines if self.has_room_now(head, m, now)), None)
            if machine is None:
                return
            self.put(head, (now, machine), now)


class SelectingConservative(Reserving):
    """All waiting jobs hold reservations; in a compression a selector first chooses among those that could start."""

    def compress(self, now: float) -> None:
        self.start_due(now)  # 2a
        while pairs := [
            (j, m) for j in self.holders() for m in self.cluster.machines if self.has_room_now(j, m, now)
        ]:
            job, machine = chosen_pair(self.cluster, self.selection, pairs)  # 2b
            self.put(job, (now, machine), now)
        super().compress(now)  # 2c


class Rebuilding(Reserving):
    """All reservations are made anew at every decision time.

    Their starts are decision times here, too, where a running job ends then by its estimate: while estimates hold, it
    does, and when it overruns, the plan is made anew at that instant. Of a job that has overrun nobody waits for the
    next end.
    """

    def wakeup(self, now: float) -> float:
        ends_on_time = [
            (run.planned_end, run.machine)
            for job, run in self.cluster.running.items()
            if run.planned_end == self.cluster.end_if_started(job, run.start)
        ]
        return min([place[0] for place in self.held.values() if place in ends_on_time], default=inf)

    def backfill(self, now: float) -> None:
        self.held.clear()
        super().backfill(now)
