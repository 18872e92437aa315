"""A workload as the core takes it, on a cluster as it is: machines in order of preference, columns in use.

The core numbers machines by preference: by weight, then by index. So what is "lowest" to it is what is preferred.
"""

from dataclasses import dataclass

import numpy as np

from schedcore import _core

from .arrays import BoolArray, FloatArray, IntArray
from .constraints import allowed_machines
from .instance import Instance
from .kernel_columns import cluster_columns
from .outages import Outages
from .site import Site
from .site_checks import forbidden_by
from .site_columns import constraints_under, party_columns

__all__ = ["ClusterWorkload", "can_never_run", "jobs_with_room", "tasks_with_room"]

_NO_OUTAGES = (np.empty(0, dtype=np.int64), np.empty(0), np.empty(0))


@dataclass(frozen=True, slots=True)
class ClusterWorkload:
    """An instance as the core takes it.

    Parameters
    ----------
    order : (n_machines,) ndarray of int64
        The machines of the instance in the order of the core.
    capacity : (n_machines, n_resources) ndarray of int64
        In that order.
    jobs : _core.engine.ClusterJobs
    weight : (n_machines,) ndarray of int64 or None
        In that order; None where all are 0.
    """

    order: IntArray
    capacity: IntArray
    jobs: _core.engine.ClusterJobs
    weight: IntArray | None

    @classmethod
    def of(cls, instance: Instance, site: Site | None = None) -> "ClusterWorkload":
        """Make the columns, of which only those in use take memory; O(n_machines) for each distinct constraint."""
        jobs, machines = instance.jobs, instance.machines
        order = machines.preference
        optional = cluster_columns(jobs)
        parties = party_columns(jobs)
        if parties is not None:
            optional["parties"] = parties
        constraints = jobs.coded("constraint") if site is None else constraints_under(site, jobs)
        if constraints.names:
            masks, codes = allowed_machines(constraints, machines)
            optional["allowed"] = np.ascontiguousarray(masks[:, order])
            optional["eligibility"] = codes.astype(np.int64)
        columns = _core.engine.ClusterJobs(jobs.n_jobs, machines.n_machines, **optional)
        weight = np.ascontiguousarray(machines.weight[order]) if machines.has_weights else None
        return cls(order, np.ascontiguousarray(machines.capacity[order]), columns, weight)

    @property
    def machine_number(self) -> IntArray | None:
        """The order, or None where that of the instance is preferred."""
        return None if np.array_equal(self.order, np.arange(len(self.order))) else self.order

    def outages(self, outages: Outages | None) -> tuple[IntArray, FloatArray, FloatArray]:
        """Return machines in the order of the core, starts and ends, united."""
        if outages is None:
            return _NO_OUTAGES
        rank = np.empty_like(self.order)
        rank[self.order] = np.arange(len(rank))
        united = outages.united()
        return rank[united.machine], united.start_time, united.end_time


def tasks_with_room(instance: Instance, workload: ClusterWorkload) -> IntArray:
    """(n_jobs,) Return of every job how many of its tasks have room on the empty cluster."""
    return _core.gangs.tasks_on_empty_cluster(instance.demand, workload.capacity, workload.jobs)


def jobs_with_room(instance: Instance) -> BoolArray:
    """(n_jobs,) Return which jobs have room for all their tasks on the empty cluster.

    O(n_jobs * n_resources) on one machine, else as `tasks_with_room`.
    """
    if instance.n_machines == 1 and not instance.jobs.uses("constraint"):
        fits: BoolArray = (instance.demand_of_all_tasks() <= instance.machines.capacity[0]).all(axis=1)
        return fits
    return tasks_with_room(instance, ClusterWorkload.of(instance)) >= instance.jobs.n_tasks


def can_never_run(instance: Instance, site: Site | None, room: IntArray) -> BoolArray:
    """(n_jobs,) Return which jobs do not fit the empty cluster, or are forbidden by the rules of a site by themselves.

    `room` is that of `tasks_with_room`.
    """
    never: BoolArray = room < instance.jobs.n_tasks
    for mask, _ in [] if site is None else forbidden_by(site, instance.jobs, instance.machines):
        never |= mask
    return never
