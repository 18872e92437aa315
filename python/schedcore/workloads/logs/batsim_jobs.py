"""When jobs started according to the ``jobs.csv`` that the simulator Batsim writes.

A job with a negative starting_time, or none, never started; whatever else its row says is not looked at. Older
versions write the workload before the number of a job, as in ``w0!17``.
"""

import dataclasses
from typing import Any

import numpy as np

from schedcore.errors import InvalidInstanceError
from schedcore.model import Instance
from schedcore.model.arrays import BoolArray, IntArray
from schedcore.model.extras import import_extra
from schedcore.workloads.logs.held_processors import HeldProcessors
from schedcore.workloads.logs.recorded_starts import RecordedStarts
from schedcore.workloads.logs.task_places import runs_on_several
from schedcore.workloads.reading.csv_table import CsvTable, read_csv_table
from schedcore.workloads.reading.source_file import FilePath

__all__ = ["batsim_starts"]


def batsim_starts(path: FilePath, instance: Instance, known_jobs_only: bool) -> RecordedStarts:
    """Return the rows of the jobs that started, with the machines of `instance` that their processors belong to.

    With `known_jobs_only` rows of jobs that the instance does not have are not looked at.

    Raises
    ------
    InvalidInstanceError
        If the file cannot be read, or a field that is needed is not what it should be, or a job of one task holds
        processors of several machines; names the line.
    """
    table = read_csv_table(
        path,
        ("job_id", "starting_time"),
        ("submission_time", "execution_time", "allocated_resources"),
    )
    if known_jobs_only:
        table = table.rows(_is_known(table, instance))
    table = table.rows(table.numbers("starting_time", missing=-1) >= 0)
    held = HeldProcessors.of(table, "allocated_resources") if "allocated_resources" in table else None
    return RecordedStarts(
        _job_numbers(table),
        table.numbers("starting_time"),
        table.numbers("submission_time") if "submission_time" in table else None,
        table.numbers("execution_time", missing=-1) if "execution_time" in table else None,
        None
        if held is None or instance.n_machines == 1 or runs_on_several(instance)
        else _machines(table, held, instance),
        held,
    )


def _job_names(table: CsvTable) -> Any:
    """Return the ids as texts, without the workload and without a decimal point."""
    compute = import_extra("pyarrow.compute", "traces")
    names = compute.replace_substring_regex(table.columns["job_id"], r"^.*!", "")
    return compute.replace_substring_regex(names, r"\.0*$", "")


def _job_numbers(table: CsvTable) -> IntArray:
    return dataclasses.replace(table, columns={**table.columns, "job_id": _job_names(table)}).integers(
        "job_id"
    )


def _is_known(table: CsvTable, instance: Instance) -> BoolArray:
    compute, pyarrow = import_extra("pyarrow.compute", "traces"), import_extra("pyarrow", "traces")
    known = pyarrow.array(instance.jobs.id).cast(pyarrow.string())
    found: BoolArray = compute.is_in(_job_names(table), known).to_numpy(zero_copy_only=False)
    return found


def _machines(table: CsvTable, held: HeldProcessors, instance: Instance) -> IntArray:
    machine, torn = held.machine(instance)
    if torn.any():
        row = int(np.argmax(torn))
        processors = table.columns["allocated_resources"][row].as_py()
        raise InvalidInstanceError(
            f"{table.source}: line {table.lines[row]} holds processors {processors}, which no one machine has"
        )
    return machine
