"""A cluster scheduler that is told what happens: records at instants, and decisions.

The records of one instant are one event, applied in the order of the specification whatever the order of the calls.
Jobs run until their completion is recorded, also longer than their estimates; outages may be announced at any time.
"""

from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from math import inf
from typing import Any

from reference.cluster_dependencies import check_dependencies, named_by
from reference.cluster_inside import Booking, Inside
from reference.cluster_instance import ClusterJob, ClusterMachine, Down
from reference.cluster_mris import Mris
from reference.cluster_placement import Allocation
from reference.cluster_policy_names import PLANS_WITH_LENGTHS, WITH_RULES, KnownAhead, policy_of
from reference.cluster_site import NO_RULES, Site
from reference.cluster_state import CANCELLED, ClusterState, PlannedStart


@dataclass
class Records:
    """What happens at one instant."""

    joined: set[int] = field(default_factory=set)
    resized: dict[int, tuple[int, ...]] = field(default_factory=dict)
    repaired: set[int] = field(default_factory=set)
    opened: set[int] = field(default_factory=set)
    completed: set[int] = field(default_factory=set)
    failed: set[int] = field(default_factory=set)
    closed: set[tuple[int, str]] = field(default_factory=set)
    removed: set[int] = field(default_factory=set)  # of those
    announced: list[Down] = field(default_factory=list)
    unreserved: set[int] = field(default_factory=set)
    reserved: dict[int, Booking] = field(default_factory=dict)
    named: dict[int, int] = field(default_factory=dict)  # of those that are submitted: their reservations
    requeued: set[int] = field(default_factory=set)
    cancelled: set[int] = field(default_factory=set)
    submitted: dict[int, ClusterJob] = field(default_factory=dict)
    adopted: dict[int, tuple[ClusterJob, float, Allocation]] = field(default_factory=dict)
    updated: dict[int, dict[str, Any]] = field(default_factory=dict)
    held: set[int] = field(default_factory=set)
    let_go: set[int] = field(default_factory=set)


@dataclass(frozen=True)
class Decision:
    """What starts (job, start, allocation), what is planned, and when to ask again if nothing happens before.

    ``preempted`` are to end now, ``left`` have left because their dependencies cannot be met; instant by instant,
    each ascending.
    """

    starts: list[tuple[int, float, Allocation]]
    plan: list[PlannedStart]
    next_wakeup: float
    broken: list[tuple[int, float, float, str]]  # job, promised, expected, cause
    preempted: list[int] = field(default_factory=list)
    left: list[int] = field(default_factory=list)


class EmbeddedCluster:
    """``known`` is what CA-PQ and MRIS are told in advance."""

    def __init__(
        self,
        policy: str,
        machines: Sequence[ClusterMachine],
        *,
        site: Site = NO_RULES,
        killed: str = "requeue",
        infeasible: str = "refuse",
        known: KnownAhead | None = None,
        **options: Any,
    ) -> None:
        self.state = ClusterState(
            machines,
            killed,
            site=site,
            knows_lengths=policy in PLANS_WITH_LENGTHS,
            resolution=options.get("resolution"),
        )
        self.policy = policy_of(policy, self.state, known or KnownAhead(), **options)
        self.takes_rules = policy in WITH_RULES
        self.inside = Inside(self.state)
        self.pending: dict[float, Records] = {}
        self.n_reservations = 0
        self.removed: set[int] = set()
        self.infeasible = infeasible
        self.largest = [
            replace(machine) for machine in machines
        ]  # with all that each has had, if it is not removed
        self.told: list[PlannedStart] = []
        self.any_late = False  # some job turned out to be, since the last decision
        self.lowered: set[int] = set()  # machines that have less than before, since then
        self.said_of: set[int] = set()  # waiting jobs that are others since then
        self.first_starts: dict[int, float] = {}  # since then
        self.preempted: list[int] = []  # since then
        self.left: list[int] = []  # since then
        self.expected: dict[
            int, tuple[float, float, float]
        ] = {}  # running job -> start, estimate, expected end

    # Records

    def submit(self, jobs: Mapping[int, ClusterJob], now: float, *, reservation: int | None = None) -> None:
        """Id -> job; its release time is now. It may wait for jobs that are submitted before or with it."""
        known = {*self.state.jobs, *(job for records in self.pending.values() for job in records.submitted)}
        known |= {job for records in self.pending.values() for job in records.adopted}
        for job, row in jobs.items():
            if job in known:
                raise ValueError(f"job {job} is submitted already")
            if not self.may_wait(row):
                raise ValueError(f"job {job} can never run")
        check_dependencies(jobs, before=known)
        # inside an advance reservation nobody asks for the rules
        assert (self.takes_rules and reservation is None) or not any(map(named_by, jobs.values()))
        self._at(now).submitted.update({job: self.state.site.seen(row) for job, row in jobs.items()})
        if reservation is not None:
            self._at(now).named.update(dict.fromkeys(jobs, reservation))

    def reserve(self, booking: Booking, now: float) -> int:
        number = self.n_reservations
        self.n_reservations += 1
        self._at(now).reserved[number] = booking
        return number

    def cancel_reservation(self, number: int, now: float) -> None:
        self._at(now).unreserved.add(number)

    def known_reservations(self, now: float) -> dict[int, Booking]:
        """Those that are not over, by all records."""
        known = dict(self.inside.bookings)
        for records in self.pending.values():
            known.update(records.reserved)
            for number in records.unreserved:
                known.pop(number, None)
        return {number: booking for number, booking in known.items() if booking.end > now}

    def may_wait(self, row: ClusterJob) -> bool:
        """Whether a scheduler takes the job; no machine that joins helps against a rule."""
        site = self.state.site
        if self.infeasible == "wait":
            return not site.forbids(row)
        return site.lets_run(site.seen(row), self.largest)

    def adopt(self, job: int, row: ClusterJob, start: float, allocation: Allocation, now: float) -> None:
        """A job that runs since ``start``; it has its own release time."""
        self._at(now).adopted[job] = (self.state.site.seen(row), start, allocation)

    def complete(self, jobs: Iterable[int], now: float) -> None:
        self._at(now).completed |= self._running(jobs)

    def cancel(self, jobs: Iterable[int], now: float) -> None:
        ids = set(jobs)
        for job in ids - self.all_running():
            self._check_waiting(job)
        self._at(now).cancelled |= ids

    def requeue(self, jobs: Iterable[int], now: float) -> None:
        self._at(now).requeued |= self._running(jobs)

    def fail_machines(self, machines: Iterable[int], now: float) -> list[int]:
        """The jobs that this kills: those that run there and are not recorded to have ended."""
        down = set(machines)
        self._at(now).failed |= down
        return self._killed_on(down)

    def _killed_on(self, machines: set[int]) -> list[int]:
        ended = {j for records in self.pending.values() for j in records.completed}
        on = {*self.state.running_on(machines), *self.inside.running_on(machines)}
        return sorted(on - ended)

    def close(self, machines: Iterable[int], now: float, running: str = "finish") -> list[int]:
        """The jobs that this kills, as of ``fail_machines``."""
        closed = set(machines)
        self._at(now).closed |= {(m, running) for m in closed}
        return [] if running == "finish" else self._killed_on(closed)

    def remove_machines(self, machines: Iterable[int], now: float, running: str = "finish") -> list[int]:
        removed = set(machines)
        assert not removed & self.removed, "a machine is removed twice"
        self.removed |= removed
        self._at(now).removed |= removed
        for machine in removed:
            self.largest[machine] = replace(
                self.largest[machine], capacity=(0,) * len(self.largest[machine].capacity)
            )
        return self.close(removed, now, running)

    def add_machines(self, machines: Iterable[ClusterMachine], now: float) -> list[int]:
        numbers = []
        for machine in machines:
            number = self.state.expect(machine)
            self.largest.append(machine)
            self._at(now).joined.add(number)
            self._at(now).resized[number] = machine.capacity
            numbers.append(number)
        return numbers

    def set_capacity(self, machine: int, capacity: tuple[int, ...], now: float) -> None:
        self._at(now).resized[machine] = capacity
        before = self.largest[machine]
        self.largest[machine] = replace(before, capacity=tuple(map(max, before.capacity, capacity)))

    def open(self, machines: Iterable[int], now: float) -> None:
        self._at(now).opened |= set(machines)

    def repair_machines(self, machines: Iterable[int], now: float) -> None:
        self._at(now).repaired |= set(machines)

    def announce_outage(self, machine: int, start: float, end: float, now: float) -> None:
        if not start < end:
            raise ValueError("an outage ends after it has begun")
        self._at(now).announced.append(Down(machine, start, end))

    def update(self, jobs: Iterable[int], now: float, **said: Any) -> None:
        """remaining_time, weight or constraint; what is said last counts."""
        for job in jobs:
            is_adopted = any(job in records.adopted for records in self.pending.values())
            if job not in self.all_running() and not is_adopted:
                self._check_waiting(job)
            self._at(now).updated.setdefault(job, {}).update(said)

    def hold(self, jobs: Iterable[int], now: float) -> None:
        ids = set(jobs)
        for job in ids:
            self._check_waiting(job)
        self._at(now).held |= ids

    def release(self, jobs: Iterable[int], now: float) -> None:
        self._at(now).let_go |= set(jobs)

    def _at(self, now: float) -> Records:
        if now < max([self.state.now, *self.pending]):
            raise ValueError("records come in order of time")
        return self.pending.setdefault(now, Records())

    def _running(self, jobs: Iterable[int]) -> set[int]:
        ids = set(jobs)
        for job in ids - self.all_running():
            raise ValueError(f"job {job} does not run")
        return ids

    def all_running(self) -> set[int]:
        return {*self.state.running, *self.inside.running}

    def all_waiting(self) -> set[int]:
        return self.state.waiting | self.inside.waiting

    def _check_waiting(self, job: int) -> None:
        is_new = any(job in records.submitted for records in self.pending.values())
        if job not in self.all_waiting() and not is_new:
            raise ValueError(f"job {job} does not wait")

    # Decisions

    def advance(self, now: float) -> Decision:
        """Decide at every recorded instant up to now, at the wake-ups that these name, and now."""
        starts = []
        applied = []
        instant = min([now, *self.pending])
        self.any_late = False
        self.said_of.clear()
        self.first_starts.clear()
        self.lowered.clear()
        self.preempted, self.left = [], []
        while True:
            applied.append(self.pending.get(instant, Records()))
            starts += self._decide(instant)
            if instant == now:
                plan = [(j, max(start, now), places) for j, start, places in self.policy.plan()]
                broken = self._broken(plan, applied)
                self.told = plan
                return Decision(starts, plan, self.next_wakeup(), broken, self.preempted, self.left)
            instant = min([now, self.next_wakeup(), *self.pending])

    def _broken(
        self, plan: list[PlannedStart], applied: list[Records]
    ) -> list[tuple[int, float, float, str]]:
        """What was told before and has moved later, unless the caller said something else of the job."""
        state = self.state
        failed = set().union(*(records.failed for records in applied))
        closed = {m for records in applied for m, _ in records.closed}
        out = {down.machine for records in applied for down in records.announced}
        reserved = {m for records in applied for booking in records.reserved.values() for m in booking.shares}
        planned = {job: start for job, start, _ in plan}
        rows = []
        for job, promised, allocation in self.told:
            if job in state.outcome or job in state.on_hold or job in self.said_of:
                continue
            expected = self.first_starts.get(job, planned.get(job, inf))
            if expected <= promised:
                continue
            machines = {m for m, _ in allocation}
            causes = [
                ("failure", machines & failed),
                ("closed", machines & closed),
                ("capacity", machines & self.lowered),
                ("outage", machines & out),
                ("reservation", machines & reserved),
            ]
            causes += [("late", self.any_late), ("adopted", any(records.adopted for records in applied))]
            rows.append((job, promised, expected, next((cause for cause, holds in causes if holds), "order")))
        return rows

    def next_wakeup(self) -> float:
        """The policy's, or the end of an outage or reservation while jobs wait."""
        state = self.state
        over: list[float] = []
        if state.candidates_from_now_on():
            over = [o.end for o in state.outages if state.now < o.end]
            over += [booking.end for booking in self.inside.bookings.values()]
        return min([self.policy.wakeup(), self.inside.wakeup(), *over], default=inf)

    def _decide(self, instant: float) -> list[tuple[int, float, Allocation]]:
        state = self.state
        records = self.pending.pop(instant, Records())
        running_before = set(state.running)
        inside = self.inside
        state.begin(instant)
        inside.begin()  # 1
        # one that is made and cancelled at one instant was never there
        made = {n: booking for n, booking in records.reserved.items() if n not in records.unreserved}
        inside.end(sorted(records.unreserved))
        for machine in sorted(records.joined):
            state.join(machine)
        for machine in sorted(records.repaired):
            state.repair(machine)
        for machine in sorted(records.opened):
            state.open(machine)
        resized = {
            m: capacity
            for m, capacity in records.resized.items()
            if m not in records.removed and capacity != state.machines[m].capacity
        }
        for machine, capacity in resized.items():
            before = state.machines[machine].capacity
            if any(after < b for after, b in zip(capacity, before, strict=True)):
                self.lowered.add(machine)
            state.raise_capacity(machine, capacity)
        for job in sorted(records.completed):  # 2
            if job in inside.running:
                inside.complete(job)
            elif job in state.running:  # not preempted at an instant before, which the caller did not know
                state.complete(job)
        inside.kill(inside.running_on(records.failed - state.failed))
        state.fail(records.failed - state.failed)  # 3
        for running in ("requeue", "drop"):
            rule = "checkpoint" if (running, state.killed) == ("requeue", "checkpoint") else running
            inside.kill(inside.running_on({m for m, what in records.closed if what == running}), rule)
        state.close(records.closed)
        inside.lose(records.removed)
        state.remove(records.removed)
        state.announce(records.announced)
        state.kill(records.requeued & set(state.running))
        inside.kill(records.requeued & set(inside.running))
        state.lower_capacities(resized)
        if made:
            inside.reserve(made)
        if isinstance(self.policy, Mris) and (resized or records.removed):
            self.policy.machines_changed()
        for job in sorted(records.cancelled):  # 4
            if job in records.submitted:  # it never arrives
                state.jobs[job] = records.submitted.pop(job)
                state.outcome[job] = CANCELLED
            elif not inside.cancel(job):
                state.cancel(job)
        for job, (row, start, allocation) in sorted(records.adopted.items()):  # 5
            state.adopt(job, row, start, allocation)
        for job, row in sorted(records.submitted.items()):
            if job in records.named:
                inside.submit(job, replace(row, release_time=instant), records.named[job])
            else:
                state.submit(job, replace(row, release_time=instant))
        for job, said in sorted(records.updated.items()):
            if "remaining_time" in said and job in running_before and job in self.expected:
                self.any_late |= instant + said["remaining_time"] > self.expected[job][2]
            has_waited = job in state.waiting and job not in self.first_starts
            if has_waited and {"remaining_time", "constraint"} & set(said):
                self.said_of.add(job)
            if not inside.update(job, said):
                state.update(job, said)
        for job in sorted(records.held):
            if job in state.waiting and job not in self.first_starts:
                self.said_of.add(job)
            if job in inside.waiting:
                state.on_hold.add(job)
            state.hold(job)
        for job in sorted(records.let_go):
            if job in inside.waiting:
                state.on_hold.discard(job)
            state.let_go(job)
        inside.hand_out()
        state.settle()
        self.left += state.left
        state.extend_overrunning()
        waiting, preempted_before = set(state.queue()), set(state.preempted)
        self.policy.run_pass()  # 6
        self.preempted += sorted(state.preempted - preempted_before)
        inside_starts = inside.serve()
        self._expect_ends(instant)
        started = sorted(waiting - state.waiting)
        for job in started:
            self.first_starts.setdefault(job, instant)
        return [(j, instant, state.running[j].allocation) for j in started] + inside_starts

    # What is to come

    def _expect_ends(self, instant: float) -> None:
        """By estimates; of who is late by the estimate once more, from the first event on that shows it."""
        before = {job: row for job, row in self.expected.items() if job not in self.inside.left}
        self.expected = {}
        for job, run in {**self.state.running, **self.inside.running}.items():
            estimate = self.state.estimate(job)
            row = before.get(job, (run.start, -inf, 0))
            end = row[2] if row[:2] == (run.start, estimate) else run.start + estimate
            self.any_late |= end <= instant
            self.expected[job] = (run.start, estimate, end if end > instant else instant + estimate)

    def estimate_start(self) -> dict[int, float]:
        """The first start of every waiting job if runs end as is expected now and nothing else happens."""
        future = deepcopy(self)
        future.pending = {}
        end_of = {job: end for job, (_, _, end) in self.expected.items()}
        waiting = sorted(self.all_waiting())
        found: dict[int, float] = {}
        while not found.keys() >= set(waiting):  # others start, too, who were preempted
            instant = min([*end_of.values(), future.next_wakeup()])
            if instant == inf:
                break
            completed = {job for job, end in end_of.items() if end == instant}
            future.pending = {instant: Records(completed=completed)}
            for job, start, _ in future._decide(instant):
                found.setdefault(job, start)
                end_of[job] = future.expected[job][2]
            running = future.all_running()  # who is preempted may start again
            end_of = {job: end for job, end in end_of.items() if job in running}
        return {job: found.get(job, inf) for job in waiting}
