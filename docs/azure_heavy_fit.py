"""Fit the lifetimes of `azure_heavy` to figure 3 of Fan and Liang (ICPP 2024), and to nothing else.

Run as a script, it goes through numbers on a lattice of round ones, prints each step, and then what is left between the
figure and the best of them::

    python docs/azure_heavy_fit.py

Fitted are four numbers: median and sigma of the lognormal lifetimes, the share of the long ones and the shortest of
those. Minimised is the mean squared logarithm of measured over published AWCT, over the values of MRIS and PQ at all
six numbers of jobs; measured is the mean over the job sets 1 to 3. The other figures, the other policies and the job
sets 4 to 10 have no part in it. A step goes to the best neighbour that differs in one number or in two, until no
neighbour is better. It takes about ten seconds a neighbour on one core.
"""

import itertools
import math
from collections.abc import Iterator
from functools import cache

import schedcore
from schedcore import experiments
from schedcore.workloads.standins.azure_heavy import HeavyTail
from schedcore.workloads.standins.azure_requests import drawn_requests

HOUR, DAY = 3600, 86_400

MEDIANS = [hours * HOUR for hours in (0.25, 0.5, 0.75, 1, 1.5, 2, 3, 4)]
SIGMAS = [1, 1.25, 1.5, 1.75, 2, 2.25, 2.5, 2.75, 3]
SHARES = [0.0025, 0.005, 0.0075, 0.01, 0.0125, 0.015, 0.0175, 0.02, 0.025, 0.03, 0.04]
LEASTS = [days * DAY for days in (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 20)]
LATTICE = (MEDIANS, SIGMAS, SHARES, LEASTS)

EVALUATION = experiments.load("mris-figures")
POLICIES = ("MRIS", "PQ")
JOB_SETS = (1, 2, 3)

Place = tuple[int, ...]


def tail(place: Place) -> HeavyTail:
    """The lifetimes at a place of the lattice."""
    return HeavyTail(*(axis[index] for axis, index in zip(LATTICE, place, strict=True)))


def days(lifetimes: HeavyTail, policy: str, n_jobs: int, job_sets: tuple[int, ...] = JOB_SETS) -> float:
    """AWCT of a policy of the evaluation, in days; the mean over the job sets."""
    choice = EVALUATION.choices[policy]
    total = 0.0
    for seed in job_sets:
        instance = drawn_requests(seed, n_jobs, 20, 4, lifetimes.lifetimes)
        total += schedcore.solve(choice.name, instance, **choice.options).value
    return total / len(job_sets) / DAY


def published() -> dict[tuple[str, int], float]:
    """Policy and number of jobs -> AWCT in days, of figure 3."""
    figure = EVALUATION.figures["figure-3"]
    return {
        (policy, n_jobs): value
        for policy in POLICIES
        for n_jobs, value in zip(figure.published_x, figure.published[policy], strict=True)
    }


def error(lifetimes: HeavyTail) -> float:
    """Mean squared logarithm of measured over published AWCT."""
    logs = [math.log(days(lifetimes, *key) / value) for key, value in published().items()]
    return sum(log * log for log in logs) / len(logs)


@cache
def error_at(place: Place) -> float:
    return error(tail(place))


def neighbours(place: Place) -> Iterator[Place]:
    """Places that differ by one step in one number or in two."""
    for steps in itertools.product((-1, 0, 1), repeat=len(place)):
        moved = tuple(index + step for index, step in zip(place, steps, strict=True))
        inside = all(0 <= index < len(axis) for index, axis in zip(moved, LATTICE, strict=True))
        if 1 <= sum(map(abs, steps)) <= 2 and inside:
            yield moved


def fitted(place: Place) -> Place:
    """Go down from a place until no neighbour is better."""
    print(f"{shown(tail(place))}: {percent(error_at(place))}", flush=True)
    best = min(neighbours(place), key=error_at)
    return fitted(best) if error_at(best) < error_at(place) else place


def shown(lifetimes: HeavyTail) -> str:
    return (
        f"median {lifetimes.median / HOUR:g} h, sigma {lifetimes.sigma:g}, "
        f"{100 * lifetimes.share:g} % in {lifetimes.least / DAY:g} to 90 days"
    )


def percent(mean_square: float) -> str:
    return f"off by {100 * math.sqrt(mean_square):.2f} % (root mean square)"


if __name__ == "__main__":
    start = (MEDIANS.index(HOUR), SIGMAS.index(2), SHARES.index(0.015), LEASTS.index(5 * DAY))
    found = tail(fitted(start))
    print(f"\nfitted: {shown(found)}\n\npolicy    n_jobs  published  measured  measured / published")
    for (policy, n_jobs), value in published().items():
        measured = days(found, policy, n_jobs)
        print(f"{policy:6} {n_jobs:9,} {value:10.1f} {measured:9.2f} {measured / value:8.3f}")
