"""Reservations when running jobs outlive their estimates: what does not fit when due keeps its place and waits.

``plan`` says when it can start by what is known, and changes nothing. An overdue job's rectangle moves along with the
present. It starts in the first pass in which its demand is free on its
machine, earlier reserved starts first. A compression may start it elsewhere, and gives no job a later start.
Without overruns nothing here differs from the plain reservations.
"""

from reference.backfilling_profile import Profile, Rectangle
from reference.backfilling_reservations import Reserving, SelectingConservative


class OverrunReserving(Reserving):
    """Reservations of which some may be overdue: ``held`` keeps the start that they were promised."""

    def rectangle(self, job: int, now: float) -> Rectangle:
        reserved_start, machine = self.held[job]
        start = max(reserved_start, now)
        end = self.cluster.end_if_started(job, start)
        return Rectangle(machine, start, end, self.cluster.instance.demand[job])

    def plan(self, now: float) -> list[tuple[int, int, float]]:
        """Beside running jobs and what comes before it, each is kept or starts as early as it can. Decides nothing."""
        running = [
            Rectangle(run.machine, run.start, run.planned_end, self.cluster.instance.demand[job])
            for job, run in self.cluster.running.items()
        ]
        expected = Profile(self.cluster.instance.capacity, running)
        rows = []
        for job in self.in_order():
            promised, machine = self.held[job]
            demand = self.cluster.instance.demand[job]
            first = max(promised, now)
            start, end = next(
                (start, self.cluster.end_if_started(job, start))
                for start in sorted({first} | {x for x in expected.breakpoints(machine) if x > first})
                if expected.has_room(machine, start, self.cluster.end_if_started(job, start), demand)
            )
            expected.rectangles.append(Rectangle(machine, start, end, demand))
            rows.append((job, machine, start))
        return sorted(rows, key=lambda row: row[2])

    def start_due(self, now: float) -> None:
        self.start_fitting([job for job in self.holders() if self.held[job][0] <= now], now)

    def start_fitting(self, jobs: list[int], now: float) -> None:
        for job in sorted(jobs, key=lambda j: (self.held[j][0], self.cluster.queue.index(j))):
            machine = self.held[job][1]
            if self.cluster.fits(job, machine):
                self.put(job, (now, machine), now)

    def compression_pass(self, now: float) -> bool:
        self.start_fitting([job for job in self.holders() if self.held[job][0] < now], now)
        changed = False
        for job in self.holders():
            reserved_start, _ = self.held[job]
            place = self.earliest(job, now)
            if place[0] <= max(reserved_start, now):
                changed |= place != self.held[job]
                self.put(job, place, now)
            elif reserved_start <= now:
                self.start_fitting([job], now)
        return changed


class OverrunSelectingConservative(OverrunReserving, SelectingConservative):
    """The selector chooses first; the compression over the rest is the one above."""
