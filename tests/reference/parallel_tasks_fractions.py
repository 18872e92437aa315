"""Intervals and what an interval-indexed linear program says: fractions in units of 1e-9, progress, completion.

A task is split into shares (interval, task, machine, units); the units of a task sum to 10**9. Everything here works on
the tasks that occur in the shares, which may be some of the instance.
"""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import NamedTuple

from reference.parallel_tasks_instance import PlainTasks

UNIT = 10**9
SMALLEST = 100


class Share(NamedTuple):
    """The part of a task that an interval does on a machine; shares sort by (interval, job, number, machine)."""

    interval: int
    task: int
    machine: int
    units: int


def interval_ends(horizon: int, epsilon: Fraction = Fraction(1)) -> list[Fraction]:
    """d_0 .. d_L: powers of 1 + epsilon up to the first that reaches the horizon, at least two of them."""
    ends = [Fraction(1), 1 + epsilon]
    while ends[-1] < horizon:
        ends.append(ends[-1] * (1 + epsilon))
    return ends


def cleaned(z: Mapping[tuple[int, int, int], float]) -> list[Share]:
    """Round values by (task, machine, interval) to units, drop the smallest, give the rest to the largest."""
    shares = [
        Share(interval, task, machine, round(value * UNIT)) for (task, machine, interval), value in z.items()
    ]
    kept = sorted(share for share in shares if share.units >= SMALLEST)
    for task in {share.task for share in kept}:
        own = [share for share in kept if share.task == task]
        largest = min(own, key=lambda s: (-s.units, s.interval, s.machine))
        missing = UNIT - sum(share.units for share in own)
        kept[kept.index(largest)] = largest._replace(units=largest.units + missing)
    return sorted(kept)


def done_by(shares: Iterable[Share], task: int, interval: int) -> int:
    """The units of a task in the intervals up to this one."""
    return sum(share.units for share in shares if share.task == task and share.interval <= interval)


def jobs_in(instance: PlainTasks, shares: Iterable[Share]) -> list[int]:
    return sorted({instance.tasks[share.task].job for share in shares})


def progress(instance: PlainTasks, shares: list[Share], job: int, interval: int) -> int:
    """F_j(l) in units: what every task of the job has at least; nothing in interval 0."""
    if interval == 0:
        return 0
    tasks = {share.task for share in shares if instance.tasks[share.task].job == job}
    return min(done_by(shares, task, interval) for task in tasks)


def lp_completion(instance: PlainTasks, shares: list[Share], ends: list[Fraction]) -> dict[int, Fraction]:
    """Ctilde_j: interval starts, weighted with the progress that the job makes in them."""
    completion = {}
    for job in jobs_in(instance, shares):
        steps = [
            progress(instance, shares, job, interval) - progress(instance, shares, job, interval - 1)
            for interval in range(1, len(ends))
        ]
        completion[job] = sum(
            (Fraction(step, UNIT) * ends[before] for before, step in enumerate(steps)), Fraction(0)
        )
    return completion
