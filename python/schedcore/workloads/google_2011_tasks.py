"""The tasks of Google's trace of 2011 that ran once, from beginning to end, and what became of the others.

A replay of task_events as whole columns: a row a task, by job and index.
"""

import dataclasses
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schedcore.model.arrays import IntArray

from .google_2011 import read_google_table
from .google_2011_part import OnBadRow
from .google_2011_schema import TaskEvent
from .report import RowLedger, TableReport
from .source_file import FilePath

__all__ = ["GoogleTasks", "google_tasks"]

_COLUMNS = ("time", "job_id", "task_index", "machine_id", "event_type", "priority", "memory_request")
_INTERRUPTIONS = (TaskEvent.EVICT, TaskEvent.FAIL, TaskEvent.KILL, TaskEvent.LOST)
_LIFE = (TaskEvent.SUBMIT, TaskEvent.SCHEDULE, TaskEvent.FINISH)


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
        Share of the largest machine.
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
    memory: NDArray[np.float64]
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
    events = {name: _integers(rows[name]) for name in _COLUMNS if name != "memory_request"}
    job, index, kind = events["job_id"], events["task_index"], events["event_type"]
    order = np.lexsort((index, job))  # stable: the events of a task as they stand in the files
    is_first = np.ones(len(order), dtype=np.bool_)
    is_first[1:] = (np.diff(job[order]) != 0) | (np.diff(index[order]) != 0)
    first = order[is_first]
    task = np.empty(len(order), dtype=np.int64)
    task[order] = np.cumsum(is_first) - 1
    counts = {
        event: np.bincount(task[kind == event], minlength=len(first)) for event in (*_INTERRUPTIONS, *_LIFE)
    }

    def of_events(event: TaskEvent, column: NDArray[Any]) -> NDArray[Any]:
        """The value in the last event of that kind of each task."""
        values = np.zeros(len(first), dtype=column.dtype)
        there = kind == event
        values[task[there]] = column[there]
        return values

    submit, start, finish = (of_events(event, events["time"]) for event in _LIFE)
    memory = of_events(TaskEvent.SUBMIT, rows["memory_request"].to_numpy())
    ledger = RowLedger(len(first), lambda tasks: job[first][tasks])
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
        job_id=job[first],
        task_index=index[first],
        submit_time=submit,
        start_time=start,
        finish_time=finish,
        machine_id=of_events(TaskEvent.SCHEDULE, events["machine_id"]),
        priority=events["priority"][first],
        memory=memory,
        ledger=ledger,
    )
    return tasks, report


def _integers(column: Any) -> IntArray:
    """A column of integers, -1 where null."""
    values: IntArray = column.fill_null(-1).to_numpy()
    return values
