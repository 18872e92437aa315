"""What the planning policies are made of: how many waiting jobs are protected, and how reservations move.

`easy`, `conservative` and `backfill` name corners of one space; `protecting_policy` makes the compiled policy that
covers a point of it.
"""

from typing import Any, Literal

from schedcore import _core
from schedcore.parameters import option

from .family import BackfillingParameters
from .selection import Selection
from .site_limits import PlanLimits

__all__ = ["Compressing", "protecting_gang_policy", "protecting_policy"]


class Compressing(BackfillingParameters):
    """What becomes of reservations where a job ends early."""

    compression: Literal["pass", "fixpoint", "none"] = option(
        "after early completions: one pass in queue order, passes until nothing moves (fixpoint), or none",
        "A pass looks at every reservation once.",
        default="pass",
        for_kernel=False,
    )


def protecting_policy(
    limits: PlanLimits,
    protected: int | None,
    selection: Selection,
    compression: str = "pass",
) -> _core.engine.Policy:
    """Return the policy that protects so many waiting jobs; with None every one of them holds a reservation."""
    scores: dict[str, Any] = selection.arguments()
    if protected == 1 and limits.has_standing_order:
        return _core.backfilling.BackfillPolicy(
            overtaking="protected_head", order=limits.checked("order"), **scores, **limits.for_kernel()
        )
    if not limits.is_in_order_of_arrival:
        return protecting_gang_policy(limits, protected, selection, compression)
    return _core.backfilling.ReservationPolicy(
        protected_jobs=protected, compression=compression, **scores, **limits.for_kernel()
    )


def protecting_gang_policy(
    limits: PlanLimits,
    protected: int | None,
    selection: Selection,
    compression: str = "pass",
) -> _core.engine.Policy:
    """Return the same for clusters as they are."""
    scores: dict[str, Any] = selection.arguments()
    if protected == 1:
        return _core.gangs.GangQueuePolicy(
            overtaking="protected_head", order=limits.queue_order, **scores, **limits.for_kernel()
        )
    return _core.gangs.GangReservationPolicy(
        protected_jobs=protected,
        compression=compression,
        order=limits.queue_order,
        **scores,
        **limits.for_kernel(),
    )
