"""Machines, and what jobs say beside their usual columns, as the core of an embedded scheduler takes them."""

from typing import Any

import numpy as np

from schedcore import _core
from schedcore.model import Jobs, Machines, Site
from schedcore.model.arrays import IntArray
from schedcore.model.coded_texts import CodedTexts
from schedcore.model.constraints import parsed
from schedcore.model.kernel_columns import cluster_columns
from schedcore.model.site_columns import constraints_under, party_columns

__all__ = ["cluster_jobs", "described_machines", "jobs_with_constraints"]


def described_machines(machines: Machines) -> _core.engine.Machines:
    """Return the capacities, weights and labels of machines."""
    sets = machines.label_sets
    return _core.engine.Machines(
        machines.capacity,
        machines.weight if machines.has_weights else None,
        None if sets.codes is None else sets.codes.astype(np.int64),
        [sorted(labels) for labels in sets.distinct],
    )


def cluster_jobs(
    jobs: Jobs, site: Site | None = None, numbers: IntArray | None = None
) -> _core.engine.ClusterJobs | None:
    """Return what jobs say beside their usual columns, None for nothing; under a site, to whom they belong, too.

    `numbers` are the ids of jobs that have none of their own, and wait for each other by row.
    """
    columns = cluster_columns(jobs)
    constraints = jobs.coded("constraint") if site is None else constraints_under(site, jobs)
    if constraints.names:
        columns.update(_constraints(constraints))
    parties = party_columns(jobs, by_row=False, numbers=numbers, belongs=site is not None)
    if parties is not None:
        columns["parties"] = parties
    return _core.engine.ClusterJobs(jobs.n_jobs, 0, **columns) if columns else None


def jobs_with_constraints(constraints: CodedTexts) -> _core.engine.ClusterJobs:
    """Return jobs that say nothing else."""
    return _core.engine.ClusterJobs(len(constraints.codes), 0, **_constraints(constraints))


def _constraints(constraints: CodedTexts) -> dict[str, Any]:
    """Each text once, in postfix."""
    return {
        "constraints": [" ".join(parsed(text).postfix) for text in constraints.names],
        "eligibility": constraints.codes.astype(np.int64),
    }
