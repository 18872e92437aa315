"""The slot of OCORP+: cores one at a time by their marginal cost, and the exact optimum by brute force of paths.

The u-th core of job j, or of j on machine i, costs ``c_j / d_j + alpha (2 (u - u_previous) - 1) / d_j ** 2``; in the
first slot of a job there is no second term. Marginal costs do not fall, so smallest first is right.
"""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import product

from .slotted_instance import Placement


def marginal(cost: float, demand: int, alpha: float, step: int, first: bool) -> float:
    """Cost of a core, `step` = u - u_previous."""
    if first:
        return cost / demand
    return cost / demand + alpha * (2 * step - 1) / (float(demand) * float(demand))


def joblevel(
    cost: Mapping[int, float],
    demand: Mapping[int, int],
    limit: Mapping[int, int],
    previous: Mapping[int, int],
    first: Mapping[int, bool],
    total: int,
    alpha: float,
    *,
    work_conserving: bool,
) -> dict[int, int]:
    """Cores of each job where changes of its total are paid for."""
    cores = dict.fromkeys(sorted(cost), 0)
    for _ in range(total):
        prices = [
            (marginal(cost[j], demand[j], alpha, cores[j] + 1 - previous.get(j, 0), first[j]), j)
            for j in cores
            if cores[j] < limit[j]
        ]
        if not prices or (min(prices)[0] >= 0 and not work_conserving):
            break
        cores[min(prices)[1]] += 1
    return cores


def cut_job(order: Sequence[int], cores: Mapping[int, int], limit: Mapping[int, int]) -> int | None:
    """The last in order of the jobs that run on fewer cores than they can use."""
    partial = [job for job in order if 0 < cores[job] < limit[job]]
    return partial[-1] if partial else None


def greedy(
    cost: Mapping[int, float],
    demand: Mapping[int, int],
    limit: Mapping[int, int],
    previous: Placement,
    first: Mapping[int, bool],
    capacity: Sequence[int],
    alpha: float,
    *,
    work_conserving: bool,
) -> Placement:
    """Cores of each job on each machine where changes there are paid for; not always the optimum."""
    cores = {(j, i): 0 for j in sorted(cost) for i in range(len(capacity))}
    free, left = list(capacity), dict(limit)
    while True:
        prices = [
            (marginal(cost[j], demand[j], alpha, cores[j, i] + 1 - previous.get((j, i), 0), first[j]), j, i)
            for j, i in cores
            if left[j] > 0 and free[i] > 0
        ]
        if not prices or (min(prices)[0] >= 0 and not work_conserving):
            return {pair: amount for pair, amount in cores.items() if amount > 0}
        _, j, i = min(prices)
        cores[j, i] += 1
        left[j] -= 1
        free[i] -= 1


def slot_value(
    placement: Placement,
    cost: Mapping[int, float],
    demand: Mapping[int, int],
    previous: Placement,
    first: Mapping[int, bool],
    n_machines: int,
    alpha: float,
) -> Fraction:
    """Objective (32) of a slot, exactly."""
    value = Fraction(0)
    for j, i in product(cost, range(n_machines)):
        rate = Fraction(placement.get((j, i), 0), demand[j])
        value += Fraction(cost[j]) * rate
        if not first[j]:
            value += Fraction(alpha) * (rate - Fraction(previous.get((j, i), 0), demand[j])) ** 2
    return value


def best_slot(
    cost: Mapping[int, float],
    demand: Mapping[int, int],
    limit: Mapping[int, int],
    previous: Placement,
    first: Mapping[int, bool],
    capacity: Sequence[int],
    alpha: float,
    *,
    work_conserving: bool,
) -> Placement:
    """An optimal placement of (32): one core after the other along the cheapest path, in exact arithmetic."""
    cores: Placement = {(j, i): 0 for j in sorted(cost) for i in range(len(capacity))}
    free, left = list(capacity), dict(limit)

    def price(pair: tuple[int, int], step: int) -> Fraction:
        """Of the next core of the pair (step 1), or of its last one (step 0)."""
        j, _ = pair
        base = Fraction(cost[j]) / demand[j]
        if first[j]:
            return base
        change = cores[pair] + step - previous.get(pair, 0)
        return base + Fraction(alpha) * (2 * change - 1) / demand[j] ** 2

    while path := _cheapest_path(cores, left, free, price):
        length, pairs = path
        if length >= 0 and not work_conserving:
            break
        for step, pair in enumerate(pairs):
            cores[pair] += 1 if step % 2 == 0 else -1
        left[pairs[0][0]] -= 1
        free[pairs[-1][1]] -= 1
    return {pair: amount for pair, amount in cores.items() if amount > 0}


def _cheapest_path(
    cores: Placement,
    left: Mapping[int, int],
    free: Sequence[int],
    price: Callable[[tuple[int, int], int], Fraction],
) -> tuple[Fraction, list[tuple[int, int]]] | None:
    """Bellman-Ford from all jobs that can use a core to all machines that have one."""
    job_path = {j: (Fraction(0), list[tuple[int, int]]()) for j in left if left[j] > 0}
    machine_path: dict[int, tuple[Fraction, list[tuple[int, int]]]] = {}
    changed = True
    while changed:
        changed = False
        for j, i in cores:
            if j in job_path:
                length, pairs = job_path[j]
                candidate = (length + price((j, i), 1), [*pairs, (j, i)])
                if i not in machine_path or candidate[0] < machine_path[i][0]:
                    machine_path[i] = candidate
                    changed = True
            if i in machine_path and cores[j, i] > 0:
                length, pairs = machine_path[i]
                candidate = (length - price((j, i), 0), [*pairs, (j, i)])
                if j not in job_path or candidate[0] < job_path[j][0]:
                    job_path[j] = candidate
                    changed = True
    return min((machine_path[i] for i in machine_path if free[i] > 0), default=None)
