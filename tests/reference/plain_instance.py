"""What the reference implementations compute on: an instance as plain Python lists.

The reference implementations share no code with the library. They read the columns of an instance once, by
attribute, and go on with Python floats for times (an end is the double ``start + length``),
Python integers for amounts and ``Fraction`` for everything that is compared as a quotient.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any

LARGEST_EXACT_CAPACITY = 2**53
ROUNDED_CAPACITY = 2**40


@dataclass(frozen=True)
class PlainInstance:
    """Jobs in input order on ``n_machines`` machines that all have ``capacity``."""

    processing_time: list[float]
    weight: list[float]
    release_time: list[float]
    demand: list[list[int]]
    capacity: list[int]
    n_machines: int

    @classmethod
    def from_rows(
        cls, rows: list[tuple[float, ...]], capacity: list[int], n_machines: int = 1
    ) -> PlainInstance:
        """Jobs as rows ``(p, w, r, d_0, d_1, ...)``, the way the worked examples print them."""
        return cls(
            processing_time=[float(row[0]) for row in rows],
            weight=[float(row[1]) for row in rows],
            release_time=[float(row[2]) for row in rows],
            demand=[[int(amount) for amount in row[3:]] for row in rows],
            capacity=list(capacity),
            n_machines=n_machines,
        )

    @classmethod
    def from_instance(cls, instance: Any) -> PlainInstance:
        """The same jobs and machines as a ``schedcore.Instance`` of identical machines."""
        jobs, machines = instance.jobs, instance.machines
        capacities = machines.capacity.tolist()
        assert all(row == capacities[0] for row in capacities), "identical machines only"
        return cls(
            processing_time=jobs.processing_time.tolist(),
            weight=jobs.weight.tolist(),
            release_time=jobs.release_time.tolist(),
            demand=jobs.demand.tolist(),
            capacity=capacities[0],
            n_machines=len(capacities),
        )

    @property
    def n_jobs(self) -> int:
        return len(self.processing_time)

    @property
    def n_resources(self) -> int:
        return len(self.capacity)


@dataclass(frozen=True)
class ScoredDemand:
    """Demands brought to one common capacity, for scores only; never for feasibility.

    ``demand[j]`` lists job j's amounts in the resources that count, ``capacity`` is their
    common capacity, ``resources`` the original indices and ``is_exact`` says whether the
    quotients ``demand / capacity`` are those of the instance.
    """

    demand: list[list[int]]
    capacity: int
    resources: list[int]
    is_exact: bool

    @property
    def total(self) -> list[int]:
        """u_j: the summed demand of every job."""
        return [sum(row) for row in self.demand]


def scored_demand(instance: PlainInstance) -> ScoredDemand:
    """Bring every resource to the least common multiple of the capacities.

    A resource of capacity 0 (nobody can demand it) is left out. A multiple beyond 2^53 is
    replaced by 2^40, quotients rounded down but not to 0.
    """
    resources = [r for r, capacity in enumerate(instance.capacity) if capacity > 0]
    capacities = [instance.capacity[r] for r in resources]
    common = lcm(*capacities) if capacities else 1
    if common <= LARGEST_EXACT_CAPACITY:
        rows = [[row[r] * (common // instance.capacity[r]) for r in resources] for row in instance.demand]
        return ScoredDemand(rows, common, resources, is_exact=True)
    rows = []
    for row in instance.demand:
        scaled = []
        for r in resources:
            amount = row[r] * ROUNDED_CAPACITY // instance.capacity[r]
            scaled.append(max(1, amount) if row[r] > 0 else 0)
        rows.append(scaled)
    return ScoredDemand(rows, ROUNDED_CAPACITY, resources, is_exact=False)


@dataclass
class PlainSchedule:
    """A start and a machine for every job."""

    start_time: list[float]
    machine: list[int]

    def completion_time(self, instance: PlainInstance) -> list[float]:
        return [s + p for s, p in zip(self.start_time, instance.processing_time, strict=True)]

    def sum_weighted_completion(self, instance: PlainInstance) -> Fraction:
        ends = self.completion_time(instance)
        return sum(
            (Fraction(w) * Fraction(c) for w, c in zip(instance.weight, ends, strict=True)), Fraction(0)
        )

    def makespan(self, instance: PlainInstance) -> float:
        return max(self.completion_time(instance), default=0.0)
