"""SCHEDMIXED, SCHEDJUXTAPOSE and BESTSCHEDULE of a set of tasks, by their definitions."""

from collections.abc import Iterable

from reference.colocation_instance import Allocation, PlainColocation, max_cost
from reference.colocation_partition import BASES


def sched_mixed(
    instance: PlainColocation, tasks: Iterable[int], n_machines: int, base: str = "lpt"
) -> Allocation:
    """All tasks at once, whatever their types."""
    return BASES[base](instance, tasks, n_machines)


def sched_juxtapose(
    instance: PlainColocation, tasks: Iterable[int], n_machines: int, base: str = "lpt"
) -> Allocation:
    """Type by type on empty machines; every second type that has a task is put on in reverse."""
    chosen = list(tasks)
    allocation = {}
    for position, present in enumerate(sorted({instance.type[j] for j in chosen})):
        alone = BASES[base](instance, [j for j in chosen if instance.type[j] == present], n_machines)
        for j, machine in alone.items():
            allocation[j] = machine if position % 2 == 0 else n_machines - 1 - machine
    return allocation


def best_schedule(
    instance: PlainColocation, tasks: Iterable[int], n_machines: int, base: str = "lpt"
) -> Allocation:
    """The cheaper of the two; SCHEDMIXED on a tie."""
    chosen = list(tasks)
    mixed = sched_mixed(instance, chosen, n_machines, base)
    juxtaposed = sched_juxtapose(instance, chosen, n_machines, base)
    return juxtaposed if max_cost(instance, juxtaposed) < max_cost(instance, mixed) else mixed


INNER = {"sched_mixed": sched_mixed, "sched_juxtapose": sched_juxtapose, "best_schedule": best_schedule}
