"""The memory step of a slot: which of the placed cores may run beside each other, and who uses the others.

Per machine the most profitable jobs that fit, by the textbook table over items in index order that takes an item only
where that is strictly better; several memories make the columns of the table vectors. Baselines have no profits: they
admit in their order whatever still fits. Which of several best sets a library takes beside more than one memory is
its own business: `Choice` lets it say so, and be checked.
"""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from .slotted_instance import Placement, SlottedJobs, totals

Vector = tuple[int, ...]


class MemoryOutcome(NamedTuple):
    """Cores that run, and the pairs of job and machine that were refused at first."""

    placed: Placement
    refused: list[tuple[int, int]]


class MemoryItems(NamedTuple):
    """The jobs with positive profit on a machine, what they need there, and what there is."""

    machine: int
    jobs: list[int]
    weights: list[Vector]
    profits: list[float]
    capacity: Vector


Choice = Callable[[MemoryItems], list[int]]


def best_jobs(items: MemoryItems) -> list[int]:
    """The most profitable set of jobs that fits; of equal sets the one the table finds."""
    weights, profits = items.weights, items.profits

    @cache
    def best(n_items: int, room: Vector) -> float:
        if n_items == 0:
            return 0.0
        return max(best(n_items - 1, room), taken(n_items, room))

    def taken(n_items: int, room: Vector) -> float:
        rest = less(room, weights[n_items - 1])
        return float("-inf") if min(rest) < 0 else best(n_items - 1, rest) + profits[n_items - 1]

    chosen, room = [], items.capacity
    for n_items in range(len(weights), 0, -1):
        if taken(n_items, room) > best(n_items - 1, room):
            chosen.append(items.jobs[n_items - 1])
            room = less(room, weights[n_items - 1])
    return chosen[::-1]


def less(room: Vector, weight: Vector) -> Vector:
    return tuple(c - m for c, m in zip(room, weight, strict=True))


def memory_step(
    jobs: SlottedJobs,
    placed: Placement,
    order: Sequence[int],
    limit: Mapping[int, int],
    profit: Mapping[int, float] | None,
    *,
    mode: str,
    work_conserving: bool,
    choice: Choice = best_jobs,
) -> MemoryOutcome:
    """`order` are the jobs of the slot by key; `profit` is lambda - w of a job, None for the baselines."""
    memory = {job: row[1:] for job, row in enumerate(jobs.believed)}
    admitted: Placement = {}
    free = [row[1:] for row in jobs.capacity]
    for machine in range(len(jobs.capacity)):
        here = sorted(job for job, where in placed if where == machine)
        if profit is None:
            later = [job for job in order if job in here]
            chosen = []
        else:
            items = [job for job in here if profit[job] > 0]
            worth = [profit[j] * placed[j, machine] / jobs.believed[j][0] for j in items]
            chosen = choice(MemoryItems(machine, items, [memory[j] for j in items], worth, free[machine]))
            later = [job for job in order if job in here and profit[job] <= 0] if work_conserving else []
        for job in chosen:
            free[machine] = less(free[machine], memory[job])
        for job in later:
            if min(less(free[machine], memory[job])) >= 0:
                chosen.append(job)
                free[machine] = less(free[machine], memory[job])
        admitted |= {(job, machine): placed[job, machine] for job in chosen}
    refused = sorted(placed.keys() - admitted.keys())
    if mode == "twice":
        admitted = regrown(jobs, admitted, order, limit)
    elif mode == "backfill":
        backfill(jobs, admitted, free, order, limit)
    return MemoryOutcome(admitted, refused)


def backfill(
    jobs: SlottedJobs,
    admitted: Placement,
    memory: list[Vector],
    order: Sequence[int],
    limit: Mapping[int, int],
) -> None:
    """Offer idle cores to the jobs in order, on machines where they run or their memory fits."""
    machines = jobs.machine_order
    free = [row[0] for row in jobs.capacity]
    for (_, machine), cores in admitted.items():
        free[machine] -= cores

    def place(job: int, machine: int, cores: int) -> None:
        if cores == 0:
            return
        if (job, machine) not in admitted:
            memory[machine] = less(memory[machine], jobs.believed[job][1:])
        admitted[job, machine] = admitted.get((job, machine), 0) + cores
        free[machine] -= cores

    for job in order:
        need = limit[job] - totals(admitted).get(job, 0)
        if need <= 0:
            continue
        is_open = [
            i for i in machines if (job, i) in admitted or min(less(memory[i], jobs.believed[job][1:])) >= 0
        ]
        whole = [i for i in is_open if free[i] >= need]
        if whole:
            place(job, whole[0], need)
            continue
        for i in is_open:
            cores = min(need, free[i])
            place(job, i, cores)
            need -= cores


def regrown(
    jobs: SlottedJobs, admitted: Placement, order: Sequence[int], limit: Mapping[int, int]
) -> Placement:
    """The best cores over the admitted pairs: each job in order as many as the jobs before it leave possible.

    The cores of each job are the only optimum with this order of ties; on which machines they are is not.
    """
    pairs = sorted(admitted)
    cores = dict.fromkeys(pairs, 0)
    free = [row[0] for row in jobs.capacity]
    for job in order:
        need = limit[job]
        while need > 0 and (path := _augmenting_path(job, pairs, cores, free)):
            amount = min([need, free[path[-1][1]], *(cores[pair] for pair in path[1::2])])
            for step, pair in enumerate(path):
                cores[pair] += amount if step % 2 == 0 else -amount
            free[path[-1][1]] -= amount
            need -= amount
    return {pair: amount for pair, amount in cores.items() if amount > 0}


def _augmenting_path(
    job: int, pairs: Sequence[tuple[int, int]], cores: Placement, free: Sequence[int]
) -> list[tuple[int, int]]:
    """Pairs that gain and lose cores in turn, from `job` to a machine with free cores; empty if there is none."""
    paths: dict[int, list[tuple[int, int]]] = {job: []}
    queue = deque([job])
    while queue:
        who = queue.popleft()
        for pair in [pair for pair in pairs if pair[0] == who]:
            if free[pair[1]] > 0:
                return [*paths[who], pair]
            for other in [p for p in pairs if p[1] == pair[1] and cores[p] > 0 and p[0] not in paths]:
                paths[other[0]] = [*paths[who], pair, other]
                queue.append(other[0])
    return []
