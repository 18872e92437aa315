"""Instances as Parquet: of jobs, of tasks, or drawn from a sample of tasks.

A recorded workload is prepared once, written as Parquet, and read under many conditions: on other machines, or, jobs of
parallel tasks, with other weights, and where tasks may run drawn anew.
"""

import functools
import os
from collections.abc import Callable

from schedcore.errors import InvalidInstanceError
from schedcore.model import (
    AnyInstance,
    ColocationInstance,
    Instance,
    Machines,
    MapReduceInstance,
    ParallelTaskInstance,
)
from schedcore.model.arrow import from_table_of_file
from schedcore.workloads.models.colocation_grid import grid_instance
from schedcore.workloads.models.task_sample import TaskSample
from schedcore.workloads.reading.instance_file import ParquetContent, read_units_and_table
from schedcore.workloads.reading.machines_spec import MachineChoice, ResourceUnit, choose_machines
from schedcore.workloads.reading.option_spelling import spelled
from schedcore.workloads.reading.report import DataReport, make_report
from schedcore.workloads.reading.source_file import FilePath
from schedcore.workloads.transforms.job_weights import DrawnWeights, draw_weights
from schedcore.workloads.transforms.task_placements import draw_placements, restrict_machines

__all__ = ["PARQUET_READERS", "Reader", "chosen_machines", "draw_tasks", "refuse_machines", "task_report"]

Reader = Callable[..., tuple[AnyInstance, DataReport]]


def _read_jobs(
    kind: type[Instance | MapReduceInstance], path: FilePath, machines: MachineChoice | None = None
) -> tuple[Instance | MapReduceInstance, DataReport]:
    table, units = read_units_and_table(path)
    instance = from_table_of_file(kind, table, path)
    instance = instance.replace(machines=chosen_machines(instance.machines, machines))
    return instance, make_report(os.fspath(path), instance, units=units)


def _read_colocation(
    path: FilePath, machines: MachineChoice | None = None
) -> tuple[ColocationInstance, DataReport]:
    refuse_machines(path, machines)
    instance = ColocationInstance.from_parquet(path)
    return instance, task_report(path, instance.n_tasks, instance)


def draw_tasks(
    path: FilePath,
    machines: MachineChoice | None = None,
    *,
    cls: str | int,
    n_types: int,
    n_tasks: int,
    n_machines: int,
    seed: int = 1,
    independent: bool = False,
) -> tuple[ColocationInstance, DataReport]:
    """Draw an instance from a file of `TaskSample`; see `grid_instance`, whose repetition is the seed."""
    refuse_machines(path, machines)
    sample = TaskSample.from_parquet(path)
    instance = grid_instance(sample, cls, n_types, n_tasks, n_machines, seed, independent)
    assumption = f"drawn from {sample.n_tasks:,} tasks, as repetition {seed} of the colocation grid"
    return instance, task_report(path, sample.n_tasks, instance, assumption)


def _read_parallel_tasks(
    path: FilePath,
    machines: MachineChoice | None = None,
    *,
    placement: str | None = None,
    n_local: int = 3,
    remote_penalty: float = 2.0,
    n_remote: int | None = None,
    weights: DrawnWeights | None = None,
    seed: int = 1,
) -> tuple[ParallelTaskInstance, DataReport]:
    """Read an instance, and draw what is asked for anew.

    Parameters
    ----------
    path : path-like
        What `ParallelTaskInstance.to_parquet` wrote.
    machines : None
        The tasks name their machines, so no others can be chosen.
    placement : "local_remote", optional
        Let every task run on all machines; see `draw_placements`, also for `n_local` and `remote_penalty`. Default:
        where the file says.
    n_remote : int, optional
        Keep so many of the remote machines of each task; see `restrict_machines`.
    weights : {"equal", "random"}, optional
        See `draw_weights`. Default: those of the file.
    seed : int
        Of all draws.

    Raises
    ------
    InvalidInstanceError
        As `ParallelTaskInstance.from_parquet` does, for chosen machines, and for an argument out of range.
    """
    if machines is not None:
        raise InvalidInstanceError(
            f"{os.fspath(path)}: machines = {machines!r}: the tasks of the instance name the machines that they run on"
        )
    if placement not in (None, "local_remote"):
        raise InvalidInstanceError(f'placement = {placement!r} must be "local_remote", or left out')
    table, units = read_units_and_table(path)
    instance = from_table_of_file(ParallelTaskInstance, table, path)
    if placement is not None:
        instance = draw_placements(instance, n_local, remote_penalty, seed)
    if n_remote is not None:
        instance = restrict_machines(instance, n_remote, seed)
    if weights is not None:
        instance = draw_weights(instance, weights, seed)
    return instance, make_report(os.fspath(path), instance, units=units)


PARQUET_READERS: dict[ParquetContent, Reader] = {
    "instance": functools.partial(_read_jobs, Instance),
    "colocation": _read_colocation,
    "task_sample": draw_tasks,
    "parallel_tasks": _read_parallel_tasks,
    "map_reduce": functools.partial(_read_jobs, MapReduceInstance),
}


def task_report(
    source: FilePath, rows_read: int, instance: ColocationInstance, *assumptions: str
) -> DataReport:
    """Return the report of tasks to colocate, which have neither loads nor capacities."""
    return DataReport(
        os.fspath(source), rows_read, instance.n_tasks, job_word="tasks", assumptions=assumptions
    )


def refuse_machines(source: FilePath, machines: MachineChoice | None) -> None:
    """Raise an `InvalidInstanceError` if machines are chosen for tasks to colocate."""
    if machines is not None:
        raise InvalidInstanceError(
            f"{os.fspath(source)}: {spelled('machines', machines)}: tasks to colocate run on identical machines "
            f"without capacities, and the instance says how many"
        )


def chosen_machines(own: Machines, machines: MachineChoice | None) -> Machines:
    """Return the machines of an instance, or others with its resources; a number means so many of its one kind."""
    if machines is None:
        return own
    units = [ResourceUnit(name) for name in own.resource_names]
    return choose_machines(machines, units, own.capacity[0].tolist() if own.are_identical else None)
