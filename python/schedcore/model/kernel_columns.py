"""The columns of an instance as the kernels take them."""

from schedcore import _core

from .parallel_tasks import ParallelTaskInstance

__all__ = ["kernel_columns"]


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
