"""An assignment: which machine each task is on, where order and time play no role."""

from __future__ import annotations

from typing import ClassVar, Self

from numpy.typing import ArrayLike

from schedcore.errors import InvalidInstanceError

from .arrays import IntArray
from .arrow import Columnar, Columns, Metadata
from .columns import integer_column

__all__ = ["Assignment"]


class Assignment(Columnar):
    """The machine of every task, row j for task j of the instance; immutable.

    Any integer may stand for a machine: whether the assignment is valid is the question that `schedcore.validate`
    answers.

    Parameters
    ----------
    machine : (n_tasks,) array_like of int
        Machine indices.

    Raises
    ------
    InvalidInstanceError
        If `machine` is no column, or an entry does not fit into int64.
    TypeError
        For entries that are no integers.
    """

    __slots__ = ("machine",)
    _fields: ClassVar[tuple[str, ...]] = ("machine",)

    machine: IntArray

    def __init__(self, machine: ArrayLike) -> None:
        self._assign(machine=integer_column(machine, "machine", row="task"))

    @property
    def n_tasks(self) -> int:
        """Number of tasks."""
        return len(self.machine)

    def __len__(self) -> int:
        return self.n_tasks

    def __repr__(self) -> str:
        return f"Assignment({self.n_tasks} tasks)"

    def _columns(self) -> Columns:
        return {"machine": self.machine}

    @classmethod
    def _from_columns(cls, columns: Columns, metadata: Metadata | None) -> Self:
        if set(columns) != {"machine"}:
            raise InvalidInstanceError(
                f"a table of an assignment has the column machine, not {list(columns)}"
            )
        return cls(columns["machine"])
