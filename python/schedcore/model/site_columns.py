"""Jobs under the rules of a site: what the kernels are told of them, and what is wrong with them.

Partitions narrow where jobs may run; so under a site a job's constraint is its own and that of its partition.
"""

from collections.abc import Callable, Collection
from typing import Any

import numpy as np

from schedcore import _core
from schedcore.errors import InfeasibleError, InvalidInstanceError

from .arrays import BoolArray, IntArray
from .coded_texts import CodedTexts
from .dependencies import AFTER, awaited_ids, awaited_rows
from .jobs import Jobs
from .machines import Machines
from .site import Site
from .site_parts import PARTIES, Limit

__all__ = [
    "check_allowed",
    "check_limits",
    "check_site",
    "constraints_under",
    "forbidden_by",
    "limited_amount",
    "narrowed",
    "party_columns",
    "site_rules",
]

_NAMED = PARTIES[:-1]


def check_site(site: Site, jobs: Jobs, machines: Machines, name_of: Callable[[int], str]) -> None:
    """Raise an `InvalidInstanceError` for names of jobs and limits that the site or the machines do not have.

    `name_of` says how jobs are called. O(n_jobs).
    """
    for column, parts in (("partition", site.partitions), ("service_class", site.service_classes)):
        if not parts or not jobs.uses(column):
            continue
        known = dict.fromkeys(part.name for part in parts)
        _check_names(jobs, column, known, f"the site has {', '.join(map(repr, known))}", name_of)
    if site.shares is not None:
        _check_names(jobs, "account", site.shares, "it has no share", name_of)
        without = jobs.coded("account").codes < 0
        if None not in site.shares and without.any():
            job = int(np.argmax(without))
            raise InvalidInstanceError(f"{name_of(job)} has no account, and shares has none for None")
    check_limits(site, machines)


def check_limits(site: Site, machines: Machines) -> None:
    """Raise an `InvalidInstanceError` for a limit of a resource that the machines do not have."""
    for index, limit in enumerate(site.limits):
        if limit.what not in ("jobs", "tasks", *machines.resource_names):
            raise InvalidInstanceError(
                f"limits[{index}] = {limit!r} names neither jobs, tasks nor a resource "
                f"({', '.join(machines.resource_names)})"
            )


def site_rules(site: Site, machines: Machines) -> _core.site.SiteRules:
    """Return the rules as the kernels take them; errors are those of `check_limits`."""
    check_limits(site, machines)
    weights = site.multifactor
    return _core.site.SiteRules(
        partitions=[(each.name, each.tier, each.factor) for each in site.partitions],
        classes=[(each.name, each.level, each.factor, each.preemptible) for each in site.service_classes],
        limits=[_limit_row(limit, machines) for limit in site.limits],
        shares=[(account or "", share) for account, share in (site.shares or {}).items()],
        multifactor=None if weights is None else tuple(getattr(weights, name) for name in weights._fields),
        preempt=site.preempt,
    )


def party_columns(jobs: Jobs, *, by_row: bool = True, belongs: bool = True) -> _core.site.Parties | None:
    """Return to whom jobs belong and for whom they wait, as kernels read it; None where no job says anything.

    Jobs wait for rows, or for ids. Where `belongs` is false, only that is told.
    """
    columns: dict[str, Any] = {}
    for name in _NAMED:
        if belongs and jobs.uses(name):
            coded = jobs.coded(name)
            columns[name] = (coded.codes.astype(np.int64), list(coded.names))
    for name in ("array", "priority"):
        if belongs and jobs.uses(name):
            columns[name] = getattr(jobs, name)
    if any(jobs.uses(name) for name in AFTER):
        columns["awaited"] = awaited_rows(jobs) if by_row else awaited_ids(jobs)
    return _core.site.Parties(jobs.n_jobs, **columns) if columns else None


def constraints_under(site: Site, jobs: Jobs) -> CodedTexts:
    """Return the constraint of each job together with that of its partition; O(n_jobs)."""
    return narrowed(site, jobs.coded("constraint"), jobs.coded("partition"))


def narrowed(site: Site, own: CodedTexts, partitions: CodedTexts) -> CodedTexts:
    """Return each constraint together with that of the partition in the same row."""
    narrowing = {part.name: part.constraint for part in site.partitions if part.constraint.strip(" \t")}
    if not narrowing or not any(name in narrowing for name in partitions.names):
        return own
    pairs = (partitions.codes.astype(np.int64) + 1) * (len(own.names) + 1) + own.codes + 1
    distinct, codes = np.unique(pairs, return_inverse=True)
    texts: dict[str, int] = {}
    number = np.empty(len(distinct), dtype=np.int32)
    for index, pair in enumerate(distinct.tolist()):
        of_partition, of_job = divmod(pair, len(own.names) + 1)
        parts = [narrowing.get(partitions.names[of_partition - 1], "") if of_partition else ""]
        parts.append(own.names[of_job - 1] if of_job else "")
        given = [part for part in parts if part]
        text = given[0] if len(given) == 1 else "&".join(f"({part})" for part in given)
        number[index] = texts.setdefault(text, len(texts)) if text else -1
    return CodedTexts(number[codes], texts)


def forbidden_by(site: Site, jobs: Jobs, machines: Machines) -> list[tuple[BoolArray, Callable[[int], str]]]:
    """Return which jobs the site forbids by themselves: masks (n_jobs,), each with what it says of such a job."""
    found: list[tuple[BoolArray, Callable[[int], str]]] = []
    for part in site.partitions:
        if part.name not in jobs.coded("partition").names:
            continue
        inside = jobs.coded("partition").codes == jobs.coded("partition").names.index(part.name)
        if part.max_time is not None:
            found.append(
                (
                    inside & (jobs.estimated_processing_time > part.max_time),
                    _too_long(jobs, part.name, part.max_time),
                )
            )
        if part.max_tasks is not None:
            found.append(
                (inside & (jobs.n_tasks > part.max_tasks), _too_many(jobs, part.name, part.max_tasks))
            )
    for index, limit in enumerate(site.limits):
        above = _counted(limit, jobs) & (limited_amount(limit, jobs, machines) > limit.most)
        found.append((above, _above(limit, index, jobs, machines)))
    return found


def _check_names(
    jobs: Jobs, column: str, known: Collection[str | None], otherwise: str, name_of: Callable[[int], str]
) -> None:
    coded = jobs.coded(column)
    for code, name in enumerate(coded.names):
        if name not in known:
            job = coded.first_with(code)
            raise InvalidInstanceError(f"{column}[{job}] = {name!r} ({name_of(job)}) is unknown: {otherwise}")


def _limit_row(limit: Limit, machines: Machines) -> tuple[str, str | None, str, int, int]:
    is_resource = limit.what not in ("jobs", "tasks")
    resource = machines.resource_names.index(limit.what) if is_resource else 0
    return limit.party, limit.value, "resource" if is_resource else limit.what, resource, limit.most


def _counted(limit: Limit, jobs: Jobs) -> BoolArray:
    if limit.party == "array":
        given = jobs.array
        return given >= 0 if limit.value is None else given == int(limit.value)
    coded = jobs.coded(limit.party)
    if limit.value is None:
        return coded.codes >= 0
    if limit.value not in coded.names:
        return np.zeros(jobs.n_jobs, dtype=np.bool_)
    return np.asarray(coded.codes == coded.names.index(limit.value), dtype=np.bool_)


def limited_amount(limit: Limit, jobs: Jobs, machines: Machines) -> Any:
    """(n_jobs,) Return how much each job takes of what a limit is about; float64 where it may be past all integers."""
    if limit.what == "jobs":
        return np.ones(jobs.n_jobs, dtype=np.int64)
    if limit.what == "tasks":
        return jobs.n_tasks
    # Of jobs that are far too large the product is past all integers, and above every limit all the same.
    demand = jobs.demand[:, machines.resource_names.index(limit.what)]
    return jobs.n_tasks.astype(np.float64) * demand if _may_overflow(jobs, demand) else jobs.n_tasks * demand


def _may_overflow(jobs: Jobs, demand: Any) -> bool:
    return float(jobs.n_tasks.max(initial=1)) * float(demand.max(initial=0)) >= 2.0**62


def _too_long(jobs: Jobs, partition: str, most: float) -> Callable[[int], str]:
    return lambda job: (
        f"its estimate {jobs.estimated_processing_time[job]:g} is above max_time {most:g} of partition {partition!r}"
    )


def _too_many(jobs: Jobs, partition: str, most: int) -> Callable[[int], str]:
    return lambda job: f"its {jobs.n_tasks[job]} tasks are above max_tasks {most} of partition {partition!r}"


def _above(limit: Limit, index: int, jobs: Jobs, machines: Machines) -> Callable[[int], str]:
    return lambda job: (
        f"its {limited_amount(limit, jobs, machines)[job]:g} {limit.what} are above limits[{index}] = {limit!r}"
    )


def check_allowed(site: Site, jobs: Jobs, machines: Machines, ids: IntArray | None) -> None:
    """Raise an error for names that the site does not have, and for jobs that it forbids by themselves.

    Raises
    ------
    InvalidInstanceError, InfeasibleError
        The message names the job by its id, where there are ids.
    """

    def name_of(row: int) -> str:
        return f"job {row if ids is None else ids[row]}"

    check_site(site, jobs, machines, name_of)
    for mask, reason in forbidden_by(site, jobs, machines):
        if mask.any():
            job = int(np.argmax(mask))
            raise InfeasibleError(f"{name_of(job)} can never run: {reason(job)}")
