"""The state of a cluster between events: who waits, runs, holds a reservation; which machines are down; what was run.

The methods that record events are the steps of the specification; nothing decides here. Jobs have ids; the order of the
queue is that of the site.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import floor
from typing import Any

from reference.backfilling_instance import planned_end
from reference.cluster_dependencies import is_impossible, waits_for
from reference.cluster_instance import ClusterJob, ClusterMachine, Down, Value, allowed_machines, united
from reference.cluster_order import QueueOrder
from reference.cluster_placement import Allocation, room
from reference.cluster_profile import Held, Place, Profile
from reference.cluster_site import NO_RULES, Site

PlannedStart = tuple[int, float, Allocation]  # job, start, allocation

COMPLETED, KILLED, CANCELLED, NEVER, WAITING = "completed", "killed", "cancelled", "never", "waiting"


@dataclass(frozen=True)
class Running(Value):
    """A run under way, by its estimate; ``is_late`` once it has outlived that."""

    attempt: int
    start: float
    planned_end: float
    allocation: Allocation
    is_late: bool = False


@dataclass(frozen=True)
class RunRecord(Value):
    """A run that has ended."""

    job: int
    attempt: int
    start: float
    end: float
    outcome: str
    allocation: Allocation


class ClusterState:
    """``knows_lengths``: plans reckon with processing times in place of estimates, as pq and its relatives do."""

    def __init__(
        self,
        machines: Sequence[ClusterMachine],
        killed: str,
        *,
        site: Site = NO_RULES,
        knows_lengths: bool = False,
        resolution: float | None = None,
    ) -> None:
        self.machines = list(machines)
        self.killed = killed
        self.site = site
        self.order = QueueOrder(site)
        self.knows_lengths = knows_lengths
        self.resolution = resolution
        # As Slurm plans: reservations hold all of their machines, and jobs go on neighbours.
        self.reserves_machines = False
        self.in_runs = False
        self.now = float("-inf")
        self.jobs: dict[int, ClusterJob] = {}
        self.waiting: set[int] = set()
        self.on_hold: set[int] = set()
        self.kept_back: set[int] = set()  # by jobs that they wait for
        self.running: dict[int, Running] = {}
        self.reservations: dict[int, Place] = {}
        self.outages: list[Down] = []
        self.booked: list[Held] = []  # by advance reservations (cluster_inside.py)
        self.inside: dict[int, Running] = {}  # who runs inside one
        self.failed: set[int] = set()
        self.closed: set[int] = set()  # also for ever
        self.gone: set[int] = set()  # of those, the ones that are removed or have not joined yet
        self.saved: dict[int, float] = {}  # work that a later run need not do again
        self.attempts: dict[int, int] = {}
        self.runs: list[RunRecord] = []
        self.outcome: dict[int, str] = {}  # of jobs that have ended for good
        self.ended: dict[int, str] = {}  # of those, as far as dependencies count it
        self.released = False  # room that plans did not know of, since a policy has reset it
        self.ended_early = False  # some run, at some time
        self.n_overruns = 0
        # of the event under way
        self.freed: set[int] = set()  # machines with room that was not there before
        self.arrived: list[int] = []  # jobs that wait since now
        self.killed_now: set[int] = set()  # of those, the ones that ran till now
        self.left: list[int] = []  # jobs whose dependencies cannot be met any more
        self.preempted: set[int] = set()  # at this instant

    # Runs and their lengths

    def length(self, job: int) -> float:
        """How long the next run would take."""
        return self._remaining(job, self.jobs[job].processing_time)

    def estimate(self, job: int) -> float:
        """How long plans take the next run for."""
        row = self.jobs[job]
        return self._remaining(
            job, row.processing_time if self.knows_lengths else row.estimated_processing_time
        )

    def _remaining(self, job: int, time: float) -> float:
        saved = self.saved[job]
        if saved == 0:
            return time
        # who has outlived the estimate may have saved more than that; nothing is known then, so it counts once more
        left = time - saved if saved < time else time
        return left + self.jobs[job].restart_cost

    def end_if_started(self, job: int, start: float) -> float:
        """The planned end of a run that starts then."""
        return planned_end(start + self.estimate(job), self.resolution)

    # What is free

    def down(self) -> frozenset[int]:
        return frozenset(self.failed | self.closed)

    def profile(
        self,
        *,
        without: int | None = None,
        with_reservations: bool = True,
        without_running: frozenset[int] = frozenset(),
    ) -> Profile:
        """Running jobs and reservations, except that of one job; overdue ones count from now on."""
        profile = Profile(self.machines, list(self.booked), tuple(self.outages), self.down(), self.in_runs)
        for job, run in self.running.items():
            if job not in without_running:
                profile.add(self.jobs[job], run.allocation, run.start, run.planned_end)
        if with_reservations:
            for job, (promised, allocation) in self.reservations.items():
                if job != without:
                    start = max(promised, self.now)
                    end = self.end_if_started(job, start)
                    profile.add(self.jobs[job], allocation, start, end, all_of_them=self.reserves_machines)
        return profile

    def fits_at(
        self, job: int, start: float, *, without_running: frozenset[int] = frozenset()
    ) -> Allocation | None:
        """Where the job goes at this instant for the whole run, its own reservation taken out."""
        profile = self.profile(without=job, without_running=without_running)
        return profile.place_at(self.jobs[job], start, self.end_if_started(job, start))

    def fits_on(self, job: int, machine: int) -> bool:
        """Whether a job of one task may start on this machine now, its own reservation taken out."""
        return machine in self.machines_that_fit(job)

    def machines_that_fit(self, job: int) -> list[int]:
        """Where a job of one task may start now, its own reservation taken out; in preference order."""
        row, end, profile = self.jobs[job], self.end_if_started(job, self.now), self.profile(without=job)
        return [m for m in self.machines_of(job) if profile.has_room(row, ((m, 1),), self.now, end)]

    def earliest(self, job: int) -> Place | None:
        """From now on, its own reservation taken out."""
        profile = self.profile(without=job)
        return profile.earliest(self.jobs[job], lambda start: self.end_if_started(job, start), self.now)

    def can_start_as_reserved(self, job: int) -> bool:
        """Whether the allocation of a due reservation is free now and usable until the planned end."""
        _, allocation = self.reservations[job]
        end = self.end_if_started(job, self.now)
        beside_running = Profile(self.machines, self._rectangles_now(), tuple(self.outages), self.down())
        return beside_running.has_room(self.jobs[job], allocation, self.now, end)

    def _rectangles_now(self) -> list[Held]:
        return self.profile(with_reservations=False).held

    def used(self, machine: int) -> list[int]:
        """What running jobs hold."""
        profile = Profile(self.machines, self._rectangles_now(), (), frozenset())
        free = profile.free(machine, self.now)
        return [c - f for c, f in zip(self.machines[machine].capacity, free, strict=True)]

    def machines_of(self, job: int) -> list[int]:
        return allowed_machines(self.machines, self.jobs[job])

    def queue(self) -> list[int]:
        """The candidates in order; who was preempted at this instant is none."""
        candidates = self.candidates_from_now_on() - self.preempted
        return sorted(candidates, key=lambda j: self.order.key(j, self.jobs[j], self.machines))

    def candidates_from_now_on(self) -> set[int]:
        """Also those that are none at this instant any more."""
        return self.waiting - self.on_hold - self.kept_back

    def limit_that_holds(self, job: int) -> int | None:
        """The number of the first limit that starting the job now would exceed."""
        running = [*self.running, *self.inside]
        return self.site.limit_that_holds(self.jobs[job], [self.jobs[j] for j in running])

    # Events, in the order of one instant

    def begin(self, now: float) -> None:
        """A new event; machines whose outage has ended since the last one are free again."""
        self.freed = {o.machine for o in self.outages if self.now < o.end <= now}
        self.arrived = []
        self.killed_now = set()
        self.left = []
        if now > self.now:
            self.preempted = set()
        self.now = now
        self.order.begin(now)

    def repair(self, machine: int) -> None:
        if machine in self.failed:
            self.failed.remove(machine)
            self._come_back(machine)

    def open(self, machine: int) -> None:
        if machine in self.closed:
            self.closed.remove(machine)
            self._come_back(machine)

    def expect(self, machine: ClusterMachine) -> int:
        """The number of a machine that is to join; until then it has nothing."""
        self.machines.append(replace(machine, capacity=(0,) * len(machine.capacity)))
        number = len(self.machines) - 1
        self.closed.add(number)
        self.gone.add(number)
        return number

    def join(self, machine: int) -> None:
        self.gone.remove(machine)
        self.open(machine)

    def raise_capacity(self, machine: int, capacity: tuple[int, ...]) -> None:
        """To the larger of what it has and this, of each resource."""
        before = self.machines[machine].capacity
        after = tuple(map(max, before, capacity))
        if after != before:
            self._set_capacity(machine, after)
            self._come_back(machine)

    def lower_capacities(self, capacities: Mapping[int, tuple[int, ...]]) -> None:
        """Reservations are void that meet more than there is, or that the machine cannot hold any more."""
        lowered = {m for m, capacity in capacities.items() if self.machines[m].capacity != capacity}
        if not lowered:
            return
        for m in lowered:
            self._set_capacity(m, capacities[m])
        self.void_overfull(lowered)

    def void_overfull(self, lowered: set[int]) -> None:
        """Reservations that meet more than there is of one of these machines, or than it can hold."""
        self.extend_overrunning()
        profile = self.profile()

        def is_void(job: int) -> bool:
            promised, allocation = self.reservations[job]
            start = max(promised, self.now)
            end = self.end_if_started(job, start)
            return any(
                min(profile.least_free(m, start, end)) < 0
                or room(self.jobs[job], self.machines[m], self.machines[m].capacity) < n_tasks
                for m, n_tasks in allocation
                if m in lowered
            )

        self._void([job for job in self.reservations if is_void(job)])

    def _set_capacity(self, machine: int, capacity: tuple[int, ...]) -> None:
        self.machines[machine] = replace(self.machines[machine], capacity=capacity)

    def _come_back(self, machine: int) -> None:
        if machine not in self.down():
            self.freed.add(machine)
            self.released = True

    def complete(self, job: int) -> None:
        self.released |= self.now < self.running[job].planned_end
        self._end_run(job, COMPLETED)
        self.outcome[job] = COMPLETED

    def fail(self, machines: Iterable[int]) -> None:
        """Jobs with a task on such a machine are killed, reservations with one are void."""
        down = set(machines)
        self.failed |= down
        self.kill(self.running_on(down))
        self._void_on(down)

    def close(self, machines: Iterable[tuple[int, str]]) -> None:
        """With what becomes of the jobs that run there: "finish", "requeue" or "drop"; reservations are void."""
        rows = set(machines)
        for running in ("requeue", "drop"):
            rule = "checkpoint" if (running, self.killed) == ("requeue", "checkpoint") else running
            self.kill(self.running_on({m for m, what in rows if what == running}), rule)
        self.closed |= {m for m, _ in rows}
        self._void_on({m for m, _ in rows})

    def remove(self, machines: set[int]) -> None:
        """Of those that are closed: they have nothing any more."""
        for machine in machines:
            self.gone.add(machine)
            self._set_capacity(machine, (0,) * len(self.machines[machine].capacity))
        self.outages = [outage for outage in self.outages if outage.machine not in self.gone]

    def running_on(self, machines: set[int]) -> list[int]:
        """The jobs with a task on one of them."""
        return [j for j, run in self.running.items() if any(m in machines for m, _ in run.allocation)]

    def _void_on(self, machines: set[int]) -> None:
        self._void(
            j for j, (_, allocation) in self.reservations.items() if any(m in machines for m, _ in allocation)
        )

    def announce(self, outages: Iterable[Down]) -> None:
        """Reservations that overlap an outage are void; running jobs go on."""
        added = [outage for outage in outages if outage.machine not in self.gone]
        self.outages = united([*self.outages, *added])

        def overlaps(job: int) -> bool:
            promised, allocation = self.reservations[job]
            start = max(promised, self.now)
            end = self.end_if_started(job, start)
            machines = [m for m, _ in allocation]
            return any(o.machine in machines and o.start < end and start < o.end for o in added)

        self._void(filter(overlaps, self.reservations))

    def kill(self, jobs: Iterable[int], rule: str | None = None) -> None:
        """They wait again with what was saved of their work, or are gone; by the usual rule unless one is given."""
        rule = self.killed if rule is None else rule
        for job in sorted(jobs):
            run = self.running[job]
            self._end_run(job, KILLED)
            self.released = True
            if rule == "drop":
                self.outcome[job] = KILLED
                continue
            if rule == "checkpoint":
                self.save_work(job, run)
            self._arrive(job)
            self.killed_now.add(job)

    def save_work(self, job: int, run: Running) -> None:
        """What checkpoints keep of a run that is cut now."""
        row = self.jobs[job]
        if row.checkpoint_interval > 0:
            length = self.now - run.start
            done = max(0, length - row.restart_cost) if self.saved[job] > 0 else length
            self.saved[job] += floor(done / row.checkpoint_interval) * row.checkpoint_interval

    def cancel(self, job: int) -> None:
        """A waiting job leaves, a running one ends; nothing where the job has ended."""
        if job in self.running:
            self._end_run(job, CANCELLED)
            self.released = True
        elif job in self.waiting:
            self.waiting.remove(job)
            self.on_hold.discard(job)
            self.arrived = [j for j in self.arrived if j != job]
            self._void([job])
        else:
            return
        self.outcome[job] = CANCELLED

    def submit(self, job: int, row: ClusterJob) -> None:
        self.jobs[job] = row
        self.saved[job] = 0
        self.attempts[job] = 0
        self._arrive(job)

    def hold(self, job: int) -> None:
        """A reservation is given back."""
        if job in self.waiting:
            self.on_hold.add(job)
            self.arrived = [j for j in self.arrived if j != job]
            self.killed_now.discard(job)
            self._void([job])

    def adopt(self, job: int, row: ClusterJob, start: float, allocation: Allocation) -> None:
        """It runs already. Where a machine of it has failed, it is killed, and nothing is known of its run."""
        self.jobs[job] = row
        self.saved[job] = 0
        self.attempts[job] = 0
        if not any(m in self.failed for m, _ in allocation):
            self.running[job] = Running(0, start, self.end_if_started(job, start), allocation)
            self.order.started(job, row, self.machines, self.now)
        elif self.killed == "drop":
            self.outcome[job] = KILLED
        else:
            self._arrive(job)

    def update(self, job: int, said: Mapping[str, Any]) -> None:
        """Something else is said of a job: remaining_time, weight or constraint.

        Of a running job, where it may run counts when it waits again. A waiting job with another length or other
        machines is treated as if it were held and released at once.
        """
        is_other_job = "remaining_time" in said or "constraint" in said
        if job in self.running:
            run = self.running[job]
            self.say(job, {**said, "since": self.now - run.start})
            if "remaining_time" in said:
                # with less to come there may be room before something that is to come
                self.freed |= {m for m, _ in run.allocation}
                end = self.end_if_started(job, run.start)
                self.released |= end < run.planned_end
                self.running[job] = replace(run, planned_end=end, is_late=False)
        elif job in self.waiting:
            self.say(job, said)
            if is_other_job and job not in self.on_hold and job not in self.killed_now:
                self._void([job])
                self.arrived = sorted({*self.arrived, job})

    def say(self, job: int, said: Mapping[str, Any]) -> None:
        row = self.jobs[job]
        row = replace(row, **{key: said[key] for key in ("weight", "constraint") if key in said})
        if "remaining_time" in said:
            whole = said.get("since", 0) + said["remaining_time"]
            if self.saved[job] > 0:
                assert whole > row.restart_cost
                whole += self.saved[job] - row.restart_cost
            row = replace(row, processing_time=whole, estimated_processing_time=whole)
        self.jobs[job] = row

    def let_go(self, job: int) -> None:
        """The end of a hold."""
        if job in self.on_hold:
            self.on_hold.remove(job)
            self.arrived = sorted([*self.arrived, job])

    def settle(self) -> None:
        """The end of step 5: whose dependencies cannot be met any more leaves, who has to wait is no candidate."""
        self.ended = dict(self.outcome)
        while leaving := [j for j in self.waiting if is_impossible(self.jobs[j], self.ended)]:
            for job in leaving:
                self.waiting.remove(job)
                self.on_hold.discard(job)
                self.arrived = [j for j in self.arrived if j != job]
                self.outcome[job] = self.ended[job] = NEVER
            self.left = sorted([*self.left, *leaving])
        self.kept_back = {j for j in self.waiting if waits_for(self.jobs[j], self.ended)}
        self.order.waits(self.jobs[j] for j in self.candidates_from_now_on())

    def extend_overrunning(self) -> None:
        """A run whose planned end is over is expected to take its estimate once more, from now on."""
        for job, run in self.running.items():
            if run.planned_end <= self.now:
                end = self.end_if_started(job, self.now)
                self.running[job] = replace(run, planned_end=end, is_late=True)
                self.n_overruns += 1

    # Decisions

    def start(self, job: int, allocation: Allocation) -> None:
        end = self.end_if_started(job, self.now)
        self.waiting.remove(job)
        self.reservations.pop(job, None)
        self.running[job] = Running(self.attempts[job], self.now, end, allocation)
        self.order.started(job, self.jobs[job], self.machines, self.now)
        beside_outages = Profile(self.machines, self._rectangles_now(), (), frozenset())
        least = [min(beside_outages.free(m, self.now)) for m, _ in allocation]
        assert min(least) >= 0, f"job {job} exceeds its machines at {self.now}"

    def preempt(self, jobs: Iterable[int]) -> None:
        """What this drops counts for dependencies from the next event on."""
        victims = set(jobs)
        self.kill(victims, self.site.preempt)
        self.preempted |= victims

    def start_on(self, job: int, machine: int | None) -> None:
        """Start the job on one machine, or where it goes by itself."""
        allocation = self.fits_at(job, self.now) if machine is None else ((machine, 1),)
        assert allocation is not None
        self.start(job, allocation)

    def _arrive(self, job: int) -> None:
        self.waiting.add(job)
        self.arrived = sorted([*self.arrived, job])

    def _end_run(self, job: int, outcome: str) -> None:
        run = self.running.pop(job)
        self.order.ended(job, self.jobs[job], self.now)
        self.runs.append(RunRecord(job, run.attempt, run.start, self.now, outcome, run.allocation))
        self.attempts[job] += 1
        self.freed |= {m for m, _ in run.allocation}
        self.ended_early |= self.now < run.start + self.length(job)

    def _void(self, jobs: Iterable[int]) -> None:
        for job in list(jobs):
            if self.reservations.pop(job, None) is not None:
                self.released = True
