"""Every run of every job, also those that were killed or cancelled: when, where, and how each ended."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from schedcore.errors import InvalidInstanceError

from .allocation import RunAllocation
from .arrays import FloatArray, IntArray
from .arrow import Columnar, Columns, Metadata
from .choices import check_choice
from .coded_texts import CodedTexts
from .columns import ascends, check_entries, float_column, integer_column
from .schedule import Schedule

__all__ = ["JOB_OUTCOMES", "RUN_OUTCOMES", "Runs", "check_runs", "checked_outcome", "outcome_of", "runs_of"]

#: How a run ends, and what becomes of a job.
RUN_OUTCOMES = ("completed", "killed", "cancelled")
JOB_OUTCOMES = (*RUN_OUTCOMES, "never", "waiting")

_NUMBERS = ("job", "attempt", "start_time", "end_time")
_COLUMNS = (*_NUMBERS, "outcome", "machine", "n_tasks")


class Runs(Columnar):
    """The runs of jobs, columnar and immutable, by start time, then by job and attempt.

    Parameters
    ----------
    job : (n_runs,) array_like of int
        Row of the job, at least 0.
    attempt : (n_runs,) array_like of int
        How many runs of the job came before, at least 0.
    start_time, end_time : (n_runs,) array_like
        Any floats: whether the runs are feasible is another question.
    outcome : str or (n_runs,) array_like of str
        "completed", "killed" or "cancelled".
    allocation : RunAllocation
        Where the tasks of each run were; it names runs by the rows in which they are given here.

    Raises
    ------
    InvalidInstanceError
        If columns differ in length, a job or an attempt is negative, an outcome is unknown, or the allocation names a
        run that there is not.
    TypeError
        For columns and objects of another type.

    Notes
    -----
    Runs that are not in order are put in order, and the allocation with them; O(n_runs * log n_runs). As a table, a row
    a run, the machines of a run and its numbers of tasks are lists.
    """

    __slots__ = ("_outcome", "allocation", "attempt", "end_time", "job", "start_time")
    _fields: ClassVar[tuple[str, ...]] = (*_NUMBERS, "_outcome", "allocation")

    job: IntArray
    attempt: IntArray
    start_time: FloatArray
    end_time: FloatArray
    allocation: RunAllocation
    _outcome: CodedTexts

    def __init__(
        self,
        job: ArrayLike,
        attempt: ArrayLike,
        start_time: ArrayLike,
        end_time: ArrayLike,
        outcome: Any,
        allocation: RunAllocation,
    ) -> None:
        jobs = integer_column(job, "job", row="run")
        n_runs = len(jobs)
        attempts = integer_column(attempt, "attempt", n_runs, row="run")
        check_entries("job", jobs, jobs >= 0, "at least 0", row="run")
        check_entries("attempt", attempts, attempts >= 0, "at least 0", row="run")
        starts = float_column(start_time, "start_time", n_runs, row="run")
        ends = float_column(end_time, "end_time", n_runs, row="run")
        ended = checked_outcome(outcome, n_runs, RUN_OUTCOMES, row="run")
        if not isinstance(allocation, RunAllocation):
            raise TypeError(f"allocation must be a RunAllocation, not {type(allocation).__name__}")
        allocation.check_owners(n_runs)
        columns: dict[str, Any] = {"job": jobs, "attempt": attempts, "start_time": starts, "end_time": ends}
        if not ascends(starts, jobs, attempts):
            order = np.lexsort((attempts, jobs, starts))
            columns = {name: column[order] for name, column in columns.items()}
            ended = ended.take(order)
            rank = np.empty(n_runs, dtype=np.int64)
            rank[order] = np.arange(n_runs)
            allocation = RunAllocation(rank[allocation.run], allocation.machine, allocation.n_tasks)
        self._assign(**columns, _outcome=ended, allocation=allocation)

    @property
    def n_runs(self) -> int:
        """Number of runs."""
        return len(self.job)

    @property
    def outcome(self) -> NDArray[Any]:
        """(n_runs,) How each run ended, as a read-only array of str."""
        return self._outcome.texts()

    @property
    def coded_outcome(self) -> CodedTexts:
        """The same as codes and names; O(1)."""
        return self._outcome

    def __len__(self) -> int:
        return self.n_runs

    def __repr__(self) -> str:
        counts = np.bincount(self._outcome.codes, minlength=len(self._outcome.names)).tolist()
        ended = ", ".join(f"{n} {name}" for name, n in zip(self._outcome.names, counts, strict=True))
        return f"Runs({self.n_runs} runs{': ' if ended else ''}{ended})"

    def _columns(self) -> Columns:
        machine, n_tasks = self.allocation.cells(self.n_runs)
        numbers = {name: getattr(self, name) for name in _NUMBERS}
        return {**numbers, "outcome": self.outcome, "machine": machine, "n_tasks": n_tasks}

    @classmethod
    def _from_columns(cls, columns: Columns, metadata: Metadata | None) -> Self:
        if set(columns) != set(_COLUMNS):
            raise InvalidInstanceError(
                f"a table of runs has the columns {list(_COLUMNS)}, not {list(columns)}"
            )
        allocation = RunAllocation._of_cells(columns, "machine", "n_tasks", len(columns["job"]))
        return cls(**{name: columns[name] for name in (*_NUMBERS, "outcome")}, allocation=allocation)


def checked_outcome(values: Any, n_rows: int, known: tuple[str, ...], *, row: str) -> CodedTexts:
    """Return outcomes, each of which is known; one is repeated.

    Raises
    ------
    InvalidInstanceError
        For an unknown one (with the close matches), and for a row without one.
    TypeError
        For what is no text.
    """
    outcomes = CodedTexts.of(values, "outcome", n_rows, row=row)
    for code, name in enumerate(outcomes.names):
        check_choice(f"outcome of {row} {outcomes.first_with(code)}", name, known)
    if (outcomes.codes < 0).any():
        raise InvalidInstanceError(f"{row} {outcomes.first_with(-1)} has no outcome")
    return outcomes


def check_runs(runs: object, n_jobs: int) -> None:
    """Raise an error for what are no runs, and for runs of a job that there is not."""
    if not isinstance(runs, Runs):
        raise TypeError(f"runs must be Runs, not {type(runs).__name__}")
    check_entries("job", runs.job, runs.job < n_jobs, f"at least 0 and below {n_jobs}", row="run")


def runs_of(schedule: Schedule, processing_time: FloatArray) -> Runs:
    """Return one completed run, as long as the job takes, for each job with a finite start; O(n_jobs * log n_jobs).

    A schedule of another number of jobs is an `InvalidInstanceError`.
    """
    if len(processing_time) != schedule.n_jobs:
        raise InvalidInstanceError(
            f"the schedule has {schedule.n_jobs} jobs, the instance {len(processing_time)}"
        )
    started = np.flatnonzero(np.isfinite(schedule.start_time))
    order = started[np.argsort(schedule.start_time[started], kind="stable")]
    rank = np.full(schedule.n_jobs, -1, dtype=np.int64)
    rank[order] = np.arange(len(order))
    placed = schedule.allocation
    run = rank[placed.job]
    ran = run >= 0
    starts = schedule.start_time[order]
    return Runs(
        order,
        np.zeros(len(order), dtype=np.int64),
        starts,
        starts + processing_time[order],
        "completed",
        RunAllocation(run[ran], placed.machine[ran], placed.n_tasks[ran]),
    )


def outcome_of(schedule: Schedule) -> CodedTexts:
    """Return "completed" for each job with a finite start, "waiting" for others."""
    return CodedTexts(np.where(np.isfinite(schedule.start_time), 0, 1), ("completed", "waiting"))
