"""How large a job is beside the whole cluster: what fair shares count by."""

import numpy as np
import numpy.typing as npt

from schedcore.metrics.over_time import total_capacity
from schedcore.model import Instance


def cluster_share(inst: Instance) -> npt.NDArray[np.float64]:
    """(n_jobs,) The largest part of a resource of all machines that the tasks of a job take; O(n_jobs * n_resources).

    Resources of which there is nothing do not count.
    """
    capacity = total_capacity(inst)
    offered = capacity > 0
    share = inst.demand_of_all_tasks()[:, offered] / capacity[offered]
    return np.asarray(share.max(axis=1, initial=0.0), dtype=np.float64)
