"""Where the tasks of jobs are: a row for each machine that a job, or a run of one, has tasks on."""

from __future__ import annotations

from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from schedcore.errors import InvalidInstanceError

from .arrays import IntArray
from .arrow import Columns, FieldTable
from .columns import ascends, integer_column
from .integer_lists import IntegerLists

__all__ = ["Allocation", "RunAllocation", "TaskPlaces"]


class TaskPlaces(FieldTable):
    """What the two kinds have in common: the name of the first column, `_fields[0]`, is what tells them apart."""

    __slots__ = ("machine", "n_tasks")
    _called: ClassVar[str] = "an allocation"

    machine: IntArray
    n_tasks: IntArray

    def _place(self, owner: ArrayLike, machine: ArrayLike, n_tasks: ArrayLike) -> None:
        name = self._fields[0]
        owners = integer_column(owner, name, row="row")
        machines = integer_column(machine, "machine", len(owners), row="row")
        numbers = integer_column(n_tasks, "n_tasks", len(owners), row="row")
        if (owners < 0).any():
            row = int(np.argmax(owners < 0))
            raise InvalidInstanceError(f"{name}[{row}] = {owners[row]} must be at least 0")
        if not ascends(owners):
            order = np.argsort(owners, kind="stable")
            owners, machines, numbers = owners[order], machines[order], numbers[order]
        self._assign(**{name: owners, "machine": machines, "n_tasks": numbers})

    @property
    def owner(self) -> IntArray:
        """(n_rows,) The first column."""
        column: IntArray = getattr(self, self._fields[0])
        return column

    def of(self, owner: int) -> list[tuple[int, int]]:
        """Return (machine, number of tasks) of one job or run, in the order of placement; O(log n_rows)."""
        begin, end = np.searchsorted(self.owner, [owner, owner + 1])
        return list(zip(self.machine[begin:end].tolist(), self.n_tasks[begin:end].tolist(), strict=True))

    def as_lists(self, n_owners: int) -> tuple[IntegerLists, IntegerLists]:
        """Return the machines and the numbers of tasks, a list for each job or run."""
        offsets = np.searchsorted(self.owner, np.arange(n_owners + 1))
        return IntegerLists(offsets, self.machine), IntegerLists(offsets, self.n_tasks)

    def cells(self, n_owners: int) -> tuple[NDArray[np.object_], NDArray[np.object_]]:
        """Return the same as two columns of a table with a row for each job or run."""
        machine, n_tasks = self.as_lists(n_owners)
        return machine.cells(), n_tasks.cells()

    def check_owners(self, n_owners: int) -> None:
        """Raise an `InvalidInstanceError` that names a job or run that there is not."""
        if len(self) and self.owner[-1] >= n_owners:
            name = self._fields[0]
            raise InvalidInstanceError(f"the allocation names {name} {self.owner[-1]} of {n_owners}")

    @classmethod
    def _of_cells(cls, columns: Columns, machine: str, n_tasks: str, n_owners: int) -> Self:
        """Return what `cells` returned, from these columns of a table."""
        least = -(2**63)
        machines, numbers = (
            IntegerLists.of(columns[name], name, n_owners, what="entries", least=least, row="row")
            for name in (machine, n_tasks)
        )
        if not np.array_equal(machines.offsets, numbers.offsets):
            row = int(np.argmax(machines.offsets != numbers.offsets)) - 1
            raise InvalidInstanceError(f"{machine}[{row}] and {n_tasks}[{row}] differ in length")
        owners = machines.row_of_value
        return cls._restore({cls._fields[0]: owners, "machine": machines.values, "n_tasks": numbers.values})

    def __len__(self) -> int:
        return len(self.machine)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self)} rows, {len(np.unique(self.owner))} {self._fields[0]}s)"


class Allocation(TaskPlaces):
    """The tasks of jobs on machines, by job and then in the order of placement; immutable.

    Any integers may stand for machines and numbers of tasks: whether the schedule is feasible is another question.

    Parameters
    ----------
    job : (n_rows,) array_like of int
        Row of the job, at least 0. Rows are put in order of the job; those of one job keep theirs.
    machine : (n_rows,) array_like of int
        Index of the machine.
    n_tasks : (n_rows,) array_like of int
        How many tasks of the job are there.

    Raises
    ------
    InvalidInstanceError
        If the columns differ in length or a job is negative.
    TypeError
        For columns that hold no integers.
    """

    __slots__ = ("job",)
    _fields: ClassVar[tuple[str, ...]] = ("job", "machine", "n_tasks")

    job: IntArray

    def __init__(self, job: ArrayLike, machine: ArrayLike, n_tasks: ArrayLike) -> None:
        self._place(job, machine, n_tasks)

    @classmethod
    def of_single_tasks(cls, machine: IntArray) -> Self:
        """Return one task for each job that has a machine, at least 0; O(n_jobs)."""
        job = np.flatnonzero(machine >= 0).astype(np.int64, copy=False)
        return cls._restore(
            {"job": job, "machine": machine[job], "n_tasks": np.ones(len(job), dtype=np.int64)}
        )

    def is_one_task_each(self, machine: IntArray) -> bool:
        """Whether it is that of `of_single_tasks`; O(n_jobs)."""
        if len(self) != np.count_nonzero(machine >= 0) or (self.n_tasks != 1).any():
            return False
        single = type(self).of_single_tasks(machine)
        return np.array_equal(self.job, single.job) and np.array_equal(self.machine, single.machine)


class RunAllocation(TaskPlaces):
    """The tasks of runs on machines, by run and then in the order of placement; immutable.

    Parameters
    ----------
    run : (n_rows,) array_like of int
        Row of the run in `Runs`, at least 0. Rows are put in order of the run; those of one run keep theirs.
    machine, n_tasks : (n_rows,) array_like of int
        As in `Allocation`.

    Raises
    ------
    InvalidInstanceError, TypeError
        As `Allocation`.
    """

    __slots__ = ("run",)
    _fields: ClassVar[tuple[str, ...]] = ("run", "machine", "n_tasks")

    run: IntArray

    def __init__(self, run: ArrayLike, machine: ArrayLike, n_tasks: ArrayLike) -> None:
        self._place(run, machine, n_tasks)
