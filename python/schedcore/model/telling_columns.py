"""Which columns of jobs tell one job from another, where a reader may expect that this counts, and what a site reads.

A policy names those that it does not read in ``Result.stats["ignored"]``. Columns that are carried along to group by,
such as who submitted a job, count once a rule names them.
"""

from typing import Any

import numpy as np

from .any_instance import AnyInstance
from .instance import Instance
from .jobs import Jobs
from .queue_keys import key_columns
from .site import Site
from .site_parts import PARTIES

__all__ = ["JOB_PREFERENCES", "columns_read_by", "telling_columns"]

#: The columns that say of each job by itself how it should fare.
JOB_PREFERENCES = ("weight", "priority", "estimated_processing_time")


def telling_columns(instance: AnyInstance, site: Site | None = None) -> tuple[str, ...]:
    """Return those of `JOB_PREFERENCES`, and of what the rules of a site name, in which jobs differ.

    Estimates count where they are not the processing times, whether jobs differ or not. Of parallel tasks there are
    weights alone. O(n_jobs).
    """
    if not isinstance(instance, Instance):
        weight = getattr(instance, "weight", None)
        return () if weight is None or not _differ(weight) else ("weight",)
    jobs = instance.jobs
    return tuple(name for name in (*JOB_PREFERENCES, *_named_by(site)) if _tells(jobs, name))


def columns_read_by(site: Site | None) -> frozenset[str]:
    """Return the columns of jobs that the rules of a site read; O(number of rules).

    A callable order is given the jobs as they are, and may read all of them.
    """
    if site is None:
        return frozenset()
    if callable(site.order):
        return frozenset({*JOB_PREFERENCES, *PARTIES})
    read = {limit.party for limit in site.limits}
    if any(part.constraint.strip() or part.max_tasks is not None or part.tier for part in site.partitions):
        read.add("partition")
    if any(part.max_time is not None for part in site.partitions):
        read |= {"partition", "estimated_processing_time"}
    if site.preempt is not None:
        read.add("service_class")
    weights = site.multifactor
    if weights is not None:
        told_by = {
            "job": "priority",
            "fair_share": "account",
            "partition": "partition",
            "service_class": "service_class",
        }
        read |= {column for factor, column in told_by.items() if getattr(weights, factor) != 0}
    elif isinstance(site.order, str):
        read |= {"priority"} if site.order == "priority" else key_columns(site.order)
    return frozenset(read)


def _named_by(site: Site | None) -> tuple[str, ...]:
    """The columns that rules name which may go unread: without weights of factors, shares and factors mean nothing."""
    if site is None:
        return ()
    parts = {
        "account": site.shares,
        "partition": site.partitions,
        "service_class": site.service_classes,
    }
    return tuple(name for name, part in parts.items() if part)


def _tells(jobs: Jobs, column: str) -> bool:
    if column == "weight":
        return _differ(jobs.weight)
    if column == "estimated_processing_time":
        return jobs.has_estimates and not np.array_equal(jobs.estimated_processing_time, jobs.processing_time)
    if not jobs.uses(column):
        return False
    return _differ(jobs.priority if column == "priority" else jobs.coded(column).codes)


def _differ(values: Any) -> bool:
    return bool(len(values)) and bool((values != values[0]).any())
