"""What the references of the slotted preemptive family compute on: jobs and machines as plain Python integers.

Resource 0 is cores, all others are memories. ``believed`` is what the scheduler is told about the demands; where
nothing is estimated it is the demand itself. Machines are looked at from the most cores down, ties by number.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

Placement = dict[tuple[int, int], int]  # cores of (job, machine) in one slot, above 0


class ReferenceInfeasible(Exception):
    """A job needs more cores than all machines have, or more memory than the first machine; whole, than any has."""


@dataclass(frozen=True)
class SlottedJobs:
    """Jobs in input order, machines with their cores and memories."""

    release_time: list[int]
    processing_time: list[int]
    demand: list[tuple[int, ...]]
    believed: list[tuple[int, ...]]
    capacity: list[tuple[int, ...]]
    weight: list[float] = field(default_factory=list)

    @classmethod
    def from_instance(cls, instance: Any, *, whole: bool = False) -> SlottedJobs:
        """The same jobs and machines as an ``Instance`` in whole slots; `whole`: the jobs must fit a server each."""
        jobs = instance.jobs
        plain = cls(
            release_time=[int(a) for a in jobs.release_time.tolist()],
            processing_time=[int(p) for p in jobs.processing_time.tolist()],
            demand=[tuple(row) for row in jobs.demand.tolist()],
            believed=[tuple(row) for row in jobs.estimated_demand.tolist()],
            capacity=[tuple(row) for row in instance.machines.capacity.tolist()],
            weight=jobs.weight.tolist(),
        )
        first = plain.capacity[plain.machine_order[0]]
        rooms = plain.capacity if whole else [(plain.total_cores, *first[1:])]
        for job, demand in enumerate(plain.believed):
            if not any(all(d <= c for d, c in zip(demand, room, strict=True)) for room in rooms):
                raise ReferenceInfeasible(job)
        return plain

    @property
    def n_jobs(self) -> int:
        return len(self.release_time)

    @property
    def total_cores(self) -> int:
        return sum(cores for cores, *_ in self.capacity)

    @property
    def machine_order(self) -> list[int]:
        return packing_order([cores for cores, *_ in self.capacity])

    def volume(self, job: int) -> int:
        """Core-slots of the whole job."""
        return self.processing_time[job] * self.demand[job][0]

    def limit(self, job: int, remaining: int) -> int:
        """The most cores that the scheduler thinks the job can use in a slot."""
        true, believed = self.demand[job][0], self.believed[job][0]
        return min(believed, -(-remaining * believed // true))

    def progress(self, job: int, remaining: int, cores: int) -> int:
        """Core-slots that so many cores really do in a slot."""
        return min(cores, self.demand[job][0], remaining)


def packing_order(cores: list[int]) -> list[int]:
    """Machines from the most cores down, ties by number."""
    return sorted(range(len(cores)), key=lambda machine: (-cores[machine], machine))


def totals(placement: Placement) -> dict[int, int]:
    """Cores of every job that has some, over all machines."""
    cores: dict[int, int] = {}
    for (job, _), amount in sorted(placement.items()):
        cores[job] = cores.get(job, 0) + amount
    return cores
