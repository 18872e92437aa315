"""Which jobs fit on the empty cluster? Equal tasks, counted over the machines that a job may use.

Machines that are alike are counted together, and so are jobs that are: a log has few shapes of either.
"""

import numpy as np
from numpy.typing import NDArray

from schedcore.model import Machines
from schedcore.model.arrays import BoolArray, FloatArray
from schedcore.model.coded_texts import CodedTexts
from schedcore.model.constraints import allowed_machines

__all__ = ["fits_empty_cluster"]


def fits_empty_cluster(
    demand: FloatArray,
    n_tasks: FloatArray,
    machines: Machines,
    *,
    own_machine: bool = False,
    constraint: CodedTexts | None = None,
) -> BoolArray:
    """(n_jobs,) Return which jobs would fit if they were alone.

    Parameters
    ----------
    demand : (n_jobs, n_resources) float64
        Of one task; not negative, or NaN, which fits nowhere.
    n_tasks : (n_jobs,) float64
        At least 1.
    own_machine : bool
        Whether each task needs a machine of its own.
    constraint : CodedTexts, optional
        Over the labels of the machines; default: every job may use all of them.

    Notes
    -----
    O(k log k + s * c * n_resources) for k jobs of s shapes on machines of c capacities.
    """
    code = np.full(len(demand), -1.0) if constraint is None else constraint.codes.astype(np.float64)
    shapes, of_job = np.unique(np.column_stack([code, demand]), axis=0, return_inverse=True)
    room = np.zeros(len(shapes))
    masks = None if constraint is None else allowed_machines(constraint, machines).masks
    for code_of_shapes in np.unique(shapes[:, 0]):
        rows = shapes[:, 0] == code_of_shapes
        mask = None if code_of_shapes < 0 or masks is None else masks[int(code_of_shapes)]
        room[rows] = _room(shapes[rows, 1:], machines, mask, own_machine)
    fits: BoolArray = room[of_job.reshape(-1)] >= n_tasks
    return fits


def _room(
    demand: FloatArray, machines: Machines, mask: NDArray[np.bool_] | None, own_machine: bool
) -> FloatArray:
    """How many tasks of each shape the machines hold, one a machine if each needs its own."""
    capacity = machines.capacity if mask is None else machines.capacity[mask]
    room = np.zeros(len(demand))
    kinds, counts = np.unique(capacity, axis=0, return_counts=True)
    for amounts, count in zip(kinds, counts, strict=True):
        times = np.full(demand.shape, np.inf)
        np.divide(amounts.astype(np.float64), demand, out=times, where=demand > 0)
        fitting = np.where(np.isnan(demand).any(axis=1), 0.0, np.floor(times.min(axis=1)))
        room += count * (np.minimum(fitting, 1.0) if own_machine else fitting)
    return room
