"""Which machines can a job use, and from when on: what makes bounds of a cluster larger than those of its capacity.

Machines of equal capacity under equal constraints are one kind, and jobs that can use the same kinds one group. Few
kinds and few groups stand for many machines and jobs.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schedcore.model import Instance, Outages
from schedcore.model.arrays import BoolArray, FloatArray, IntArray
from schedcore.model.constraints import allowed_machines

__all__ = ["UsableMachines", "earliest_starts", "held_amounts"]


@dataclass(frozen=True, eq=False)
class UsableMachines:
    """Groups of jobs by the kinds of machines that have room for one of their tasks.

    Attributes
    ----------
    kind : (n_machines,) int64
        The kind of each machine.
    group : (n_jobs,) int64
        The group of each job.
    kinds : (n_groups, n_kinds) bool
        The kinds that the jobs of a group can use.
    """

    kind: IntArray
    group: IntArray
    kinds: BoolArray

    @classmethod
    def of(cls, inst: Instance) -> "UsableMachines":
        """Find them; O(n log n + m log m) for n jobs and m machines, and O(n_resources) a distinct job and kind."""
        jobs, capacity = inst.jobs, inst.machines.capacity
        allowed = np.ones((1, inst.n_machines), dtype=np.bool_)
        code = np.zeros(inst.n_jobs, dtype=np.int64)
        if jobs.uses("constraint"):
            masks, codes = allowed_machines(jobs.coded("constraint"), inst.machines)
            allowed = np.concatenate([allowed, masks])
            code = codes.astype(np.int64) + 1
        features, kind = _distinct(np.column_stack([capacity, allowed.T]))
        roomy, allowing = features[:, : inst.n_resources], features[:, inst.n_resources :].astype(np.bool_)
        asked, of_job = _distinct(np.column_stack([code, jobs.demand]))
        usable = allowing.T[asked[:, 0]]
        for resource in range(inst.n_resources):
            usable &= asked[:, 1 + resource, np.newaxis] <= roomy[:, resource]
        kinds, group = _distinct(usable)
        return cls(kind, group[of_job], kinds)

    def machines(self, kinds: BoolArray) -> NDArray[np.intp]:
        """Return the machines of some kinds."""
        return np.flatnonzero(kinds[self.kind])


def held_amounts(inst: Instance, usable: UsableMachines) -> IntArray:
    """(n_jobs, n_resources) Return what a job takes at least while it runs, over all machines.

    That is what its tasks take together; for an exclusive job at least all that the machines have which it needs, if
    they are the smallest that it can use.
    """
    amounts = inst.demand_of_all_tasks()
    jobs = inst.jobs
    if not jobs.uses("exclusive") or not jobs.exclusive.any():
        return amounts
    held = amounts.copy()
    alone = np.flatnonzero(jobs.exclusive)
    described = [usable.group[alone], jobs.n_tasks[alone], jobs.max_tasks_per_machine[alone]]
    cases, of_job = _distinct(np.column_stack([*described, jobs.demand[alone]]))
    least = np.array([_least_held(inst, usable, case) for case in cases])
    held[alone] = np.maximum(held[alone], least[of_job])
    return held


def _least_held(inst: Instance, usable: UsableMachines, case: IntArray) -> IntArray:
    """(n_resources,) What so many machines have at least as an exclusive job needs."""
    group, n_tasks, most, demand = int(case[0]), int(case[1]), int(case[2]), case[3:]
    capacity = inst.machines.capacity[usable.machines(usable.kinds[group])]
    needed = demand > 0
    if not len(capacity) or not needed.any():
        return np.zeros(inst.n_resources, dtype=np.int64)
    room = int((capacity[:, needed] // demand[needed]).min(axis=1).max())
    room = max(1, room if most == 0 else min(room, most))
    n_machines = min(-(-n_tasks // room), len(capacity))
    least: IntArray = np.sort(capacity, axis=0)[:n_machines].sum(axis=0)
    return least


def earliest_starts(inst: Instance, usable: UsableMachines) -> FloatArray:
    """(n_jobs,) Return before when no job starts: from its release on, one machine that it can use is up long enough.

    The release time of a job that never has such a stretch. O(n_jobs) for each distinct row of outages that concerns a
    group of which all machines have some.
    """
    release: FloatArray = inst.jobs.release_time
    if inst.outages is None:
        return release
    rows = _outages_by_machine(inst.outages, inst.n_machines)
    starts = release.copy()
    for group, kinds in enumerate(usable.kinds):
        machines = usable.machines(kinds)
        distinct = {rows[machine] for machine in machines.tolist()}
        if not distinct or () in distinct:
            continue
        members = np.flatnonzero(usable.group == group)
        length = inst.jobs.processing_time[members]
        first = np.full(len(members), np.inf)
        for row in distinct:
            start = release[members].copy()
            for begin, end in row:
                start = np.where((start < end) & (start + length > begin), end, start)
            first = np.minimum(first, start)
        starts[members] = np.where(np.isfinite(first), first, release[members])
    return starts


def _outages_by_machine(outages: Outages, n_machines: int) -> list[tuple[tuple[float, float], ...]]:
    rows: list[list[tuple[float, float]]] = [[] for _ in range(n_machines)]
    united = outages.united()  # by machine, then by start
    columns = (united.machine.tolist(), united.start_time.tolist(), united.end_time.tolist())
    for machine, start, end in zip(*columns, strict=True):
        rows[machine].append((start, end))
    return [tuple(row) for row in rows]


def _distinct(rows: NDArray[Any]) -> tuple[NDArray[Any], IntArray]:
    """Return the distinct rows, and which one each row is."""
    found, inverse = np.unique(rows, axis=0, return_inverse=True)
    return found, inverse.reshape(-1).astype(np.int64)
