"""A schedule whose jobs or tasks may be interrupted: pieces of time, and where each was run."""

from __future__ import annotations

from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from schedcore.errors import InvalidInstanceError

from .arrays import FloatArray, IntArray
from .arrow import Columnar, Columns, Metadata
from .columns import ascends, float_column, integer_column

__all__ = ["PreemptiveSchedule", "cores_of_pieces"]

_KEYS = ("job", "task", "machine", "start_time", "end_time")


class PreemptiveSchedule(Columnar):
    """Pieces [start_time, end_time) of tasks on machines, sorted by start, job, task and machine; immutable.

    Any number may stand for a time, a job or a machine: whether the schedule is feasible is the question that
    `schedcore.validate` answers.

    Parameters
    ----------
    job : (n_pieces,) array_like of int
        The job that runs.
    task : (n_pieces,) array_like of int
        Number of its task within the job; -1 for jobs without tasks.
    machine : (n_pieces,) array_like of int
        Where it runs.
    start_time, end_time : (n_pieces,) array_like
        When. Integers above 2**53, which float64 would round, are refused.
    amount : (n_pieces,) array_like of int, optional
        Units that the piece holds, where that is not always the whole demand of the job.

    Raises
    ------
    InvalidInstanceError
        If the columns differ in length or an entry cannot be stored exactly.
    TypeError
        For jobs, tasks, machines or amounts that are no integers.

    See Also
    --------
    merging : the same with touching pieces made one.
    """

    __slots__ = ("amount", "end_time", "job", "machine", "start_time", "task")
    _fields: ClassVar[tuple[str, ...]] = (*_KEYS, "amount")

    job: IntArray
    task: IntArray
    machine: IntArray
    start_time: FloatArray
    end_time: FloatArray
    amount: IntArray | None

    def __init__(
        self,
        job: ArrayLike,
        task: ArrayLike,
        machine: ArrayLike,
        start_time: ArrayLike,
        end_time: ArrayLike,
        amount: ArrayLike | None = None,
    ) -> None:
        jobs = integer_column(job, "job", row="piece")
        n = len(jobs)
        tasks, machines = (
            integer_column(column, name, n, row="piece")
            for column, name in ((task, "task"), (machine, "machine"))
        )
        starts, ends = (
            float_column(column, name, n, row="piece")
            for column, name in ((start_time, "start_time"), (end_time, "end_time"))
        )
        held = None if amount is None else integer_column(amount, "amount", n, row="piece")
        columns = {
            "job": jobs,
            "task": tasks,
            "machine": machines,
            "start_time": starts,
            "end_time": ends,
            "amount": held,
        }
        if not ascends(starts, jobs, tasks, machines):
            order = np.lexsort((machines, tasks, jobs, starts))
            columns = {name: None if column is None else column[order] for name, column in columns.items()}
        self._assign(**columns)

    @classmethod
    def merging(
        cls,
        job: ArrayLike,
        task: ArrayLike,
        machine: ArrayLike,
        start_time: ArrayLike,
        end_time: ArrayLike,
        amount: ArrayLike | None = None,
    ) -> Self:
        """Return the schedule of these pieces, where those of a task that touch on a machine become one.

        Pieces touch if one starts at the very instant, bit for bit, at which the one before ends, and both hold the
        same amount. O(n_pieces log n_pieces).
        """
        pieces = cls(job, task, machine, start_time, end_time, amount)
        if len(pieces) == 0:
            return pieces
        order = np.lexsort((pieces.start_time, pieces.machine, pieces.task, pieces.job))
        begins = np.ones(len(order), dtype=np.bool_)
        begins[1:] = pieces.start_time[order[1:]] != pieces.end_time[order[:-1]]
        alike = [pieces.job, pieces.task, pieces.machine]
        for column in alike if pieces.amount is None else [*alike, pieces.amount]:
            begins[1:] |= column[order[1:]] != column[order[:-1]]
        first = order[begins]
        last = order[np.append(np.flatnonzero(begins)[1:], len(order)) - 1]
        return cls(
            pieces.job[first],
            pieces.task[first],
            pieces.machine[first],
            pieces.start_time[first],
            pieces.end_time[last],
            None if pieces.amount is None else pieces.amount[first],
        )

    @property
    def n_pieces(self) -> int:
        """Number of pieces."""
        return len(self.job)

    @property
    def in_slots(self) -> bool:
        """Whether it is of jobs in slots: times are whole slots, and `amount` says how many cores a piece holds."""
        return self.amount is not None

    def __len__(self) -> int:
        return self.n_pieces

    def completion_time(self, n_jobs: int) -> FloatArray:
        """(n_jobs,) Return when the last piece of each job ends; -inf for jobs without one.

        Raises
        ------
        InvalidInstanceError
            For a piece of a job outside 0 to n_jobs - 1.
        """
        outside = (self.job < 0) | (self.job >= n_jobs)
        if outside.any():
            piece = int(np.argmax(outside))
            raise InvalidInstanceError(
                f"job[{piece}] = {self.job[piece]} must be at least 0 and below {n_jobs}"
            )
        completion = np.full(n_jobs, -np.inf)
        np.maximum.at(completion, self.job, self.end_time)
        return completion

    def __repr__(self) -> str:
        if self.n_pieces == 0:
            return "PreemptiveSchedule(0 pieces)"
        return (
            f"PreemptiveSchedule({self.n_pieces} pieces, {self.start_time.min():g}..{self.end_time.max():g})"
        )

    def _columns(self) -> Columns:
        columns: dict[str, IntArray | FloatArray] = {name: getattr(self, name) for name in _KEYS}
        return columns if self.amount is None else {**columns, "amount": self.amount}

    @classmethod
    def _from_columns(cls, columns: Columns, metadata: Metadata | None) -> Self:
        if set(columns) not in (set(_KEYS), {*_KEYS, "amount"}):
            raise InvalidInstanceError(
                f"a table of pieces has the columns {list(_KEYS)} and may have amount, not {list(columns)}"
            )
        return cls(**columns)


def cores_of_pieces(schedule: PreemptiveSchedule) -> IntArray:
    """(n_pieces,) Return the amounts of a schedule in slots, which are cores.

    Raises
    ------
    TypeError
        For a schedule without amounts, and one of another kind.
    """
    if not isinstance(schedule, PreemptiveSchedule):
        raise TypeError(f"a schedule in slots is a PreemptiveSchedule, not {type(schedule).__name__}")
    if schedule.amount is None:
        raise TypeError(
            "a PreemptiveSchedule without amounts and jobs in slots do not belong together: "
            "amount says how many cores each piece holds"
        )
    return schedule.amount
