"""GREEDYDEDICATED: the best division of the machines among clusters, by trying every division."""

from collections.abc import Iterator, Sequence

from reference.colocation_clusters import Clusters
from reference.colocation_instance import Allocation, PlainColocation, ReferenceInfeasible, max_cost
from reference.colocation_schedules import INNER


def compositions(n_parts: int, total: int) -> Iterator[tuple[int, ...]]:
    """All vectors of positive parts with that sum, in lexicographic order."""
    if n_parts == 0:
        if total == 0:
            yield ()
        return
    for first in range(1, total - n_parts + 2):
        for rest in compositions(n_parts - 1, total - first):
            yield (first, *rest)


def best_composition(table: Sequence[Sequence[int]], n_machines: int) -> tuple[int, tuple[int, ...]]:
    """The smallest largest entry and the lexicographically smallest vector that has it.

    ``table[i][x - 1]`` is the cost of part i on x machines.
    """
    vectors = compositions(len(table), n_machines)
    return min((max(row[x - 1] for row, x in zip(table, v, strict=True)), v) for v in vectors)


def greedy_dedicated(
    instance: PlainColocation, clusters: Clusters, *, inner: str = "best_schedule", base: str = "lpt"
) -> tuple[Allocation, list[int]]:
    """The allocation and the number of machines of every cluster; clusters take machines in their order."""
    if len(clusters) > instance.n_machines:
        raise ReferenceInfeasible("more clusters than machines")
    if not clusters:
        return {}, []
    tasks = [instance.tasks_of(cluster) for cluster in clusters]
    n_choices = instance.n_machines - len(clusters) + 1
    table = [
        [max_cost(instance, INNER[inner](instance, own, x, base)) for x in range(1, n_choices + 1)]
        for own in tasks
    ]
    _, vector = best_composition(table, instance.n_machines)
    allocation: Allocation = {}
    for i, own in enumerate(tasks):
        offset = sum(vector[:i])
        for j, machine in INNER[inner](instance, own, vector[i], base).items():
            allocation[j] = offset + machine
    return allocation, list(vector)
