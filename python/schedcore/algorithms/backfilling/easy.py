"""EASY: the head of the queue is protected, and whoever does not delay it may overtake.

Others may overtake the head unless that would delay its earliest start by the running jobs' estimates (its shadow
time). Decisions use `estimated_processing_time`, completions the processing time.
Sources: Lifka, JSSPP 1995; Leinberger, Karypis and Kumar, SC 1999, for several resources and the selections.
"""

from collections.abc import Mapping
from typing import Any

from schedcore import _core
from schedcore.errors import InvalidInstanceError, UnsupportedError
from schedcore.model import Instance, Machines, Result
from schedcore.parameters import option, same_option
from schedcore.registry import registered

from .family import BACKFILLING, embedded, run_backfilling
from .plan import protecting_gang_policy, protecting_policy
from .selection import Overtaking
from .site_limits import PlanLimits, positive_integer

__all__ = ["easy"]


def _checked_depth(name: str, depth: Any) -> int | None:
    if depth is None:
        raise InvalidInstanceError("easy protects a number of jobs; 'conservative' protects all of them")
    return positive_integer(name, depth)


class EasyParameters(PlanLimits, Overtaking):
    """Who overtakes under EASY, how many are protected, and what sites set."""

    reservation_depth: int = option(
        "how many waiting jobs hold reservations",
        "Another name of `protected` in `schedcore.backfilling.backfill`.",
        default=1,
        check=_checked_depth,
        early=True,
        for_kernel=False,
    )
    record: bool = same_option(
        default=False,
        kw_only=True,
        description="keep shadow times in stats (reservations where reservation_depth is above 1)",
        details='They are ``stats["shadow"]``: for every pass with a protected head (time, job, shadow time, machine);'
        ' or ``stats["reservations"]``, as `schedcore.backfilling.conservative` has them.',
    )

    def prototype(self, machines: Machines) -> _core.engine.Policy:
        return protecting_policy(self, self.reservation_depth, self.scored(machines.n_resources))

    def check_features(self, used: Mapping[str, str], machines: Machines) -> None:
        super().check_features(used, machines)
        if "preemption" in used and self.reservation_depth != 1:
            raise UnsupportedError(
                f"easy with reservation_depth {self.reservation_depth} does not take preemption "
                f"({used['preemption']}): it promises starts to more than one job"
            )

    def gang_prototype(self, machines: Machines) -> _core.engine.Policy:
        return protecting_gang_policy(self, self.reservation_depth, self.scored(machines.n_resources))


@registered(EasyParameters, "EASY backfilling", BACKFILLING, embed=embedded)
def easy(instance: Instance, parameters: EasyParameters) -> Result:
    """EASY backfilling: jobs overtake a blocked head unless they delay its earliest start.

    Parameters
    ----------
    instance : Instance
        Machines may differ; a job runs inside one machine. Every job demands something and fits some machine; its
        `estimated_processing_time` is at least its processing time.

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
    A start or completion costs O(n_resources * log k) for k running jobs, a start out of order one search over the
    distinct demand vectors that wait. Scored selections look at each of those that fit.
    """
    return run_backfilling("easy", instance, parameters)
