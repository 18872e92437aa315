"""What the bounds see of an instance: the total load of every type that has a task, and the longest own cost."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from schedcore.model import ColocationInstance

__all__ = ["TypeLoads", "largest_loads", "type_loads"]


class TypeLoads(NamedTuple):
    """An instance with divisible tasks; costs are numerators over the denominator of the instance.

    Attributes
    ----------
    types : tuple of int
        The types of the instance that have a task, increasing; the other fields have one entry for each.
    load : tuple of int
        Total size of the tasks of each type, at least 1.
    alpha : (n_types, n_types) int64
        Coefficients between these types.
    n_machines : int
    longest : int
        The largest cost of a task that has a machine for itself.
    """

    types: tuple[int, ...]
    load: tuple[int, ...]
    alpha: NDArray[np.int64]
    n_machines: int
    longest: int


def type_loads(inst: ColocationInstance) -> TypeLoads:
    """Return the loads of the types of `inst` that have a task. O(n_tasks + n_types**2)."""
    loads = inst.load_of_types()
    types = tuple(kind for kind, load in enumerate(loads) if load > 0)
    largest = np.zeros(inst.n_types, dtype=np.int64)
    np.maximum.at(largest, inst.type, inst.size)
    longest = (largest * inst.alpha.diagonal()).max()  # no product leaves 64 bits: the instance refuses that
    alpha = inst.alpha[np.ix_(types, types)]
    return TypeLoads(types, tuple(loads[kind] for kind in types), alpha, inst.n_machines, int(longest))


def largest_loads(loads: TypeLoads, n_types: int) -> TypeLoads:
    """Return the loads without all but the `n_types` types of largest load times own coefficient.

    A bound on the cost without some tasks is one on the cost with them, because tasks only add to costs.
    """
    weight = [load * int(own) for load, own in zip(loads.load, loads.alpha.diagonal(), strict=True)]
    chosen = sorted(sorted(range(len(weight)), key=lambda kind: (-weight[kind], kind))[:n_types])
    return loads._replace(
        types=tuple(loads.types[kind] for kind in chosen),
        load=tuple(loads.load[kind] for kind in chosen),
        alpha=loads.alpha[np.ix_(chosen, chosen)],
    )
