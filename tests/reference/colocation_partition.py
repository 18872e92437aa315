"""Spreading tasks over machines by size alone (P || Cmax): LPT and MULTIFIT, by scanning all machines."""

from collections.abc import Iterable

from reference.colocation_instance import Allocation, PlainColocation, ceil_div


def longest_first(instance: PlainColocation, tasks: Iterable[int], n_machines: int) -> Allocation:
    """The largest task next, to the least loaded machine; ties to the lowest machine."""
    load = [0] * n_machines
    allocation = {}
    for j in instance.decreasing(tasks):
        machine = load.index(min(load))
        allocation[j] = machine
        load[machine] += instance.size[j]
    return allocation


def first_fit_decreasing(
    instance: PlainColocation, tasks: Iterable[int], n_machines: int, capacity: int
) -> Allocation | None:
    """Every task into the lowest open bin with room; None if more than ``n_machines`` bins are needed."""
    bins: list[int] = []
    allocation = {}
    for j in instance.decreasing(tasks):
        p = instance.size[j]
        if p > capacity:
            return None
        roomy = [b for b, load in enumerate(bins) if load + p <= capacity]
        if not roomy:
            if len(bins) == n_machines:
                return None
            bins.append(0)
            roomy = [len(bins) - 1]
        allocation[j] = roomy[0]
        bins[roomy[0]] += p
    return allocation


def multifit(instance: PlainColocation, tasks: Iterable[int], n_machines: int) -> Allocation:
    """First fit decreasing with the smallest capacity that this very dichotomy finds; FFD is not monotone."""
    chosen = list(tasks)
    if not chosen:
        return {}
    total = sum(instance.size[j] for j in chosen)
    largest = max(instance.size[j] for j in chosen)
    low = max(ceil_div(total, n_machines), largest)
    high = max(ceil_div(2 * total, n_machines), largest)
    kept = first_fit_decreasing(instance, chosen, n_machines, high)
    assert kept is not None, "twice the mean load is enough for first fit decreasing"
    while low < high:
        middle = (low + high) // 2
        packing = first_fit_decreasing(instance, chosen, n_machines, middle)
        if packing is None:
            low = middle + 1
        else:
            kept, high = packing, middle
    return kept


BASES = {"lpt": longest_first, "multifit": multifit}
