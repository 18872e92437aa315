"""How much work arrives, compared with what the machines can do in the same time?"""

import numpy as np

from schedcore.model import Instance, MapReduceInstance, ParallelTaskInstance
from schedcore.model.arrays import FloatArray
from schedcore.model.offered_load import load_per_resource

__all__ = ["offered_load"]


def offered_load(instance: Instance | ParallelTaskInstance | MapReduceInstance) -> FloatArray:
    """Return the offered load of each resource: work that arrives over work that the machines could do.

    Returns
    -------
    (n_resources,) float64
        Sum of processing time times demand, over total capacity times horizon, where the horizon is the last
        release time minus the first. A parallel task counts with its shortest processing time, a job of map and reduce
        tasks with the core-slots of all of them. Above 1 the queue cannot drain before the arrivals end, whatever the
        policy. NaN where all jobs are released at one instant (there is no rate of arrival), infinite where a resource
        without capacity is demanded.

    Notes
    -----
    O(n_jobs * n_resources) time (tasks and placements of parallel tasks), in float64: a figure for reports, no decision
    depends on it.
    """
    release_time = np.asarray(instance.release_time, dtype=np.float64)
    return load_per_resource(release_time, instance.work(), instance.machines.capacity)
