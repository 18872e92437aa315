"""Scheduling epochs: sets of jobs of equal length that fit one machine together, one set after another.

By the rules FCFS, FF and GREEDY, or the fewest possible by exhaustive search.
"""

from collections.abc import Sequence

from reference.backfilling_scores import score
from reference.vector_fit import fits

Vector = Sequence[int]


def epochs(demand: Sequence[Vector], capacity: Vector, rule: str) -> list[list[int]]:
    """``rule`` is "fcfs", "unc" or a selection ("ff" among them); jobs in order of choice."""
    if rule == "fcfs":
        return _in_order(demand, capacity)
    if rule == "unc":
        return _fewest(demand, capacity)
    return _greedy(demand, capacity, rule)


def _used(demand: Sequence[Vector], jobs: list[int], n_resources: int) -> list[int]:
    return [sum(demand[j][k] for j in jobs) for k in range(n_resources)]


def _fits_beside(demand: Sequence[Vector], jobs: list[int], job: int, capacity: Vector) -> bool:
    return fits(_used(demand, [*jobs, job], len(capacity)), capacity)


def _in_order(demand: Sequence[Vector], capacity: Vector) -> list[list[int]]:
    result: list[list[int]] = []
    for job in range(len(demand)):
        if result and _fits_beside(demand, result[-1], job, capacity):
            result[-1].append(job)
        else:
            result.append([job])
    return result


def _greedy(demand: Sequence[Vector], capacity: Vector, selection: str) -> list[list[int]]:
    remaining = list(range(len(demand)))
    result: list[list[int]] = []
    while remaining:
        epoch: list[int] = []
        while fitting := [j for j in remaining if _fits_beside(demand, epoch, j, capacity)]:
            used = _used(demand, epoch, len(capacity))
            _, best = min((score(demand[j], used, capacity, selection), j) for j in fitting)
            epoch.append(best)
            remaining.remove(best)
        result.append(epoch)
    return result


def _fewest(demand: Sequence[Vector], capacity: Vector) -> list[list[int]]:
    """The first assignment with the fewest epochs, existing epochs tried before a new one."""
    best: list[list[int]] | None = None

    def assign(job: int, opened: list[list[int]]) -> None:
        nonlocal best
        if best is not None and len(opened) >= len(best):
            return
        if job == len(demand):
            best = [list(epoch) for epoch in opened]
            return
        for epoch in opened:
            if _fits_beside(demand, epoch, job, capacity):
                epoch.append(job)
                assign(job + 1, opened)
                epoch.pop()
        assign(job + 1, [*opened, [job]])

    assign(0, [])
    assert best is not None
    return best
