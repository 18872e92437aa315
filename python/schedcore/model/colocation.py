"""Tasks that share machines and slow each other down, by type: an instance of the MCT problem [Pascual2019]_.

On a machine with load L[s] of every type s, each task of type d costs the sum over s of L[s] * alpha[s, d]. The largest
cost of a task is to be as small as possible. Sizes, loads and coefficients are integers, so all costs are exact
integers over one denominator.

.. [Pascual2019] F. Pascual, K. Rzadca, "Optimizing egalitarian performance when colocating tasks with types for cloud
   data center resource management", IEEE Transactions on Parallel and Distributed Systems 30(11), 2019.
"""

from __future__ import annotations

from typing import ClassVar, Self, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from schedcore.errors import InvalidInstanceError

from .arrays import EXACT_BOUND, IntArray, first_index, frozen, numeric_array, place
from .arrow import Columnar, Columns, Metadata
from .columns import integer_column
from .integers import INT64_MAX, checked_integer

__all__ = ["ColocationInstance"]

_MOST_MACHINES = 2**24
_MOST_PAIRS = 2**26  # of machine and type: kernels keep a load and a cost for each


class ColocationInstance(Columnar):
    """Tasks with sizes and types, the cost that types cause each other, and a number of identical machines; immutable.

    Parameters
    ----------
    size : (n_tasks,) array_like of int
        Load that a task puts on its machine; at least 1.
    type : (n_tasks,) array_like of int
        Type of each task, 0 to n_types - 1; types without a task are allowed.
    alpha : (n_types, n_types) array_like
        ``alpha[s, d] / alpha_denominator`` is the cost that one unit of load of type s (the source) adds to every task
        of type d (the destination) on the same machine. Integers of at least 0 are used as they are; a matrix of
        floats is multiplied by the denominator and rounded half up. The diagonal must be above 0.
    alpha_denominator : int
        Common denominator of all coefficients, at least 1.
    n_machines : int
        Number of identical machines, 1 to 2**24, with at most 2**26 pairs of machine and type.

    Raises
    ------
    InvalidInstanceError
        For any value outside its bounds; names the task or the coefficient, the value and the bound. Refused as well
        are sizes and coefficients with which a cost could leave 64 bits: everything on one machine decides.
    TypeError
        For sizes or types that are no integers.

    Notes
    -----
    O(n_tasks + n_types**2). A table of it (`to_arrow`, `to_parquet`) has the columns size and type; the rest travels in
    the schema metadata.
    """

    __slots__ = ("alpha", "alpha_denominator", "n_machines", "size", "type")
    _fields: ClassVar[tuple[str, ...]] = ("size", "type", "alpha", "alpha_denominator", "n_machines")

    size: IntArray
    type: IntArray
    alpha: IntArray
    alpha_denominator: int
    n_machines: int

    def __init__(
        self,
        size: ArrayLike,
        type: ArrayLike,
        alpha: ArrayLike,
        alpha_denominator: SupportsIndex = 1000,
        *,
        n_machines: SupportsIndex,
    ) -> None:
        denominator = checked_integer("alpha_denominator", alpha_denominator, 1)
        coefficients = _coefficients(alpha, denominator)
        machines = checked_integer(
            "n_machines", n_machines, 1, min(_MOST_MACHINES, _MOST_PAIRS // len(coefficients))
        )
        sizes = integer_column(size, "size", row="task")
        types = integer_column(type, "type", len(sizes), row="task")
        _check_range("size", sizes, 1, None)
        _check_range("type", types, 0, len(coefficients) - 1)
        _check_costs(_loads(sizes, types, len(coefficients)), coefficients)
        self._assign(
            size=sizes,
            type=types,
            alpha=coefficients,
            alpha_denominator=denominator,
            n_machines=machines,
        )

    @property
    def n_tasks(self) -> int:
        """Number of tasks."""
        return len(self.size)

    @property
    def n_types(self) -> int:
        """Number of types, those without a task included."""
        return len(self.alpha)

    def __len__(self) -> int:
        return self.n_tasks

    def load_of_types(self) -> tuple[int, ...]:
        """Return the total size of the tasks of each type."""
        return _loads(self.size, self.type, self.n_types)

    def __repr__(self) -> str:
        machines = f"{self.n_machines} machine{'s' * (self.n_machines != 1)}"
        return f"ColocationInstance({self.n_tasks} tasks of {self.n_types} types, {machines})"

    def _columns(self) -> Columns:
        return {"size": self.size, "type": self.type}

    def _metadata(self) -> Metadata:
        return {
            "alpha": self.alpha.tolist(),
            "alpha_denominator": self.alpha_denominator,
            "n_machines": self.n_machines,
        }

    @classmethod
    def _from_columns(cls, columns: Columns, metadata: Metadata | None) -> Self:
        if set(columns) != {"size", "type"}:
            raise InvalidInstanceError(
                f"a table of tasks to colocate has the columns size and type, not {list(columns)}"
            )
        if metadata is None or not {"alpha", "alpha_denominator", "n_machines"} <= metadata.keys():
            raise InvalidInstanceError("the table carries no coefficients and no number of machines")
        return cls(
            **columns,
            alpha=metadata["alpha"],
            alpha_denominator=metadata["alpha_denominator"],
            n_machines=metadata["n_machines"],
        )


def _coefficients(alpha: ArrayLike, denominator: int) -> IntArray:
    given = numeric_array(alpha, "alpha")
    if given.ndim != 2 or given.shape[0] != given.shape[1] or given.size == 0:
        raise InvalidInstanceError(
            f"alpha must have shape (n_types, n_types) with n_types >= 1, not {given.shape}"
        )
    largest = EXACT_BOUND if given.dtype.kind == "f" else INT64_MAX
    with np.errstate(over="ignore"):  # infinity is refused below
        scaled = np.floor(given * float(denominator) + 0.5) if given.dtype.kind == "f" else given
    wrong = ~((given >= 0) & (scaled <= largest))  # NaN is wrong, too
    if wrong.any():
        index = first_index(np.asarray(wrong, dtype=np.bool_))
        bound = f"at least 0 and at most {'2**53' if given.dtype.kind == 'f' else '2**63 - 1'}"
        unit = f" / {denominator}" if given.dtype.kind == "f" else ""
        raise InvalidInstanceError(f"{place('alpha', given, index)} must be {bound}{unit}")
    coefficients: IntArray = frozen(np.asarray(scaled), np.int64)
    for kind, own in enumerate(coefficients.diagonal()):
        if own <= 0:
            raise InvalidInstanceError(
                f"{place('alpha', given, (kind, kind))} is 0{'' if given[kind, kind] == 0 else ' when rounded'}; "
                f"the cost of a type to itself must be above 0"
            )
    return coefficients


def _check_range(name: str, column: IntArray, low: int, high: int | None) -> None:
    outside = column < low
    if high is not None:
        outside = outside | (column > high)
    if outside.any():
        index = first_index(outside)
        bound = (
            f"at least {low}" if high is None else f"between {low} and {high} (alpha has {high + 1} types)"
        )
        raise InvalidInstanceError(f"{place(name, column, index)} (task {index[0]}) must be {bound}")


def _loads(size: IntArray, kind: IntArray, n_types: int) -> tuple[int, ...]:
    """The total size of each type as Python integers: the sums of halves cannot leave 64 bits."""
    low, high = size & 0xFFFFFFFF, size >> 32
    parts = [np.zeros(n_types, dtype=np.int64), np.zeros(n_types, dtype=np.int64)]
    for total, part in zip(parts, (low, high), strict=True):
        np.add.at(total, kind, part)
    return tuple(int(a) + (int(b) << 32) for a, b in zip(*parts, strict=True))


def _check_costs(loads: tuple[int, ...], alpha: IntArray) -> None:
    for kind, column in enumerate(alpha.T.tolist()):
        worst = sum(load * coefficient for load, coefficient in zip(loads, column, strict=True))
        if worst > INT64_MAX:
            raise InvalidInstanceError(
                f"with all tasks on one machine a task of type {kind} costs {worst} / alpha_denominator, "
                f"above 2**63 - 1; use smaller units of size or a smaller denominator"
            )
    if sum(loads) > INT64_MAX:
        raise InvalidInstanceError(f"the sizes add up to {sum(loads)}, above 2**63 - 1")
