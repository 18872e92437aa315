"""The jobs that wait: one row for each, and for each task of an array that waits."""

import dataclasses
import itertools
import math
from collections.abc import Mapping, Sequence

import numpy as np

from schedcore.model import Jobs, Machines, machines_that_satisfy
from schedcore.model.arrays import BoolArray, IntArray

from .awaited_jobs import AwaitedJobs, Ids
from .cluster_machines import partition_label
from .feature_requests import constraint_of_features, label
from .job_shapes import JobShape, shape_of_job
from .jobs import SlurmJob
from .not_modelled import NotModelled
from .site import SlurmSite

__all__ = [
    "ONE_YEAR",
    "Ids",
    "WaitingJobs",
    "WaitingRow",
    "estimate_of_job",
    "ids_of_jobs",
    "waiting_rows",
    "what_squeue_leaves_open",
]

#: What Slurm itself takes for a job without any limit of time.
ONE_YEAR = 365 * 86400.0


@dataclasses.dataclass(frozen=True)
class WaitingJobs:
    """The jobs that wait, a row for each task of an array.

    Parameters
    ----------
    jobs : Jobs
        Released when they became eligible, or will; a job that waits for others, or is held, when it was submitted.
        Processing times are estimates, which are time limits. Priorities are those that Slurm computed. Ids are job
        numbers; tasks of an array that wait have no number yet, and ids above all of them.
    held : (n_jobs,) bool
        Which are held, or are in a partition that starts no job.
    reason : tuple of str
        Why each waits, as Slurm says.
    called : tuple of str
        As Slurm writes each job.
    reservation : tuple of str
        The reservation that each names; empty for none.
    kept_back : tuple of (str, tuple of str) or None
        What keeps a job back that has no counterpart: ("dependency", what it waits for), or ("never", what there is
        not); None for most.
    is_releasable : (n_jobs,) bool
        Which would be held no more if a user or an administrator let them go: not those whose partition starts no job,
        and those that wait for what never comes.
    """

    jobs: Jobs
    held: BoolArray
    reason: tuple[str, ...]
    called: tuple[str, ...]
    reservation: tuple[str, ...]
    kept_back: tuple[tuple[str, tuple[str, ...]] | None, ...]
    is_releasable: BoolArray


@dataclasses.dataclass(frozen=True)
class WaitingRow:
    """A waiting job as a row of `Jobs`.

    Parameters
    ----------
    job : SlurmJob
    called : str
        As ``17_3``.
    id : int
    shape : JobShape
    estimate : float
        Seconds.
    release_time : float
        Seconds since 1970.
    constraint : str
    held : bool
    awaited : mapping of str to tuple of int
        Column of `Jobs` -> ids.
    kept_back : (str, tuple of str) or None
        As of `WaitingJobs`.
    is_exact : bool
        Whether nothing of it is not modelled.
    """

    job: SlurmJob
    called: str
    id: int
    shape: JobShape
    estimate: float
    release_time: float
    constraint: str
    held: bool
    awaited: Mapping[str, tuple[int, ...]]
    kept_back: tuple[str, tuple[str, ...]] | None
    is_exact: bool


def waiting_rows(
    site: SlurmSite, machines: Machines, jobs: Sequence[SlurmJob], now: float
) -> tuple[list[WaitingRow], list[NotModelled]]:
    """Return a row for each job and each task of an array that waits, and what of them cannot be modelled."""
    ids = ids_of_jobs(jobs)
    memories, dependencies = _UsableMemory(site, machines), AwaitedJobs(jobs, ids)
    findings: list[NotModelled] = []
    rows = []
    for job in jobs:
        if not job.is_waiting:
            continue
        notes: list[tuple[str, str, str]] = []
        constraint = _constraint(site, job, notes)
        shape = _shape(site, job, memories.of(job, constraint), notes)
        estimate = estimate_of_job(site, job, notes)
        _note_the_rest(site, job, notes)
        partition = site.partition(job.partition.partition(",")[0])
        held = job.is_held or (partition is not None and not partition.starts_jobs)
        # A job that waits for others, or is held, has no eligible time; what keeps it back is said otherwise.
        known = [time for time in (job.eligible_time, job.submit_time) if time is not None]
        release = known[0] if known else now
        lacking = _lacking(site, job, notes)
        for index, task in enumerate(job.array_tasks or (None,)):
            awaited = dependencies.of(job, task)
            if index == 0:
                notes += [("job: dependency", kind, why) for kind, why in awaited.notes]
            is_untold = job.reason.startswith("Dependency") and not any(awaited.columns.values())
            if index == 0 and is_untold and not awaited.otherwise:
                notes.append(
                    ("job: dependency", "", "what it waits for is not known; the job does not start here")
                )
            kept_back = ("dependency", awaited.otherwise) if awaited.otherwise or is_untold else None
            called = job.called if task is None else f"{job.array_job_id or job.job_id}_{task}"
            own = ids[job.array_job_id or job.job_id][task]
            rows.append(
                WaitingRow(
                    job, called, own, shape, estimate, release, constraint, held, awaited.columns,
                    ("never", lacking) if lacking else kept_back, not notes,
                )
            )  # fmt: skip
        findings += [NotModelled(setting, value, why, n_jobs=job.n_jobs) for setting, value, why in notes]
    return rows, findings


def ids_of_jobs(jobs: Sequence[SlurmJob]) -> Ids:
    """Return an id for each job that runs or waits: its number.

    Tasks of an array that wait share a number until they start, and not every command tells it afterwards; such tasks
    get ids above all numbers.
    """
    ids: Ids = {}
    fresh = itertools.count(max((max(job.job_id, job.array_job_id or 0) for job in jobs), default=0) + 1)
    taken: set[int] = set()
    for job in jobs:
        if not job.is_running and not job.is_waiting:
            continue
        own = ids.setdefault(job.array_job_id or job.job_id, {})
        for task in job.array_tasks or (None,):
            number = job.job_id if len(job.array_tasks) <= 1 and job.job_id not in taken else next(fresh)
            taken.add(number)
            own[task] = number
    return ids


class _UsableMemory:
    """How much memory the nodes have that a job may use."""

    def __init__(self, site: SlurmSite, machines: Machines) -> None:
        self._machines = machines
        self._memory = np.array([node.memory for node in site.nodes])
        self._known: dict[tuple[str, str], IntArray] = {}

    def of(self, job: SlurmJob, constraint: str) -> IntArray:
        """Return the different amounts in ascending order, in MB."""
        partition = job.partition.partition(",")[0]
        key = (partition, constraint)
        if key not in self._known:
            both = (
                f"({constraint})&{partition_label(partition)}" if constraint else partition_label(partition)
            )
            usable = machines_that_satisfy(both, self._machines)
            self._known[key] = np.unique(self._memory[usable] if usable.any() else self._memory)
        return self._known[key]


def _shape(site: SlurmSite, job: SlurmJob, memories: IntArray, notes: list[tuple[str, str, str]]) -> JobShape:
    partition = site.partition(job.partition.partition(",")[0])
    default = site.default_memory_in(partition)
    whole = int(memories[0])
    shape = shape_of_job(
        job,
        site.resources,
        most_nodes=None if partition is None else partition.max_nodes,
        whole_memory=whole,
        whole_cores=site.whole_cores,
        default_memory=default,
    )
    asks_for_all = not any((job.memory_per_cpu, job.memory_per_node, *default))
    if site.resources.memory and asks_for_all and len(memories) > 1:
        notes.append(
            ("job: memory of a whole node", "", f"takes {whole:,} MB, the least of a node that it may use")
        )
    notes += [(setting, "", why) for setting, why in shape.notes]
    return shape


def _constraint(site: SlurmSite, job: SlurmJob, notes: list[tuple[str, str, str]]) -> str:
    parts = []
    if job.features:
        constraint, why = constraint_of_features(job.features)
        parts.append(constraint)
        if why:
            notes.append(("job: features", job.features, why))
    parts += sorted(
        {label(kind) for _, kind, _ in (*job.gres_per_node, *job.gres_per_task, *job.gres_per_job) if kind}
    )
    parts += [f"!node={label(name)}" for name in job.excluded_nodes]
    required = job.required_nodes
    if required:
        if (job.min_nodes or 1) <= len(required):
            parts.append("|".join(f"node={label(name)}" for name in required))
            if len(required) > 1 and job.max_nodes != len(required):
                notes.append(
                    ("job: nodes that it names", ",".join(required), "it may leave some of them out")
                )
        else:
            notes.append(
                (
                    "job: nodes that it names",
                    ",".join(required),
                    "it may leave them out, as it wants others, too",
                )
            )
    told = [part for part in parts if part]
    return "&".join(part if part.startswith("!") or "|" not in part else f"({part})" for part in told)


def _lacking(site: SlurmSite, job: SlurmJob, notes: list[tuple[str, str, str]]) -> tuple[str, ...]:
    """Return the generic resources that a job asks for, and no node has."""
    asked = {name for name, _, _ in (*job.gres_per_node, *job.gres_per_task, *job.gres_per_job)}
    asked |= {name[5:].partition(":")[0] for name, _ in job.tres if name.startswith("gres/")}
    lacking = tuple(sorted(asked - set(site.resources.gres)))
    notes += [("job: generic resource", name, "no node has it; the job never starts") for name in lacking]
    return lacking


def estimate_of_job(site: SlurmSite, job: SlurmJob, notes: list[tuple[str, str, str]]) -> float:
    """Return the time limit: that of the job, the default or the limit of its partition, or one year."""
    partition = site.partition(job.partition.partition(",")[0])
    limits = [job.time_limit]
    if partition is not None:
        limits += (
            [partition.default_time, partition.max_time] if job.time_limit is None else [partition.max_time]
        )
    for limit in limits:
        if limit is not None and 0 < limit < math.inf:
            return limit
    notes.append(("job: no time limit", "", "counts as one year, as in Slurm"))
    return ONE_YEAR


def what_squeue_leaves_open(site: SlurmSite, job: SlurmJob) -> list[tuple[str, str, str]]:
    """Return what of a job its row of squeue does not tell: (setting, value, why)."""
    why = "the table does not have it; the job counts as one that says nothing of it"
    found = [("job: column of squeue", name, why) for name in job.untold]
    # squeue's text alone tells no number of tasks.
    is_text = job.n_tasks is None and not job.allocation
    if site.resources.memory and is_text and job.memory_per_node and (job.cpus or 1) > 1:
        why = "squeue's text does not tell whether it is that of a processor; it counts as that of a node"
        found.append(("job: memory", "", why))
    return found


def _note_the_rest(site: SlurmSite, job: SlurmJob, notes: list[tuple[str, str, str]]) -> None:
    first, *others = job.partition.split(",")
    if others:
        notes.append(("job: several partitions", job.partition, f"waits in {first} alone"))
    if site.partition(first) is None and site.partitions:
        notes.append(("job: partition", first, "is not there; the job is in none"))
    notes += what_squeue_leaves_open(site, job)
    if job.licenses:
        notes.append(("job: licenses", job.licenses, "licenses are not modelled"))
    if job.het_job_id is not None:
        notes.append(("job: heterogeneous", "", "its parts are jobs of their own, which may start apart"))
    if job.reservation:
        notes.append(
            (
                "job: reservation",
                job.reservation,
                "jobs inside reservations are not forecast: they are held",
            )
        )
    if job.shares_nodes:
        notes.append(("job: OverSubscribe", job.shares_nodes, "shares machines as any other job does"))
    if site.site.preempt == "requeue" and not job.requeue:
        notes.append(("job: --no-requeue", "", "is requeued where it is preempted, instead of cancelled"))
    if job.nice and not isinstance(site.site.order, str):
        notes.append(("job: nice", "", "counts only in the order by Slurm's own priorities"))
    known = {each.name for each in site.site.service_classes}
    if known and job.qos and job.qos not in known and not site.classes_are_partitions:
        notes.append(("job: QOS", job.qos, "is not among those that sacctmgr showed; the job is in no class"))
