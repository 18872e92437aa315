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
    """Jobs in input order on machines, of which machine i has ``capacities[i]``."""

    processing_time: list[float]
    weight: list[float]
    release_time: list[float]
    demand: list[list[int]]
    capacities: list[list[int]]
    #: By job, the machines that it may use and the time that it takes there; None for all, and the processing time.
    #: The processing time is then the shortest one, and all that a policy goes by.
    time_on: list[dict[int, float]] | None = None

    @classmethod
    def from_rows(
        cls, rows: list[tuple[float, ...]], capacity: list[int], n_machines: int = 1
    ) -> PlainInstance:
        """Jobs as rows ``(p, w, r, d_0, d_1, ...)``, as the worked examples print them, on identical machines."""
        return cls(
            processing_time=[float(row[0]) for row in rows],
            weight=[float(row[1]) for row in rows],
            release_time=[float(row[2]) for row in rows],
            demand=[[int(amount) for amount in row[3:]] for row in rows],
            capacities=[list(capacity)] * n_machines,
        )

    @classmethod
    def from_instance(cls, instance: Any) -> PlainInstance:
        """The same jobs and machines as a ``schedcore.Instance``."""
        jobs = instance.jobs
        return cls(
            processing_time=jobs.processing_time.tolist(),
            weight=jobs.weight.tolist(),
            release_time=jobs.release_time.tolist(),
            demand=jobs.demand.tolist(),
            capacities=instance.machines.capacity.tolist(),
        )

    @property
    def n_jobs(self) -> int:
        return len(self.processing_time)

    @property
    def n_resources(self) -> int:
        return len(self.capacities[0])

    @property
    def n_machines(self) -> int:
        return len(self.capacities)

    @property
    def are_identical(self) -> bool:
        return all(row == self.capacities[0] for row in self.capacities)


@dataclass(frozen=True)
class ScoredDemand:
    """Demands brought to one common capacity, for scores only; never for feasibility.

    ``demand[j]`` lists job j's amounts in the resources that count, ``capacity`` is their
    common capacity, ``resources`` the original indices, ``n_capacities`` how many of them the
    machines have together, and ``is_exact`` says whether the quotients ``demand / capacity`` are
    those of the instance.
    """

    demand: list[list[int]]
    capacity: int
    resources: list[int]
    n_capacities: int
    is_exact: bool

    @property
    def total(self) -> list[int]:
        """u_j: the summed demand of every job."""
        return [sum(row) for row in self.demand]


def scored_demand(instance: PlainInstance) -> ScoredDemand:
    """Bring every resource to the least common multiple of the capacities.

    The capacities are those of one machine where all are identical, else those of all machines
    together. A resource of capacity 0 (nobody can demand it) is left out. A multiple beyond 2^53
    is replaced by 2^40, quotients rounded down but not to 0.
    """
    if instance.are_identical:
        capacity, n_capacities = instance.capacities[0], instance.n_machines
    else:
        capacity, n_capacities = [sum(column) for column in zip(*instance.capacities, strict=True)], 1
    resources = [r for r, amount in enumerate(capacity) if amount > 0]
    scale = CommonScale.of([capacity[r] for r in resources])
    rows = [[scale.scaled(row[r], capacity[r]) for r in resources] for row in instance.demand]
    return ScoredDemand(rows, scale.capacity, resources, n_capacities, scale.is_exact)


@dataclass(frozen=True)
class CommonScale:
    """One denominator for shares of several capacities."""

    capacity: int
    is_exact: bool

    @classmethod
    def of(cls, capacities: list[int]) -> CommonScale:
        common = lcm(*(capacity for capacity in capacities if capacity > 0))
        is_exact = common <= LARGEST_EXACT_CAPACITY
        return cls(common if is_exact else ROUNDED_CAPACITY, is_exact)

    def scaled(self, amount: int, capacity: int) -> int:
        """The share of `capacity`, in units of one over the common capacity."""
        if self.is_exact:
            return amount * (self.capacity // capacity)
        return max(1, amount * self.capacity // capacity) if amount > 0 else 0


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
