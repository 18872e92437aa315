"""How much work arrives, compared with what the machines can do in the same time?"""

import numpy as np

from schedcore.model import Instance, MapReduceInstance, ParallelTaskInstance
from schedcore.model.arrays import FloatArray

__all__ = ["offered_load"]


def offered_load(instance: Instance | ParallelTaskInstance | MapReduceInstance) -> FloatArray:
    """Return the offered load of each resource: work that arrives over work that the machines could do.

    Returns
    -------
    (n_resources,) float64
        Sum of processing time times demand, over total capacity times horizon, where the horizon is the last
        release time minus the first. A parallel task counts with its shortest processing time, a job of map and reduce
        tasks with the core-slots of all of them. Above 1 the queue cannot drain before the arrivals end, whatever the
        policy. NaN where all jobs are released at one instant (there
        is no rate of arrival), infinite where a resource without capacity is demanded.

    Notes
    -----
    O(n_jobs * n_resources) time (tasks and placements of parallel tasks), in float64: a figure for reports, no decision
    depends on it.
    """
    machines = instance.machines
    if instance.n_jobs == 0:
        return np.zeros(machines.n_resources)
    horizon = float(instance.release_time.max() - instance.release_time.min())
    if horizon == 0:
        return np.full(machines.n_resources, np.nan)
    work = instance.work()
    possible = machines.capacity.sum(axis=0, dtype=np.float64) * horizon
    load: FloatArray = np.full(machines.n_resources, np.inf)
    np.divide(work, possible, out=load, where=possible > 0)
    load[work == 0] = 0.0
    return load
