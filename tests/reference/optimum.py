"""The exact optimum of tiny instances, for sum w C and for the makespan.

Both objectives are regular, so some active schedule is optimal, and inserting its jobs in order of start,
each at its earliest feasible start next to those already there, gives a schedule at least as good. For every
set of jobs and every machine: the best value over all insertion orders; then the best partition of the jobs
over the machines by dynamic programming over subsets. Exact: times are fractions. N <= 5 takes milliseconds,
N = 7 a second.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

Interval = tuple[Fraction, Fraction, tuple[int, ...]]  # start, end, demand
Values = tuple[Fraction, Fraction]  # sum w C, makespan

MAX_JOBS = 7


@dataclass(frozen=True)
class Optimum:
    """The two optimal values; not both need belong to one schedule."""

    sum_weighted_completion: Fraction
    makespan: Fraction


def optimum(instance: Any) -> Optimum:
    """The optimum of an instance with at most MAX_JOBS jobs, each of which fits some machine when alone."""
    n = instance.n_jobs
    assert n <= MAX_JOBS, f"{n} jobs are too many for enumeration"
    jobs = _Jobs(
        [Fraction(r) for r in instance.jobs.release_time.tolist()],
        [Fraction(p) for p in instance.jobs.processing_time.tolist()],
        [Fraction(w) for w in instance.jobs.weight.tolist()],
        [tuple(row) for row in instance.jobs.demand.tolist()],
    )
    one_machine: dict[tuple[int, ...], list[Values | None]] = {}
    best: list[Values | None] = [None] * (1 << n)
    best[0] = (Fraction(0), Fraction(0))
    for row in instance.machines.capacity.tolist():
        capacity = tuple(row)
        if capacity not in one_machine:
            one_machine[capacity] = _best_on_one_machine(jobs, capacity)
        best = _with_one_more_machine(best, one_machine[capacity])
    final = best[(1 << n) - 1]
    assert final is not None, "a job fits no machine"
    return Optimum(*final)


@dataclass(frozen=True)
class _Jobs:
    release_time: list[Fraction]
    processing_time: list[Fraction]
    weight: list[Fraction]
    demand: list[tuple[int, ...]]


def _earliest_start(
    placed: list[Interval], release: Fraction, length: Fraction, room: tuple[int, ...]
) -> Fraction:
    """Earliest start >= release at which `room` (capacity minus demand) holds the placed jobs all along.

    It is the release time or the end of a placed job.
    """
    for start in sorted({release, *(end for _, end, _ in placed if end > release)}):
        end = start + length
        checks = [start, *(s for s, _, _ in placed if start < s < end)]
        if all(_holds(placed, instant, room) for instant in checks):
            return start
    raise AssertionError("after the last end there is always room")


def _holds(placed: list[Interval], instant: Fraction, room: tuple[int, ...]) -> bool:
    active = [demand for start, end, demand in placed if start <= instant < end]
    return all(sum(column) <= r for *column, r in zip(*active, room, strict=True))


def _best_on_one_machine(jobs: _Jobs, capacity: tuple[int, ...]) -> list[Values | None]:
    """For every set of jobs (a bit mask), the least sum w C and makespan; None where a job does not fit."""
    n = len(jobs.release_time)
    room = [tuple(c - d for c, d in zip(capacity, demand, strict=True)) for demand in jobs.demand]
    best: list[Values | None] = [None] * (1 << n)
    seen: set[tuple[int, tuple[Interval, ...], Fraction]] = set()

    def insert_all(members: int, placed: list[Interval], total: Fraction, makespan: Fraction) -> None:
        state = (members, tuple(sorted(placed)), total)  # jobs that look alike may weigh differently
        if state in seen:
            return
        seen.add(state)
        best[members] = _less((total, makespan), best[members])
        for j in range(n):
            if members >> j & 1 or min(room[j], default=0) < 0:
                continue
            start = _earliest_start(placed, jobs.release_time[j], jobs.processing_time[j], room[j])
            end = start + jobs.processing_time[j]
            placed.append((start, end, jobs.demand[j]))
            insert_all(members | 1 << j, placed, total + jobs.weight[j] * end, max(makespan, end))
            placed.pop()

    insert_all(0, [], Fraction(0), Fraction(0))
    return best


def _less(found: Values, known: Values | None) -> Values:
    return found if known is None else (min(found[0], known[0]), min(found[1], known[1]))


def _with_one_more_machine(best: list[Values | None], here: list[Values | None]) -> list[Values | None]:
    result: list[Values | None] = []
    for members in range(len(best)):
        found: Values | None = None
        subset = members
        while True:
            a, b = best[members & ~subset], here[subset]
            if a is not None and b is not None:
                found = _less((a[0] + b[0], max(a[1], b[1])), found)
            if subset == 0:
                break
            subset = (subset - 1) & members
        result.append(found)
    return result
