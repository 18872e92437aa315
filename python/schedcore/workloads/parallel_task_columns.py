"""A parallel-task instance with some columns replaced, or cut off after some jobs."""

from typing import Any

from schedcore.model import ParallelTaskInstance

__all__ = ["first_parallel_jobs", "with_columns"]

_COLUMNS = (
    "weight",
    "release_time",
    "task_job",
    "demand",
    "placement_start",
    "placement_machine",
    "placement_time",
    "placement_local",
    "machines",
    "remote_penalty",
)


def with_columns(inst: ParallelTaskInstance, **columns: Any) -> ParallelTaskInstance:
    """Return the instance with other values of the arguments that made it, checked as always."""
    return ParallelTaskInstance(**{name: getattr(inst, name) for name in _COLUMNS} | columns)


def first_parallel_jobs(inst: ParallelTaskInstance, n_jobs: int) -> ParallelTaskInstance:
    """Return the first jobs, at most as many as there are, with all their tasks and release times."""
    n_tasks = int(inst.task_start[n_jobs])
    n_placements = int(inst.placement_start[n_tasks])
    return with_columns(
        inst,
        weight=inst.weight[:n_jobs],
        release_time=inst.release_time[:n_jobs],
        task_job=inst.task_job[:n_tasks],
        demand=inst.demand[:n_tasks],
        placement_start=inst.placement_start[: n_tasks + 1],
        placement_machine=inst.placement_machine[:n_placements],
        placement_time=inst.placement_time[:n_placements],
        placement_local=inst.placement_local[:n_placements],
    )
