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
from schedcore.workloads.google.jobs import google_jobs, slot_of
from schedcore.workloads.google.part_file import OnBadRow
from schedcore.workloads.google.slots import check_slot, largest_machine_units, slots_between
from schedcore.workloads.reading.report import DataReport, make_report
from schedcore.workloads.reading.source_file import FilePath
from schedcore.workloads.standins.slotted_machines import (
    check_slotted_machines,
    load_of_machines,
    slotted_machines,
)

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
    path, parts, on_bad_row
        As for `read_google_table`; `path` is the folder of the trace, and the parts are taken of both tables.
    t0, window : int
        Jobs were submitted and finished in [t0, t0 + window), in seconds since 600 s before the trace.
    slot : int
        Seconds, up to a day.
    n_jobs : int, optional
        Keep only the first so many, by submission.
    load : float
        Work over what the servers can do within the window, above 0: as near as servers of 16 cores come.

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
    check_slot(slot)
    check_slotted_machines(load)
    found = google_jobs(path, parts, t0=t0, window=window, n_jobs=n_jobs, on_bad_row=on_bad_row)
    tasks = found.tasks
    first, n_tasks = tasks.start[:-1], np.diff(tasks.start)
    cores = largest_machine_units(tasks.cpu)
    time = slots_between(tasks.schedule_time, tasks.finish_time, slot)
    map_cores = np.maximum.reduceat(cores, first)
    map_time = -(-np.add.reduceat(time, first) // n_tasks)
    volume = sum((n_tasks * map_cores * map_time).tolist())
    n_slots = found.n_slots(slot)
    nothing = np.zeros_like(n_tasks)
    instance = MapReduceInstance(
        release_time=slot_of(found, found.submit_time, slot),
        map_tasks=n_tasks,
        map_cores=map_cores,
        map_time=map_time,
        reduce_tasks=nothing,
        reduce_cores=nothing,
        reduce_time=nothing,
        machines=slotted_machines(volume, n_slots, load, 1.0, "cores"),
    )
    report = make_report(
        found.job_table.source,
        instance,
        ledger=found.ledger,
        work=found.work([instance.volume], slot, mean=False),
        line_word="job",
        units={"time": f"{slot} s", "cores": "1/64 machine"},
        assumptions=(
            *found.assumptions(slot),
            f"the {instance.n_tasks:,} finished tasks are the map tasks of their jobs; there are no reduce tasks",
            f"map tasks of a job have the largest request and the mean time of its tasks: {volume:,} core-slots "
            f"instead of {sum((time * cores).tolist()):,}",
            load_of_machines(instance.machines, volume, n_slots),
        ),
    )
    return instance, report
