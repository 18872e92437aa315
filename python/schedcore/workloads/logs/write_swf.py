"""An instance, and what a policy made of it, as a log in the Standard Workload Format.

`read_swf` of the file gives the instance again, so that other simulators get exactly the jobs that a policy here
got; with a schedule, the wait times say when each job started.
"""

import gzip
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schedcore import _core
from schedcore.errors import InvalidInstanceError, UnsupportedError
from schedcore.model import FEATURES, Instance, Schedule
from schedcore.model.arrays import FloatArray, IntArray
from schedcore.model.coded_texts import CodedTexts
from schedcore.model.extras import import_extra
from schedcore.model.features import check_without
from schedcore.model.whole_file import whole_file
from schedcore.workloads.logs.swf_table import SWF_FIELDS
from schedcore.workloads.reading.source_file import FilePath

__all__ = ["refuse_jobs_without_processors", "whole_numbers", "write_swf"]

_MOST_DIGITS = 15  # of a number that stays exact in float64
_LARGEST_SHARED_MEMORY = 2**48  # KB; above, KB per processor as a decimal number may miss the sum


def write_swf(
    path: FilePath, instance: Instance, schedule: Schedule | None = None, *, overwrite: bool = False
) -> None:
    """Write an SWF log, gzipped where the name ends in ``.gz``.

    Parameters
    ----------
    path : path-like
        The file.
    instance : Instance
        Times in seconds; resource 0 is processors, resource 1, if there is one, memory in KB. A job of several tasks
        has the processors of them all.
    schedule : Schedule, optional
        Gives the wait times, and with several machines, for jobs of one task, the partitions (machine + 1).
    overwrite : bool
        Whether a file that exists is replaced.

    Raises
    ------
    UnsupportedError
        For what the format has no field for: a third resource, a weight other than 1, a job without processors,
        exclusive jobs that leave processors of their machines unused, bounds on the tasks on a machine, constraints,
        dependencies, outages and machines of different weights.
    InvalidInstanceError
        If the schedule has another number of jobs.
    FileExistsError
        If `path` exists and `overwrite` is false; the file is left as it was.
    OSError
        If it cannot be written; what stood there before is left.
    ImportError
        If pyarrow is missing; names the extra.

    Notes
    -----
    The jobs stand in the order of their release times, as the format wants. ``read_swf`` gives the same instance
    where times are whole seconds and the first release time is 0, with ``memory_capacity`` and
    ``missing_memory="used"`` where there is memory (a job without any has 0 KB requested and used), and
    ``machines`` where there are several machines: with ``tasks="cores"`` for tasks of one processor, "nodes" for
    exclusive jobs of whole nodes, and "whole" for jobs of one task. Users, accounts (the group) and partitions are
    written as numbers: their own where all of them are numbers, else those of their first appearance. O(n log n).
    """
    check_without("write_swf", instance, FEATURES.keys() - {"gangs", "exclusive"})
    _refuse_wasted_processors(instance)
    _refuse_what_has_no_field(instance)
    if schedule is not None and schedule.n_jobs != instance.n_jobs:
        raise InvalidInstanceError(f"the schedule has {schedule.n_jobs} jobs, the instance {instance.n_jobs}")
    pyarrow, csv = import_extra("pyarrow", "traces"), import_extra("pyarrow.csv", "traces")
    columns = _columns(instance, schedule)
    in_order = np.argsort(instance.jobs.release_time, kind="stable")
    table = pyarrow.table({name: whole_numbers(columns[name][in_order]) for name in SWF_FIELDS})
    options = csv.WriteOptions(include_header=False, delimiter=" ", quoting_style="none")
    with whole_file(path, overwrite=overwrite) as file:
        if Path(path).suffix == ".gz":
            with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as packed:
                packed.write(_header(instance))
                csv.write_csv(table, packed, options)
        else:
            file.write(_header(instance))
            csv.write_csv(table, file, options)


def whole_numbers(column: NDArray[Any]) -> NDArray[Any]:
    """Return a column as int64 if all its values are integers, so that it is written without exponents."""
    if column.dtype.kind == "f" and (np.abs(column) <= 2**53).all() and (column == np.trunc(column)).all():
        return column.astype(np.int64)
    return column


def refuse_jobs_without_processors(instance: Instance) -> None:
    """Raise an `UnsupportedError` that names the first job with no demand in resource 0."""
    without = instance.jobs.demand[:, 0] == 0
    if without.any():
        name = instance.machines.resource_names[0]
        raise UnsupportedError(
            f"job {np.argmax(without)} demands 0 of {name}; the format needs at least one processor"
        )


def _refuse_what_has_no_field(instance: Instance) -> None:
    names = instance.machines.resource_names
    if len(names) > 2 or (len(names) == 2 and names[1] not in ("memory", "resource_1")):
        raise UnsupportedError(
            f"SWF has fields for processors and memory, not for the resources {', '.join(names)}; "
            "leave the others out when reading (gpus=False, for one)"
        )
    weighted = instance.jobs.weight != 1
    if weighted.any():
        job = int(np.argmax(weighted))
        raise UnsupportedError(f"job {job} has weight {instance.jobs.weight[job]:g}; SWF has no weights")
    refuse_jobs_without_processors(instance)


def _refuse_wasted_processors(instance: Instance) -> None:
    """Refuse exclusive jobs, unless each of their tasks takes all processors of a machine anyway."""
    jobs, processors = instance.jobs, instance.machines.capacity[:, 0]
    if jobs.uses("exclusive"):
        wasted = jobs.exclusive & (jobs.demand[:, 0] != processors[0])
        if (processors != processors[0]).any():
            wasted = jobs.exclusive
        if wasted.any():
            job = int(np.argmax(wasted))
            raise UnsupportedError(
                f"write_swf does not take jobs that want machines for themselves and not all of their processors "
                f"({instance.job_name(job)} has tasks of {jobs.demand[job, 0]})"
            )


def _numbers_of_names(names: CodedTexts) -> IntArray:
    """Return the names as numbers: their own if all are, else 1, 2, ... in order of first appearance; -1 for none."""
    own = all(name.isascii() and name.isdecimal() and len(name) <= _MOST_DIGITS for name in names.names)
    numbers = map(int, names.names) if own else range(1, len(names.names) + 1)
    return np.array([*numbers, -1], dtype=np.int64)[names.codes]


def _columns(instance: Instance, schedule: Schedule | None) -> dict[str, NDArray[Any]]:
    jobs = instance.jobs
    columns: dict[str, NDArray[Any]] = {
        name: np.full(instance.n_jobs, -1, dtype=np.int64) for name in SWF_FIELDS
    }
    columns["job_number"] = jobs.id
    columns["submit_time"] = jobs.release_time
    columns["run_time"] = jobs.processing_time
    demand = instance.demand_of_all_tasks()
    columns["allocated_processors"] = columns["requested_processors"] = demand[:, 0]
    columns["requested_time"] = jobs.estimated_processing_time
    columns["status"] = np.ones(instance.n_jobs, dtype=np.int64)
    if instance.n_resources == 2:
        memory = _memory_per_processor(demand)
        columns["requested_memory"] = memory
        columns["used_memory"] = np.where(memory == 0, 0, -1)
    for column, field in (("user", "user"), ("account", "group"), ("partition", "partition")):
        if jobs.uses(column):
            columns[field] = _numbers_of_names(jobs.coded(column))
    if schedule is not None:
        columns["wait_time"] = schedule.start_time - jobs.release_time
        if instance.n_machines > 1 and not jobs.uses("n_tasks"):
            columns["partition"] = schedule.machine + 1
    return columns


def _memory_per_processor(demand: IntArray) -> FloatArray:
    """Return KB per processor such that a reader that multiplies and rounds up gets the demand."""
    processors, memory = demand.T
    exact = memory % processors == 0
    shared = ~exact & (memory > _LARGEST_SHARED_MEMORY)
    if shared.any():
        job = int(np.argmax(shared))
        raise UnsupportedError(
            f"job {job}: {memory[job]} KB of memory above 2**48 on {processors[job]} processors "
            "is no whole number of KB per processor"
        )
    # Half a KB less than the demand is rounded up to it, whatever the last digits of the quotient are.
    each: FloatArray = np.where(exact, memory // processors, (memory - 0.5) / processors)
    return each


def _header(instance: Instance) -> bytes:
    capacity = instance.machines.capacity
    lines = [
        "Version: 2.2",
        f"Information: written by schedcore {_core.build_config()['version']}",
        f"MaxJobs: {instance.n_jobs}",
        f"MaxRecords: {instance.n_jobs}",
        "Preemption: No",
        f"MaxNodes: {instance.n_machines}",
        f"MaxProcs: {capacity[:, 0].sum()}",
    ]
    if instance.n_resources == 2:
        lines.append(f"Note: {capacity[:, 1].sum()} KB of memory in the whole system")
    if instance.n_machines > 1 and not instance.jobs.uses("n_tasks"):
        lines.append(f"MaxPartitions: {instance.n_machines}")
        for i, amounts in enumerate(capacity.tolist()):
            memory = f", {amounts[1]} KB of memory" if len(amounts) == 2 else ""
            lines.append(f"Partition: {i + 1}  {amounts[0]} processors{memory}")
    return "".join(f"; {line}\n" for line in lines).encode()
