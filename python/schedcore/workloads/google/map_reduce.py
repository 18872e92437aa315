"""Jobs with map tasks alone from Google's trace of 2011, prepared as for the evaluation of OCORP's MapReduce extension.

The evaluation [Xu2021]_ does not say what it took for maps and reduces. Here the finished tasks of a job are its map
tasks, and there are no reduce tasks. Jobs, window and slots are those of `google_slotted_jobs`.

The model knows one demand and one time for all map tasks of a job. Requests do not differ within the jobs of the trace
that are kept; times do, and become their mean, so that the work of the job stays what it was.

.. [Xu2021] H. Xu, Y. Liu, W. C. Lau, "Optimal Job Scheduling With Resource Packing for Heterogeneous Servers",
   IEEE/ACM Transactions on Networking, 2021.
"""

from collections.abc import Iterable

import numpy as np

from schedcore.model import MapReduceInstance
from schedcore.workloads.google.jobs import google_jobs
from schedcore.workloads.google.part_file import OnBadRow
from schedcore.workloads.google.slots import largest_machine_units
from schedcore.workloads.models.slotted_machines import (
    check_slotted_machines,
    slotted_machines,
)
from schedcore.workloads.reading.report import DataReport
from schedcore.workloads.reading.source_file import FilePath

__all__ = ["google_mapreduce_jobs"]


def google_mapreduce_jobs(
    path: FilePath,
    parts: Iterable[int] | None = None,
    *,
    t0: int = 600,
    window: int = 36_000,
    slot: int = 10,
    n_jobs: int | None = None,
    load: float = 0.95,
    on_bad_row: OnBadRow = "error",
) -> tuple[MapReduceInstance, DataReport]:
    """Make an instance of job_events and task_events, with servers of 64, 32 and 16 cores.

    Parameters
    ----------
    path, parts, t0, window, slot, n_jobs, load, on_bad_row
        As for `google_slotted_jobs`.

    Returns
    -------
    inst : MapReduceInstance
        Jobs by submission, without reduce tasks. Release times are slots from t0, rounded down. A map task uses the
        largest request of the job's finished tasks, 64 cores being the largest machine, rounded up. Its time is the
        mean of theirs, from the last SCHEDULE to FINISH, each rounded up, and so is the mean.
    report : DataReport
        Jobs read and dropped, by reason; places are identifiers of jobs. A dropped job counts with the last run of each
        of its tasks, as far as that lies within the window.

    Raises
    ------
    InvalidInstanceError
        As `read_google_table` does, for arguments out of range, and if no job is left.

    Notes
    -----
    O(n log n) in the number of events; the first six parts take two seconds and have 4309 jobs of 7542 tasks, 158 of
    them of more than one.
    """
    check_slotted_machines(load)
    found = google_jobs(path, parts, t0=t0, window=window, slot=slot, n_jobs=n_jobs, on_bad_row=on_bad_row)
    first, n_tasks = found.tasks.start[:-1], np.diff(found.tasks.start)
    cores, time = largest_machine_units(found.tasks.cpu), found.task_time
    map_cores = np.maximum.reduceat(cores, first)
    map_time = -(-np.add.reduceat(time, first) // n_tasks)
    volume = n_tasks * map_cores * map_time
    in_all = sum(volume.tolist())
    nothing = np.zeros_like(n_tasks)
    instance = MapReduceInstance(
        release_time=found.release_time,
        map_tasks=n_tasks,
        map_cores=map_cores,
        map_time=map_time,
        reduce_tasks=nothing,
        reduce_cores=nothing,
        reduce_time=nothing,
        machines=slotted_machines(in_all, found.n_slots, load, 1.0, "cores"),
    )
    assumptions = (
        f"the {instance.n_tasks:,} finished tasks are the map tasks of their jobs; there are no reduce tasks",
        f"map tasks of a job have the largest request and the mean time of its tasks: {in_all:,} core-slots instead of "
        f"{sum((time * cores).tolist()):,}",
    )
    return instance, found.report(instance, [volume], mean=False, assumptions=assumptions)
