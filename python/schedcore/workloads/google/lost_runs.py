"""What tasks of Google's trace of 2011 did within a window of time, although their jobs are left out.

A reader makes a job of the last runs of its tasks. So does the account of what it leaves out: every task counts with
its last run, as far as that lies within the window, and with the requests that stand where it was scheduled.
"""

import dataclasses
from typing import Any

import numpy as np

from schedcore.model.arrays import BoolArray, FloatArray, IntArray
from schedcore.workloads.google.schema import TaskEvent
from schedcore.workloads.google.slots import largest_machine_units, slots_between
from schedcore.workloads.google.tasks import TaskReplay, integer_column
from schedcore.workloads.reading.row_ledger import WorkColumns

__all__ = ["LostRuns", "lost_runs"]

_ENDS = (TaskEvent.EVICT, TaskEvent.FAIL, TaskEvent.FINISH, TaskEvent.KILL, TaskEvent.LOST)


@dataclasses.dataclass(frozen=True, eq=False)
class LostRuns:
    """The tasks of some jobs: a row a task.

    Parameters
    ----------
    job : (n_tasks,) int64
        Row of the job among all jobs.
    never_ran : (n_tasks,) bool
        As `TaskReplay.never_ran` says.
    is_known : (n_tasks,) bool
        Whether there is a run of which begin and requests are known; the rest means nothing elsewhere.
    start_time, end_time : (n_tasks,) int64
        Of the last run, cut to the window; microseconds.
    cpu, memory : (n_tasks,) float64
        Fractions of the largest machine.
    """

    job: IntArray
    never_ran: BoolArray
    is_known: BoolArray
    start_time: IntArray
    end_time: IntArray
    cpu: FloatArray
    memory: FloatArray

    def work(self, n_jobs: int, slot: int, *, mean: bool) -> WorkColumns:
        """Return (n_jobs, 2) core-slots and GB-slots of jobs: of all their tasks, or the mean.

        Slots have `slot` seconds. NaN where nothing is known of any run of the job, and some task ran or may have.
        """
        known = self.is_known
        slots = slots_between(self.start_time[known], self.end_time[known], slot)
        slots[self.start_time[known] == self.end_time[known]] = 0  # outside the window
        n_known = np.bincount(self.job[known], minlength=n_jobs)
        n_waited = np.bincount(self.job[self.never_ran], minlength=n_jobs)
        n_tasks = np.bincount(self.job, minlength=n_jobs)
        work: WorkColumns = np.stack(
            [
                np.bincount(self.job[known], slots * largest_machine_units(amount[known]), n_jobs)
                for amount in (self.cpu, self.memory)
            ],
            axis=1,
            dtype=np.float64,
        )
        if mean:
            work /= np.maximum(n_known, 1)[:, np.newaxis]
        work[(n_known == 0) & ((n_waited < n_tasks) | (n_tasks == 0))] = np.nan
        return work


def lost_runs(rows: Any, job_id: IntArray, is_lost: BoolArray, start: int, end: int) -> LostRuns:
    """Return what the lost ones of some jobs, by ascending identifier, did in [start, end).

    `rows` is a table of task_events with times, requests and what tells tasks apart. O(n log n) time for n events.
    """
    time, job = integer_column(rows["time"]), integer_column(rows["job_id"])
    number = np.minimum(np.searchsorted(job_id, job), len(job_id) - 1)
    wanted = np.flatnonzero((job_id[number] == job) & is_lost[number] & (time < end))
    time, kind = time[wanted], integer_column(rows["event_type"])[wanted]
    replay = TaskReplay(job[wanted], integer_column(rows["task_index"])[wanted], kind)
    schedule = replay.last_row(TaskEvent.SCHEDULE)
    ends = np.flatnonzero(np.isin(kind, _ENDS))[::-1]
    ends = ends[ends > schedule[replay.task[ends]]]
    first_end = np.full(replay.n_tasks, -1, dtype=np.int64)
    first_end[replay.task[ends]] = ends  # of several the last one written, which is the first
    times = np.append(time, end)  # a run without an end lasts beyond the window
    cpu, memory = (rows[name].to_numpy()[wanted] for name in ("cpu_request", "memory_request"))
    cpu, memory = (np.append(amount, np.nan)[schedule] for amount in (cpu, memory))
    return LostRuns(
        job=number[wanted][replay.first_row],
        never_ran=replay.never_ran(),
        is_known=(schedule >= 0) & ~np.isnan(cpu) & ~np.isnan(memory),
        start_time=np.maximum(times[schedule], start),
        end_time=np.maximum(times[first_end], start),
        cpu=cpu,
        memory=memory,
    )
