"""Advance reservations of a cluster, and the jobs that name them: they run inside, and no policy knows of them.

A reservation takes its shares from everybody else on [begin, end). Inside, whoever fits its shares starts in order of
arrival, if it ends by the end of the reservation. From then on its jobs are jobs like all others.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reference.cluster_instance import ClusterJob
from reference.cluster_placement import Allocation, amounts, place
from reference.cluster_profile import Held
from reference.cluster_state import CANCELLED, COMPLETED, KILLED, ClusterState, Running


@dataclass(frozen=True)
class Booking:
    """Amounts of machines, set aside on [begin, end)."""

    begin: float
    end: float
    shares: Mapping[int, Sequence[int]]


class Inside:
    """The reservations of a state by number, and who waits and runs in which of them."""

    def __init__(self, state: ClusterState) -> None:
        self.state = state
        self.bookings: dict[int, Booking] = {}
        self.over: list[int] = []  # in the event under way
        self.named: dict[int, int] = {}  # job -> reservation
        self.waiting: set[int] = set()
        self.running = state.inside  # limits and shares count them, too
        self.left: set[int] = set()  # jobs that run on outside since the event under way

    # Events

    def begin(self) -> None:
        """Step 1, of those whose time is over."""
        self.left = set()
        self.end([number for number, booking in self.bookings.items() if booking.end <= self.state.now])

    def end(self, numbers: Iterable[int]) -> None:
        for number in numbers:
            booking = self.bookings.pop(number, None)
            if booking is None:
                continue
            self.over.append(number)
            self.state.freed |= set(booking.shares)
            self.state.released |= self.state.now < booking.end
        self.show()

    def reserve(self, bookings: Mapping[int, Booking]) -> None:
        """Step 3: what was promised is void where it meets more than there is."""
        for number, booking in bookings.items():
            there = {m: share for m, share in booking.shares.items() if m not in self.state.gone}
            self.bookings[number] = Booking(booking.begin, booking.end, there)
        self.show()
        self.state.void_overfull({m for booking in bookings.values() for m in booking.shares})

    def lose(self, machines: set[int]) -> None:
        """Machines that are removed."""
        for number, booking in self.bookings.items():
            there = {m: share for m, share in booking.shares.items() if m not in machines}
            self.bookings[number] = Booking(booking.begin, booking.end, there)
        self.show()

    def submit(self, job: int, row: ClusterJob, number: int) -> None:
        """Where the reservation was cancelled at once, the job is one like all others."""
        state = self.state
        if number not in self.bookings and number not in self.over:
            state.submit(job, row)
            return
        state.jobs[job], state.saved[job], state.attempts[job] = row, 0, 0
        self.named[job] = number
        self.waiting.add(job)

    def complete(self, job: int) -> None:
        self._end_run(job)
        self.state.outcome[job] = COMPLETED

    def running_on(self, machines: set[int]) -> list[int]:
        return [j for j, run in self.running.items() if any(m in machines for m, _ in run.allocation)]

    def kill(self, jobs: Iterable[int], rule: str | None = None) -> None:
        state = self.state
        rule = state.killed if rule is None else rule
        for job in sorted(jobs):
            run = self._end_run(job)
            if rule == "drop":
                state.outcome[job] = KILLED
                continue
            if rule == "checkpoint":
                state.save_work(job, run)
            self.waiting.add(job)

    def cancel(self, job: int) -> bool:
        """Whether it was inside."""
        if job in self.running:
            self._end_run(job)
        elif job in self.waiting:
            self.waiting.remove(job)
            self.state.on_hold.discard(job)
        else:
            return False
        self.state.outcome[job] = CANCELLED
        return True

    def update(self, job: int, said: Mapping[str, Any]) -> bool:
        """Whether it is inside."""
        if job in self.running:
            self.state.say(job, {**said, "since": self.state.now - self.running[job].start})
        elif job in self.waiting:
            self.state.say(job, said)
        else:
            return False
        return True

    def hand_out(self) -> None:
        """The jobs of reservations that are over; at the end of step 5."""
        state = self.state
        for job in sorted(j for j, number in self.named.items() if number in self.over):
            del self.named[job]
            if job in self.running:
                run = self.running.pop(job)
                end = state.end_if_started(job, run.start)
                state.running[job] = Running(run.attempt, run.start, end, run.allocation)
                self.left.add(job)
            elif job in self.waiting:
                self.waiting.remove(job)
                state.waiting.add(job)
                if job not in state.on_hold:
                    state.arrived = sorted([*state.arrived, job])
        self.over = []

    # Decisions

    def serve(self) -> list[tuple[int, float, Allocation]]:
        """After the pass: who starts."""
        state = self.state
        starts = []
        for number, booking in sorted(self.bookings.items()):
            if booking.begin > state.now:
                continue
            jobs = [j for j in self.waiting - state.on_hold if self.named[j] == number]
            for job in sorted(jobs, key=lambda j: (state.jobs[j].release_time, j)):
                allocation = self.place_of(job, booking)
                if allocation is not None:
                    self.waiting.remove(job)
                    self.running[job] = Running(
                        state.attempts[job], state.now, state.now + state.estimate(job), allocation
                    )
                    state.order.started(job, state.jobs[job], state.machines, state.now)
                    starts.append((job, state.now, allocation))
        return starts

    def place_of(self, job: int, booking: Booking) -> Allocation | None:
        state = self.state
        end = state.now + state.estimate(job)
        if end > booking.end:
            return None
        blocked = state.down() | {o.machine for o in state.outages if o.start < end and state.now < o.end}
        free = {m: [0] * len(c.capacity) for m, c in enumerate(state.machines)}
        for machine, share in booking.shares.items():
            if machine not in blocked:
                free[machine] = list(share)
        for other, run in self.running.items():
            if self.named[other] != self.named[job]:
                continue
            for machine, held in amounts(state.jobs[other], run.allocation, state.machines).items():
                alone = state.jobs[other].exclusive
                free[machine] = [0 if alone else f - h for f, h in zip(free[machine], held, strict=True)]
        return place(state.jobs[job], state.machines, free)

    def wakeup(self) -> float:
        """When those that wait inside may start, or are jobs like all others."""
        state = self.state
        ends = [o.end for o in state.outages if state.now < o.end] + [b.end for b in self.bookings.values()]
        instants = []
        for number, booking in self.bookings.items():
            if any(self.named[j] == number for j in self.waiting - state.on_hold):
                instants += [booking.begin] if booking.begin > state.now else ends
        return min(instants, default=float("inf"))

    def show(self) -> None:
        """What is taken from everybody else."""
        self.state.booked = [
            Held(m, booking.begin, booking.end, share)
            for booking in self.bookings.values()
            for m, share in booking.shares.items()
        ]

    def _end_run(self, job: int) -> Running:
        run = self.running.pop(job)
        self.state.order.ended(job, self.state.jobs[job], self.state.now)
        self.state.attempts[job] += 1
        return run
