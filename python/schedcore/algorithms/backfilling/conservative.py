"""Conservative backfilling: every waiting job holds a reservation, and nothing delays one.

Jobs that end before their estimates give room back, and reservations move to earlier places (compression). Decisions
use `estimated_processing_time`, completions the processing time.
Sources: Feitelson and Weil, IPPS 1998; Mu'alem and Feitelson, TPDS 2001; Leinberger, Karypis and Kumar, SC 1999, for
several resources and the selections.
"""

from typing import Any

from schedcore.algorithms.workload_run import Progress
from schedcore.model import Instance, Machines, Result
from schedcore.registry import Algorithm, OnlinePolicy, register

from .family import FAMILY, OBJECTIVE, PAPER
from .plan import COMPRESSION, MODE, Plan, run_plan
from .selection import SELECTION
from .site_limits import PLAN_LIMITS, SiteLimits, record_option, refuse_record

__all__ = ["conservative"]


def conservative(
    instance: Instance,
    selection: str = "ff",
    mode: str = "compress",
    compression: str = "pass",
    queue_depth: int | None = None,
    window: float | None = None,
    resolution: float | None = None,
    interval: float | None = None,
    *,
    record: bool = False,
    progress: Progress = None,
) -> Result:
    """Conservative backfilling: every waiting job holds a reservation, and nothing delays one.

    Parameters
    ----------
    instance : Instance
        As for `schedcore.easy`.
    selection : str
        Who takes room that was given back first, where it can start at once; "ff" goes by queue order.
    mode : {"compress", "rebuild"}
        Reservations only move to earlier starts, or are made anew at every arrival and completion ("ff" only; a job
        may then start later than it was promised).
    compression : {"pass", "fixpoint", "none"}
        After a completion before the estimate every reservation is looked at once in queue order, again until nothing
        moves, or not at all.
    queue_depth : int, optional
        Only the first so many waiting jobs get reservations.
    window : float, optional
        No reservation further ahead is made; the job is looked at again in every later pass.
    resolution : float, optional
        Planned ends are rounded up to multiples of it.
    interval : float, optional
        Reservations are made and compressed at most once in so much time; due ones start, and so does the head.
    record : bool
        Keep ``stats["reservations"]``: job -> list of (decision time, start, machine), one entry for each change.
    progress : callable, optional
        ``progress(jobs_started, n_jobs)``.

    Returns
    -------
    Result
        `objective` is "average_response_time"; no guarantee. ``stats["compression_looks"]`` and
        ``stats["compression_moves"]`` count the reservations looked at and moved.

    Raises
    ------
    InvalidInstanceError, InfeasibleError, UnsupportedError
        See `schedcore.solve`; also for an estimate below the processing time.

    Notes
    -----
    An arrival costs one search of the plan; an early completion a look at every reservation, tens of nanoseconds for
    one that cannot move.
    """
    limits = SiteLimits(queue_depth, window, resolution, interval)
    plan = Plan(None, selection, compression, mode, limits, record)
    options = {"selection": selection, "mode": mode, "compression": compression, **limits.arguments()}
    return run_plan("conservative", instance, plan, options, progress)


def _embed_conservative(
    machines: Machines,
    selection: str = "ff",
    mode: str = "compress",
    compression: str = "pass",
    **limits: Any,
) -> OnlinePolicy:
    refuse_record(limits)
    plan = Plan(None, selection, compression, mode, SiteLimits(**limits), False)
    return OnlinePolicy(plan.prototype(machines))


register(
    Algorithm(
        "conservative",
        "conservative backfilling",
        FAMILY,
        PAPER,
        conservative,
        (SELECTION, MODE, COMPRESSION, *PLAN_LIMITS, record_option("keep reservations in stats")),
        OBJECTIVE,
        decides_with="estimated_processing_time",
        machines_may_differ=True,
        embed=_embed_conservative,
    )
)
