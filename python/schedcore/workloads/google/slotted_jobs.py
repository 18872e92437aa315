"""Jobs in whole slots from Google's trace of 2011, prepared as for the evaluation of OCORP.

The evaluation [Xu2021]_ took ten hours of the trace, a random task of each job, and slots of ten seconds. A job counts
if it was submitted and finished within the window; the window is cut where the parts that are read end.

.. [Xu2021] H. Xu, Y. Liu, W. C. Lau, "Optimal Job Scheduling With Resource Packing for Heterogeneous Servers",
   IEEE/ACM Transactions on Networking, 2021.
"""

from collections.abc import Iterable

import numpy as np

from schedcore.model import Instance, Jobs
from schedcore.model.arrays import IntArray
from schedcore.workloads.draws.splitmix import check_seed, draws_at
from schedcore.workloads.google.jobs import GoogleJobs, google_jobs
from schedcore.workloads.google.part_file import OnBadRow
from schedcore.workloads.google.slots import largest_machine_units
from schedcore.workloads.models.slotted_machines import (
    SlottedResources,
    check_slotted_machines,
    slotted_machines,
)
from schedcore.workloads.reading.annotated_arguments import checks_choices
from schedcore.workloads.reading.report import DataReport
from schedcore.workloads.reading.source_file import FilePath

__all__ = ["google_slotted_jobs"]

_TASK_STREAM = 0xC2B2AE3D27D4EB4F  # what the seed is xored with


@checks_choices
def google_slotted_jobs(
    path: FilePath,
    parts: Iterable[int] | None = None,
    *,
    t0: int = 600,
    window: int = 36_000,
    slot: int = 10,
    n_jobs: int | None = None,
    load: float = 0.95,
    memory_per_core: float = 1.0,
    seed: int = 1,
    resources: SlottedResources = "cores",
    on_bad_row: OnBadRow = "error",
) -> tuple[Instance, DataReport]:
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
        Keep only the first so many, by submission; the evaluation has 6487.
    load : float
        Work over what the servers can do within the window, above 0: as near as servers of 16 cores come.
    memory_per_core : float
        GB of memory per core of a server, above 0.
    seed : int
        In [0, 2**64); which of the finished tasks a job becomes depends on it and on the identifier of the job alone.
    resources : {"cores", "cores_memory"}
        Whether there is a column for memory; the jobs are the same.

    Returns
    -------
    inst : Instance
        Jobs by submission; resources "cores" and "memory" (GB), 64 of each in the largest machine. Release times are
        slots from t0, rounded down; processing times last from the last SCHEDULE to FINISH, rounded up; requests are
        rounded up, those of 0 to 1.
    report : DataReport
        Jobs read and dropped, by reason; places are identifiers of jobs. A dropped job counts with the mean of its
        tasks, of each the last run, as far as that lies within the window.

    Raises
    ------
    InvalidInstanceError
        As `read_google_table` does, for arguments out of range, and if no job is left.

    Notes
    -----
    O(n log n) in the number of events; the first six parts take two seconds. They end at 30,666 s, which leaves 3007
    of the 3600 slots of the default window, and have 4309 jobs.
    """
    check_slotted_machines(load, memory_per_core)
    check_seed(seed)
    found = google_jobs(path, parts, t0=t0, window=window, slot=slot, n_jobs=n_jobs, on_bad_row=on_bad_row)
    tasks, chosen = found.tasks, _chosen_tasks(found, seed)
    processing_time = found.task_time[chosen]
    columns = [largest_machine_units(tasks.cpu[chosen])]
    if resources == "cores_memory":
        columns.append(largest_machine_units(tasks.memory[chosen]))
    own = [processing_time * column for column in columns]
    volume = sum(own[0].tolist())
    instance = Instance(
        Jobs(
            processing_time=processing_time,
            demand=np.column_stack(columns),
            release_time=found.release_time,
        ),
        slotted_machines(volume, found.n_slots, load, memory_per_core, resources),
    )
    drawn = f"a job is one of its finished tasks, drawn with seed {seed}; {len(tasks.cpu):,} tasks finished"
    return instance, found.report(instance, own, mean=True, assumptions=(drawn,))


def _chosen_tasks(jobs: GoogleJobs, seed: int) -> IntArray:
    """Return the row of one random task of each job."""
    start = jobs.tasks.start
    draw = draws_at(seed ^ _TASK_STREAM, jobs.job_id) % np.diff(start).astype(np.uint64)
    chosen: IntArray = start[:-1] + draw.astype(np.int64)
    return chosen
