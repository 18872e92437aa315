"""Everything between EASY and conservative backfilling: the first N waiting jobs hold reservations.

Sources: those of `easy` and `conservative`, which are N = 1 and no limit.
"""

from typing import Any

from schedcore.algorithms.workload_run import Progress
from schedcore.errors import InvalidInstanceError
from schedcore.model import Instance, Machines, Result
from schedcore.registry import Algorithm, OnlinePolicy, Option, register

from .family import FAMILY, OBJECTIVE, PAPER
from .plan import COMPRESSION, Plan, run_plan
from .selection import SELECTION, Selection
from .site_limits import PLAN_LIMITS, SiteLimits, positive_integer, record_option, refuse_record

__all__ = ["backfill"]


def backfill(
    instance: Instance,
    protected: int | None = 1,
    selection: str = "ff",
    compression: str = "pass",
    queue_depth: int | None = None,
    window: float | None = None,
    resolution: float | None = None,
    interval: float | None = None,
    reservation_depth: int | None = None,
    *,
    record: bool = False,
    progress: Progress = None,
) -> Result:
    """Backfilling that protects the first waiting jobs: 1 is EASY, None is conservative.

    Parameters
    ----------
    instance : Instance
        As for `schedcore.easy`.
    protected : int or None
        How many waiting jobs hold reservations. With None all do, and the selection has no say: that is
        `schedcore.conservative` with "ff". 1 is `schedcore.easy`.
    selection : str
        Who of the unprotected jobs overtakes first, as for `schedcore.easy`.
    compression : {"pass", "fixpoint", "none"}
        As for `schedcore.conservative`; one reservation (`protected` 1) is looked up anew in every pass.
    queue_depth, window, resolution, interval
        As for `schedcore.easy` and `schedcore.conservative`.
    reservation_depth : int, optional
        Another name of `protected`, which it takes the place of where that is left at 1.
    record : bool
        Keep ``stats["shadow"]`` (`protected` 1) or ``stats["reservations"]``.
    progress : callable, optional
        ``progress(jobs_started, n_jobs)``.

    Returns
    -------
    Result
        `objective` is "average_response_time"; no guarantee.

    Raises
    ------
    InvalidInstanceError, InfeasibleError
        See `schedcore.solve`; also for two different numbers of protected jobs.

    Notes
    -----
    Cost as for `schedcore.conservative` over the protected jobs; the others cost what they cost under EASY.
    """
    limits = SiteLimits(queue_depth, window, resolution, interval)
    plan = _protecting(protected, reservation_depth, selection, compression, limits, record)
    options = {
        "protected": plan.protected,
        "selection": selection,
        "compression": compression,
        **limits.arguments(),
    }
    return run_plan("backfill", instance, plan, options, progress)


def _protecting(
    protected: int | None,
    reservation_depth: int | None,
    selection: str,
    compression: str,
    limits: SiteLimits,
    record: bool,
) -> Plan:
    positive_integer("protected", protected)
    positive_integer("reservation_depth", reservation_depth)
    if reservation_depth is not None:
        if protected not in (1, reservation_depth):
            raise InvalidInstanceError(
                f"protected = {protected} and reservation_depth = {reservation_depth} are two names of one number"
            )
        protected = reservation_depth
    Selection.parse(selection)
    return Plan(protected, "ff" if protected is None else selection, compression, "compress", limits, record)


def _embed_backfill(
    machines: Machines,
    protected: int | None = 1,
    selection: str = "ff",
    compression: str = "pass",
    reservation_depth: int | None = None,
    **limits: Any,
) -> OnlinePolicy:
    refuse_record(limits)
    plan = _protecting(protected, reservation_depth, selection, compression, SiteLimits(**limits), False)
    return OnlinePolicy(plan.prototype(machines))


register(
    Algorithm(
        "backfill",
        "backfilling with the first N jobs protected",
        FAMILY,
        PAPER,
        backfill,
        (
            Option(
                "protected",
                1,
                "how many waiting jobs hold reservations: 1 is EASY, None conservative",
                check=lambda value: positive_integer("protected", value),
            ),
            SELECTION,
            COMPRESSION,
            *PLAN_LIMITS,
            Option(
                "reservation_depth",
                None,
                "another name of protected",
                check=lambda value: positive_integer("reservation_depth", value),
            ),
            record_option("keep shadow times (protected=1) or reservations in stats"),
        ),
        OBJECTIVE,
        decides_with="estimated_processing_time",
        machines_may_differ=True,
        embed=_embed_backfill,
    )
)
