"""What is free when: capacities minus rectangles, nothing during outages and on machines that are down.

All is summed up anew whenever something was added, and every instant at which something changes is tried.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
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


class Here(NamedTuple):
    """What happens on one machine, and the instants at which something may change there, ascending."""

    held: list[Held]
    outages: list[Down]
    changes: list[float]
    free: dict[float, list[int]]  # at instants that have been asked for


def instants(held: Iterable[Held], outages: Iterable[Down]) -> list[float]:
    """The starts and ends, ascending."""
    return sorted({x for what in (*held, *outages) for x in (what.start, what.end)})


@dataclass
class Profile:
    """The machines from now on; free amounts are below 0 where rectangles overlap too much.

    ``in_runs``: jobs go on neighbours, not on the first machines with room. What is held changes by ``add`` alone.
    """

    machines: Sequence[ClusterMachine]
    held: list[Held]
    outages: Sequence[Down]
    down: frozenset[int]  # they have failed, or are closed
    in_runs: bool = False
    _here: dict[int, Here] = field(default_factory=dict, init=False)  # kept until something is added there

    def here(self, machine: int) -> Here:
        if machine not in self._here:
            held = [held for held in self.held if held.machine == machine]
            outages = [outage for outage in self.outages if outage.machine == machine]
            self._here[machine] = Here(held, outages, instants(held, outages), {})
        return self._here[machine]

    def free(self, machine: int, instant: float) -> Sequence[int]:
        here = self.here(machine)
        if instant not in here.free:
            here.free[instant] = self._free(machine, instant, here)
        return here.free[instant]

    def _free(self, machine: int, instant: float, here: Here) -> list[int]:
        capacity = self.machines[machine].capacity
        if machine in self.down:
            return [0] * len(capacity)
        for outage in here.outages:
            if outage.start <= instant < outage.end:
                return [0] * len(capacity)
        taken = [amounts for _, start, end, amounts in here.held if start <= instant < end]
        return [c - sum(column) for c, *column in zip(capacity, *taken, strict=True)]

    def changes(self) -> list[float]:
        """The instants at which something may change, ascending."""
        return instants(self.held, self.outages)

    def least_free(self, machine: int, start: float, end: float) -> Sequence[int]:
        """The componentwise minimum over [start, end)."""
        inside = [x for x in self.here(machine).changes if start < x < end]
        if not inside:
            return self.free(machine, start)
        return list(map(min, *(self.free(machine, x) for x in (start, *inside))))

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
        for m, amount in amounts(job, allocation, self.machines).items():
            self.held.append(Held(m, start, end, self.machines[m].capacity if all_of_them else amount))
            if self._here:
                self._here.pop(m, None)

    def is_within_capacity(self, instant: float) -> bool:
        return all(f >= 0 for m in range(len(self.machines)) for f in self.free(m, instant))
