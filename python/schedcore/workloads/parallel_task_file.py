"""Jobs of parallel tasks as Parquet, with what experiments vary: weights, and where tasks may run.

A recorded workload is prepared once, written with `ParallelTaskInstance.to_parquet`, and read under many conditions.
"""

import os

from schedcore.errors import InvalidInstanceError
from schedcore.model import ParallelTaskInstance
from schedcore.model.arrow import from_table_of_file
from schedcore.workloads.reading.instance_file import read_units_and_table
from schedcore.workloads.reading.machines_spec import MachineChoice
from schedcore.workloads.reading.report import DataReport, make_report
from schedcore.workloads.reading.source_file import FilePath
from schedcore.workloads.transforms.job_weights import DrawnWeights, draw_weights
from schedcore.workloads.transforms.task_placements import draw_placements, restrict_machines

__all__ = ["read_parallel_tasks"]


def read_parallel_tasks(
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
