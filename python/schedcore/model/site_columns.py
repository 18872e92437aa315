"""Jobs under the rules of a site: what the kernels are told of them.

Partitions narrow where jobs may run; so under a site a job's constraint is its own and that of its partition.
"""

from typing import Any

import numpy as np

from schedcore import _core

from .arrays import IntArray
from .coded_texts import CodedTexts
from .dependencies import AFTER, awaited_ids, awaited_rows
from .jobs import Jobs
from .machines import Machines
from .site import Site
from .site_checks import check_limits
from .site_parts import PARTIES, Limit

__all__ = ["constraints_under", "narrowed", "party_columns", "site_rules"]

_NAMED = PARTIES[:-1]


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


def party_columns(
    jobs: Jobs, *, by_row: bool = True, numbers: IntArray | None = None, belongs: bool = True
) -> _core.site.Parties | None:
    """Return to whom jobs belong and for whom they wait, as kernels read it; None where no job says anything.

    Jobs wait for rows, or for ids; `numbers` are as of `awaited_ids`. Where `belongs` is false, only that is told.
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
        columns["awaited"] = awaited_rows(jobs) if by_row else awaited_ids(jobs, numbers)
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


def _limit_row(limit: Limit, machines: Machines) -> tuple[str, int | str | None, str, int, int]:
    is_resource = limit.what not in ("jobs", "tasks")
    resource = machines.resource_names.index(limit.what) if is_resource else 0
    value = limit.value if limit.array is None else limit.array
    return limit.party, value, "resource" if is_resource else limit.what, resource, limit.most
