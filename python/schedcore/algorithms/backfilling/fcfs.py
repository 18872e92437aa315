"""FCFS, and first fit without reservations: jobs start in the order of their arrival, or whoever fits.

Under FCFS nothing overtakes a blocked head. First fit lets every job start that fits, in queue order or as a selection
prefers, and protects nobody: a large job may wait for ever while small ones keep arriving (head-of-line starvation).
Source: Leinberger, Karypis and Kumar, SC 1999.
"""

from typing import Any

from schedcore import _core
from schedcore.algorithms.workload_run import Progress, run_policy
from schedcore.model import Instance, Machines, Result
from schedcore.registry import Algorithm, OnlinePolicy, register

from .family import FAMILY, OBJECTIVE, PAPER
from .selection import SELECTION, Selection
from .site_limits import INTERVAL, QUEUE_DEPTH, SiteLimits, checked_record, record_option, refuse_record

__all__ = ["fcfs", "first_fit"]

_RECORD = record_option("for exchange with easy: nobody is protected, so nothing is kept")


def fcfs(instance: Instance, *, record: bool = False, progress: Progress = None) -> Result:
    """Start jobs in the order of their arrival, each on the lowest machine with room; nobody overtakes.

    Parameters
    ----------
    instance : Instance
        Machines may differ; a job runs inside one machine. Every job demands something and fits some machine.
    record : bool
        For exchange with `schedcore.easy`; nobody is protected, so nothing is kept.
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
    O(log M) a job beside the calendar of events. Start times do not decrease in queue order.
    """
    policy = _core.BackfillPolicy("never", record=checked_record(record))
    return run_policy("fcfs", instance, policy, uses_estimates=True, objective=OBJECTIVE, progress=progress)


def first_fit(
    instance: Instance,
    selection: str = "ff",
    queue_depth: int | None = None,
    interval: float | None = None,
    *,
    record: bool = False,
    progress: Progress = None,
) -> Result:
    """Start whatever fits, first in queue order, then as the selection prefers; nobody is protected.

    Parameters
    ----------
    instance : Instance
        As for `schedcore.fcfs`.
    selection : str
        Who overtakes a blocked head first, as for `schedcore.easy`.
    queue_depth : int, optional
        Only the first so many waiting jobs may overtake.
    interval : float, optional
        Jobs overtake at most once in so much time; the head starts at any time.
    record : bool
        As for `schedcore.fcfs`.
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
    A start costs one search over the distinct demand vectors that wait; scored selections look at each that fits.
    """
    limits = SiteLimits(queue_depth=queue_depth, interval=interval)
    policy = _first_fit_prototype(instance.machines, Selection.parse(selection), limits, record)
    options = {"selection": selection, "queue_depth": queue_depth, "interval": interval}
    return run_policy(
        "first_fit",
        instance,
        policy,
        uses_estimates=True,
        objective=OBJECTIVE,
        options=options,
        progress=progress,
    )


def _first_fit_prototype(
    machines: Machines, selection: Selection, limits: SiteLimits, record: bool = False
) -> _core.Policy:
    scores = {} if selection.in_queue_order(machines.n_resources) else selection.arguments()
    arguments: dict[str, Any] = {**scores, **limits.arguments()}
    return _core.BackfillPolicy("always", **arguments, record=checked_record(record))


def _embed_fcfs(machines: Machines, **options: Any) -> OnlinePolicy:
    refuse_record(options)
    return OnlinePolicy(_core.BackfillPolicy("never"))


def _embed_first_fit(machines: Machines, selection: str = "ff", **limits: Any) -> OnlinePolicy:
    refuse_record(limits)
    return OnlinePolicy(_first_fit_prototype(machines, Selection.parse(selection), SiteLimits(**limits)))


register(
    Algorithm(
        "fcfs",
        "FCFS",
        FAMILY,
        PAPER,
        fcfs,
        (_RECORD,),
        OBJECTIVE,
        decides_with="estimated_processing_time",
        machines_may_differ=True,
        embed=_embed_fcfs,
    )
)
register(
    Algorithm(
        "first_fit",
        "first fit without reservations",
        FAMILY,
        PAPER,
        first_fit,
        (SELECTION, QUEUE_DEPTH, INTERVAL, _RECORD),
        OBJECTIVE,
        decides_with="estimated_processing_time",
        machines_may_differ=True,
        non_idling=True,
        embed=_embed_first_fit,
    )
)
