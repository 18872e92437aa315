"""What the cluster references compute on: machines that differ, jobs of several tasks, outages and incidents.

Plain data, independent of the library's model. Amounts are Python integers, times Python numbers; a time may be
infinite where an outage or a failure has no end.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from operator import attrgetter
from typing import Self

from reference.backfilling_instance import BackfillInstance
from reference.cluster_labels import condition

KILLED = ("requeue", "drop", "checkpoint")


class Value:
    """Never changes, so that a deep copy is the thing itself."""

    def __deepcopy__(self, memo: object) -> Self:
        return self


@dataclass(frozen=True)
class ClusterMachine(Value):
    """Machines of lower weight are preferred."""

    capacity: tuple[int, ...]
    weight: int = 0
    labels: frozenset[str] = frozenset()


@dataclass(frozen=True)
class ClusterJob(Value):
    """``demand`` is that of one task; ``spread`` 0 is none, and so is a ``checkpoint_interval`` of 0.

    From ``priority`` on it is what the rules of a site look at; ``array`` -1 is none. ``also`` is the constraint of
    its partition, which the site fills in.
    """

    release_time: float
    processing_time: float
    demand: tuple[int, ...]
    estimated_processing_time: float
    weight: float = 1
    n_tasks: int = 1
    spread: int = 0
    exclusive: bool = False
    constraint: str = ""
    checkpoint_interval: float = 0
    restart_cost: float = 0
    priority: float = 0
    user: str | None = None
    account: str | None = None
    partition: str | None = None
    service_class: str | None = None
    array: int = -1
    after_ok: tuple[int, ...] = ()
    after_any: tuple[int, ...] = ()
    after_not_ok: tuple[int, ...] = ()
    also: str = ""


@dataclass(frozen=True)
class Down(Value):
    """A machine cannot be used during [start, end)."""

    machine: int
    start: float
    end: float


@dataclass(frozen=True, eq=False)  # by identity, so that what is made of one can be kept
class ClusterInstance:
    """Outages are announced; failures, and cancellations (job -> time), are revealed at their times."""

    machines: tuple[ClusterMachine, ...]
    jobs: tuple[ClusterJob, ...]
    outages: tuple[Down, ...] = ()
    failures: tuple[Down, ...] = ()
    cancellations: Mapping[int, float] = field(default_factory=dict)
    killed: str = "requeue"

    def __post_init__(self) -> None:
        assert self.killed in KILLED
        for job in self.jobs:
            assert any(job.demand), "a job demands nothing"
            assert job.n_tasks >= 1
            assert job.spread >= 0
            assert job.estimated_processing_time >= job.processing_time > 0
        for down in (*self.outages, *self.failures):
            assert 0 <= down.start < down.end
            assert 0 <= down.machine < len(self.machines)

    @classmethod
    def from_backfill(cls, instance: BackfillInstance) -> ClusterInstance:
        """The same jobs and machines, no new column used."""
        rows = zip(
            instance.release_time,
            instance.processing_time,
            instance.demand,
            instance.estimated_processing_time,
            strict=True,
        )
        return cls(
            machines=tuple(ClusterMachine(tuple(row)) for row in instance.capacity),
            jobs=tuple(ClusterJob(r, p, tuple(d), e) for r, p, d, e in rows),
        )


def united(downs: Iterable[Down]) -> list[Down]:
    """Per machine, what overlaps or touches becomes one."""
    result: list[Down] = []
    for down in sorted(downs, key=lambda d: (d.machine, d.start, d.end)):
        last = result[-1] if result else None
        if last is not None and last.machine == down.machine and down.start <= last.end:
            result[-1] = Down(down.machine, last.start, max(last.end, down.end))
        else:
            result.append(down)
    return result


def with_anything(machines: Sequence[ClusterMachine]) -> list[list[int]]:
    """The capacities of the machines that have any; those of the first one if none has."""
    rows = [list(machine.capacity) for machine in machines]
    return [row for row in rows if any(row)] or rows[:1]


def preference_order(machines: Sequence[ClusterMachine]) -> list[int]:
    """The machines by weight, then by index."""
    return sorted(range(len(machines)), key=lambda m: (machines[m].weight, m))


def allowed_machines(machines: Sequence[ClusterMachine], job: ClusterJob) -> list[int]:
    """A[j]: the machines that satisfy the constraint, and that of its partition, in preference order."""
    return list(_allowed(tuple(map(_weight_and_labels, machines)), job.constraint, job.also))


_weight_and_labels = attrgetter("weight", "labels")


@lru_cache(maxsize=10_000)
def _allowed(
    of_machines: tuple[tuple[int, frozenset[str]], ...], constraint: str, also: str
) -> tuple[int, ...]:
    """The same from weights and labels alone: capacities come and go, so the answer holds while they do."""
    asked, asked_too = condition(constraint), condition(also)
    by_weight = sorted(range(len(of_machines)), key=lambda m: (of_machines[m][0], m))
    return tuple(m for m in by_weight if asked(of_machines[m][1]) and asked_too(of_machines[m][1]))
