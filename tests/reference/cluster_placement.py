"""Where a job goes: how many of its tasks a machine has room for, and the greedy walk over the machines."""

import itertools
from collections.abc import Mapping, Sequence
from functools import lru_cache

from reference.cluster_instance import ClusterJob, ClusterMachine, allowed_machines

Vector = Sequence[int]
Allocation = tuple[tuple[int, int], ...]  # (machine, how many tasks), in the order of placement


def room(job: ClusterJob, machine: ClusterMachine, free: Vector) -> int:
    """The largest number of tasks that fit into ``free``; 0 for an exclusive job unless all of the machine is free."""
    if job.exclusive and tuple(free) != machine.capacity:
        return 0
    # Jobs that outlive their estimates may leave less than nothing for what is planned: then nobody else is planned
    # there, whatever it asks for.
    if min(free) < 0:
        return 0
    by_resource = min(f // d for f, d in zip(free, job.demand, strict=True) if d > 0)
    bounds = [by_resource, job.n_tasks]
    if job.spread > 0:
        bounds.append(job.spread)
    return max(0, min(bounds))


def place(
    job: ClusterJob, machines: Sequence[ClusterMachine], free: Mapping[int, Vector]
) -> Allocation | None:
    """As many tasks as possible on each machine in turn, until all are placed; None if some remain."""
    remaining = job.n_tasks
    allocation = []
    for m in allowed_machines(machines, job):
        tasks = min(room(job, machines[m], free[m]), remaining)
        if tasks > 0:
            allocation.append((m, tasks))
            remaining -= tasks
    return tuple(allocation) if remaining == 0 else None


def place_in_runs(
    job: ClusterJob, machines: Sequence[ClusterMachine], free: Mapping[int, Vector]
) -> Allocation | None:
    """The smallest run of neighbours of equal weight that suffices; the largest ones until then, light ones first."""
    allowed = allowed_machines(machines, job)
    rooms = {m: x for m in allowed if (x := room(job, machines[m], free[m])) > 0}
    if sum(rooms.values()) < job.n_tasks:
        return None
    taken: dict[int, int] = {}
    for weight in sorted({machines[m].weight for m in rooms}):
        of_weight = sorted(m for m in rooms if machines[m].weight == weight)
        runs = [[of_weight[0]]]
        for before, m in itertools.pairwise(of_weight):
            runs[-1].append(m) if m == before + 1 else runs.append([m])
        while runs and (left := job.n_tasks - sum(taken.values())) > 0:
            sizes = [sum(rooms[m] for m in run) for run in runs]
            enough = [size for size in sizes if size >= left]
            run = runs.pop(sizes.index(min(enough) if enough else max(sizes)))
            for m in run:
                taken[m] = min(rooms[m], job.n_tasks - sum(taken.values()))
    return tuple((m, taken[m]) for m in allowed if taken.get(m, 0) > 0)


def amounts(
    job: ClusterJob, allocation: Allocation, machines: Sequence[ClusterMachine]
) -> Mapping[int, Vector]:
    """What the job takes of each of its machines: all of it if it is exclusive."""
    if job.exclusive:
        return {m: machines[m].capacity for m, _ in allocation}
    return _amounts_of_tasks(job.demand, allocation)


@lru_cache(maxsize=10_000)  # profiles are made anew for every question, of the same runs
def _amounts_of_tasks(demand: tuple[int, ...], allocation: Allocation) -> Mapping[int, Vector]:
    return {m: tuple(tasks * d for d in demand) for m, tasks in allocation}


def can_ever_run(job: ClusterJob, machines: Sequence[ClusterMachine]) -> bool:
    """Whether the job fits the empty cluster, all machines up."""
    return place(job, machines, {m: machine.capacity for m, machine in enumerate(machines)}) is not None
