"""The machines of an instance: a capacity matrix with named resources, and what a cluster says of each machine."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Any, ClassVar, Self, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from schedcore.errors import InvalidInstanceError

from .amounts import amount_units
from .arrays import IntArray
from .columns import integer_column
from .html_of_machines import machine_facts, table_of_kinds
from .html_text import counted, panel
from .identity import Record
from .integers import checked_integer
from .machine_descriptions import UNLABELLED, LabelSets, checked_names, default_name, label_sets

__all__ = ["MOST_MACHINES", "Machines", "default_resource_names"]

#: What `Machines.identical` and texts such as ``20x64`` make at most: a typing error should not fill the memory.
MOST_MACHINES = 10_000_000


def default_resource_names(n_resources: int) -> tuple[str, ...]:
    """Return ``("resource_0", "resource_1", ...)``."""
    return tuple(f"resource_{resource}" for resource in range(n_resources))


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
    names : iterable of str, optional
        One unique name a machine, not empty; default ``machine_0``, ``machine_1``, ...
    labels : iterable of iterables of str, optional
        The labels of every machine, such as ``["gpu", "rack=7"]``, which constraints of jobs ask for. A label is one or
        more of the letters a to z and A to Z, digits, and ``_ . : = / + -``. Default: none.
    weight : (n_machines,) array_like of int, optional
        Machines of lower weight are preferred; default 0.

    Raises
    ------
    InvalidInstanceError
        For any value outside its bounds; names the machine, the resource, the value and the bound.
    TypeError
        For names and labels that are no texts, and weights that are no integers.

    Notes
    -----
    Names, labels and weights that equal the defaults are not stored: such machines are equal to, hash like and cost
    as much as those without. Default names are made when somebody asks for them.

    See Also
    --------
    Machines.identical : equal machines from one capacity vector.
    """

    __slots__ = ("_labels", "_names", "_weight", "capacity", "resource_names")
    _fields: ClassVar[tuple[str, ...]] = ("capacity", "resource_names")

    capacity: IntArray
    resource_names: tuple[str, ...]
    _names: tuple[str, ...] | None
    _labels: LabelSets
    _weight: IntArray | None

    def __init__(
        self,
        capacity: ArrayLike,
        resource_names: Iterable[str] | None = None,
        resolution: SupportsIndex | None = None,
        *,
        names: Iterable[str] | None = None,
        labels: Iterable[Iterable[str]] | None = None,
        weight: ArrayLike | None = None,
    ) -> None:
        units = amount_units(capacity, resolution, name="capacity", row="machine")
        if 0 in units.shape:
            raise InvalidInstanceError(
                f"capacity has shape {units.shape}; need at least one machine and one resource"
            )
        n_machines = len(units)
        self._assign(
            capacity=units,
            resource_names=_checked_resources(resource_names, units.shape[1]),
            _names=None if names is None else checked_names(names, n_machines),
            _labels=UNLABELLED if labels is None else label_sets(labels, n_machines),
            _weight=None if weight is None else _checked_weight(weight, n_machines),
        )

    @classmethod
    def identical(
        cls,
        n_machines: SupportsIndex,
        capacity_vector: ArrayLike,
        resource_names: Iterable[str] | None = None,
        resolution: SupportsIndex | None = None,
        *,
        names: Iterable[str] | None = None,
        labels: Iterable[Iterable[str]] | None = None,
        weight: ArrayLike | None = None,
    ) -> Machines:
        """Return `n_machines` machines that all have `capacity_vector`, shape (n_resources,); 10,000,000 at most.

        Names, labels and weights are those of every machine, as in `Machines`.
        """
        number = checked_integer("n_machines", operator.index(n_machines), 1, MOST_MACHINES)
        row = amount_units(capacity_vector, resolution, name="capacity", row="machine", n_dims=1)
        capacity = np.tile(row, (number, 1))
        return cls(capacity, resource_names, names=names, labels=labels, weight=weight)

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

    @property
    def names(self) -> tuple[str, ...]:
        """The name of every machine; default names are made anew each time."""
        return self._names or tuple(map(default_name, range(self.n_machines)))

    def machine_name(self, machine: int) -> str:
        """Return the name of one machine; O(1)."""
        return default_name(machine) if self._names is None else self._names[machine]

    @property
    def labels(self) -> tuple[frozenset[str], ...]:
        """The labels of every machine; made anew each time, of few sets that machines share."""
        return self._labels.of_machines(self.n_machines)

    @property
    def label_sets(self) -> LabelSets:
        """The distinct sets of labels, and which of them each machine has; O(1)."""
        return self._labels

    @property
    def weight(self) -> IntArray:
        """(n_machines,) The weight of every machine; machines of lower weight are preferred."""
        if self._weight is not None:
            return self._weight
        none = np.zeros(self.n_machines, dtype=np.int64)
        none.setflags(write=False)
        return none

    @property
    def has_names(self) -> bool:
        """Whether some machine has another name than by default."""
        return self._names is not None

    @property
    def has_labels(self) -> bool:
        """Whether some machine carries a label."""
        return self._labels.codes is not None

    @property
    def has_weights(self) -> bool:
        """Whether some machine has a weight other than 0."""
        return self._weight is not None

    @property
    def preference(self) -> IntArray:
        """(n_machines,) The machines in the order in which they are preferred: by weight, then by index."""
        return np.argsort(self.weight, kind="stable").astype(np.int64, copy=False)

    def replace(self, **changes: Any) -> Machines:
        """Return machines with some constructor arguments changed, as in ``machines.replace(weight=None)``."""
        kept: dict[str, Any] = {"capacity": self.capacity, "resource_names": self.resource_names}
        return Machines(**{**kept, **self._descriptions(), **changes})

    def __len__(self) -> int:
        return self.n_machines

    def __repr__(self) -> str:
        low, high = self.capacity.min(axis=0), self.capacity.max(axis=0)
        capacities = ", ".join(
            f"{name}: {a}" if a == b else f"{name}: {a}..{b}"
            for name, a, b in zip(self.resource_names, low, high, strict=True)
        )
        described = ", ".join(self._descriptions())
        with_them = f"; with {described}" if described else ""
        identical = " identical" if self.are_identical else ""
        return f"Machines({self.n_machines}{identical}, {capacities}{with_them})"

    def _repr_html_(self) -> str:
        """What a notebook shows: the kinds of machines, their names and labels; O(n_machines * n_resources)."""
        names = [self.machine_name(machine) for machine in range(min(self.n_machines, 3))]
        about = machine_facts(names, self.n_machines, self._labels, self._weight)
        return panel(
            counted(self.n_machines, "machine"), table_of_kinds(self.capacity, self.resource_names), about
        )

    def _descriptions(self) -> dict[str, Any]:
        """The names, labels and weights that are not the default ones, as arguments of the constructor."""
        given: dict[str, Any] = {}
        if self.has_names:
            given["names"] = self._names
        if self.has_labels:
            given["labels"] = self.labels
        if self.has_weights:
            given["weight"] = self._weight
        return given

    def as_json(self) -> dict[str, Any]:
        """Return what metadata of tables and saved schedulers hold of the machines: plain lists, texts and numbers."""
        plain: dict[str, Any] = {
            "resource_names": list(self.resource_names),
            "capacity": self.capacity.tolist(),
        }
        if self.has_names:
            plain["machine_names"] = list(self.names)
        if self.has_labels:
            plain["machine_labels"] = [sorted(labels) for labels in self.labels]
        if self.has_weights:
            plain["machine_weight"] = self.weight.tolist()
        return plain

    @classmethod
    def from_json(cls, plain: Any) -> Self:
        """Return the machines that `as_json` described; a KeyError where capacities or names of resources are missing.

        What the constructor refuses is refused with its errors.
        """
        return cls(
            plain["capacity"],
            plain["resource_names"],
            names=plain.get("machine_names"),
            labels=plain.get("machine_labels"),
            weight=plain.get("machine_weight"),
        )

    def _contents(self) -> dict[str, object]:
        """What is not the default alone counts, so that the hash of plain machines is what it was without all this."""
        contents = super()._contents() | self._descriptions()
        if self.has_labels:
            distinct, codes = self._labels
            contents["labels"] = (tuple(tuple(sorted(each)) for each in distinct), codes)
        return contents

    @classmethod
    def _restore(cls, values: dict[str, Any]) -> Self:
        labels = values.get("labels")
        return super()._restore(
            {
                "capacity": values["capacity"],
                "resource_names": values["resource_names"],
                "_names": values.get("names"),
                "_labels": LabelSets(tuple(map(frozenset, labels[0])), labels[1]) if labels else UNLABELLED,
                "_weight": values.get("weight"),
            }
        )


def _checked_resources(names: Iterable[str] | None, n_resources: int) -> tuple[str, ...]:
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


def _checked_weight(weight: ArrayLike, n_machines: int) -> IntArray | None:
    column = integer_column(weight, "weight", n_machines, row="machine")
    return column if column.any() else None
