"""What a site forbids: names of jobs that it does not have, and jobs that can never run under its rules."""

from collections.abc import Callable, Collection
from typing import Any

import numpy as np

from schedcore.errors import InfeasibleError, InvalidInstanceError

from .arrays import BoolArray, FloatArray, IntArray
from .jobs import Jobs
from .machines import Machines
from .site import Site, in_words
from .site_parts import HIGHEST_PRIORITY, Limit, named

__all__ = [
    "check_allowed",
    "check_limits",
    "check_priorities",
    "check_site",
    "forbidden_by",
    "limited_amount",
]


def check_site(site: Site, jobs: Jobs, machines: Machines, name_of: Callable[[int], str]) -> None:
    """Raise an `InvalidInstanceError` for names of jobs and limits that the site or the machines do not have.

    `name_of` says how jobs are called. O(n_jobs).
    """
    for column, parts in (("partition", site.partitions), ("service_class", site.service_classes)):
        if not parts or not jobs.uses(column):
            continue
        known = dict.fromkeys(part.name for part in parts)
        _check_names(jobs, column, known, in_words(known), name_of)
    if site.shares is not None:
        _check_names(jobs, "account", site.shares, "it has no share", name_of)
        without = jobs.coded("account").codes < 0
        if None not in site.shares and without.any():
            job = int(np.argmax(without))
            raise InvalidInstanceError(f"{name_of(job)} has no account, and shares has none for None")
    if jobs.uses("priority"):
        check_priorities(site, jobs.priority, name_of)
    check_limits(site, machines)


def check_priorities(site: Site, priority: FloatArray, name_of: Callable[[int], str]) -> None:
    """Raise an `InvalidInstanceError` for a priority of a job that its weight makes too large to be added to others."""
    weight = 0.0 if site.multifactor is None else abs(site.multifactor.job)
    if weight == 0:
        return
    for job in np.flatnonzero(np.abs(priority) > HIGHEST_PRIORITY / weight)[:1]:
        raise InvalidInstanceError(
            f"priority[{job}] = {priority[job]:g} ({name_of(job)}) times the weight {weight:g} of Multifactor.job is "
            f"above {HIGHEST_PRIORITY:g}"
        )


def check_limits(site: Site, machines: Machines) -> None:
    """Raise an `InvalidInstanceError` for a limit of a resource that the machines do not have."""
    for index, limit in enumerate(site.limits):
        if limit.what not in ("jobs", "tasks", *machines.resource_names):
            raise InvalidInstanceError(
                f"limits[{index}] = {limit!r} names neither jobs, tasks nor a resource "
                f"({', '.join(machines.resource_names)})"
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
        # Throttles of arrays are thousands of limits, and none of them is about a job by itself.
        if limit.what == "jobs" and limit.most >= 1:
            continue
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
            raise InvalidInstanceError(
                f"{column}[{job}] = {named(name)} ({name_of(job)}) is unknown: {otherwise}"
            )


def _counted(limit: Limit, jobs: Jobs) -> BoolArray:
    if limit.party == "array":
        given = jobs.array
        return given >= 0 if limit.array is None else given == limit.array
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
        f"its estimate {jobs.estimated_processing_time[job]:g} is above max_time {most:g} "
        f"of partition {named(partition)}"
    )


def _too_many(jobs: Jobs, partition: str, most: int) -> Callable[[int], str]:
    return lambda job: (
        f"its {jobs.n_tasks[job]} tasks are above max_tasks {most} of partition {named(partition)}"
    )


def _above(limit: Limit, index: int, jobs: Jobs, machines: Machines) -> Callable[[int], str]:
    return lambda job: (
        f"its {limited_amount(limit, jobs, machines)[job]:g} {limit.what} are above limits[{index}] = {limit!r}"
    )
