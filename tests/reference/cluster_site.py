"""The rules of a site as plain data, and what they say of one job by itself or beside those that run.

Names and meanings are those of the specification. What of a limit is "jobs", "tasks" or the number of a resource.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from reference.cluster_instance import KILLED, ClusterJob, ClusterMachine, Value
from reference.cluster_placement import can_ever_run

COLUMNS = ("user", "account", "partition", "service_class", "array")


@dataclass(frozen=True)
class Partition:
    """A named set of machines; jobs with a longer estimate or more tasks can never run there."""

    name: str
    constraint: str = ""
    max_time: float | None = None
    max_tasks: int | None = None
    tier: int = 0
    factor: float = 0


@dataclass(frozen=True)
class ServiceClass:
    """Jobs of a higher level may preempt those of a preemptible class."""

    name: str
    level: int = 0
    factor: float = 0
    preemptible: bool = False


NO_PARTITION, NO_CLASS = Partition(""), ServiceClass("")


@dataclass(frozen=True)
class Limit:
    """Over the running jobs of one ``who`` the sum of ``what`` does not exceed ``most``."""

    who: str
    what: str | int
    most: int

    def __post_init__(self) -> None:
        assert self.who.partition("=")[0] in COLUMNS
        assert isinstance(self.what, int) or self.what in ("jobs", "tasks")

    def whose(self, job: ClusterJob) -> str | None:
        """The value under which the job is counted; None if it is not limited."""
        column, equals, named = self.who.partition("=")
        value = getattr(job, column)
        if value is None or value in ("", -1) or (equals and str(value) != named):
            return None
        return str(value)

    def amount(self, job: ClusterJob) -> int:
        """What the job takes of it; of an exclusive one, too, its tasks count and not its machines."""
        if isinstance(self.what, int):
            return job.n_tasks * job.demand[self.what]
        return job.n_tasks if self.what == "tasks" else 1

    def holds(self, job: ClusterJob, running: Iterable[ClusterJob]) -> bool:
        """Whether starting the job beside these would exceed it."""
        whose = self.whose(job)
        if whose is None:
            return False
        taken = sum(self.amount(other) for other in running if self.whose(other) == whose)
        return taken + self.amount(job) > self.most


@dataclass(frozen=True)
class Multifactor:
    """An order by sums of factors; the first six are weights."""

    age: float = 0
    fair_share: float = 0
    size: float = 0
    partition: float = 0
    service_class: float = 0
    job: float = 0
    max_age: float = 604800
    half_life: float = 604800
    interval: float = 300

    def __post_init__(self) -> None:
        assert self.max_age > 0
        assert self.half_life > 0
        assert self.interval >= 0


@dataclass(frozen=True)
class Site(Value):
    """``order``: "arrival", "priority", a key of the priority queue by name, as a function or as numbers by job, a
    formula by name, or a Multifactor. ``shares``: account -> share, of every account that occurs; None or "" are the
    jobs without one.
    """

    order: Any = "arrival"
    partitions: Sequence[Partition] = ()
    service_classes: Sequence[ServiceClass] = ()
    limits: Sequence[Limit] = ()
    shares: Mapping[str | None, float] | None = None
    preempt: str | None = None

    def __post_init__(self) -> None:
        assert self.preempt is None or self.preempt in KILLED
        for names in ([p.name for p in self.partitions], [c.name for c in self.service_classes]):
            assert len(set(names)) == len(names), "a name is given twice"
        assert all(share > 0 for share in (self.shares or {}).values())

    def has_rules(self) -> bool:
        by_arrival = isinstance(self.order, str) and self.order == "arrival"
        return not by_arrival or bool(
            self.partitions or self.service_classes or self.limits or self.shares or self.preempt
        )

    def partition_of(self, job: ClusterJob) -> Partition:
        """Without one it is all machines; without partitions the column is only a name for limits."""
        return self._partitions.get(job.partition, NO_PARTITION)

    def class_of(self, job: ClusterJob) -> ServiceClass:
        return self._service_classes.get(job.service_class, NO_CLASS)

    @cached_property
    def _partitions(self) -> dict[str | None, Partition]:
        return {p.name: p for p in self.partitions}

    @cached_property
    def _service_classes(self) -> dict[str | None, ServiceClass]:
        return {c.name: c for c in self.service_classes}

    def share_by_account(self) -> dict[str, float]:
        return {account or "": share for account, share in (self.shares or {}).items()}

    def seen(self, job: ClusterJob) -> ClusterJob:
        """The job with the constraint of its partition; a ValueError if it names what the site does not know."""
        for column, named in (("partition", self.partitions), ("service_class", self.service_classes)):
            value = getattr(job, column)
            if named and value and value not in [each.name for each in named]:
                raise ValueError(f"the site has no {column} {value!r}")
        if self.shares is not None and (job.account or "") not in self.share_by_account():
            raise ValueError(f"account {job.account!r} has no share")
        return replace(job, also=self.partition_of(job).constraint)

    def forbids(self, job: ClusterJob) -> bool:
        """Whether its partition or a limit keeps the job from ever running, on whatever machines."""
        partition = self.partition_of(job)
        return (
            (partition.max_time is not None and job.estimated_processing_time > partition.max_time)
            or (partition.max_tasks is not None and job.n_tasks > partition.max_tasks)
            or self.limit_that_holds(job, ()) is not None
        )

    def lets_run(self, job: ClusterJob, machines: Sequence[ClusterMachine]) -> bool:
        """Whether the job, as it is seen, could run if it were alone."""
        return not self.forbids(job) and can_ever_run(job, machines)

    def limit_that_holds(self, job: ClusterJob, running: Iterable[ClusterJob]) -> int | None:
        """The number of the first limit that starting the job beside these would exceed."""
        beside = list(running)
        return next((i for i, limit in enumerate(self.limits) if limit.holds(job, beside)), None)


NO_RULES = Site()
