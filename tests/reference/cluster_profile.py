"""What is free when: capacities minus rectangles, nothing during outages and on machines that are down.

All is summed up anew for every question, and every instant at which something changes is tried.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from reference.cluster_instance import ClusterJob, ClusterMachine, Down, allowed_machines
from reference.cluster_placement import Allocation, amounts, place, place_in_runs

Place = tuple[float, Allocation]  # start, allocation


class Held(NamedTuple):
    """Amounts taken of one machine during [start, end)."""

    machine: int
    start: float
    end: float
    amounts: Sequence[int]


@dataclass
class Profile:
    """The machines from now on; free amounts are below 0 where rectangles overlap too much.

    ``in_runs``: jobs go on neighbours, not on the first machines with room.
    """

    machines: Sequence[ClusterMachine]
    held: list[Held]
    outages: Sequence[Down]
    down: frozenset[int]  # they have failed, or are closed
    in_runs: bool = False

    def free(self, machine: int, instant: float) -> list[int]:
        capacity = self.machines[machine].capacity
        is_out = any(o.machine == machine and o.start <= instant < o.end for o in self.outages)
        if is_out or machine in self.down:
            return [0] * len(capacity)
        here = [h.amounts for h in self.held if h.machine == machine and h.start <= instant < h.end]
        return [c - sum(taken[k] for taken in here) for k, c in enumerate(capacity)]

    def changes(self) -> list[float]:
        """The instants at which something may change, ascending."""
        of_held = {x for held in self.held for x in (held.start, held.end)}
        return sorted(of_held | {x for outage in self.outages for x in (outage.start, outage.end)})

    def of_machine(self, machine: int) -> Profile:
        """Only what happens on this machine."""
        held = [held for held in self.held if held.machine == machine]
        outages = [outage for outage in self.outages if outage.machine == machine]
        return Profile(self.machines, held, outages, self.down)

    def least_free(self, machine: int, start: float, end: float) -> list[int]:
        """The componentwise minimum over [start, end)."""
        here = self.of_machine(machine)
        rows = [here.free(machine, x) for x in [start, *(x for x in here.changes() if start < x < end)]]
        return [min(column) for column in zip(*rows, strict=True)]

    def place_at(self, job: ClusterJob, start: float, end: float) -> Allocation | None:
        """Where the job goes for all of [start, end), if it fits."""
        free = {m: self.least_free(m, start, end) for m in allowed_machines(self.machines, job)}
        return (place_in_runs if self.in_runs else place)(job, self.machines, free)

    def has_room(self, job: ClusterJob, allocation: Allocation, start: float, end: float) -> bool:
        """Whether the job could be on just these machines during [start, end)."""
        wanted = amounts(job, allocation, self.machines)
        return all(
            w <= f
            for m, amount in wanted.items()
            for w, f in zip(amount, self.least_free(m, start, end), strict=True)
        )

    def earliest(
        self, job: ClusterJob, end_if_started: Callable[[float], float], not_before: float
    ) -> Place | None:
        """The first instant at which the job fits for as long as it then takes, and where."""
        for start in [not_before, *(x for x in self.changes() if not_before < x < float("inf"))]:
            allocation = self.place_at(job, start, end_if_started(start))
            if allocation is not None:
                return start, allocation
        return None

    def add(
        self, job: ClusterJob, allocation: Allocation, start: float, end: float, *, all_of_them: bool = False
    ) -> None:
        """Take what the job needs of its machines, or all of them."""
        wanted = amounts(job, allocation, self.machines)
        for m, amount in wanted.items():
            self.held.append(Held(m, start, end, self.machines[m].capacity if all_of_them else amount))

    def is_within_capacity(self, instant: float) -> bool:
        return all(f >= 0 for m in range(len(self.machines)) for f in self.free(m, instant))
