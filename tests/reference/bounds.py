"""The lower bounds, literally and in exact fractions.

LB1 is the trivial bound, LB2 the mean busy time bound of one choice of loads, LB3 the same after moving
weights to the trivial bound. Machines may differ: T_l is the capacity of resource l over all of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

SPLIT_ROUNDS = 10


@dataclass(frozen=True)
class ExactJobs:
    """The columns of an instance as fractions, and every job's loads: one a resource, then their mean."""

    release_time: list[Fraction]
    processing_time: list[Fraction]
    weight: list[Fraction]
    loads: list[list[Fraction]]

    @classmethod
    def from_instance(cls, instance: Any) -> ExactJobs:
        jobs, capacity = instance.jobs, instance.machines.capacity.tolist()
        total = [sum(column) for column in zip(*capacity, strict=True)]
        counted = [resource for resource, t in enumerate(total) if t > 0]
        processing_time = [Fraction(p) for p in jobs.processing_time.tolist()]
        loads = []
        for p, demand in zip(processing_time, jobs.demand.tolist(), strict=True):
            share = [Fraction(d, t) if t > 0 else Fraction(0) for d, t in zip(demand, total, strict=True)]
            mean = sum((share[resource] for resource in counted), Fraction(0)) / max(len(counted), 1)
            loads.append([p * rate for rate in [*share, mean]])
        return cls(
            [Fraction(r) for r in jobs.release_time.tolist()],
            processing_time,
            [Fraction(w) for w in jobs.weight.tolist()],
            loads,
        )

    @property
    def n_jobs(self) -> int:
        return len(self.processing_time)

    def load(self, series: int) -> list[Fraction]:
        return [row[series] for row in self.loads]


def mean_busy_times(
    release_time: list[Fraction], weight: list[Fraction], load: list[Fraction]
) -> list[Fraction]:
    """Preemptive WSPT on one unit-speed machine: the mean instant of the processing of each job."""
    n = len(load)
    remaining = list(load)
    integral = [Fraction(0)] * n
    now = Fraction(0)
    while True:
        unfinished = [j for j in range(n) if remaining[j] > 0]
        if not unfinished:
            break
        released = [j for j in unfinished if release_time[j] <= now]
        later = [release_time[j] for j in unfinished if release_time[j] > now]
        if not released:
            now = min(later)
            continue
        job = max(released, key=lambda j: (weight[j] / load[j], -j))
        end = min([now + remaining[job], *later])
        integral[job] += (end - now) * (end + now) / 2
        remaining[job] -= end - now
        now = end
    return [integral[j] / load[j] if load[j] > 0 else release_time[j] for j in range(n)]


def trivial(jobs: ExactJobs) -> Fraction:
    return sum(
        (w * (r + p) for w, r, p in zip(jobs.weight, jobs.release_time, jobs.processing_time, strict=True)),
        Fraction(0),
    )


def split_value(jobs: ExactJobs, load: list[Fraction], relaxed_weight: list[Fraction]) -> Fraction:
    """Weight relaxed_weight[j] of job j counts with its mean busy time, the rest with r + p."""
    busy = mean_busy_times(jobs.release_time, relaxed_weight, load)
    total = Fraction(0)
    for j in range(jobs.n_jobs):
        p = jobs.processing_time[j]
        total += relaxed_weight[j] * (busy[j] + p / 2)
        total += (jobs.weight[j] - relaxed_weight[j]) * (jobs.release_time[j] + p)
    return total


def mean_busy(jobs: ExactJobs, load: list[Fraction]) -> Fraction:
    return split_value(jobs, load, jobs.weight)


def split(jobs: ExactJobs, load: list[Fraction]) -> Fraction:
    relaxed = list(jobs.weight)
    best = Fraction(0)
    for _ in range(SPLIT_ROUNDS):
        best = max(best, split_value(jobs, load, relaxed))
        busy = mean_busy_times(jobs.release_time, relaxed, load)
        reduced = list(relaxed)
        for j in range(jobs.n_jobs):
            p = jobs.processing_time[j]
            if busy[j] + p / 2 < jobs.release_time[j] + p:
                reduced[j] = Fraction(0)
        if reduced == relaxed:
            break
        relaxed = reduced
    return best


def lower_bounds(instance: Any) -> dict[str, Fraction]:
    """Every bound of the specification by the name the library gives it, and their maximum as "best"."""
    jobs = ExactJobs.from_instance(instance)
    bounds = {"trivial": trivial(jobs)}
    names = [*range(instance.n_resources), "sum"]
    for series, name in enumerate(names):
        bounds[f"mean_busy_{name}"] = mean_busy(jobs, jobs.load(series))
        bounds[f"split_{name}"] = split(jobs, jobs.load(series))
    bounds["best"] = max(bounds.values())
    return bounds


def makespan_lower_bound(instance: Any) -> Fraction:
    jobs = ExactJobs.from_instance(instance)
    ends = [r + p for r, p in zip(jobs.release_time, jobs.processing_time, strict=True)]
    best = max(ends, default=Fraction(0))
    for t in jobs.release_time:
        for series in range(instance.n_resources + 1):
            load = jobs.load(series)
            best = max(best, t + sum(load[j] for j in range(jobs.n_jobs) if jobs.release_time[j] >= t))
    return best
