"""What of a cluster was down, and when: announced outages, failures, or both at once, which count once."""

import numpy as np
import numpy.typing as npt

from schedcore.metrics.over_time import total_capacity
from schedcore.metrics.step_function import StepFunction
from schedcore.model import Incidents, Instance, Outages


def times_down(inst: Instance, incidents: Incidents | None = None) -> Outages | None:
    """Return when machines cannot be used, in stretches that do not touch; None if all are always up.

    Raises
    ------
    InvalidInstanceError
        For incidents of a machine or job that there is not.
    TypeError
        For what are no incidents.
    """
    failures = None
    if incidents is not None:
        if not isinstance(incidents, Incidents):
            raise TypeError(f"incidents must be Incidents, not {type(incidents).__name__}")
        incidents.check_for(inst)
        failures = incidents.failures
    rows = [each for each in (inst.outages, failures) if each is not None]
    if not rows:
        return None
    columns = (np.concatenate([getattr(each, name) for each in rows]) for name in Outages._fields)
    return Outages(*columns).united()


def capacity_down(inst: Instance, incidents: Incidents | None = None) -> StepFunction:
    """Return how much of each resource is down at every instant: what machines in outages and failures have.

    Parameters
    ----------
    inst : Instance
    incidents : Incidents, optional
        Its failures count like the outages of the instance.

    Raises
    ------
    InvalidInstanceError, TypeError
        As `capacity_use` for incidents.

    Notes
    -----
    O(d log d + d * n_resources) for d outages and failures.
    """
    down = times_down(inst, incidents)
    if down is None:
        return StepFunction.from_changes(np.empty(0), np.empty((0, inst.n_resources), dtype=np.int64))
    amounts = inst.machines.capacity[down.machine]
    ends = np.isfinite(down.end_time)
    return StepFunction.from_changes(
        np.concatenate([down.start_time, down.end_time[ends]]), np.concatenate([amounts, -amounts[ends]])
    )


def binned_share_down(
    inst: Instance, incidents: Incidents | None, edges: npt.ArrayLike
) -> npt.NDArray[np.float64]:
    """(n_bins, n_resources) Return the mean share of the total capacity that is down between each two of the edges."""
    down = capacity_down(inst, incidents).binned_mean(edges)
    capacity = np.broadcast_to(total_capacity(inst), down.shape)
    return np.divide(down, capacity, out=np.zeros(down.shape), where=capacity > 0)
