"""Which jobs of Google's trace of 2011 came and finished within a window of time, and the tasks that did their work.

The part that the preparations for preemptive scheduling share: `google_slotted_jobs` makes a job of one of the tasks
found here, `google_mapreduce_jobs` makes a map phase of all of them. Both count time in slots, and amounts in cores and
GB of the largest machine (`schedcore.workloads.google.slots`).
"""

import dataclasses
from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np

from schedcore.model import Instance, MapReduceInstance
from schedcore.model.arrays import BoolArray, FloatArray, IntArray
from schedcore.model.integers import checked_integer, checked_limit
from schedcore.workloads.google.lost_runs import LostRuns, lost_runs
from schedcore.workloads.google.part_file import OnBadRow
from schedcore.workloads.google.schema import TaskEvent
from schedcore.workloads.google.slots import SECOND, slots_between
from schedcore.workloads.google.tables import read_google_table, skipped_events
from schedcore.workloads.google.tasks import TaskReplay, integer_column
from schedcore.workloads.models.slotted_machines import load_of_machines
from schedcore.workloads.reading.report import DataReport, TableReport, make_report
from schedcore.workloads.reading.row_ledger import RowLedger
from schedcore.workloads.reading.source_file import FilePath

__all__ = ["FinishedTasks", "GoogleJobs", "google_jobs"]

_LATEST = 2**40  # seconds; microseconds stay below 2**63
_LONGEST_SLOT = 86_400  # seconds
_AFTER_TRACE = 2**63 - 1
_JOB_COLUMNS = ("time", "job_id", "event_type")
_TASK_COLUMNS = ("time", "job_id", "task_index", "event_type", "cpu_request", "memory_request")
_ENDED_OTHERWISE = (TaskEvent.EVICT, TaskEvent.FAIL, TaskEvent.KILL, TaskEvent.LOST)


@dataclasses.dataclass(frozen=True, eq=False)
class FinishedTasks:
    """The finished tasks of the kept jobs: a row a task, jobs in the order of `GoogleJobs.kept`, tasks by index.

    Parameters
    ----------
    start : (n_kept + 1,) int64
        First task of each job; every job has one.
    task_index : (n_tasks,) int64
    schedule_time, finish_time : (n_tasks,) int64
        Microseconds; the last FINISH, and the last SCHEDULE before it.
    cpu, memory : (n_tasks,) float64
        Requests that stand in the last FINISH, fractions of the largest machine; may be 0.
    """

    start: IntArray
    task_index: IntArray
    schedule_time: IntArray
    finish_time: IntArray
    cpu: FloatArray
    memory: FloatArray


@dataclasses.dataclass(frozen=True, eq=False)
class GoogleJobs:
    """The jobs of a window.

    Parameters
    ----------
    job_id, submit_time : (n_kept,) int64
        By submission, ties by identifier; microseconds.
    tasks : FinishedTasks
    window_start, window_end : int
        Microseconds; the window is cut where the last of the events read happened.
    slot : int
        Seconds of a slot.
    ledger : RowLedger
        Counts all jobs of job_events by what became of them; a place is the identifier of a job.
    row : (n_kept,) int64
        The row of each job in the ledger.
    lost : LostRuns
        What the jobs that are not kept did within the window.
    job_table, task_table : TableReport
    """

    job_id: IntArray
    submit_time: IntArray
    tasks: FinishedTasks
    window_start: int
    window_end: int
    slot: int
    ledger: RowLedger
    row: IntArray
    lost: LostRuns
    job_table: TableReport
    task_table: TableReport

    @property
    def n_jobs(self) -> int:
        """Number of jobs kept."""
        return len(self.job_id)

    @property
    def n_slots(self) -> int:
        """Number of slots of the window; the last one may be cut."""
        return -((self.window_start - self.window_end) // (self.slot * SECOND))

    @property
    def release_time(self) -> IntArray:
        """(n_kept,) Whole slots from the start of the window to each submission."""
        return (self.submit_time - self.window_start) // (self.slot * SECOND)

    @property
    def task_time(self) -> IntArray:
        """(n_tasks,) Slots that each finished task took, rounded up, at least 1."""
        return slots_between(self.tasks.schedule_time, self.tasks.finish_time, self.slot)

    def report(
        self,
        instance: Instance | MapReduceInstance,
        own: list[IntArray],
        *,
        mean: bool,
        assumptions: tuple[str, ...],
    ) -> DataReport:
        """Return the report of the instance that the kept jobs became.

        Their work is `own`, a column a resource; the other jobs count with all their tasks, or with the `mean`.
        """
        work = self.lost.work(len(self.ledger.kept), self.slot, mean=mean)[:, : len(own)]
        work[self.row] = np.column_stack(own)
        return make_report(
            self.job_table.source,
            instance,
            ledger=self.ledger,
            work=work,
            line_word="job",
            units={"time": f"{self.slot} s", "cores": "1/64 machine", "memory": "1/64 machine"},
            assumptions=(
                *self._assumptions(),
                *assumptions,
                load_of_machines(instance.machines, sum(own[0].tolist()), self.n_slots),
            ),
        )

    def _assumptions(self) -> tuple[str, ...]:
        """What a report should say of the window and of events that were skipped."""
        tables = (self.job_table, self.task_table)
        dropped = sum((table.dropped for table in tables), Counter[str]())
        n_events = sum(table.rows_read for table in tables)
        start, end = self.window_start // SECOND, self.window_end / SECOND
        return (
            f"rows are jobs, of {n_events:,} events in {sum(table.n_files for table in tables)} files",
            f"the window is [{start} s, {end:.3f} s): {self.n_slots:,} slots of {self.slot} s",
            *skipped_events(dropped),
        )


def google_jobs(
    path: FilePath,
    parts: Iterable[int] | None = None,
    *,
    t0: int = 600,
    window: int = 36_000,
    slot: int = 10,
    n_jobs: int | None = None,
    on_bad_row: OnBadRow = "error",
) -> GoogleJobs:
    """Read job_events and task_events and keep the jobs that were submitted and finished within a window.

    Parameters
    ----------
    path, parts, on_bad_row
        As for `read_google_table`, which says as well what is raised; `path` is the folder of the trace, and the parts
        are taken of both tables.
    t0, window : int
        The window is [t0, t0 + window), in seconds since 600 s before the trace.
    slot : int
        Seconds, up to a day.
    n_jobs : int, optional
        Keep only the first so many, by submission.

    Raises
    ------
    InvalidInstanceError
        As `read_google_table` does, for arguments out of range, and if no job is left.

    Notes
    -----
    O(n log n) in the number of events; reading them takes most of the time.
    """
    start = checked_integer("t0", t0, 0, _LATEST) * SECOND
    end = start + checked_integer("window", window, 1, _LATEST) * SECOND
    checked_integer("slot", slot, 1, _LONGEST_SLOT)
    limit = checked_limit("n_jobs", n_jobs)
    parts = None if parts is None else list(parts)
    rows, job_table = read_google_table(
        path, "job_events", parts, columns=_JOB_COLUMNS, on_bad_row=on_bad_row
    )
    time, job, kind = (integer_column(rows[name]) for name in _JOB_COLUMNS)
    rows, task_table = read_google_table(
        path, "task_events", parts, columns=_TASK_COLUMNS, on_bad_row=on_bad_row
    )
    times = np.concatenate([time, integer_column(rows["time"])])
    end = min(end, int(times.max(initial=0, where=times < _AFTER_TRACE)) + 1)

    # Jobs have the events of tasks: each one is the only task of its own.
    replay = TaskReplay(job, np.zeros_like(job), kind)
    submit_time, ledger = _within(replay, time, start, end)
    ledger.refuse_empty(job_table.source)
    order = np.flatnonzero(ledger.kept)
    order = order[np.argsort(submit_time[order], kind="stable")]
    tasks, has_task = _finished_tasks(rows, replay.job_id[order], end)
    meaning = "none of its tasks finished with a known start and known requests"
    _drop_some(ledger, "no_finished_task", meaning, order[~has_task])
    order = order[has_task]
    if limit:
        _drop_some(ledger, "beyond_n_jobs", f"not among the first {limit:,} jobs", order[limit:], lost=False)
        order, tasks = order[:limit], _of_first_jobs(tasks, limit)
    ledger.refuse_empty(job_table.source)
    return GoogleJobs(
        job_id=replay.job_id[order],
        submit_time=submit_time[order],
        tasks=tasks,
        window_start=start,
        window_end=end,
        slot=slot,
        ledger=ledger,
        row=order,
        lost=lost_runs(rows, replay.job_id, ~ledger.kept, start, end),
        job_table=job_table,
        task_table=task_table,
    )


def _within(replay: TaskReplay, time: IntArray, start: int, end: int) -> tuple[IntArray, RowLedger]:
    """Return when each job was submitted, and the ledger of jobs."""
    submit = replay.last_row(TaskEvent.SUBMIT)
    finish = replay.last_row(TaskEvent.FINISH)
    submit_time, finish_time = time[submit], time[finish]
    has_ended = np.logical_or.reduce([replay.counts(event) > 0 for event in _ENDED_OTHERWISE])
    ledger = RowLedger(replay.n_tasks, lambda jobs: replay.job_id[jobs])
    ledger.drop("not_submitted", "no submission within the parts", submit < 0)
    ledger.drop("before_window", "submitted before the window", submit_time < start)
    ledger.drop("after_window", "submitted after the window", submit_time >= end, lost=False)
    ledger.drop("ended_otherwise", "failed, killed, evicted or lost", (finish < 0) & has_ended)
    ledger.drop("unfinished", "no end within the window", (finish < 0) | (finish_time >= end))
    ledger.drop("disordered", "finished before its submission", finish < submit)
    return submit_time, ledger


def _finished_tasks(rows: Any, job_id: IntArray, end: int) -> tuple[FinishedTasks, BoolArray]:
    """Return the finished tasks of some jobs, in their order, and which of the jobs have any."""
    wanted = np.isin(integer_column(rows["job_id"]), job_id) & (integer_column(rows["time"]) < end)
    time, job, index, kind = (integer_column(rows[name])[wanted] for name in _TASK_COLUMNS[:4])
    cpu, memory = (rows[name].to_numpy()[wanted] for name in _TASK_COLUMNS[4:])
    replay = TaskReplay(job, index, kind)
    finish = replay.last_row(TaskEvent.FINISH)
    schedule = replay.last_row(TaskEvent.SCHEDULE, before=finish)
    is_known = ~(np.isnan(cpu) | np.isnan(memory))
    done = np.flatnonzero((schedule >= 0) & np.append(is_known, False)[finish])
    by_id = np.argsort(job_id)
    number = by_id[np.searchsorted(job_id, replay.job_id[done], sorter=by_id)]
    done = done[np.argsort(number, kind="stable")]  # tasks of a job by index, as the replay has them
    finish, schedule = finish[done], schedule[done]
    counts = np.bincount(number, minlength=len(job_id))
    has_task = counts > 0
    tasks = FinishedTasks(
        start=np.concatenate([[0], np.cumsum(counts[has_task])]),
        task_index=replay.task_index[done],
        schedule_time=time[schedule],
        finish_time=time[finish],
        cpu=cpu[finish],
        memory=memory[finish],
    )
    return tasks, has_task


def _of_first_jobs(tasks: FinishedTasks, n_jobs: int) -> FinishedTasks:
    start = tasks.start[: n_jobs + 1]
    columns = {field.name: getattr(tasks, field.name)[: start[-1]] for field in dataclasses.fields(tasks)}
    return FinishedTasks(**{**columns, "start": start})


def _drop_some(ledger: RowLedger, reason: str, meaning: str, jobs: IntArray, *, lost: bool = True) -> None:
    mask = np.zeros(len(ledger.kept), dtype=np.bool_)
    mask[jobs] = True
    ledger.drop(reason, meaning, mask, lost=lost)
