"""The same cluster, larger or smaller: what if there had been a tenth more machines?

The size of a pool, one machine that stands for a whole cluster, is what it has of its first resource. The size of
several machines is their number.
"""

import numpy as np

from schedcore.errors import InvalidInstanceError, UnsupportedError
from schedcore.model import Instance, Machines, Outages
from schedcore.model.arrays import EXACT_BOUND, IntArray
from schedcore.model.machines import MOST_MACHINES

__all__ = ["cluster_size", "with_cluster_size"]


def cluster_size(machines: Machines, *, is_pool: bool | None = None) -> tuple[int, str]:
    """Return the size of a cluster and what it counts: its first resource of a pool, else "machines".

    One machine counts as a pool, unless `is_pool` says that it is what is left of several.
    """
    if machines.n_machines == 1 if is_pool is None else is_pool:
        return int(machines.capacity[0, 0]), machines.resource_names[0]
    return machines.n_machines, "machines"


def with_cluster_size(inst: Instance, size: int) -> Instance:
    """Return an instance on a cluster of another size; jobs stay as they are.

    Parameters
    ----------
    inst : Instance
    size : int
        At least 1. Of a pool all resources change by the same factor, rounded to whole units, half up. Of several
        machines the share of each kind stays (capacities, labels and weight), rounded by largest remainders. The last
        machines of a kind go first, with their outages; new ones come last, named ``added1``, ``added2``, ... where
        machines have names.

    Raises
    ------
    InvalidInstanceError
        For a size below 1, and a cluster above the bounds of `Machines`.
    UnsupportedError
        For anything but an `Instance`.

    Notes
    -----
    O(n_machines * n_resources). What was recorded of the jobs stays, though it did not happen on such a cluster.
    """
    if not isinstance(inst, Instance):
        raise UnsupportedError("only a cluster of jobs that run in one piece has a size")
    machines = inst.machines
    if size < 1:
        raise InvalidInstanceError(f"a cluster of size {size}: it must be at least 1")
    if machines.n_machines == 1:
        return inst.replace(machines=machines.replace(capacity=[_resized_pool(machines, size)]))
    if size > MOST_MACHINES:
        raise InvalidInstanceError(f"{size} machines are more than {MOST_MACHINES:,}, the most there can be")
    kind = _kinds(machines)
    counts = _shares(np.bincount(kind), size)
    kept = np.flatnonzero(_rank_within(kind) < counts[kind])
    n_new = np.maximum(counts - np.bincount(kind), 0)
    first_of_kind = np.unique(kind, return_index=True)[1]
    return _on_machines(inst, kept, np.repeat(first_of_kind, n_new))


def _resized_pool(machines: Machines, size: int) -> list[int]:
    first, *others = (int(amount) for amount in machines.capacity[0])
    if first == 0:
        raise InvalidInstanceError(f"there is no {machines.resource_names[0]}, so the pool has no size")
    resized = [size, *((2 * amount * size + first) // (2 * first) for amount in others)]
    if max(resized) > EXACT_BOUND:
        raise InvalidInstanceError(f"a cluster of size {size} would have more than 2**53 units of a resource")
    return resized


def _kinds(machines: Machines) -> IntArray:
    """(n_machines,) Number of the kind of each machine, by capacities, labels and weight, in order of appearance."""
    codes = machines.label_sets.codes if machines.has_labels else None
    labels = np.zeros(machines.n_machines, dtype=np.int64) if codes is None else codes
    facts = np.column_stack([machines.capacity, labels, machines.weight])
    _, first, code = np.unique(facts, axis=0, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    kinds: IntArray = rank[code.reshape(-1)]
    return kinds


def _shares(counts: IntArray, size: int) -> IntArray:
    """How many of each kind there are in a cluster of `size`; of equal remainders the earlier kind gets one more."""
    total = int(counts.sum())
    shares, remainder = np.divmod(counts * size, total)  # at most 10**7 each
    order = sorted(range(len(counts)), key=lambda kind: (-int(remainder[kind]), kind))
    shares[order[: size - int(shares.sum())]] += 1
    return shares


def _rank_within(kind: IntArray) -> IntArray:
    """(n_machines,) How many machines of its kind stand before each."""
    order = np.argsort(kind, kind="stable")
    starts = np.searchsorted(kind[order], np.arange(int(kind.max()) + 1))
    rank = np.empty_like(kind)
    rank[order] = np.arange(len(kind)) - starts[kind[order]]
    return rank


def _on_machines(inst: Instance, kept: IntArray, copied: IntArray) -> Instance:
    """The instance on those machines that are kept and copies of others; outages of those that go are no more."""
    machines = inst.machines
    rows = np.concatenate([kept, copied])
    names = None
    if machines.has_names:
        names = [machines.names[machine] for machine in kept.tolist()]
        taken = set(names)
        fresh = (f"added{number}" for number in range(1, len(copied) + len(taken) + 1))
        names += [name for name in fresh if name not in taken][: len(copied)]
    changed = Machines(
        machines.capacity[rows],
        machines.resource_names,
        names=names,
        labels=[machines.labels[machine] for machine in rows.tolist()] if machines.has_labels else None,
        weight=machines.weight[rows] if machines.has_weights else None,
    )
    outages = inst.outages
    if outages is not None:
        place = np.full(machines.n_machines, -1, dtype=np.int64)
        place[kept] = np.arange(len(kept))
        stay = place[outages.machine] >= 0
        outages = Outages(place[outages.machine[stay]], outages.start_time[stay], outages.end_time[stay])
        outages = outages if len(outages.machine) else None
    return Instance(inst.jobs, changed, outages)
