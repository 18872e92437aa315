"""Samples of Google's trace of 2011 as tasks to colocate: what random tasks asked for, or what records say they used.

The colocation study sampled 10,000 records of measured usage (task_usage). Where that table is not at hand, the
requests of 10,000 random tasks (task_events) take its place; they are multiples of a few round amounts.
"""

from collections.abc import Iterable

import numpy as np

from schedcore import _core
from schedcore.errors import InvalidInstanceError
from schedcore.model.arrays import IntArray
from schedcore.model.integers import checked_integer
from schedcore.workloads.draws.splitmix import check_seed
from schedcore.workloads.google.part_file import OnBadRow
from schedcore.workloads.google.states import google_task_requests
from schedcore.workloads.google.tables import read_google_table
from schedcore.workloads.models.task_sample import TaskSample, colocation_tasks
from schedcore.workloads.reading.report import TableReport
from schedcore.workloads.reading.source_file import FilePath

__all__ = ["sample_google_requests", "sample_google_usage"]


def sample_google_requests(
    path: FilePath,
    seed: int,
    n: int = 10_000,
    parts: Iterable[int] | None = None,
    *,
    on_bad_row: OnBadRow = "error",
) -> tuple[TaskSample, TableReport]:
    """Draw `n` tasks of task_events without replacement, and take the CPU and memory of their first submission.

    Parameters
    ----------
    path, parts, on_bad_row
        As for `read_google_table`.
    seed : int
        In [0, 2**64).
    n : int
        Number of tasks, at least 1.

    Raises
    ------
    InvalidInstanceError
        As `google_task_requests` does, and if there are fewer tasks than `n`.

    Notes
    -----
    The sample is a function of the seed and of the tasks that the parts hold, in the order of job and index.
    """
    check_seed(seed)
    checked_integer("n", n, 1)
    requests, report = google_task_requests(path, parts, on_bad_row=on_bad_row)
    chosen = _drawn(report.source, "tasks with a request", seed, requests.n_tasks, n)
    return colocation_tasks(requests.cpu[chosen], requests.memory[chosen]), report


def sample_google_usage(
    path: FilePath,
    seed: int,
    n: int = 10_000,
    parts: Iterable[int] | None = None,
    *,
    on_bad_row: OnBadRow = "error",
) -> tuple[TaskSample, TableReport]:
    """Draw `n` records of task_usage without replacement, and take their mean CPU rate and assigned memory.

    Parameters
    ----------
    path, parts, on_bad_row
        As for `read_google_table`.
    seed : int
        In [0, 2**64).
    n : int
        Number of records, at least 1.

    Raises
    ------
    InvalidInstanceError
        As `read_google_table` does, and if fewer records than `n` have both values.

    Notes
    -----
    A record is one task in a window of five minutes or less. The sample is a function of the seed and of the records of
    the parts in their order. 24 bytes a record are held in memory.
    """
    check_seed(seed)
    checked_integer("n", n, 1)
    columns = ("cpu_rate", "assigned_memory_usage")
    rows, report = read_google_table(path, "task_usage", parts, columns=columns, on_bad_row=on_bad_row)
    cpu, memory = (rows[name].to_numpy() for name in columns)
    known = np.flatnonzero(~np.isnan(cpu) & ~np.isnan(memory))
    chosen = known[_drawn(report.source, "records with CPU and memory", seed, len(known), n)]
    return colocation_tasks(cpu[chosen], memory[chosen]), report


def _drawn(source: str, what: str, seed: int, population: int, n: int) -> IntArray:
    if n > population:
        raise InvalidInstanceError(f"{source}: n = {n} is not between 1 and the {population} {what}")
    return _core.workloads.distinct_indices(seed, population, n)
