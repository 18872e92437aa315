"""The tasks of Google's trace of 2011 that ran once, from beginning to end, and what became of the others.

A replay of task_events as whole columns: a row a task, by job and index. `TaskReplay` is the part of it that other
questions about tasks share: which events are a task's, and which one was the last of its kind.
"""

import dataclasses
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schedcore.model.arrays import BoolArray, FloatArray, IntArray
from schedcore.workloads.google.part_file import OnBadRow
from schedcore.workloads.google.schema import TaskEvent
from schedcore.workloads.google.tables import read_google_table
from schedcore.workloads.reading.report import TableReport
from schedcore.workloads.reading.row_ledger import RowLedger
from schedcore.workloads.reading.source_file import FilePath

__all__ = ["GoogleTasks", "TaskReplay", "google_tasks", "integer_column"]

_COLUMNS = ("time", "job_id", "task_index", "machine_id", "event_type", "priority", "memory_request")
_INTERRUPTIONS = (TaskEvent.EVICT, TaskEvent.FAIL, TaskEvent.KILL, TaskEvent.LOST)
_LIFE = (TaskEvent.SUBMIT, TaskEvent.SCHEDULE, TaskEvent.FINISH)
_SIGNS_OF_A_RUN = (
    TaskEvent.SCHEDULE,
    TaskEvent.EVICT,
    TaskEvent.FAIL,
    TaskEvent.FINISH,
    TaskEvent.UPDATE_RUNNING,
)


@dataclasses.dataclass(frozen=True, eq=False)
class GoogleTasks:
    """Every task of the trace; the times, machine and memory are those of a clean run and mean nothing elsewhere.

    Parameters
    ----------
    job_id, task_index : (n_tasks,) int64
        Together the name of a task; ascending.
    submit_time, start_time, finish_time : (n_tasks,) int64
        Microseconds since 600 s before the trace.
    machine_id : (n_tasks,) int64
        Where it ran.
    priority : (n_tasks,) int64
        0 to 11.
    memory : (n_tasks,) float64
        Share of the largest machine; NaN where no submission tells.
    never_ran : (n_tasks,) bool
        As `TaskReplay.never_ran` says; a time of 0 does not, which is an event before the trace or none at all.
    ledger : RowLedger
        Keeps the clean tasks, and counts the others by reason; a place is the identifier of a job.
    """

    job_id: IntArray
    task_index: IntArray
    submit_time: IntArray
    start_time: IntArray
    finish_time: IntArray
    machine_id: IntArray
    priority: IntArray
    memory: FloatArray
    never_ran: BoolArray
    ledger: RowLedger


def google_tasks(
    path: FilePath, parts: Iterable[int] | None = None, *, on_bad_row: OnBadRow = "error"
) -> tuple[GoogleTasks, TableReport]:
    """Replay task_events.

    Parameters
    ----------
    path, parts, on_bad_row
        As for `read_google_table`, which says as well what is raised.

    Notes
    -----
    O(n log n) in the number of events.
    """
    rows, report = read_google_table(path, "task_events", parts, columns=_COLUMNS, on_bad_row=on_bad_row)
    events = {name: integer_column(rows[name]) for name in _COLUMNS if name != "memory_request"}
    replay = TaskReplay(events["job_id"], events["task_index"], events["event_type"])
    counts = {event: replay.counts(event) for event in (*_INTERRUPTIONS, *_LIFE)}

    def of_events(event: TaskEvent, column: NDArray[Any], otherwise: float = 0) -> NDArray[Any]:
        """The value in the last event of that kind of each task; another one where there is none."""
        row = replay.last_row(event)
        values: NDArray[Any] = np.where(row >= 0, column[row], otherwise)
        return values

    submit, start, finish = (of_events(event, events["time"]) for event in _LIFE)
    memory = of_events(TaskEvent.SUBMIT, rows["memory_request"].to_numpy(), np.nan)
    ledger = RowLedger(replay.n_tasks, lambda tasks: replay.job_id[tasks])
    ledger.drop(
        "interrupted",
        "evicted, failed, killed or lost",
        np.logical_or.reduce([counts[event] > 0 for event in _INTERRUPTIONS]),
    )
    ledger.drop("unfinished", "no end within the parts", counts[TaskEvent.FINISH] == 0)
    ledger.drop(
        "repeated",
        "not submitted, scheduled and finished once each",
        np.logical_or.reduce([counts[event] != 1 for event in _LIFE]),
    )
    ledger.drop("before_trace", "submitted or scheduled before the trace", (submit == 0) | (start == 0))
    ledger.drop(
        "disordered",
        "submission, start and end do not come in this order",
        (submit > start) | (start >= finish),
    )
    ledger.drop("no_memory", "asks for no memory", ~(memory > 0))
    tasks = GoogleTasks(
        job_id=replay.job_id,
        task_index=replay.task_index,
        submit_time=submit,
        start_time=start,
        finish_time=finish,
        machine_id=of_events(TaskEvent.SCHEDULE, events["machine_id"]),
        priority=events["priority"][replay.first_row],
        memory=memory,
        never_ran=replay.never_ran(),
        ledger=ledger,
    )
    return tasks, report


class TaskReplay:
    """The events of task_events, told apart by their tasks.

    Parameters
    ----------
    job_id, task_index, event_type : (n_events,) int64
        As they stand in the files, that is, in the order of time.

    Attributes
    ----------
    job_id, task_index : (n_tasks,) int64
        Together the name of a task; ascending.
    task : (n_events,) int64
        Whose event each one is.
    first_row : (n_tasks,) int64
        The first event of each task.

    Notes
    -----
    O(n log n) in the number of events; every question O(n).
    """

    def __init__(self, job_id: IntArray, task_index: IntArray, event_type: IntArray) -> None:
        order = np.lexsort((task_index, job_id))  # stable: the events of a task as they stand in the files
        is_first = np.ones(len(order), dtype=np.bool_)
        is_first[1:] = (np.diff(job_id[order]) != 0) | (np.diff(task_index[order]) != 0)
        self.first_row: IntArray = order[is_first]
        self.job_id: IntArray = job_id[self.first_row]
        self.task_index: IntArray = task_index[self.first_row]
        self.task: IntArray = np.empty(len(order), dtype=np.int64)
        self.task[order] = np.cumsum(is_first) - 1
        self._event_type = event_type

    @property
    def n_tasks(self) -> int:
        """Number of tasks."""
        return len(self.job_id)

    def counts(self, event: TaskEvent) -> IntArray:
        """Return how many events of a kind each task has."""
        return np.bincount(self.task[self._event_type == event], minlength=self.n_tasks)

    def never_ran(self) -> BoolArray:
        """Return which tasks never ran: submitted within the parts, and nothing that takes a machine happened to them.

        Of the others without a SCHEDULE some may have, before the parts.
        """
        has_run = np.logical_or.reduce([self.counts(event) > 0 for event in _SIGNS_OF_A_RUN])
        never: BoolArray = (self.counts(TaskEvent.SUBMIT) > 0) & ~has_run
        return never

    def last_row(self, event: TaskEvent, before: IntArray | None = None) -> IntArray:
        """Return the last event of a kind of each task, -1 for none; only those that stand before a given row each."""
        rows = np.flatnonzero(self._event_type == event)
        if before is not None:
            rows = rows[rows < before[self.task[rows]]]
        last = np.full(self.n_tasks, -1, dtype=np.int64)
        last[self.task[rows]] = rows
        return last


def integer_column(column: Any) -> IntArray:
    """Return a column of integers, -1 where null."""
    values: IntArray = column.fill_null(-1).to_numpy()
    return values
