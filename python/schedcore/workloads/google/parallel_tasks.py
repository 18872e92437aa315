"""Jobs of parallel tasks from Google's trace of 2011, prepared as for the evaluation of the SynchPack algorithms.

The evaluation [Shafiee2020]_ kept jobs whose tasks were all submitted, scheduled and finished once, and gave each task
its memory, its duration and a machine out of 200. In a few hours of the trace hardly any job is that clean, so by
default a job is what it has of such tasks. Times are whole seconds, memory counts in millionths of a machine.

.. [Shafiee2020] M. Shafiee, J. Ghaderi, "Scheduling parallel-task jobs subject to packing and placement constraints",
   arXiv:2004.00518; Operations Research 70(6), 2022.
"""

from collections.abc import Iterable

import numpy as np

from schedcore.model import Machines, ParallelTaskInstance
from schedcore.model.amounts import amount_units
from schedcore.model.arrays import IntArray
from schedcore.model.integers import checked_integer
from schedcore.model.machines import MOST_MACHINES
from schedcore.workloads.draws.splitmix import check_seed, draws_at
from schedcore.workloads.google.part_file import OnBadRow
from schedcore.workloads.google.tables import skipped_events
from schedcore.workloads.google.tasks import GoogleTasks, google_tasks
from schedcore.workloads.reading.annotated_arguments import checks_choices
from schedcore.workloads.reading.report import DataReport, TableReport, make_report
from schedcore.workloads.reading.row_ledger import WorkColumns
from schedcore.workloads.reading.source_file import FilePath
from schedcore.workloads.transforms.job_weights import Weights, weights_of_priorities
from schedcore.workloads.transforms.task_placements import Placement, check_placement, placement_columns

__all__ = ["google_parallel_tasks"]

_CAPACITY = 1_000_000
_SECOND = 1_000_000  # microseconds
_FEWEST_TASKS = 2
_HIGHEST_PRIORITY = 11
_MACHINE_STREAM = 0x94D049BB133111EB  # what the seed is xored with


@checks_choices
def google_parallel_tasks(
    path: FilePath,
    parts: Iterable[int] | None = None,
    *,
    strict: bool = False,
    min_priority: int = 0,
    n_machines: int = 200,
    max_tasks: int = 200,
    placement: Placement = "single",
    n_local: int = 3,
    remote_penalty: float = 2.0,
    weights: Weights = "equal",
    seed: int = 1,
    on_bad_row: OnBadRow = "error",
) -> tuple[ParallelTaskInstance, DataReport]:
    """Make an instance of task_events.

    Parameters
    ----------
    path, parts, on_bad_row
        As for `read_google_table`.
    strict : bool
        Keep only jobs all of whose tasks are clean: submitted, scheduled and finished once, and never evicted, failed,
        killed or lost. Otherwise a job is its clean tasks.
    min_priority : int
        Keep only jobs of at least this priority, 0 to 11; 9 is production.
    n_machines : int
        Machines of the instance, identical. Each machine of the trace becomes a uniformly random one of them.
    max_tasks : int
        Jobs with more tasks are left out, and those with one; at least 2.
    placement : {"single", "local_remote"}
        A task runs on the machine on which it ran, or on all of them as `draw_placements` says.
    n_local, remote_penalty
        Local machines of each task, and how many times longer it takes on the others, where it may run on all.
    weights : {"equal", "random", "priority"}
        1 each, uniform in (0, 1), or 1 + priority.
    seed : int
        Of machines, placements and weights, in [0, 2**64). What machine, local machines and weight are drawn does not
        depend on the other choices.

    Returns
    -------
    inst : ParallelTaskInstance
        Jobs by the submission of their first kept task; the first one is released at 0. Processing times are rounded
        up, release times down.
    report : DataReport
        Tasks read and dropped, by reason; places are identifiers of jobs.

    Raises
    ------
    InvalidInstanceError
        As `read_google_table` does, for arguments out of range, and if no job is left.

    Notes
    -----
    O(n log n) in the number of events. The six parts of the first 8.5 hours have 981 jobs of 34 tasks on average, with
    four different priorities; strictly, 147 jobs, two of them of production priority.
    """
    checked_integer("min_priority", min_priority, 0, _HIGHEST_PRIORITY)
    checked_integer("max_tasks", max_tasks, _FEWEST_TASKS)
    checked_integer("n_machines", n_machines, 1, MOST_MACHINES)
    check_placement(n_machines, placement, n_local, remote_penalty)
    check_seed(seed)
    tasks, table = google_tasks(path, parts, on_bad_row=on_bad_row)
    _drop_jobs(tasks, strict, min_priority, max_tasks)
    tasks.ledger.refuse_empty(table.source)
    order, task_job = _by_submission(tasks)
    submit_time = np.minimum.reduceat(
        tasks.submit_time[order], np.searchsorted(task_job, np.arange(task_job[-1] + 1))
    )
    first_tasks = order[np.searchsorted(task_job, np.arange(task_job[-1] + 1))]
    duration = tasks.finish_time[order] - tasks.start_time[order]
    machine = draws_at(seed ^ _MACHINE_STREAM, tasks.machine_id[order]) % np.uint64(n_machines)
    instance = ParallelTaskInstance(
        weight=weights_of_priorities(tasks.priority[first_tasks], weights, seed),
        release_time=(submit_time - submit_time.min()) // _SECOND,
        task_job=task_job,
        demand=amount_units(tasks.memory[order, np.newaxis], _CAPACITY, name="memory", row="task"),
        machines=Machines.identical(n_machines, [_CAPACITY], ["memory"]),
        **placement_columns(
            -(-duration // _SECOND),
            n_machines,
            placement,
            n_local,
            remote_penalty,
            seed,
            machine.astype(np.int64),
        ),
    )
    return instance, _report(instance, tasks, table, strict)


def _drop_jobs(tasks: GoogleTasks, strict: bool, min_priority: int, max_tasks: int) -> None:
    """Drop the tasks of jobs that do not belong into the instance."""
    ledger = tasks.ledger
    job = np.unique(tasks.job_id, return_inverse=True)[1]
    n_clean = np.bincount(job, weights=ledger.kept)[job]
    meaning = f"of a job with priority below {min_priority}"
    ledger.drop("low_priority", meaning, tasks.priority < min_priority, lost=False)
    if strict:
        meaning = "of a job with a task that is not clean"
        ledger.drop("unclean_job", meaning, n_clean < np.bincount(job)[job], lost=False)
    ledger.drop("single_task", "the only clean task of its job", n_clean < _FEWEST_TASKS)
    ledger.drop("large_job", f"of a job with more than {max_tasks} clean tasks", n_clean > max_tasks)


def _by_submission(tasks: GoogleTasks) -> tuple[IntArray, IntArray]:
    """Return the kept tasks, jobs in the order of their first submissions, and the new number of each one's job."""
    kept = np.flatnonzero(tasks.ledger.kept)
    job = np.unique(tasks.job_id[kept], return_inverse=True)[1]
    submit_time = np.full(job[-1] + 1, np.iinfo(np.int64).max)
    np.minimum.at(submit_time, job, tasks.submit_time[kept])
    number = np.empty(len(submit_time), dtype=np.int64)
    number[np.argsort(submit_time, kind="stable")] = np.arange(len(submit_time))
    order = np.argsort(number[job], kind="stable")
    return kept[order], number[job][order]


def _report(
    instance: ParallelTaskInstance, tasks: GoogleTasks, table: TableReport, strict: bool
) -> DataReport:
    what = "all of whose tasks are clean" if strict else "its clean tasks"
    assumptions = (
        f"rows are tasks, of {table.rows_read:,} events in {table.n_files} files",
        f"a job is {'one ' if strict else ''}{what}: submitted, scheduled and finished once, and never interrupted",
        f"{instance.n_jobs:,} jobs of {instance.n_tasks:,} tasks, with "
        f"{len(np.unique(tasks.priority[tasks.ledger.kept]))} different priorities",
        *skipped_events(table.dropped),
    )
    return make_report(
        table.source,
        instance,
        ledger=tasks.ledger,
        work=_work(tasks),
        line_word="job",
        units={"time": "s", "memory": "1/1,000,000 machine"},
        assumptions=assumptions,
    )


def _work(tasks: GoogleTasks) -> WorkColumns:
    """Return memory times duration of all tasks, shape (n_tasks, 1): 0 if they never ran, NaN where it is not known."""
    start, finish = tasks.start_time, tasks.finish_time  # 0: before the trace, or none
    duration = np.where((start > 0) & (finish >= start), finish - start, np.nan)
    duration[tasks.never_ran] = 0
    work: WorkColumns = np.where(duration == 0, 0.0, tasks.memory * duration)[:, np.newaxis]
    return work
