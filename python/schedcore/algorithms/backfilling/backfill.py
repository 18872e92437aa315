"""EASY, conservative backfilling, and everything between: how many waiting jobs are protected by a reservation.

EASY protects the head of the queue: others may overtake it unless that would delay its earliest start by the running
jobs' estimates (its shadow time). Conservative backfilling gives every waiting job a reservation, and nothing delays
one; jobs that end before their estimates give room back, and reservations move to earlier places (compression).
Decisions use `estimated_processing_time`, completions the processing time.
Sources: Lifka, JSSPP 1995; Feitelson and Weil, IPPS 1998; Mu'alem and Feitelson, TPDS 2001; Leinberger, Karypis and
Kumar, SC 1999, for several resources and the selections.
"""

from dataclasses import dataclass
from typing import Any

from schedcore import _core
from schedcore.algorithms.workload_run import Progress, run_policy
from schedcore.errors import InvalidInstanceError, UnsupportedError
from schedcore.model import Instance, Machines, Result
from schedcore.model.choices import check_choice
from schedcore.registry import Algorithm, OnlinePolicy, Option, register

from .family import FAMILY, OBJECTIVE, PAPER
from .selection import SELECTION, Selection
from .site_limits import (
    PLAN_LIMITS,
    SiteLimits,
    checked_record,
    positive_integer,
    record_option,
    refuse_record,
)

__all__ = ["backfill", "conservative", "easy"]

_MODE = Option(
    "mode",
    "compress",
    "compress: reservations only move to earlier starts; rebuild: made anew at every event, for comparison",
    ("compress", "rebuild"),
)
_COMPRESSION = Option(
    "compression",
    "pass",
    "after early completions: one pass in queue order, passes until nothing moves (fixpoint), or none",
    ("pass", "fixpoint", "none"),
)


@dataclass(frozen=True, slots=True)
class _Plan:
    """What one policy of this module is made of."""

    protected: int | None
    selection: str
    compression: str
    mode: str
    limits: SiteLimits
    record: bool

    def prototype(self, machines: Machines) -> _core.Policy:
        chosen = Selection.parse(self.selection)
        check_choice("mode", self.mode, _MODE.choices or ())
        check_choice("compression", self.compression, _COMPRESSION.choices or ())
        limits: dict[str, Any] = self.limits.arguments()
        if self.mode == "rebuild":
            return self._rebuilding(chosen, limits)
        scores: dict[str, Any] = chosen.arguments()
        # With equal scores alone whoever overtakes does so in queue order. (In a compression the selection also lets
        # jobs start before the others move, whatever the scores.)
        if self.protected is not None and chosen.in_queue_order(machines.n_resources):
            scores = {}
        if self.protected == 1:
            return _core.BackfillPolicy(
                "protected_head", **scores, **limits, record=checked_record(self.record)
            )
        return _core.ReservationPolicy(
            self.protected, self.compression, **scores, **limits, record=checked_record(self.record)
        )

    def _rebuilding(self, chosen: Selection, limits: dict[str, Any]) -> _core.Policy:
        if chosen.rule != "ff":
            raise UnsupportedError(f"mode='rebuild' exists for selection='ff' only, not {self.selection!r}")
        if self.protected is not None:
            raise UnsupportedError("mode='rebuild' plans for the whole queue; it has no reservation_depth")
        if self.compression != "pass":
            raise UnsupportedError("mode='rebuild' makes its plan anew at every event; it has no compression")
        if limits.pop("interval") is not None:
            raise UnsupportedError("mode='rebuild' makes its plan anew at every event; it has no interval")
        return _core.RebuildPolicy(**limits, record=checked_record(self.record))


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
    plan = _Plan(reservation_depth, selection, "pass", "compress", limits, record)
    options = {"selection": selection, **limits.arguments(), "reservation_depth": reservation_depth}
    return _run("easy", instance, plan, options, progress)


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
    plan = _Plan(None, selection, compression, mode, limits, record)
    options = {"selection": selection, "mode": mode, "compression": compression, **limits.arguments()}
    return _run("conservative", instance, plan, options, progress)


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
    return _run("backfill", instance, plan, options, progress)


def _protecting(
    protected: int | None,
    reservation_depth: int | None,
    selection: str,
    compression: str,
    limits: SiteLimits,
    record: bool,
) -> _Plan:
    positive_integer("protected", protected)
    positive_integer("reservation_depth", reservation_depth)
    if reservation_depth is not None:
        if protected not in (1, reservation_depth):
            raise InvalidInstanceError(
                f"protected = {protected} and reservation_depth = {reservation_depth} are two names of one number"
            )
        protected = reservation_depth
    Selection.parse(selection)
    return _Plan(protected, "ff" if protected is None else selection, compression, "compress", limits, record)


def _run(name: str, instance: Instance, plan: _Plan, options: dict[str, Any], progress: Progress) -> Result:
    return run_policy(
        name,
        instance,
        plan.prototype(instance.machines),
        uses_estimates=True,
        objective=OBJECTIVE,
        options=options,
        progress=progress,
    )


def _check_depth(reservation_depth: Any) -> None:
    if reservation_depth is None:
        raise InvalidInstanceError("easy protects a number of jobs; 'conservative' protects all of them")
    positive_integer("reservation_depth", reservation_depth)


def _embed_easy(
    machines: Machines, selection: str = "ff", reservation_depth: int = 1, **limits: Any
) -> OnlinePolicy:
    _check_depth(reservation_depth)
    refuse_record(limits)
    plan = _Plan(reservation_depth, selection, "pass", "compress", SiteLimits(**limits), False)
    return OnlinePolicy(plan.prototype(machines))


def _embed_conservative(
    machines: Machines,
    selection: str = "ff",
    mode: str = "compress",
    compression: str = "pass",
    **limits: Any,
) -> OnlinePolicy:
    refuse_record(limits)
    plan = _Plan(None, selection, compression, mode, SiteLimits(**limits), False)
    return OnlinePolicy(plan.prototype(machines))


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
register(
    Algorithm(
        "conservative",
        "conservative backfilling",
        FAMILY,
        PAPER,
        conservative,
        (SELECTION, _MODE, _COMPRESSION, *PLAN_LIMITS, record_option("keep reservations in stats")),
        OBJECTIVE,
        decides_with="estimated_processing_time",
        machines_may_differ=True,
        embed=_embed_conservative,
    )
)
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
            _COMPRESSION,
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
