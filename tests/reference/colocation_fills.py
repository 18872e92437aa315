"""FILLGREEDY, GREEDYFOR2TYPES and FILLREBALANCE: filling machines up to a threshold, and its dichotomy."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from reference.colocation_clusters import Clusters
from reference.colocation_instance import (
    Allocation,
    PlainColocation,
    ReferenceInfeasible,
    ReferenceUnsupported,
    ceil_div,
    cost_of_type,
    machine_cost,
    max_cost,
    tasks_on,
)


@dataclass(frozen=True)
class Filled:
    """An allocation and the threshold it was packed at."""

    allocation: Allocation
    threshold: int


def last_success(low: int, high: int, attempt: Callable[[int], Allocation | None]) -> Filled | None:
    """The last success of ``low..high`` halved: down after a success, up after a failure; None if all failed."""
    kept = None
    while low < high:
        middle = (low + high) // 2
        allocation = attempt(middle)
        if allocation is None:
            low = middle + 1
        else:
            kept, high = Filled(allocation, middle), middle
    return kept


def pack(instance: PlainColocation, sequences: Iterable[Iterable[int]], threshold: int) -> Allocation | None:
    """Next fit: one sequence after the other, each on a fresh machine; None if a task is larger than the threshold.

    May use more machines than there are.
    """
    allocation: Allocation = {}
    machine = -1
    for sequence in sequences:
        machine, load = machine + 1, 0
        for j in sequence:
            p = instance.size[j]
            if p > threshold:
                return None
            if load + p > threshold:
                machine, load = machine + 1, 0
            allocation[j] = machine
            load += p
    return allocation


def largest_threshold(instance: PlainColocation) -> int:
    """floor(Lmax); defined with more machines than types."""
    spare = instance.n_machines - instance.n_types
    if spare <= 0:
        raise ReferenceUnsupported("Lmax needs more machines than types")
    w = instance.total_size
    return max(2 * w // spare, w // spare + instance.largest_size)


def fill_greedy(
    instance: PlainColocation, clusters: Clusters, *, sort: bool = True, search: bool = True
) -> Filled:
    tasks = [instance.tasks_of(cluster) for cluster in clusters]
    sequences = [instance.decreasing(sequence) if sort else sequence for sequence in tasks]

    def feasible(threshold: int) -> Allocation | None:
        allocation = pack(instance, sequences, threshold)
        fits = allocation is not None and all(k < instance.n_machines for k in allocation.values())
        return allocation if fits else None

    published = None if search else largest_threshold(instance)
    if len(clusters) > instance.n_machines:
        raise ReferenceInfeasible("more clusters than machines")
    if published is not None:
        allocation = feasible(published)
        assert allocation is not None, "Prop. 5: Lmax is enough"
        return Filled(allocation, published)
    w, m = instance.total_size, instance.n_machines
    high = largest_threshold(instance) if m > instance.n_types else w
    first = feasible(high)
    assert first is not None, "the upper end of the search is feasible"
    found = last_success(max(instance.largest_size, ceil_div(w, m)), high, feasible)
    return found or Filled(first, high)


def pack_two_groups(
    instance: PlainColocation, groups: list[list[int]], threshold: int
) -> tuple[Allocation | None, bool]:
    """Two groups, the second on fresh machines; what finds none goes to the last machine of the first group.

    Also says whether that happened.
    """
    allocation: Allocation = {}
    machine, load, overflow = 0, 0, False
    shared = machine
    for g, group in enumerate(groups):
        if g == 1:
            shared = machine
        for position, j in enumerate(group):
            p = instance.size[j]
            if p > threshold:
                return None, overflow
            if overflow:
                allocation[j] = shared
                continue
            if (g == 1 and position == 0) or load + p > threshold:
                if machine + 1 == instance.n_machines:
                    if g == 0:
                        return None, overflow
                    overflow = True
                    allocation[j] = shared
                    continue
                machine, load = machine + 1, 0
            allocation[j] = machine
            load += p
    return allocation, overflow


def two_groups(instance: PlainColocation, clusters: Clusters) -> Clusters:
    """The two types of an instance of two types, else the two clusters; groups without tasks are left out."""
    if instance.n_types == 2:
        return [[t] for t in instance.present_types]
    if instance.n_types < 2 or len(clusters) != 2:
        raise ReferenceUnsupported("not two groups")
    return clusters


def greedy_for_2_types(
    instance: PlainColocation, clusters: Clusters, *, sort: bool = False, search: bool = False
) -> Filled:
    tasks = [instance.tasks_of(group) for group in two_groups(instance, clusters)]
    groups = [instance.decreasing(group) if sort else group for group in tasks]
    m, w, largest = instance.n_machines, instance.total_size, instance.largest_size
    high = (w + max(w, m * largest)) // m
    published, _ = pack_two_groups(instance, groups, high)
    assert published is not None, "no task is above the published threshold, and group 0 fits"

    def accepted(threshold: int) -> Allocation | None:
        allocation, _ = pack_two_groups(instance, groups, threshold)
        if allocation is None or max_cost(instance, allocation) > threshold * instance.denominator:
            return None
        return allocation

    found = last_success(largest, high, accepted) if search and m > 1 else None
    return found or Filled(published, high)


def rebalanced(
    instance: PlainColocation, clusters: Clusters, threshold: int, rule: str = "best"
) -> Allocation | None:
    """One try of FILLREBALANCE: fill cluster by cluster, then place what is left where the cost allows it."""
    bound = threshold * instance.denominator
    allocation: Allocation = {}
    left: list[int] = []
    machine = -1
    for cluster in clusters:
        opened = False
        load = 0
        for j in instance.decreasing(instance.tasks_of(cluster)):
            p = instance.size[j]
            if p > threshold:
                return None
            if left:
                left.append(j)
                continue
            if not opened or load + p > threshold:
                if machine + 1 == instance.n_machines:
                    left.append(j)
                    continue
                machine, load, opened = machine + 1, 0, True
            allocation[j] = machine
            load += p
    for j in left:
        costs = [machine_cost(instance, [*tasks_on(allocation, k), j]) for k in range(instance.n_machines)]
        admissible = [k for k, cost in enumerate(costs) if cost <= bound]
        if not admissible:
            return None
        allocation[j] = admissible[0] if rule == "first" else min(admissible, key=lambda k: (costs[k], k))
    return allocation


def fill_rebalance(
    instance: PlainColocation, clusters: Clusters, *, group: str = "cluster", rule: str = "best"
) -> Filled:
    """The clusters of ``group="type"`` are single types."""
    assert group == "cluster" or all(len(cluster) == 1 for cluster in clusters)
    if len(clusters) <= instance.n_machines:
        high = fill_greedy(instance, clusters).threshold
    else:
        all_together = max(cost_of_type(instance, instance.tasks, d) for d in instance.present_types)
        high = max(instance.total_size, ceil_div(all_together, instance.denominator))
    first = rebalanced(instance, clusters, high, rule)
    assert first is not None, "the upper end of the search succeeds"

    def attempt(threshold: int) -> Allocation | None:
        return rebalanced(instance, clusters, threshold, rule)

    found = last_success(instance.largest_size, high, attempt)
    return found or Filled(first, high)
