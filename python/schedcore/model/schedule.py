"""A non-preemptive schedule: when each job starts, and where its tasks are."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from schedcore.errors import InvalidInstanceError

from .allocation import Allocation
from .arrays import FloatArray, IntArray
from .arrow import Columnar, Columns, Metadata
from .columns import float_column, integer_column
from .html_of_starts import picture_of_starts, start_facts
from .html_text import counted, facts, panel

__all__ = ["Schedule"]

_ALLOCATION = ("allocation_machine", "allocation_n_tasks")


class Schedule(Columnar):
    """Start times and machines, row j for job j of the instance; immutable.

    Any float may stand for a start and any integer for a machine: whether the schedule is feasible is the
    question that `schedcore.validate` answers.

    Parameters
    ----------
    start_time : (n_jobs,) array_like
        Start times; integers above 2**53, which float64 would round, are refused.
    machine : (n_jobs,) array_like of int
        Machine indices; of a job with tasks on several machines, the first of them.
    allocation : Allocation, optional
        Where the tasks are. Default: one task of each job on its machine, where that is at least 0.

    Raises
    ------
    InvalidInstanceError
        If the columns differ in length, an entry cannot be stored exactly, or the allocation names a job that the
        schedule does not have.
    TypeError
        For an allocation that is none.

    Notes
    -----
    An allocation that is the default one is not stored. In a table, machines and numbers of tasks are lists, a list a
    job, in the columns ``allocation_machine`` and ``allocation_n_tasks``.
    """

    __slots__ = ("_allocation", "_derived", "machine", "start_time")
    _fields: ClassVar[tuple[str, ...]] = ("start_time", "machine")

    _nullable: ClassVar[frozenset[str]] = frozenset(
        {"start_time"}
    )  # pandas has no NaN beside what is missing

    start_time: FloatArray
    machine: IntArray
    _allocation: Allocation | None
    _derived: Allocation | None

    def __init__(
        self, start_time: ArrayLike, machine: ArrayLike, allocation: Allocation | None = None
    ) -> None:
        starts = float_column(start_time, "start_time")
        machines = integer_column(machine, "machine", len(starts))
        if allocation is not None:
            if not isinstance(allocation, Allocation):
                raise TypeError(f"allocation must be an Allocation, not {type(allocation).__name__}")
            allocation.check_owners(len(starts))
            if allocation.is_one_task_each(machines):
                allocation = None
        self._assign(start_time=starts, machine=machines, _allocation=allocation, _derived=None)

    @property
    def allocation(self) -> Allocation:
        """Where the tasks of each job are; made when first asked for if none was given."""
        if self._allocation is not None:
            return self._allocation
        if self._derived is None:
            object.__setattr__(self, "_derived", Allocation.of_single_tasks(self.machine))
        assert self._derived is not None
        return self._derived

    @property
    def has_allocation(self) -> bool:
        """Whether the tasks are elsewhere than one of each job on its machine."""
        return self._allocation is not None

    @property
    def n_jobs(self) -> int:
        """Number of jobs."""
        return len(self.start_time)

    def __len__(self) -> int:
        return self.n_jobs

    def __repr__(self) -> str:
        if self.n_jobs == 0:
            return "Schedule(0 jobs)"
        return (
            f"Schedule({self.n_jobs} jobs, start_time {self.start_time.min():g}..{self.start_time.max():g})"
        )

    def _repr_html_(self) -> str:
        """What a notebook shows: when jobs start, and on how many machines; O(n_jobs)."""
        machine = self.machine[np.isfinite(self.start_time)]
        machine = machine if self._allocation is None else self._allocation.machine
        pairs = start_facts(self.start_time, machine) if self.n_jobs else []
        return panel(
            f"Schedule of {counted(self.n_jobs, 'job')}", facts(pairs), picture_of_starts(self.start_time)
        )

    def _columns(self) -> Columns:
        columns: dict[str, NDArray[Any]] = {"start_time": self.start_time, "machine": self.machine}
        if self._allocation is None:
            return columns
        return {**columns, **dict(zip(_ALLOCATION, self._allocation.cells(self.n_jobs), strict=True))}

    @classmethod
    def _from_columns(cls, columns: Columns, metadata: Metadata | None) -> Self:
        names = ("start_time", "machine")
        if set(columns) not in (set(names), {*names, *_ALLOCATION}):
            raise InvalidInstanceError(
                f"a table of a schedule has start_time and machine, and may have {' and '.join(_ALLOCATION)}, "
                f"not {list(columns)}"
            )
        allocation = None
        if _ALLOCATION[0] in columns:
            allocation = Allocation._of_cells(columns, *_ALLOCATION, len(columns["start_time"]))
        return cls(columns["start_time"], columns["machine"], allocation)

    def _contents(self) -> dict[str, object]:
        """No allocation where none is stored: the hash of such a schedule is what it was before there were any."""
        contents = super()._contents()
        return contents if self._allocation is None else {**contents, "allocation": self._allocation}

    @classmethod
    def _restore(cls, values: dict[str, Any]) -> Self:
        columns = {"start_time": values["start_time"], "machine": values["machine"]}
        return super()._restore({**columns, "_allocation": values.get("allocation"), "_derived": None})
