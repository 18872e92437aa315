"""What a site asks of runs, as the validator of runs takes it: columns of jobs, and limits as rows."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from .arrays import BoolArray, IntArray
from .instance import Instance
from .jobs import Jobs
from .site import Site
from .site_checks import forbidden_by
from .site_parts import Limit, ServiceClass

__all__ = ["only_value", "party_of_jobs", "rules_for_runs"]

_LimitRow = tuple[IntArray, int, str, int, int]


def rules_for_runs(site: Site, instance: Instance) -> Mapping[str, Any]:
    """Return the arguments of the kernel; nothing for what the site does not say.

    O(n_jobs) for each partition, class and limit.
    """
    rules: dict[str, Any] = {}
    if site.limits:
        rules["limits"] = _limit_rows(site, instance)
    masks = [mask for mask, _ in forbidden_by(site, instance.jobs, instance.machines)]
    if any(mask.any() for mask in masks):
        rules["forbidden"] = np.logical_or.reduce(masks)
    if site.preempt is not None:
        rules["preempt"] = site.preempt
        rules["level"], rules["preemptible"] = _class_columns(site, instance.jobs)
    return rules


def _class_columns(site: Site, jobs: Jobs) -> tuple[IntArray, BoolArray]:
    """The level of each job, and whether it may be preempted; jobs without a class are as those of a plain one."""
    by_name = {each.name: each for each in site.service_classes}
    coded = jobs.coded("service_class")
    classes = [by_name.get(name, ServiceClass("-")) for name in coded.names] + [ServiceClass("-")]
    level = np.array([each.level for each in classes], dtype=np.int64)
    preemptible = np.array([each.preemptible for each in classes], dtype=np.bool_)
    return level[coded.codes], preemptible[coded.codes]  # the code -1, of none, is the last one


def _limit_rows(site: Site, instance: Instance) -> list[_LimitRow]:
    parties = {limit.party: party_of_jobs(limit.party, instance.jobs) for limit in site.limits}
    return [_limit_row(limit, *parties[limit.party], instance) for limit in site.limits]


def party_of_jobs(column: str, jobs: Jobs) -> tuple[IntArray, list[str]]:
    """Return to whom each job belongs, as an index into the values of the column, -1 for nobody; and the values."""
    if column != "array":
        coded = jobs.coded(column)
        return coded.codes.astype(np.int64), list(coded.names)
    numbers, codes = np.unique(jobs.array, return_inverse=True)
    without = int(numbers.searchsorted(0))  # numbers below 0 say that a job is of no array
    return np.maximum(codes - without, -1), [str(number) for number in numbers[without:].tolist()]


def only_value(limit: Limit, values: list[str]) -> int:
    """Return the index of the one value that a limit is about: -1 for each by itself, their number if nobody has it."""
    if limit.value is None:
        return -1
    value = limit.value if limit.array is None else str(limit.array)
    return values.index(value) if value in values else len(values)


def _limit_row(limit: Limit, party: IntArray, values: list[str], instance: Instance) -> _LimitRow:
    only = only_value(limit, values)
    if limit.what in ("jobs", "tasks"):
        return party, only, limit.what, 0, limit.most
    return party, only, "resource", instance.machines.resource_names.index(limit.what), limit.most
