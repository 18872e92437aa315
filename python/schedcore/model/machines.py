"""The machines of an instance: a capacity matrix with named resources."""

import operator
from collections.abc import Iterable
from typing import ClassVar, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from schedcore.errors import InvalidInstanceError

from .amounts import amount_units
from .arrays import IntArray
from .identity import Record
from .integers import checked_integer
from .jobs import default_resource_names

__all__ = ["MOST_MACHINES", "Machines"]

#: What `Machines.identical` and texts such as ``20x64`` make at most: a typing error should not fill the memory.
MOST_MACHINES = 10_000_000


class Machines(Record):
    """Machines with a capacity in every resource, immutable.

    Parameters
    ----------
    capacity : (n_machines, n_resources) array_like
        Units of each resource that a machine has; at least one machine and one resource. Integers in [0,
        2**53] are used as they are; floats need a `resolution`.
    resource_names : iterable of str, optional
        One unique name a resource; default ``resource_0``, ``resource_1``, ...
    resolution : int, optional
        Units per 1.0 for float capacities, the same rounding as for demands.

    Raises
    ------
    InvalidInstanceError
        For any value outside its bounds; names the machine, the resource, the value and the bound.

    See Also
    --------
    Machines.identical : equal machines from one capacity vector.
    """

    __slots__ = ("capacity", "resource_names")
    _fields: ClassVar[tuple[str, ...]] = ("capacity", "resource_names")

    capacity: IntArray
    resource_names: tuple[str, ...]

    def __init__(
        self,
        capacity: ArrayLike,
        resource_names: Iterable[str] | None = None,
        resolution: SupportsIndex | None = None,
    ) -> None:
        units = amount_units(capacity, resolution, name="capacity", row="machine")
        if 0 in units.shape:
            raise InvalidInstanceError(
                f"capacity has shape {units.shape}; need at least one machine and one resource"
            )
        names = _checked_names(resource_names, units.shape[1])
        self._assign(capacity=units, resource_names=names)

    @classmethod
    def identical(
        cls,
        n_machines: SupportsIndex,
        capacity_vector: ArrayLike,
        resource_names: Iterable[str] | None = None,
        resolution: SupportsIndex | None = None,
    ) -> "Machines":
        """Return `n_machines` machines that all have `capacity_vector`, shape (n_resources,); 10,000,000 at most."""
        number = checked_integer("n_machines", operator.index(n_machines), 1, MOST_MACHINES)
        row = amount_units(capacity_vector, resolution, name="capacity", row="machine", n_dims=1)
        return cls(np.tile(row, (number, 1)), resource_names)

    @property
    def n_machines(self) -> int:
        """Number of machines, at least 1."""
        return len(self.capacity)

    @property
    def n_resources(self) -> int:
        """Number of resources, at least 1."""
        return int(self.capacity.shape[1])

    @property
    def are_identical(self) -> bool:
        """Whether all machines have the same capacities."""
        return bool((self.capacity == self.capacity[0]).all())

    def __len__(self) -> int:
        return self.n_machines

    def __repr__(self) -> str:
        low, high = self.capacity.min(axis=0), self.capacity.max(axis=0)
        capacities = ", ".join(
            f"{name}: {a}" if a == b else f"{name}: {a}..{b}"
            for name, a, b in zip(self.resource_names, low, high, strict=True)
        )
        return f"Machines({self.n_machines}{' identical' if self.are_identical else ''}, {capacities})"


def _checked_names(names: Iterable[str] | None, n_resources: int) -> tuple[str, ...]:
    if names is None:
        return default_resource_names(n_resources)
    checked = (names,) if isinstance(names, str) else tuple(names)
    if not all(isinstance(name, str) and name for name in checked):
        raise TypeError("resource_names must be non-empty strings")
    if len(checked) != n_resources:
        raise InvalidInstanceError(f"{len(checked)} resource_names for {n_resources} resources")
    if len(set(checked)) != n_resources:
        raise InvalidInstanceError(f"resource_names {checked} are not unique")
    return tuple(str(name) for name in checked)
