"""One door to the reference implementations of colocation, with the names and options of ``schedcore.solve``."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from reference.colocation_clusters import Clusters, Labels, occupied_clusters
from reference.colocation_dedicated import greedy_dedicated
from reference.colocation_fills import Filled, fill_greedy, fill_rebalance, greedy_for_2_types, two_groups
from reference.colocation_instance import (
    Allocation,
    PlainColocation,
    machine_vector,
    max_cost,
    sum_cost,
)
from reference.colocation_schedules import INNER

FILLS: dict[str, Callable[..., Filled]] = {
    "fill_greedy": fill_greedy,
    "fill_rebalance": fill_rebalance,
    "greedy_for_2_types": greedy_for_2_types,
}


@dataclass(frozen=True)
class ReferenceColocation:
    """An allocation, what it costs, and what the algorithm says beside it (None where it says nothing)."""

    machine: list[int]
    cost_numerator: int
    sum_numerator: int
    threshold: int | None = None
    clusters: Clusters | None = None
    machines_of_cluster: list[int] | None = None


def colocate_with_reference(
    name: str, instance: PlainColocation, *, clusters: str | Labels = "first_fit", **options: Any
) -> ReferenceColocation:
    if name in INNER:
        allocation = INNER[name](instance, instance.tasks, instance.n_machines, **options)
        return _outcome(instance, allocation)
    occupied = occupied_clusters(instance, clusters)
    if options.get("group") == "type":
        occupied = [[t] for t in instance.present_types]
    if name == "greedy_dedicated":
        allocation, vector = greedy_dedicated(instance, occupied, **options)
        return _outcome(instance, allocation, clusters=occupied, machines_of_cluster=vector)
    filled = FILLS[name](instance, occupied, **options)
    if name == "greedy_for_2_types":
        occupied = two_groups(instance, occupied)
    beside: dict[str, Any] = {"threshold": filled.threshold, "clusters": occupied}
    if name == "fill_greedy":
        used = [{filled.allocation[j] for j in instance.tasks_of(cluster)} for cluster in occupied]
        beside["machines_of_cluster"] = [len(machines) for machines in used]
    return _outcome(instance, filled.allocation, **beside)


def _outcome(instance: PlainColocation, allocation: Allocation, **beside: Any) -> ReferenceColocation:
    return ReferenceColocation(
        machine=machine_vector(instance, allocation),
        cost_numerator=max_cost(instance, allocation),
        sum_numerator=sum_cost(instance, allocation),
        **beside,
    )
