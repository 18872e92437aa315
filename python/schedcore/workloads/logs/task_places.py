"""Where are the tasks of jobs, as other programs say it: by the names of hosts, or by the numbers of processors?

Files of other programs know no tasks. How many of a job are on each of its machines follows from the processors that
it holds there; where only hosts are named, its tasks are shared out over them.
"""

import numpy as np

from schedcore.errors import InvalidInstanceError
from schedcore.model import Allocation, Instance, Schedule
from schedcore.model.arrays import FloatArray, IntArray
from schedcore.model.integer_lists import IntegerLists
from schedcore.workloads.logs.held_processors import HeldProcessors

__all__ = [
    "allocation_of_hosts",
    "allocation_of_processors",
    "held_by_place",
    "runs_on_several",
    "scheduled_at",
]


def runs_on_several(instance: Instance) -> bool:
    """Whether a job may have tasks on several machines, or machines for itself."""
    return instance.jobs.uses("n_tasks") or instance.jobs.uses("exclusive")


def held_by_place(instance: Instance, allocation: Allocation) -> IntArray:
    """(n_rows,) Return the processors that each row of an allocation holds: of its tasks, or of the whole machine."""
    jobs = instance.jobs
    held: IntArray = allocation.n_tasks * jobs.demand[allocation.job, 0]
    if not jobs.uses("exclusive"):
        return held
    whole = instance.machines.capacity[allocation.machine, 0]
    return np.asarray(np.where(jobs.exclusive[allocation.job], whole, held), dtype=np.int64)


def scheduled_at(start_time: FloatArray, allocation: Allocation) -> Schedule:
    """Return the schedule with such starts; the machine of a job is the first of its allocation, -1 without one."""
    machine = np.full(len(start_time), -1, dtype=np.int64)
    machine[allocation.job[::-1]] = allocation.machine[::-1]  # of several the first stays
    return Schedule(start_time, machine, allocation)


def allocation_of_hosts(instance: Instance, hosts: IntegerLists) -> Allocation:
    """Return the tasks of each job on the machines that are listed for it.

    As many on each as on the others, the first ones one more where they do not divide; an exclusive job fills a machine
    before it goes on to the next. A list that is longer than the job has tasks is cut.
    """
    jobs, job, machine = instance.jobs, hosts.row_of_value, hosts.values
    n_hosts = np.diff(hosts.offsets)[job]
    place = np.arange(len(job)) - hosts.offsets[job]
    share, rest = np.divmod(jobs.n_tasks[job], n_hosts)
    n_tasks = share + (place < rest)
    if jobs.uses("exclusive"):
        n_tasks = np.where(jobs.exclusive[job], _filled(instance, job, machine), n_tasks)
    used = n_tasks > 0
    return Allocation(job[used], machine[used], n_tasks[used])


def allocation_of_processors(instance: Instance, held: HeldProcessors, source: str) -> Allocation:
    """Return the tasks of each job on the machines to which the processors that it holds belong.

    Raises
    ------
    InvalidInstanceError
        If a job holds processors beyond the machines, or on one of them no whole number of tasks; names the job.
    """
    jobs, end = instance.jobs, np.cumsum(instance.machines.capacity[:, 0])
    first_machine = np.searchsorted(end, held.first, side="right")
    last_machine = np.searchsorted(end, held.last, side="right")
    beyond = last_machine >= instance.n_machines
    row = held.row_of_interval()
    if beyond.any():
        job = int(row[np.argmax(beyond)])
        raise InvalidInstanceError(
            f"{source}: {instance.job_name(job)} holds processors beyond number {end[-1] - 1}, the last of the machines"
        )
    n_parts = last_machine - first_machine + 1
    part = np.arange(n_parts.sum()) - np.repeat(np.cumsum(n_parts) - n_parts, n_parts)
    machine = np.repeat(first_machine, n_parts) + part
    begin = np.maximum(np.repeat(held.first, n_parts), end[machine] - instance.machines.capacity[machine, 0])
    count = np.minimum(np.repeat(held.last, n_parts), end[machine] - 1) - begin + 1
    place, of_part = np.unique(np.repeat(row, n_parts) * instance.n_machines + machine, return_inverse=True)
    processors = np.zeros(len(place), dtype=np.int64)
    np.add.at(processors, of_part, count)
    job_of, machine_of = np.divmod(place, instance.n_machines)
    demand = np.maximum(jobs.demand[job_of, 0], 1)
    torn = processors % demand != 0
    n_tasks = processors // demand
    if jobs.uses("exclusive"):
        exclusive = jobs.exclusive[job_of]
        n_tasks = np.where(exclusive, _filled(instance, job_of, machine_of), n_tasks)
        torn &= ~exclusive
    if torn.any():
        at = int(np.argmax(torn))
        raise InvalidInstanceError(
            f"{source}: {instance.job_name(int(job_of[at]))} holds {processors[at]} processors of "
            f"{instance.machines.machine_name(int(machine_of[at]))}, and each of its tasks needs {demand[at]}"
        )
    used = n_tasks > 0
    return Allocation(job_of[used], machine_of[used], n_tasks[used])


def _filled(instance: Instance, job: IntArray, machine: IntArray) -> IntArray:
    """(n_places,) How many tasks are on each machine if jobs, in ascending order, fill theirs one after the other."""
    demand, capacity = instance.jobs.demand[job], instance.machines.capacity[machine]
    room = np.full(demand.shape, np.iinfo(np.int64).max)
    np.floor_divide(capacity, demand, out=room, where=demand > 0)
    n_tasks = instance.jobs.n_tasks[job]
    fitting = np.minimum(room.min(axis=1), n_tasks).astype(np.float64)
    before = np.cumsum(fitting) - fitting
    first = np.searchsorted(job, job)
    left = n_tasks - (before - before[first])
    filled: IntArray = np.clip(left, 0, fitting).astype(np.int64)
    return filled
