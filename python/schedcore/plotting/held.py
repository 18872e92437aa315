"""How much of a resource each piece of a schedule holds on its machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from schedcore.model import Instance, ParallelTaskInstance

if TYPE_CHECKING:
    from schedcore.model import MapReduceInstance, PreemptiveSchedule


def held_amounts(
    inst: ParallelTaskInstance | Instance | MapReduceInstance, schedule: PreemptiveSchedule, resource: int
) -> NDArray[np.int64]:
    """(n_pieces,) Units of a resource: of parallel tasks their demand, of jobs in slots the cores that they got.

    Of other resources than cores, a job in slots holds what it is believed to need on every machine that it runs on.
    """
    if isinstance(inst, ParallelTaskInstance):
        return np.asarray(inst.demand[inst.task_start[schedule.job] + schedule.task, resource])
    if resource > 0 and isinstance(inst, Instance):
        return np.asarray(inst.jobs.estimated_demand[schedule.job, resource])
    assert schedule.amount is not None, "a feasible schedule of jobs in slots has amounts"
    return schedule.amount
