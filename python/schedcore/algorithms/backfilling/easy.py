"""EASY: the head of the queue is protected, and whoever does not delay it may overtake.

Others may overtake the head unless that would delay its earliest start by the running jobs' estimates (its shadow
time). Decisions use `estimated_processing_time`, completions the processing time.
Sources: Lifka, JSSPP 1995; Leinberger, Karypis and Kumar, SC 1999, for several resources and the selections.
"""

from typing import Any

from schedcore.algorithms.workload_run import Progress
from schedcore.errors import InvalidInstanceError
from schedcore.model import Instance, Machines, Result
from schedcore.registry import Algorithm, OnlinePolicy, Option, register

from .family import FAMILY, OBJECTIVE, PAPER
from .plan import Plan, run_plan
from .selection import SELECTION
from .site_limits import PLAN_LIMITS, SiteLimits, positive_integer, record_option, refuse_record

__all__ = ["easy"]


def easy(
    instance: Instance,
    selection: str = "ff",
    queue_depth: int | None = None,
    window: float | None = None,
    resolution: float | None = None,
    interval: float | None = None,
    reservation_depth: int = 1,
    *,
    record: bool = False,
    progress: Progress = None,
) -> Result:
    """EASY backfilling: jobs overtake a blocked head unless they delay its earliest start.

    Parameters
    ----------
    instance : Instance
        Machines may differ; a job runs inside one machine. Every job demands something and fits some machine; its
        `estimated_processing_time` is at least its processing time.
    selection : str
        Who overtakes first: "ff" (queue order), "bb", "bb!", "bl", "bl(w)", "bl!", "bl(w)!", "sb" or "sb(w)".
    queue_depth : int, optional
        Only the first so many waiting jobs, the head included, are looked at.
    window : float, optional
        A head whose earliest start is further ahead is not protected.
    resolution : float, optional
        Planned ends are rounded up to multiples of it.
    interval : float, optional
        Jobs overtake at most once in so much time; the head starts at any time.
    reservation_depth : int
        Another name of `protected` in `schedcore.backfill`.
    record : bool
        Keep ``stats["shadow"]``: for every pass with a protected head (time, job, shadow time, machine); with a
        `reservation_depth` above 1 ``stats["reservations"]`` as `schedcore.conservative` does.
    progress : callable, optional
        ``progress(jobs_started, n_jobs)``.

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
    _check_depth(reservation_depth)
    limits = SiteLimits(queue_depth, window, resolution, interval)
    plan = Plan(reservation_depth, selection, "pass", "compress", limits, record)
    options = {"selection": selection, **limits.arguments(), "reservation_depth": reservation_depth}
    return run_plan("easy", instance, plan, options, progress)


def _check_depth(reservation_depth: Any) -> None:
    if reservation_depth is None:
        raise InvalidInstanceError("easy protects a number of jobs; 'conservative' protects all of them")
    positive_integer("reservation_depth", reservation_depth)


def _embed_easy(
    machines: Machines, selection: str = "ff", reservation_depth: int = 1, **limits: Any
) -> OnlinePolicy:
    _check_depth(reservation_depth)
    refuse_record(limits)
    plan = Plan(reservation_depth, selection, "pass", "compress", SiteLimits(**limits), False)
    return OnlinePolicy(plan.prototype(machines))


register(
    Algorithm(
        "easy",
        "EASY backfilling",
        FAMILY,
        PAPER,
        easy,
        (
            SELECTION,
            *PLAN_LIMITS,
            Option("reservation_depth", 1, "how many waiting jobs hold reservations", check=_check_depth),
            record_option("keep shadow times in stats (reservations where reservation_depth is above 1)"),
        ),
        OBJECTIVE,
        decides_with="estimated_processing_time",
        machines_may_differ=True,
        embed=_embed_easy,
    )
)
