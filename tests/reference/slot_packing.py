"""Rates and packing of one slot as the paper's rules are written down, with plain loops over jobs and machines."""

from collections.abc import Sequence

Matrix = list[list[int]]


def machine_order(capacity: Sequence[int]) -> list[int]:
    return sorted(range(len(capacity)), key=lambda i: (-capacity[i], i))


def slot_rates(
    cost: Sequence[float], demand: Sequence[int], limit: Sequence[int], total: int
) -> tuple[list[int], int | None]:
    """Lemma 1: in the order of cost per core everybody gets its limit until nothing is left."""
    cores, cut = [0] * len(cost), None
    for job in sorted(range(len(cost)), key=lambda j: (cost[j] / demand[j], j)):
        cores[job] = min(limit[job], total)
        total -= cores[job]
        if 0 < cores[job] < limit[job]:
            cut = job
    return cores, cut


def pack_slot(
    cores: Sequence[int], cut: int | None, capacity: Sequence[int], previous: Matrix | None = None
) -> Matrix:
    """Keep what stays, place what fits whole, split the rest."""
    n_jobs, machines = len(cores), machine_order(capacity)
    given = [[0] * len(capacity) for _ in cores]
    left, free = list(cores), list(capacity)

    def place(job: int, machine: int, amount: int) -> None:
        given[job][machine] += amount
        left[job] -= amount
        free[machine] -= amount

    if previous is not None:
        for job in range(n_jobs):
            before = previous[job]
            for i in sorted(range(len(capacity)), key=lambda i: (-before[i], i)):
                place(job, i, min(left[job], before[i], free[i]))
    todo = sorted((j for j in range(n_jobs) if left[j] > 0 and j != cut), key=lambda j: (-left[j], j))
    placed = set()
    for i in machines:
        for job in todo:
            if job not in placed and left[job] <= free[i]:
                place(job, i, left[job])
                placed.add(job)
    for job in sorted(range(n_jobs), key=lambda j: (j == cut, -left[j], j)):
        for i in machines:
            place(job, i, min(left[job], free[i]))
    return given
