"""Reference implementation of the validator: the definition of a feasible schedule, job by job, in plain Python.

Python integers for amounts, Python floats for times (a completion is the double start + processing time).
Quadratic in the number of jobs.
"""

from math import isfinite
from typing import Any, NamedTuple


class Finding(NamedTuple):
    kind: str
    job: int
    machine: int
    instant: float
    resource: int | None = None
    excess: float | None = None


def first_violation(instance: Any, schedule: Any) -> Finding | None:
    """The violation with the smallest (start time, machine, job); starts that are no numbers come first."""
    start = schedule.start_time.tolist()
    machine = schedule.machine.tolist()
    for j, s in enumerate(start):
        if not isfinite(s):
            return Finding("start_not_finite", j, machine[j], s)
    for j in sorted(range(len(start)), key=lambda j: (start[j], machine[j], j)):
        finding = _violation_of(j, instance, start, machine)
        if finding is not None:
            return finding
    return None


def _violation_of(j: int, instance: Any, start: list[float], machine: list[int]) -> Finding | None:
    release = instance.jobs.release_time.tolist()
    length = instance.jobs.processing_time.tolist()
    demand = instance.jobs.demand.tolist()
    capacity = instance.machines.capacity.tolist()
    t, i = start[j], machine[j]
    if not 0 <= i < len(capacity):
        return Finding("unknown_machine", j, i, t)
    if t < release[j]:
        return Finding("start_before_release", j, i, t, None, release[j] - t)
    if not t + length[j] > t:
        return Finding("no_progress", j, i, t)
    active = [k for k in range(len(start)) if machine[k] == i and start[k] <= t < start[k] + length[k]]
    earlier = [k for k in active if start[k] < t or k <= j]
    for resource, bound in enumerate(capacity[i]):
        usage = sum(demand[k][resource] for k in earlier)
        if usage > bound:
            return Finding("capacity_exceeded", j, i, t, resource, usage - bound)
    return None
