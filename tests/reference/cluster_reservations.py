"""Conservative backfilling and its relatives on clusters: waiting jobs hold reservations that survive passes.

``Reserving`` protects the first n candidates that can be protected (all of them: conservative),
``SelectingConservative`` lets a selector choose in a compression, ``Rebuilding`` makes everything anew in every pass.
The steps carry the numbers of the specification. When embedded, jobs may outlive their estimates: then a due
reservation may not fit. It keeps its allocation and waits, and a compression moves it only if it can start at once.

Whom a limit holds is passed over. What was reserved before stays where it is, and is given up when it is due.
"""

from math import inf

from reference.backfilling_cluster import BackfillClock, Knobs, PlaceRow
from reference.cluster_profile import Place
from reference.cluster_queue_policies import chosen_pair, legal_pairs, start_selected
from reference.cluster_state import ClusterState, PlannedStart


class Reserving:
    """``log`` has, per job that had to wait, a row for every change of (start, first machine) of its place."""

    def __init__(
        self, state: ClusterState, selection: str, knobs: Knobs, protected: float, compression: str = "pass"
    ) -> None:
        self.state = state
        self.selection = selection
        self.knobs = knobs
        self.protected = protected
        self.compression = compression
        self.clock = BackfillClock(knobs.interval)
        self.log: dict[int, list[PlaceRow]] = {}

    def wakeup(self) -> float:
        due = [start for start, _ in self.state.reservations.values() if start > self.state.now]
        jobs_wait = bool(self.state.candidates_from_now_on())
        return min([self.clock.wakeup(jobs_wait=jobs_wait), *due])

    def run_pass(self) -> None:
        if not self.state.queue():
            return
        if self.clock.runs(self.state.now):
            self.backfill(self.state.queue()[: self.knobs.queue_depth])
        else:
            self.pass_between_runs()

    def backfill(self, looked_at: list[int]) -> None:
        compresses = self.state.released and self.compression != "none"
        self.state.released = False
        if compresses:
            self.compress()  # step 1
        else:
            self.start_due()
        self.reserve(looked_at)  # step 2
        self.start_unprotected(looked_at)  # step 3

    def holders(self) -> list[int]:
        return [job for job in self.state.queue() if job in self.state.reservations]

    def put(self, job: int, place: Place) -> None:
        """Start the job if its place is now, else let it hold the place."""
        start, allocation = place
        row = (start, allocation[0][0])
        rows = self.log.get(job, [])
        if (rows or start > self.state.now) and (not rows or rows[-1][1:] != row):
            self.log[job] = [*rows, (self.state.now, *row)]
        if start == self.state.now:
            self.state.start(job, allocation)
        else:
            self.state.reservations[job] = place

    def start_due(self) -> None:
        self.start_fitting([j for j in self.holders() if self.state.reservations[j][0] <= self.state.now])

    def start_fitting(self, jobs: list[int]) -> None:
        """Due reservations, the earlier ones first, as far as limits do not hold and late jobs leave room."""
        for job in sorted(jobs, key=lambda j: self.state.reservations[j][0]):
            if self.is_held(job):
                self.give_up(job)
            elif self.state.can_start_as_reserved(job):
                self.put(job, (self.state.now, self.state.reservations[job][1]))

    def is_held(self, job: int) -> bool:
        return self.state.limit_that_holds(job) is not None

    def give_up(self, job: int) -> None:
        """A reservation that is due while a limit holds; the room counts for nobody as given back."""
        del self.state.reservations[job]

    def compress(self) -> None:
        changed = True
        while changed:
            changed = self.compression_pass() and self.compression == "fixpoint"

    def compression_pass(self) -> bool:
        """Whether a place changed."""
        now = self.state.now
        self.start_fitting([j for j in self.holders() if self.state.reservations[j][0] < now])
        changed = False
        for job in self.holders():
            held = self.state.reservations[job]
            if self.is_held(job):
                if held[0] <= now:
                    self.give_up(job)
                continue
            place = self.state.earliest(job)
            # an old place is still free, unless jobs outlive their estimates or the caller comes late
            if place is not None and place[0] <= max(held[0], now):
                changed |= place != held
                self.put(job, place)
                continue
            if held[0] <= now:
                self.start_fitting([job])
        return changed

    def reserve(self, looked_at: list[int]) -> None:
        state = self.state
        for job in looked_at:
            if job in state.reservations or job not in state.waiting or self.is_held(job):
                continue
            if len(state.reservations) >= self.protected:
                return
            place = state.earliest(job)
            if place is not None and not self.is_beyond_window(place):
                self.put(job, place)

    def is_beyond_window(self, place: Place) -> bool:
        return self.knobs.window is not None and place[0] > self.state.now + self.knobs.window

    def start_unprotected(self, looked_at: list[int]) -> None:
        state = self.state

        def start(job: int, machine: int | None) -> None:
            allocation = state.fits_at(job, state.now) if machine is None else ((machine, 1),)
            assert allocation is not None
            self.put(job, (state.now, allocation))

        unprotected = [j for j in looked_at if j in state.waiting and j not in state.reservations]
        start_selected(state, self.selection, unprotected, start)

    def pass_between_runs(self) -> None:
        """Due reservations, then heads that could start now."""
        self.start_due()
        for head in self.state.queue():
            if self.is_held(head):
                continue
            allocation = self.state.fits_at(head, self.state.now)
            if allocation is None:
                return
            self.put(head, (self.state.now, allocation))

    def plan(self) -> list[PlannedStart]:
        """Beside running jobs and what comes before it, each is kept or starts as early as it can there.

        Tells what is known and decides nothing; infinite where an outage without end came in between.
        """
        state = self.state
        expected = state.profile(with_reservations=False)
        rows = []
        for job in sorted(self.holders(), key=lambda j: state.reservations[j][0]):
            promised, allocation = state.reservations[job]
            first = max(promised, state.now)
            starts = [first, *(x for x in expected.changes() if first < x < inf)]
            row = state.jobs[job]
            start = next(
                (s for s in starts if expected.has_room(row, allocation, s, state.end_if_started(job, s))),
                inf,
            )
            if start < inf:
                end = state.end_if_started(job, start)
                expected.add(row, allocation, start, end, all_of_them=state.reserves_machines)
            rows.append((job, start, allocation))
        return sorted(rows, key=lambda row: row[1])


class SelectingConservative(Reserving):
    """In a compression a selector first chooses among the jobs that could start now."""

    def compress(self) -> None:
        self.start_due()
        while pairs := legal_pairs(self.state, self.holders()):
            job, machine = chosen_pair(self.state, self.selection, pairs)
            self.put(job, (self.state.now, ((machine, 1),)))
        super().compress()


class Rebuilding(Reserving):
    """All reservations are made anew in every pass; their starts are no events.

    Where a running job is to end by its estimate just then, this is a wake-up for a caller who reports events: if the
    job outlives its estimate, the plan is made anew at that instant.
    """

    def __init__(
        self,
        state: ClusterState,
        selection: str,
        knobs: Knobs,
        reservations: str = "tasks",
        allocation: str = "first",
    ) -> None:
        super().__init__(state, selection, knobs, inf)
        state.reserves_machines = reservations == "machines"
        state.in_runs = allocation == "consecutive"

    def wakeup(self) -> float:
        ends_on_time = {
            (run.planned_end, m)
            for run in self.state.running.values()
            if not run.is_late
            for m, _ in run.allocation
        }
        starts = [
            start
            for start, allocation in self.state.reservations.values()
            if any((start, m) in ends_on_time for m, _ in allocation)
        ]
        return min(starts, default=inf)

    def backfill(self, looked_at: list[int]) -> None:
        self.state.reservations.clear()
        super().backfill(looked_at)
