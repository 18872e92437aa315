"""The rows of a log as jobs of several tasks: which fit on the cluster, and the columns that say how many tasks."""

from collections.abc import Sequence

import numpy as np

from schedcore.model import Machines
from schedcore.model.coded_texts import CodedTexts
from schedcore.workloads.logs.job_tasks import JobTasks
from schedcore.workloads.logs.log_rows import LogRows
from schedcore.workloads.logs.site_columns import SiteColumn
from schedcore.workloads.reading.cluster_room import fits_empty_cluster
from schedcore.workloads.reading.machines_spec import ResourceUnit, one_machine

__all__ = ["columns_of_tasks", "drop_too_wide", "drop_without_place"]


def drop_too_wide(
    rows: LogRows, tasks: JobTasks, machines: Machines, resources: Sequence[ResourceUnit]
) -> None:
    """Drop rows that do not fit even if they have the cluster for themselves, and count tasks that were rounded up."""
    too_wide = rows.ledger.kept & ~fits_empty_cluster(
        tasks.demand, tasks.n_tasks, machines, own_machine=tasks.own_machine
    )
    largest, widest = tasks.demand[too_wide], tasks.n_tasks[too_wide].max(initial=0.0)
    if fits_empty_cluster(largest, np.ones(len(largest)), machines).all():
        remedy = (
            f"the machines have no room for {widest:.15g} tasks, the most of a job: it takes more of them"
        )
    else:
        shape = one_machine(largest.max(axis=0, initial=0.0), resources)
        remedy = f"a task runs inside one machine: a machine such as {shape} would hold each of these"
    rows.ledger.drop("too_big", "demand above the capacity", too_wide, remedy=remedy)
    if tasks.rounded_up is not None:
        rows.ledger.repair(
            "uneven_tasks",
            "its tasks cannot share it evenly; each takes the next whole number of everything",
            tasks.rounded_up,
        )


def drop_without_place(
    rows: LogRows, tasks: JobTasks, machines: Machines, constraint: SiteColumn | None
) -> None:
    """Drop rows that fit on the cluster, but not on those of its machines that satisfy their constraint."""
    if not isinstance(constraint, CodedTexts) or not constraint.names:
        return
    of_kept = rows.ledger.kept & (constraint.codes >= 0)
    fits = np.ones(len(of_kept), dtype=np.bool_)
    fits[of_kept] = fits_empty_cluster(
        tasks.demand[of_kept],
        tasks.n_tasks[of_kept],
        machines,
        own_machine=tasks.own_machine,
        constraint=constraint.take(of_kept),
    )
    rows.ledger.drop(
        "constraint",
        "does not fit on the machines that satisfy its constraint",
        ~fits,
        remedy="labels of the machines say which these are",
    )


def columns_of_tasks(tasks: JobTasks) -> dict[str, SiteColumn]:
    """Return the columns of `Jobs` that say how many tasks, for all rows; none for whole jobs."""
    if tasks.are_whole:
        return {}
    n_rows = len(tasks.n_tasks)
    columns: dict[str, SiteColumn] = {"n_tasks": tasks.n_tasks}
    if tasks.exclusive:
        columns["exclusive"] = np.ones(n_rows, dtype=np.bool_)
    if tasks.own_machine:
        columns["max_tasks_per_machine"] = np.where(tasks.n_tasks > 1, 1, 0)
    return columns
