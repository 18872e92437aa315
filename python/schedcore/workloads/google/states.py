"""What the events of Google's trace of 2011 add up to: what tasks asked for, which machines there were.

Both replay a table of events as whole columns.
"""

import dataclasses
from collections.abc import Iterable
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from schedcore.errors import InvalidInstanceError
from schedcore.model.arrays import BoolArray, FloatArray, IntArray
from schedcore.model.extras import import_extra
from schedcore.workloads.google.part_file import OnBadRow
from schedcore.workloads.google.schema import MachineEvent, TaskEvent
from schedcore.workloads.google.tables import read_google_table
from schedcore.workloads.reading.annotated_arguments import checks_choices
from schedcore.workloads.reading.report import TableReport
from schedcore.workloads.reading.source_file import FilePath

__all__ = ["GoogleMachines", "GoogleTaskRequests", "google_machines", "google_task_requests"]


@dataclasses.dataclass(frozen=True, eq=False)
class GoogleTaskRequests:
    """What each task asked for; a row a task, by job and index.

    Parameters
    ----------
    job_id, task_index : (n_tasks,) int64
        Together the name of a task.
    submit_time : (n_tasks,) int64
        Microseconds, of the submission that the rest comes from.
    scheduling_class : (n_tasks,) int64
        0 to 3, latency-sensitive ones higher; -1 where missing.
    priority : (n_tasks,) int64
        0 to 11.
    cpu, memory : (n_tasks,) float64
        Fractions of the largest machine; may be 0.
    n_without_request : int
        Tasks of which no submission says what they ask for, and which are left out.
    """

    job_id: IntArray
    task_index: IntArray
    submit_time: IntArray
    scheduling_class: IntArray
    priority: IntArray
    cpu: FloatArray
    memory: FloatArray
    n_without_request: int

    @property
    def n_tasks(self) -> int:
        """Number of tasks."""
        return len(self.job_id)


@dataclasses.dataclass(frozen=True, eq=False)
class GoogleMachines:
    """The machines of the cell at one time, by identifier.

    Parameters
    ----------
    machine_id : (n_machines,) int64
    platform : (n_machines,) str
        Hash of the kind of machine; empty where missing.
    cpu, memory : (n_machines,) float64
        Capacities as fractions of the largest machine; NaN where none was ever recorded.
    """

    machine_id: IntArray
    platform: NDArray[np.str_]
    cpu: FloatArray
    memory: FloatArray

    @property
    def n_machines(self) -> int:
        """Number of machines."""
        return len(self.machine_id)


@checks_choices
def google_task_requests(
    path: FilePath,
    parts: Iterable[int] | None = None,
    *,
    which: Literal["first", "last"] = "first",
    on_bad_row: OnBadRow = "error",
) -> tuple[GoogleTaskRequests, TableReport]:
    """Return what each task of task_events asked for when it was submitted.

    Parameters
    ----------
    path, parts, on_bad_row
        As for `read_google_table`.
    which : {"first", "last"}
        A task is submitted again after it was evicted or failed: the first or the last submission that says how much
        CPU and memory is asked for.

    Raises
    ------
    InvalidInstanceError
        As `read_google_table` does, and if no task has a request.

    Notes
    -----
    O(n log n) in the number of submissions. Requests that change while a task waits or runs are not followed.
    """
    names = ("time", "job_id", "task_index", "event_type", "scheduling_class", "priority")
    columns = (*names, "cpu_request", "memory_request")
    rows, report = read_google_table(path, "task_events", parts, columns=columns, on_bad_row=on_bad_row)
    compute = import_extra("pyarrow.compute", "traces")
    submitted = rows.filter(compute.equal(rows["event_type"], int(TaskEvent.SUBMIT)))
    time, job, index = (submitted[name].to_numpy() for name in ("time", "job_id", "task_index"))
    cpu, memory = (submitted[name].to_numpy() for name in ("cpu_request", "memory_request"))
    order = np.lexsort((time, index, job))  # stable: at one time, as they stand in the files
    is_new = _differs_from_previous(job[order], index[order])
    n_submitted = int(np.count_nonzero(is_new))
    order = order[~np.isnan(cpu[order]) & ~np.isnan(memory[order])]
    is_new = _differs_from_previous(job[order], index[order])
    if not len(order):
        raise InvalidInstanceError(f"{report.source}: no submission says what its task asks for")
    chosen = order[is_new] if which == "first" else order[np.append(is_new[1:], True)]
    requests = GoogleTaskRequests(
        job_id=job[chosen],
        task_index=index[chosen],
        submit_time=time[chosen],
        scheduling_class=compute.fill_null(submitted["scheduling_class"], -1).to_numpy()[chosen],
        priority=submitted["priority"].to_numpy()[chosen],
        cpu=cpu[chosen],
        memory=memory[chosen],
        n_without_request=n_submitted - len(chosen),
    )
    return requests, report


def google_machines(
    path: FilePath, time: int = 0, *, on_bad_row: OnBadRow = "error"
) -> tuple[GoogleMachines, TableReport]:
    """Return the machines that are there after all events of machine_events until `time`.

    Parameters
    ----------
    path, on_bad_row
        As for `read_google_table`.
    time : int
        Microseconds since 600 s before the trace; 0: what was there before it.

    Raises
    ------
    InvalidInstanceError
        As `read_google_table` does.

    Notes
    -----
    O(n log n) in the number of events. A capacity that an event does not give is the last one recorded of that machine.
    """
    rows, report = read_google_table(path, "machine_events", on_bad_row=on_bad_row)
    compute = import_extra("pyarrow.compute", "traces")
    rows = rows.filter(compute.less_equal(rows["time"], time))
    order = np.lexsort((rows["time"].to_numpy(), rows["machine_id"].to_numpy()))
    machine = rows["machine_id"].to_numpy()[order]
    is_first = _differs_from_previous(machine)
    is_last = np.append(is_first[1:], True)[: len(machine)]
    is_there = rows["event_type"].to_numpy()[order] != int(MachineEvent.REMOVE)
    left = np.flatnonzero(is_last & is_there)
    first = np.maximum.accumulate(np.where(is_first, np.arange(len(machine)), 0))
    platforms = compute.fill_null(rows["platform"].cast("string"), "").to_numpy(zero_copy_only=False)
    machines = GoogleMachines(
        machine_id=machine[left],
        platform=platforms[order][left].astype(np.str_),
        cpu=_last_known(rows["cpu"].to_numpy()[order], first)[left],
        memory=_last_known(rows["memory"].to_numpy()[order], first)[left],
    )
    return machines, report


def _differs_from_previous(*columns: IntArray) -> BoolArray:
    """Return the rows in which any column has another value than in the row before."""
    differs = np.ones(len(columns[0]), dtype=np.bool_)
    differs[1:] = np.logical_or.reduce([column[1:] != column[:-1] for column in columns])
    return differs


def _last_known(values: FloatArray, first: NDArray[np.intp]) -> FloatArray:
    """Return for each row the last value up to it that is no NaN, from row `first` of its group on."""
    rows = np.where(np.isnan(values), -1, np.arange(len(values)))
    last = np.maximum.accumulate(np.maximum(rows, -1))
    return np.where(last >= first, values[last], np.nan)
