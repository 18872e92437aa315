"""The accounting of a cluster (``sacct -X -P``) on the machines and under the rules of its own configuration.

`schedcore.workloads.read_sacct` reads the file. Here its demands are counted in the resources of the site, its jobs
are those of the partitions and classes that the site has, and jobs that waited for others are bound to them.
"""

import dataclasses
import os
import re
from collections.abc import Callable, Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schedcore.errors import InvalidInstanceError
from schedcore.model import Instance, Jobs, Limit, Machines
from schedcore.model.arrays import BoolArray
from schedcore.model.extras import import_extra
from schedcore.workloads.logs.sacct import read_sacct
from schedcore.workloads.logs.sacct_table import parse_sacct
from schedcore.workloads.reading.report import DataReport
from schedcore.workloads.reading.source_file import FilePath

from .array_tasks import array_tasks
from .dependencies import AWAITED, read_dependencies
from .not_modelled import NotModelled, merged
from .site import SlurmSite

__all__ = ["SlurmLog", "read_log"]

_KB = 1024  # in a MB
_WAITING_TASKS = re.compile(r"([0-9]{1,15})_(\[.*\])")
_SAYS_NOTHING = ("", "None", "Unknown", "N/A", "(null)")


@dataclasses.dataclass(frozen=True)
class SlurmLog:
    """A workload with its account.

    Parameters
    ----------
    instance : Instance
        On the machines of the site; times in s from the first kept submission.
    limits : tuple of Limit
        Throttles of arrays of which tasks still waited; ``Site(..., limits=(*site.site.limits, *log.limits))``.
    report : DataReport
        Which rows were left out or repaired, as `read_sacct` tells; its memory is in KB.
    not_modelled : tuple of NotModelled
        What of the site, and of these jobs in it, cannot be modelled, with numbers of jobs.
    """

    instance: Instance
    limits: tuple[Limit, ...]
    report: DataReport
    not_modelled: tuple[NotModelled, ...]


def read_log(path: FilePath, site: SlurmSite, *, bind_dependencies: bool = True, **options: Any) -> SlurmLog:
    """Read the output of ``sacct -X -P`` for the site that it comes from.

    Parameters
    ----------
    path : path-like
        As `read_sacct` takes it. Of further use here is a column Dependency.
    site : SlurmSite
    bind_dependencies : bool
        Whether jobs wait for those that their column Dependency names, as far as these are in the log.
    **options
        Of `read_sacct`, but `machines`, `memory`, `gpus` and `columns`. A job without a memory request takes
        DefMemPerCPU of the site where there is one, else what it was allocated.

    Returns
    -------
    SlurmLog
        ``sc.solve(site.policy, log.instance, site=site.site, **site.options)`` runs it under the rules of the site.

    Raises
    ------
    InvalidInstanceError
        As `read_sacct` does.

    Notes
    -----
    - Jobs of a log have ended: what waited for the failure of a job waits for its end here.
    - A partition, a QOS or an account that the site does not have any more is taken away from its jobs and listed.
    - Memory is counted in MB, rounded up. Generic resources other than ``gpu`` are left out and listed.
    """
    resources = site.resources
    with_gpus = "gpu" in resources.gres
    per_cpu = site.default_memory[0]
    options.setdefault("missing_memory", per_cpu * _KB if per_cpu else "allocated")
    instance, report = read_sacct(
        path,
        machines=_readers_machines(site, with_gpus=with_gpus),
        memory=resources.memory,
        gpus=with_gpus,
        columns=True,
        **options,
    )
    jobs = instance.jobs
    demand = np.zeros((jobs.n_jobs, len(resources.names)), dtype=np.int64)
    demand[:, 0] = jobs.demand[:, 0]
    if resources.memory:
        demand[:, 1] = -(-jobs.demand[:, 1] // _KB)
    if with_gpus:
        demand[:, resources.names.index("gpu")] = jobs.demand[:, -1]
    changes, findings = _of_the_site(site, jobs)
    if bind_dependencies:
        awaited, more = _dependencies(path, jobs)
        changes |= awaited
        findings += more
    of_site = Instance(jobs.replace(demand=demand, **changes), site.machines)
    limits, more = _waiting_arrays(path)
    more += _other_resources(path, of_site.jobs, resources.gres)
    return SlurmLog(of_site, limits, report, merged([*site.touched_by(of_site.jobs), *findings, *more]))


def _readers_machines(site: SlurmSite, *, with_gpus: bool) -> Machines:
    """The machines of the site in the resources and units of the reader."""
    capacity, names = site.machines.capacity, site.machines.resource_names
    columns, called = [capacity[:, 0]], ["processors"]
    if site.resources.memory:
        columns.append(capacity[:, 1] * _KB)
        called.append("memory")
    if with_gpus:
        columns.append(capacity[:, names.index("gpu")])
        called.append("gpus")
    return Machines(
        np.stack(columns, axis=1),
        called,
        names=site.machines.names,
        labels=site.machines.labels,
        weight=site.machines.weight,
    )


def _of_the_site(site: SlurmSite, jobs: Jobs) -> tuple[dict[str, Any], list[NotModelled]]:
    """Return columns that name nothing but what the site has, and what that takes away."""
    changes: dict[str, Any] = {}
    findings: list[NotModelled] = []
    if site.classes_are_partitions:
        jobs = jobs.replace(service_class=jobs.partition)
        changes["service_class"] = jobs.service_class
    rules = site.site
    for column, known in (
        ("partition", {each.name for each in rules.partitions}),
        ("service_class", {each.name for each in rules.service_classes}),
        ("account", set(rules.shares or ())),
    ):
        texts: NDArray[np.object_] = getattr(jobs, column)
        lost = np.array(
            [text is not None and bool(known) and text not in known for text in texts], dtype=np.bool_
        )
        if lost.any():
            changes[column] = [None if gone else text for gone, text in zip(lost, texts, strict=True)]
            names = sorted(set(texts[lost].tolist()))
            shown = ", ".join(names[:5]) + (", ..." if len(names) > 5 else "")
            why = "the site has it no more; its jobs are in none"
            findings.append(NotModelled(f"sacct: {column}", shown, why, n_jobs=int(lost.sum())))
    exclusive = {each.name for each in site.partitions if each.oversubscribe == "EXCLUSIVE"}
    alone: BoolArray = np.array(
        [site.exclusive or name in exclusive for name in jobs.partition], dtype=np.bool_
    )
    if alone.any():
        changes["exclusive"] = jobs.exclusive | alone
    return changes, findings


def _dependencies(path: FilePath, jobs: Jobs) -> tuple[dict[str, Any], list[NotModelled]]:
    """Return the columns ``after_ok`` and ``after_any``, and what of the dependencies is lost."""
    table = parse_sacct(path, ("JobIDRaw", "JobID", "Dependency"))
    if "Dependency" not in table:
        return {}, []
    texts = [text.strip() for text in table.columns["Dependency"].to_pylist()]
    waits = [row for row, text in enumerate(texts) if text not in _SAYS_NOTHING]
    if not jobs.has_ids:
        why = "not bound, because job numbers are not unique"
        return {}, [NotModelled("sacct: Dependency", "", why, n_jobs=len(waits))]
    row_of_job = {number: row for row, number in enumerate(jobs.id.tolist())}
    numbers = table.identifiers(table.id_column).astype(np.int64).tolist()
    of_array = _members(table.columns["JobID"].to_pylist() if "JobID" in table else [], numbers, row_of_job)
    awaited: dict[str, dict[int, list[int]]] = {"after_ok": {}, "after_any": {}}
    findings: list[NotModelled] = []
    for row in waits:
        own = row_of_job.get(numbers[row])
        if own is None:
            continue
        try:
            dependencies = read_dependencies(texts[row])
        except InvalidInstanceError as error:
            line = int(table.line_numbers(np.array([row]))[0])
            raise InvalidInstanceError(f"{os.fspath(path)}: line {line}: Dependency: {error}") from None
        for dependency in dependencies:
            column = AWAITED.get(dependency.kind)
            others = of_array(dependency.job_id, dependency.task)
            if column is None or dependency.any_of or not others:
                why = "not bound: of another kind, or on jobs that are not in the log"
                findings.append(NotModelled("sacct: Dependency", dependency.kind, why, n_jobs=1))
                continue
            # Whatever is in the log ran to its end here, so nobody can wait for its failure.
            kept = "after_ok" if column == "after_ok" else "after_any"
            awaited[kept].setdefault(own, []).extend(other for other in others if other != numbers[row])
    return {
        column: [tuple(dict.fromkeys(of_rows.get(row, ()))) for row in range(jobs.n_jobs)]
        for column, of_rows in awaited.items()
        if of_rows
    }, findings


def _waiting_arrays(path: FilePath) -> tuple[tuple[Limit, ...], list[NotModelled]]:
    """Return the throttles of arrays with tasks that still waited, and how many tasks these were: one row a time."""
    table = parse_sacct(path, ("JobID", "JobIDRaw", "State"))
    limits, n_tasks = dict[int, int](), 0
    for called in set(table.columns["JobID"].to_pylist()) if "JobID" in table else ():
        match = _WAITING_TASKS.fullmatch(called)
        if match is None:
            continue
        try:
            tasks, throttle = array_tasks(match[2])
        except InvalidInstanceError as error:
            raise InvalidInstanceError(f"{os.fspath(path)}: JobID {called}: {error}") from None
        n_tasks += len(tasks)
        if throttle is not None:
            limits[int(match[1])] = throttle
    why = "waited when the log was written; each row of an array stands for all of them, which are left out"
    findings = [NotModelled("sacct: waiting tasks of arrays", "", why, n_jobs=n_tasks)] if n_tasks else []
    return tuple(Limit(f"array={array}", "jobs", most) for array, most in sorted(limits.items())), findings


def _other_resources(path: FilePath, jobs: Jobs, known: Collection[str]) -> list[NotModelled]:
    """Return of generic resources of the site other than ``gpu`` how many jobs ask for them.

    Rows, that is, where the log has no numbers that are unique.
    """
    others = sorted(set(known) - {"gpu"})
    if not others:
        return []
    table = parse_sacct(path, ("JobIDRaw", "JobID", "ReqTRES", "AllocTRES"))
    texts = [table.columns[column] for column in ("ReqTRES", "AllocTRES") if column in table]
    if not texts:
        return []
    compute = import_extra("pyarrow.compute", "traces")
    numbers = table.identifiers(table.id_column).astype(np.int64)
    kept = np.isin(numbers, jobs.id) if jobs.has_ids else np.ones(len(numbers), dtype=np.bool_)
    findings = []
    for name in others:
        pattern = rf"(?:^|,)gres/{re.escape(name)}(?::[^=,]*)?=0*[1-9]"
        asks = kept & np.any(
            [np.asarray(compute.match_substring_regex(each, pattern)) for each in texts], axis=0
        )
        n_jobs = len(np.unique(numbers[asks])) if jobs.has_ids else int(np.count_nonzero(asks))
        if n_jobs:
            why = "is not read from a log; its jobs need none of it here"
            findings.append(NotModelled("sacct: gres", name, why, n_jobs=n_jobs))
    return findings


def _members(
    called: list[str], numbers: list[int], row_of_job: dict[int, int]
) -> Callable[[int | None, int | None], list[int]]:
    """Return what tells the numbers of a job, of a task of an array, or of all its tasks, that are in the log."""
    tasks: dict[int, dict[int, int]] = {}
    for name, number in zip(called, numbers, strict=False):
        array, _, task = name.partition("_")
        if task.isdecimal() and array.isdecimal() and number in row_of_job:
            tasks.setdefault(int(array), {})[int(task)] = number

    def members(job_id: int | None, task: int | None) -> list[int]:
        if job_id is None:
            return []
        own = tasks.get(job_id, {})
        if task is not None:
            return [own[task]] if task in own else []
        return list(own.values()) or ([job_id] if job_id in row_of_job else [])

    return members
