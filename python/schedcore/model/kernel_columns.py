"""The columns of an instance as the kernels take them."""

from typing import Any

from schedcore import _core

from .jobs import Jobs
from .parallel_tasks import ParallelTaskInstance

__all__ = ["cluster_columns", "kernel_columns"]


def kernel_columns(instance: ParallelTaskInstance) -> _core.model.ParallelTasks:
    """Wrap the columns, without copying them, for the kernels that schedule parallel tasks; O(1)."""
    return _core.model.ParallelTasks(
        instance.weight,
        instance.release_time,
        instance.task_job,
        instance.demand,
        instance.placement_start,
        instance.placement_machine,
        instance.placement_time,
        instance.placement_local,
        instance.machines.capacity,
        instance.remote_penalty,
    )


def cluster_columns(jobs: Jobs) -> dict[str, Any]:
    """Return what jobs say beside their usual columns and their constraints, by the names of the core; O(columns)."""
    return {name: getattr(jobs, column) for column, name in _CLUSTER_COLUMNS.items() if jobs.uses(column)}


_CLUSTER_COLUMNS = {
    "n_tasks": "n_tasks",
    "max_tasks_per_machine": "max_tasks",
    "exclusive": "exclusive",
    "checkpoint_interval": "checkpoint_interval",
    "restart_cost": "restart_cost",
}
