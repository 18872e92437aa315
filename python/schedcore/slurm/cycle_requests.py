"""The jobs that wait, as one pass of Slurm's backfilling looks at them: in its order, a record for each partition.

A job that is not looked at at all has a reason instead: it is held, waits for others or for its time, is outside the
limits of its partition, or as many tasks of its array run as may.
"""

import dataclasses
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from schedcore.engine.cycle_plan import MEMORY_KINDS, SELECTIONS, CycleRequests, MachineSets
from schedcore.model import Machines, machines_that_satisfy

from .dependencies import read_dependencies
from .feature_requests import constraint_of_features, label
from .job_shapes import asked_memory, asked_of
from .jobs import SlurmJob
from .partitions import SlurmPartition
from .reservations import SlurmReservation
from .site import SlurmSite
from .waiting_jobs import estimate_of_job

__all__ = ["CycleRecord", "NumberedSets", "columns_of_records", "cycle_records"]

_MOST_TASKS_OF_ARRAY = 20  # bf_max_job_array_resv


@dataclasses.dataclass(frozen=True, slots=True)
class CycleRecord:
    """A job in one of its partitions; the fields are those of a row of `CycleRequests`.

    Parameters
    ----------
    job : int
        Its index among all jobs of the state.
    """

    job: int
    limit: int
    min_machines: int
    max_machines: int
    n_tasks: int
    processors_per_task: int
    tasks_per_machine: int
    least_processors: int
    memory_kind: int
    memory: int
    is_exclusive: bool
    partition: int
    eligible: int
    required: int
    reservation: int
    n_copies: int
    array: int
    may_wait: bool
    selection: int


class NumberedSets:
    """Sets of nodes by number; equal ones have the same."""

    def __init__(self, site: SlurmSite, machines: Machines) -> None:
        self._index = {node.name: number for number, node in enumerate(site.nodes)}
        self._machines = machines
        self._numbers: dict[tuple[int, ...], int] = {}
        self._suiting: dict[tuple[object, ...], int] = {}
        self._of_partitions: dict[str, int] = {}
        self._everywhere = tuple(self._index)

    @property
    def n_nodes(self) -> int:
        """How many nodes there are."""
        return len(self._everywhere)

    def of_partition(self, partition: SlurmPartition | None) -> int:
        """Return the number of the nodes of a partition; None: of all nodes."""
        name = "" if partition is None else partition.name
        if name not in self._of_partitions:
            nodes = self._everywhere if partition is None else partition.nodes
            self._of_partitions[name] = self.of_names(nodes)
        return self._of_partitions[name]

    def of_names(self, names: Sequence[str]) -> int:
        """Return the number of a set of nodes by name; names that are no nodes are in none."""
        return self._number(sorted({self._index[name] for name in names if name in self._index}))

    def suiting(self, job: SlurmJob) -> int:
        """Return the number of the set that has the features that a job asks for, without those that it excludes."""
        kinds = sorted({kind for _, kind, _ in (*job.gres_per_node, *job.gres_per_task, *job.gres_per_job)})
        key = (job.features, tuple(kinds), job.excluded_nodes)
        if key not in self._suiting:
            asked = constraint_of_features(job.features)[0] if job.features else ""
            parts = [f"({asked})"] if asked else []
            constraint = "&".join([*parts, *(label(kind) for kind in kinds if kind)])
            suits = np.ones(self._machines.n_machines, dtype=np.bool_)
            if constraint:
                suits = machines_that_satisfy(constraint, self._machines).copy()
            suits[[self._index[name] for name in job.excluded_nodes if name in self._index]] = False
            self._suiting[key] = -1 if suits.all() else self._number(np.flatnonzero(suits).tolist())
        return self._suiting[key]

    def _number(self, machines: Sequence[int]) -> int:
        return self._numbers.setdefault(tuple(machines), len(self._numbers))

    @property
    def columns(self) -> MachineSets:
        """All sets that have a number."""
        return MachineSets.of(list(self._numbers))


def cycle_records(
    site: SlurmSite,
    jobs: Sequence[SlurmJob],
    reservations: Sequence[SlurmReservation],
    sets: NumberedSets,
    now: float,
) -> tuple[list[CycleRecord], dict[int, str]]:
    """Return the records in the order in which they are looked at, and why other jobs have none.

    The order: jobs in reservations, tiers of partitions, priorities, submission, numbers.
    """
    given = site.parts.configuration.parameters("SchedulerParameters")
    running: Counter[int | None] = Counter(
        job.array_job_id for job in jobs if job.is_running and job.array_job_id is not None
    )
    partitions = {each.name: each for each in site.partitions}
    numbers = {each.name: number for number, each in enumerate(reservations)}
    rows: list[tuple[tuple[float, ...], CycleRecord]] = []
    arrays: dict[tuple[int, str, str], int] = {}
    reasons: dict[int, str] = {}
    for index, job in enumerate(jobs):
        if not job.is_waiting:
            continue
        reason = _why_not_looked_at(job, running, now)
        if not reason and job.reservation and job.reservation not in numbers:
            reason = "reservation"
        if reason:
            reasons[index] = reason
            continue
        for name in job.partition.split(","):
            partition = partitions.get(name)
            if partition is not None and not _is_within_limits(site, job, partition):
                continue
            array = -1
            if job.array_job_id is not None:
                array = arrays.setdefault((job.array_job_id, name, job.reservation), len(arrays))
            inside = numbers.get(job.reservation, -1)
            record = _record(site, index, job, array, partition, sets, inside, now, given)
            key = (
                not job.reservation,
                -(partition.tier if partition is not None else 1),
                -(job.priority or 0),
                job.submit_time or 0,
                job.array_job_id or job.job_id,
                job.job_id,
            )
            rows.append((key, record))
        if not rows or rows[-1][1].job != index:
            reasons[index] = "partition limit"
    rows.sort(key=lambda row: row[0])
    return [record for _, record in rows], reasons


def columns_of_records(records: Sequence[CycleRecord]) -> CycleRequests:
    """Return the records as columns."""
    columns: dict[str, Any] = {}
    for field in dataclasses.fields(CycleRequests):
        kind = np.bool_ if field.name in ("is_exclusive", "may_wait") else np.int64
        columns[field.name] = np.array([getattr(record, field.name) for record in records], dtype=kind)
    return CycleRequests(**columns)


def _why_not_looked_at(job: SlurmJob, running: Mapping[int | None, int], now: float) -> str:
    if job.is_held:
        return "held"
    if read_dependencies(job.dependency):
        return "dependency"
    if job.eligible_time is not None and job.eligible_time > now:
        return "begin time"
    if job.array_throttle and running[job.array_job_id] >= job.array_throttle:
        return "throttle"
    return ""


def _is_within_limits(site: SlurmSite, job: SlurmJob, partition: SlurmPartition) -> bool:
    least, most = _numbers_of_nodes(job)
    return (
        partition.starts_jobs
        and (job.time_limit is None or partition.max_time is None or job.time_limit <= partition.max_time)
        and (not partition.max_nodes or least <= partition.max_nodes)
        and (not partition.min_nodes or most is None or most >= partition.min_nodes)
    )


def _numbers_of_nodes(job: SlurmJob) -> tuple[int, int | None]:
    """Return how many nodes a job asks for at least and at most; Slurm tells an estimate where it asks for none."""
    told = dict(job.tres).get("node")
    if job.max_nodes:
        return min(told or job.min_nodes or 1, job.max_nodes), job.max_nodes
    asked = asked_of(job)
    if job.n_tasks is None and asked.fixed_nodes:
        return asked.n_nodes, asked.n_nodes
    return told or 1, None


def _record(
    site: SlurmSite,
    index: int,
    job: SlurmJob,
    array: int,
    partition: SlurmPartition | None,
    sets: NumberedSets,
    reservation: int,
    now: float,
    given: Mapping[str, str],
) -> CycleRecord:
    asked, (least, most) = asked_of(job), _numbers_of_nodes(job)
    bounds = [bound for bound in (most, partition.max_nodes if partition else None) if bound]
    kind, amount = (
        ("none", 0.0) if not site.resources.memory else asked_memory(job, site.default_memory_in(partition))
    )
    most_tasks = _whole(given.get("bf_max_job_array_resv"), _MOST_TASKS_OF_ARRAY)
    per_node = asked.tasks_per_node or 0
    return CycleRecord(
        job=index,
        limit=_limit(site, job, partition),
        min_machines=max(1, least),
        max_machines=max(1, least, min(bounds, default=sets.n_nodes)),
        n_tasks=max(1, asked.n_tasks),
        processors_per_task=max(1, asked.cpus_per_task),
        tasks_per_machine=per_node,
        least_processors=job.least_cpus or asked.cpus_per_task * max(1, per_node),
        memory_kind=MEMORY_KINDS.index(
            {"cpu": "processor", "node": "machine", "all": "whole"}.get(kind, kind)
        ),
        memory=math.ceil(amount),
        is_exclusive=_is_exclusive(site, job, partition),
        partition=sets.of_partition(partition),
        eligible=sets.suiting(job),
        required=sets.of_names(job.required_nodes) if job.required_nodes else -1,
        reservation=reservation,
        n_copies=max(1, min(job.n_jobs, most_tasks)) if job.array_tasks else 1,
        array=array,
        may_wait=_may_wait(job, given, now),
        selection=SELECTIONS.index(_selection(site, given, asked.n_tasks * asked.cpus_per_task, partition)),
    )


def _limit(site: SlurmSite, job: SlurmJob, partition: SlurmPartition | None) -> int:
    limit = estimate_of_job(site, job, [])
    if partition is not None and partition.max_time is not None:
        limit = min(limit, partition.max_time)
    return max(1, math.ceil(limit))


def _is_exclusive(site: SlurmSite, job: SlurmJob, partition: SlurmPartition | None) -> bool:
    whole = partition is not None and partition.oversubscribe.startswith("EXCLUSIVE")
    return job.exclusive or site.exclusive or whole


def _may_wait(job: SlurmJob, given: Mapping[str, str], now: float) -> bool:
    least_age, least_priority = (
        _whole(given.get(name), 0) for name in ("bf_min_age_reserve", "bf_min_prio_reserve")
    )
    since = job.eligible_time if job.eligible_time is not None else job.submit_time
    return (job.priority or 0) >= least_priority and (since is None or now - since >= least_age)


def _selection(
    site: SlurmSite, given: Mapping[str, str], n_processors: int, partition: SlurmPartition | None
) -> str:
    select = (site.parts.configuration.text("SelectTypeParameters") or "").upper().split(",")
    if "CR_LLN" in select or (
        partition is not None and dict(partition.others).get("LLN", "").upper() == "YES"
    ):
        return "spread"
    if "pack_serial_at_end" in given and n_processors == 1:
        return "last"
    return "busy" if "bf_busy_nodes" in given else "consecutive"


def _whole(text: str | None, default: int) -> int:
    return int(text) if text is not None and text.isdecimal() and len(text) <= 12 else default
