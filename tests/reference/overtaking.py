"""Reference of ``schedcore.metrics``' overtaking and classes: every pair of jobs, every job, one after another."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any


def times_overtaken(inst: Any, schedule: Any) -> list[int]:
    """For each job those that come after it by (release time, index) and start before it."""
    start = schedule.start_time.tolist()
    arrival = [(release, job) for job, release in enumerate(inst.jobs.release_time.tolist())]
    jobs = range(inst.n_jobs)
    return [
        sum(arrival[other] > arrival[job] and start[other] < start[job] for other in jobs) for job in jobs
    ]


def doubling_bounds(value: Fraction) -> tuple[Fraction, Fraction]:
    """The powers of two with ``upper / 2 < value <= upper``."""
    upper = Fraction(1)
    while upper < value:
        upper *= 2
    while value <= upper / 2:
        upper /= 2
    return upper / 2, upper


def largest_share(inst: Any, job: int) -> Fraction:
    """Largest share of the machine that has most of a resource."""
    capacity = [max(int(row[k]) for row in inst.machines.capacity) for k in range(inst.n_resources)]
    shares = (
        Fraction(int(amount), whole)
        for amount, whole in zip(inst.jobs.demand[job], capacity, strict=True)
        if whole
    )
    return max(shares, default=Fraction(0))


def mean_by_class(class_of_job: Callable[[int], Any], values: list[Any]) -> dict[Any, tuple[int, Fraction]]:
    """Class -> number of jobs and mean."""
    members: dict[Any, list[Fraction]] = {}
    for job, value in enumerate(values):
        members.setdefault(class_of_job(job), []).append(Fraction(value))
    return {name: (len(own), sum(own, Fraction(0)) / len(own)) for name, own in members.items()}
