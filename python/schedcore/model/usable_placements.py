"""A parallel-task instance without the placements that nothing can use."""

import numpy as np

from schedcore.errors import InfeasibleError

from .parallel_task_columns import fitting_placements
from .parallel_tasks import ParallelTaskInstance

__all__ = ["usable"]


def usable(instance: ParallelTaskInstance) -> ParallelTaskInstance:
    """Return the instance without the placements on whose machine the task does not fit; itself if there are none.

    Raises
    ------
    InfeasibleError
        If no machine of a task's placement set holds it; names the task.
    """
    starts = instance.placement_start
    fits = fitting_placements(instance.demand, instance.machines.capacity, starts, instance.placement_machine)
    if fits.all():
        return instance
    counts = np.add.reduceat(fits, starts[:-1], dtype=np.int64)
    if not counts.all():
        task = int(np.argmin(counts > 0))
        machine = int(instance.placement_machine[starts[task]])
        raise InfeasibleError(
            f"{instance.task_name(task)} fits none of its {np.diff(starts)[task]} machines: demand "
            f"{instance.demand[task].tolist()}, capacity {instance.machines.capacity[machine].tolist()} of machine "
            f"{machine}"
        )
    return instance._restore(
        {
            **instance._contents(),
            "placement_start": np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
            "placement_machine": instance.placement_machine[fits],
            "placement_time": instance.placement_time[fits],
            "placement_local": instance.placement_local[fits],
        }
    )
