"""The memory step of one slot as it is written down: a table over every amount of memory, a loop over all machines.

What "twice" gives each job is its definition as a greedy over a polymatroid: by how much the job raises the greatest
flow from the jobs so far through their admitted machines.
"""

from collections.abc import Sequence
from itertools import product

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_flow

from .slot_packing import Matrix, machine_order

Vector = Sequence[int]


def fits(memory: Sequence[Vector], capacity: Vector) -> bool:
    return all(sum(column) <= room for column, room in zip(zip(*memory, strict=True), capacity, strict=True))


def table_items(profit: Sequence[float], memory: Sequence[int], capacity: int) -> list[int]:
    """Items in index order, one only where that is strictly better; traced back from the last item."""
    best = [[0.0] * (capacity + 1)]
    for value, size in zip(profit, memory, strict=True):
        row = best[-1][:]
        for c in range(capacity, size - 1, -1):
            if best[-1][c - size] + value > row[c]:
                row[c] = best[-1][c - size] + value
        best.append(row)
    chosen, c = [], capacity
    for item in reversed(range(len(profit))):
        if best[item + 1][c] > best[item][c]:
            chosen.append(item)
            c -= memory[item]
    return sorted(chosen)


def greatest_profit(profit: Sequence[float], memory: Sequence[Vector], capacity: Vector) -> float:
    """By trying every set."""
    best = 0.0
    for taken in product((False, True), repeat=len(profit)):
        chosen = [m for m, is_in in zip(memory, taken, strict=True) if is_in]
        if not chosen or fits(chosen, capacity):
            best = max(best, sum(p for p, is_in in zip(profit, taken, strict=True) if is_in))
    return best


def admit(
    placed: Matrix,
    profit: Sequence[float] | None,
    demand: Sequence[int],
    memory: Sequence[int],
    memory_capacity: Sequence[int],
    order: Sequence[int],
) -> Matrix:
    """Cores that get their memory (one memory), before anything is done about the others."""
    admitted = [[0] * len(row) for row in placed]
    for i, capacity in enumerate(memory_capacity):
        here = [j for j in range(len(placed)) if placed[j][i] > 0]
        items = [j for j in here if profit is not None and profit[j] > 0]
        chosen = items
        if sum(memory[j] for j in items) > capacity:
            worth = [profit[j] * placed[j][i] / demand[j] for j in items] if profit is not None else []
            chosen = [items[item] for item in table_items(worth, [memory[j] for j in items], capacity)]
        room = capacity - sum(memory[j] for j in chosen)
        for j in order:
            if j in here and j not in items and memory[j] <= room:
                chosen = [*chosen, j]
                room -= memory[j]
        for j in chosen:
            admitted[j][i] = placed[j][i]
    return admitted


def backfill(
    admitted: Matrix,
    limit: Sequence[int],
    memory: Sequence[Vector],
    capacity: Sequence[int],
    memory_capacity: Sequence[Vector],
    order: Sequence[int],
) -> Matrix:
    """Idle cores for the jobs in order, on machines that are open to them."""
    cores = [row[:] for row in admitted]

    def free_cores(i: int) -> int:
        return capacity[i] - sum(row[i] for row in cores)

    def is_open(j: int, i: int) -> bool:
        holders = [memory[other] for other in range(len(cores)) if cores[other][i] > 0]
        return cores[j][i] > 0 or fits([*holders, memory[j]], memory_capacity[i])

    for j in order:
        need = limit[j] - sum(cores[j])
        if need <= 0:
            continue
        machines = [i for i in machine_order(capacity) if is_open(j, i)]
        whole = [i for i in machines if free_cores(i) >= need]
        for i in whole[:1] or machines:
            amount = min(need, free_cores(i))
            cores[j][i] += amount
            need -= amount
    return cores


def totals_of_twice(
    admitted: Matrix, limit: Sequence[int], capacity: Sequence[int], order: Sequence[int]
) -> list[int]:
    """Cores of each job after the second x-step."""
    totals, before = [0] * len(admitted), 0
    for last in range(len(order)):
        through = _greatest_flow(admitted, limit, capacity, order[: last + 1])
        totals[order[last]], before = through - before, through
    return totals


def _greatest_flow(
    admitted: Matrix, limit: Sequence[int], capacity: Sequence[int], jobs: Sequence[int]
) -> int:
    n, m = len(admitted), len(capacity)
    edges = np.zeros((n + m + 2, n + m + 2), dtype=np.int32)
    for j in jobs:
        edges[0, 1 + j] = limit[j]
        edges[1 + j, 1 + n : 1 + n + m] = [limit[j] if cores > 0 else 0 for cores in admitted[j]]
    edges[1 + n : 1 + n + m, n + m + 1] = capacity
    return int(maximum_flow(csr_array(edges), 0, n + m + 1).flow_value)
