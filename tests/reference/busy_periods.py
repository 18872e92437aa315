"""A policy whose clock begins anew with every busy period, from one whose clock begins at 0.

A busy period begins with the arrival that ends the last instant at which nothing waited, was planned or ran. Its
jobs are scheduled as if time began there. An online policy decides without the jobs to come, so the period is the
shortest prefix of the arrivals that all ends before anything else arrives.
"""

from collections.abc import Callable
from dataclasses import replace

from reference.plain_instance import PlainInstance, PlainSchedule


def by_busy_periods(
    instance: PlainInstance, reference: Callable[[PlainInstance], PlainSchedule]
) -> tuple[PlainSchedule, list[float]]:
    """The schedule, and the beginnings of the busy periods."""
    n = instance.n_jobs
    schedule = PlainSchedule([0.0] * n, [0] * n)
    origins: list[float] = []
    rest = list(range(n))
    while rest:
        origin = min(instance.release_time[j] for j in rest)
        origins.append(origin)
        part = reference(shifted(instance, rest, origin))
        start = {j: origin + s for j, s in zip(rest, part.start_time, strict=True)}
        period = first_period(rest, instance.release_time, start, instance.processing_time)
        for j, machine in zip(rest, part.machine, strict=True):
            if j in period:
                schedule.start_time[j], schedule.machine[j] = start[j], machine
        rest = [j for j in rest if j not in period]
    return schedule, origins


def first_period(
    jobs: list[int], release_time: list[float], start_time: dict[int, float], processing_time: list[float]
) -> set[int]:
    """The jobs that arrive before the first arrival at which all earlier jobs have ended."""
    for arrival in sorted({release_time[j] for j in jobs}):
        before = {j for j in jobs if release_time[j] < arrival}
        if before and all(start_time[j] + processing_time[j] <= arrival for j in before):
            return before
    return set(jobs)


def shifted(instance: PlainInstance, jobs: list[int], origin: float) -> PlainInstance:
    """Some of the jobs, with the origin at 0."""
    return replace(
        instance,
        processing_time=[instance.processing_time[j] for j in jobs],
        weight=[instance.weight[j] for j in jobs],
        release_time=[instance.release_time[j] - origin for j in jobs],
        demand=[instance.demand[j] for j in jobs],
    )
