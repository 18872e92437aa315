"""What the backfilling references compute on: jobs with estimates, machines that may differ, all plain Python lists.

Capacities are amounts per machine. An instance without estimates has exact ones. ``planned_end`` is where plans round:
with a resolution q, an estimated end x counts as the next multiple of q.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import Any

from reference.plain_instance import PlainInstance

JobRow = tuple[Any, ...]  # (submit, demand vector, runtime) or (submit, demand vector, runtime, estimate)


@dataclass(frozen=True)
class BackfillInstance:
    """Jobs in input order; ``capacity[m]`` is the capacity vector of machine m."""

    release_time: list[float]
    demand: list[list[int]]
    processing_time: list[float]
    estimated_processing_time: list[float]
    capacity: list[list[int]]

    @classmethod
    def from_rows(cls, rows: list[JobRow], capacity: list[list[int]]) -> BackfillInstance:
        """Jobs the way the worked examples print them; a demand may be a number where there is one resource."""
        demands = [row[1] if isinstance(row[1], tuple) else (row[1],) for row in rows]
        return cls(
            release_time=[float(row[0]) for row in rows],
            demand=[list(demand) for demand in demands],
            processing_time=[float(row[2]) for row in rows],
            estimated_processing_time=[float(row[-1]) for row in rows],
            capacity=[list(vector) for vector in capacity],
        )

    @classmethod
    def from_instance(cls, instance: Any) -> BackfillInstance:
        """The same jobs and machines as a ``schedcore.Instance``."""
        jobs, machines = instance.jobs, instance.machines
        return cls(
            release_time=jobs.release_time.tolist(),
            demand=jobs.demand.tolist(),
            processing_time=jobs.processing_time.tolist(),
            estimated_processing_time=jobs.estimated_processing_time.tolist(),
            capacity=machines.capacity.tolist(),
        )

    @classmethod
    def from_plain(cls, instance: PlainInstance) -> BackfillInstance:
        """The same with exact estimates."""
        return cls(
            release_time=list(instance.release_time),
            demand=[list(vector) for vector in instance.demand],
            processing_time=list(instance.processing_time),
            estimated_processing_time=list(instance.processing_time),
            capacity=[list(row) for row in instance.capacities],
        )

    @property
    def n_jobs(self) -> int:
        return len(self.release_time)

    @property
    def n_machines(self) -> int:
        return len(self.capacity)


def planned_end(end: float, resolution: float | None) -> float:
    """The end that a plan reckons with."""
    return end if resolution is None else resolution * ceil(end / resolution)
