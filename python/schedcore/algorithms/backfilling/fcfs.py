"""FCFS, and first fit without reservations: jobs start in the order of their arrival, or whoever fits.

Under FCFS nothing overtakes a blocked head. First fit lets every job start that fits, in queue order or as a selection
prefers, and protects nobody: a large job may wait for ever while small ones keep arriving (head-of-line starvation).
Source: Leinberger, Karypis and Kumar, SC 1999.
"""

from typing import Any

from schedcore import _core
from schedcore.model import Instance, Machines, Result
from schedcore.parameters import same_option
from schedcore.registry import registered

from .family import BACKFILLING, BackfillingParameters, embedded, run_backfilling
from .selection import Overtaking
from .site_limits import PassInterval, QueueDepth

__all__ = ["fcfs", "first_fit"]


class FcfsParameters(BackfillingParameters):
    """FCFS has nothing to choose."""

    record: bool = same_option(
        default=False,
        kw_only=True,
        description="for exchange with easy: nobody is protected, so nothing is kept",
        details="",
    )

    def prototype(self, machines: Machines) -> _core.engine.Policy:
        if not self.has_standing_order:
            return self.gang_prototype(machines)
        return _core.backfilling.BackfillPolicy(
            overtaking="never", order=self.checked("order"), **self.for_kernel()
        )

    def gang_prototype(self, machines: Machines) -> _core.engine.Policy:
        return _core.gangs.GangQueuePolicy(overtaking="never", order=self.queue_order, **self.for_kernel())


class FirstFitParameters(PassInterval, QueueDepth, Overtaking, FcfsParameters):
    """Who overtakes under first fit, and how often."""

    def prototype(self, machines: Machines) -> _core.engine.Policy:
        scores: dict[str, Any] = self.scored(machines.n_resources).arguments()
        if not self.has_standing_order:
            return self.gang_prototype(machines)
        return _core.backfilling.BackfillPolicy(
            overtaking="always", order=self.checked("order"), **scores, **self.for_kernel()
        )

    def gang_prototype(self, machines: Machines) -> _core.engine.Policy:
        scores: dict[str, Any] = self.scored(machines.n_resources).arguments()
        return _core.gangs.GangQueuePolicy(
            overtaking="always", order=self.queue_order, **scores, **self.for_kernel()
        )


@registered(FcfsParameters, "FCFS", BACKFILLING, embed=embedded)
def fcfs(instance: Instance, parameters: FcfsParameters) -> Result:
    """Start jobs in the order of their arrival, each on the lowest machine with room; nobody overtakes.

    Parameters
    ----------
    instance : Instance
        Machines may differ; a job runs inside one machine. Every job demands something and fits some machine.

    Returns
    -------
    Result
        `objective` is "average_response_time"; no guarantee.

    Raises
    ------
    InvalidInstanceError, InfeasibleError
        See `schedcore.solve`; also for an estimate below the processing time.

    Notes
    -----
    O(log M) a job beside the calendar of events. Start times do not decrease in queue order.
    """
    return run_backfilling("fcfs", instance, parameters)


@registered(
    FirstFitParameters, "first fit without reservations", BACKFILLING, non_idling=True, embed=embedded
)
def first_fit(instance: Instance, parameters: FirstFitParameters) -> Result:
    """Start whatever fits, first in queue order, then as the selection prefers; nobody is protected.

    Parameters
    ----------
    instance : Instance
        As for `schedcore.backfilling.fcfs`.

    Returns
    -------
    Result
        `objective` is "average_response_time"; no guarantee.

    Raises
    ------
    InvalidInstanceError, InfeasibleError
        See `schedcore.solve`; also for an estimate below the processing time.

    Notes
    -----
    A start costs one search over the distinct demand vectors that wait; scored selections look at each that fits.
    """
    return run_backfilling("first_fit", instance, parameters)
