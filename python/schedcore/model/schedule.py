"""A non-preemptive schedule: when each job starts, and where."""

from typing import ClassVar, Self

from numpy.typing import ArrayLike

from schedcore.errors import InvalidInstanceError

from .arrays import FloatArray, IntArray
from .arrow import Columnar, Columns, Metadata
from .columns import float_column, integer_column

__all__ = ["Schedule"]


class Schedule(Columnar):
    """Start times and machines, row j for job j of the instance; immutable.

    Any float may stand for a start and any integer for a machine: whether the schedule is feasible is the
    question that `schedcore.validate` answers.

    Parameters
    ----------
    start_time : (n_jobs,) array_like
        Start times; integers above 2**53, which float64 would round, are refused.
    machine : (n_jobs,) array_like of int
        Machine indices.

    Raises
    ------
    InvalidInstanceError
        If the columns differ in length or an entry cannot be stored exactly.
    """

    __slots__ = ("machine", "start_time")
    _fields: ClassVar[tuple[str, ...]] = ("start_time", "machine")

    start_time: FloatArray
    machine: IntArray

    def __init__(self, start_time: ArrayLike, machine: ArrayLike) -> None:
        starts = float_column(start_time, "start_time")
        self._assign(start_time=starts, machine=integer_column(machine, "machine", len(starts)))

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

    def _columns(self) -> Columns:
        return {"start_time": self.start_time, "machine": self.machine}

    @classmethod
    def _from_columns(cls, columns: Columns, metadata: Metadata | None) -> Self:
        if set(columns) != {"start_time", "machine"}:
            raise InvalidInstanceError(
                f"a table of a schedule has start_time and machine, not {list(columns)}"
            )
        return cls(columns["start_time"], columns["machine"])
