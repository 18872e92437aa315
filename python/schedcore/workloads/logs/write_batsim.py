"""A schedule as the ``jobs.csv`` that the simulator Batsim writes, which evalys and its kin read.

One row a job with its times and the numbers of the processors it held, as intervals such as ``0-3 7``. A schedule
here says how many processors a job holds, not which: each takes the lowest ones that are free at its start.
"""

from typing import Any

import numpy as np

from schedcore import _core
from schedcore.errors import InvalidInstanceError
from schedcore.model import Instance, Schedule, validate
from schedcore.model.extras import import_extra
from schedcore.model.whole_file import whole_file
from schedcore.workloads.logs.task_places import held_by_place
from schedcore.workloads.logs.write_swf import refuse_jobs_without_processors, whole_numbers
from schedcore.workloads.reading.source_file import FilePath

__all__ = ["write_batsim_jobs"]


def write_batsim_jobs(
    path: FilePath,
    instance: Instance,
    schedule: Schedule,
    *,
    workload_name: str = "schedcore",
    overwrite: bool = False,
) -> None:
    """Write a feasible schedule with the columns of Batsim's ``jobs.csv``.

    Parameters
    ----------
    path : path-like
        The file.
    instance : Instance
        Times in seconds; resource 0 is processors. Other resources have no column.
    schedule : Schedule
        When each job starts, and where its tasks are. Processors of machine i have the numbers after those of machine
        i - 1.
    workload_name : str
        Text of that column; without commas, quotes and line breaks.
    overwrite : bool
        Whether a file that exists is replaced.

    Raises
    ------
    InvalidInstanceError
        If the schedule is not feasible; names the first violation.
    UnsupportedError
        If a job demands no processors.
    FileExistsError
        If `path` exists and `overwrite` is false; the file is left as it was.
    OSError
        If it cannot be written; what stood there before is left.
    ImportError
        If pyarrow is missing; names the extra.

    Notes
    -----
    ``requested_time`` is the estimate, ``stretch`` the turnaround time (flow time) divided by the processing time,
    ``profile`` the word "delay"; ``consumed_energy`` is -1 and ``metadata`` empty. A job asks for the processors of all
    its tasks, and an exclusive one holds all of its machines. O((n + k) log n) for k intervals.
    """
    if set(workload_name) & set(',"\r\n'):
        raise InvalidInstanceError(
            f"workload_name = {workload_name!r} holds a comma, a quote or a line break"
        )
    refuse_jobs_without_processors(instance)
    validate(instance, schedule, raise_on_error=True)
    jobs, n_jobs = instance.jobs, instance.n_jobs
    finish_time = schedule.start_time + jobs.processing_time
    turnaround_time = finish_time - jobs.release_time
    columns: dict[str, Any] = {
        "job_id": jobs.id,
        "workload_name": np.full(n_jobs, workload_name),
        "profile": np.full(n_jobs, "delay"),
        "submission_time": jobs.release_time,
        "requested_number_of_resources": jobs.demand[:, 0] * jobs.n_tasks,
        "requested_time": jobs.estimated_processing_time,
        "success": np.ones(n_jobs, dtype=np.int64),
        "final_state": np.full(n_jobs, "COMPLETED_SUCCESSFULLY"),
        "starting_time": schedule.start_time,
        "execution_time": jobs.processing_time,
        "finish_time": finish_time,
        "waiting_time": schedule.start_time - jobs.release_time,
        "turnaround_time": turnaround_time,
        "stretch": turnaround_time / jobs.processing_time,
        "allocated_resources": _allocated_resources(instance, schedule),
        "consumed_energy": np.full(n_jobs, -1, dtype=np.int64),
        "metadata": np.full(n_jobs, ""),
    }
    pyarrow, csv = import_extra("pyarrow", "traces"), import_extra("pyarrow.csv", "traces")
    table = pyarrow.table(
        {
            name: whole_numbers(column) if isinstance(column, np.ndarray) else column
            for name, column in columns.items()
        }
    )
    with whole_file(path, overwrite=overwrite) as file:
        file.write((",".join(columns) + "\n").encode())
        csv.write_csv(table, file, csv.WriteOptions(include_header=False, quoting_style="none"))


def _allocated_resources(instance: Instance, schedule: Schedule) -> Any:
    """Return the processors of each job as a pyarrow array of texts."""
    pyarrow = import_extra("pyarrow", "traces")
    compute = import_extra("pyarrow.compute", "traces")
    places = schedule.allocation
    offset, first, last = _core.metrics.lowest_free_processors(
        schedule.start_time[places.job],
        instance.jobs.processing_time[places.job],
        np.ascontiguousarray(held_by_place(instance, places)),
        places.machine,
        np.ascontiguousarray(instance.machines.capacity[:, 0]),
    )
    # The intervals of a job are those of its places, which stand one behind the other.
    offset = offset[np.searchsorted(places.job, np.arange(instance.n_jobs + 1))]
    first_text, last_text = (compute.cast(pyarrow.array(ends), pyarrow.string()) for ends in (first, last))
    interval = compute.binary_join_element_wise(first_text, last_text, "-")
    texts = compute.if_else(pyarrow.array(first == last), first_text, interval)
    return compute.binary_join(pyarrow.LargeListArray.from_arrays(pyarrow.array(offset), texts), " ")
