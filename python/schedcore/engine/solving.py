"""One call form for every algorithm: an instance in, a `Result` out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from schedcore.model import AnyInstance, Incidents, Result, Site

from .own_policy import Policy, chosen_algorithm

__all__ = ["solve"]


def solve(
    name: str | Policy,
    instance: AnyInstance,
    *,
    incidents: Incidents | None = None,
    site: Site | None = None,
    infeasible: Literal["refuse", "drop"] = "refuse",
    progress: Callable[[int, int], object] | None = None,
    **options: Any,
) -> Result:
    """Run the algorithm `name`, or a policy of your own, on an instance.

    Parameters
    ----------
    name : str or Policy
        A name of `schedcore.registry.names()`: "pq", "offline_pq", "ca_pq", "tetris", "bf_exec", "mris", "fcfs",
        "first_fit", "easy", "conservative", "backfill", "colocate", "synchpack2", "ocorp", "srpt", ...
        Or an object of a class derived from `schedcore.Policy`.
    instance : Instance, ColocationInstance, ParallelTaskInstance or MapReduceInstance
        Of the kind that the algorithm solves.
    incidents : Incidents, optional
        Failures of machines and cancellations of jobs, each known at its time, and what becomes of killed jobs.
    site : Site, optional
        The rules of the site: order, partitions, service classes, limits, shares, preemption.
    infeasible : {"refuse", "drop"}
        What becomes of a job that does not fit the empty cluster, or that the site forbids by itself: it is refused by
        name, or it never arrives, its outcome is "never", and ``stats["never_jobs"]`` and ``stats["never_work"]`` count
        it.
    progress : callable, optional
        Called as ``progress(jobs_started, n_jobs)`` some twenty times a second while the compiled kernel runs. An
        exception it raises ends the run and reaches the caller.
    **options
        The options of the algorithm, see its plain function (`schedcore.online.mris`, ...) or ``schedcore policies``.

    Returns
    -------
    Result
        The schedule or assignment, its value, a proven lower bound (computed when first asked for) and the
        algorithm's guarantee. ``stats["ignored"]`` names the columns that tell jobs apart and that the algorithm does
        not read with these options, of "weight", "priority", "estimated_processing_time", and "account", "partition"
        and "service_class" where the site has rules about them.

    Raises
    ------
    InvalidInstanceError
        Unknown name or option (with the close matches), a value out of range, a job the algorithm cannot take.
    InfeasibleError
        A job that no machine can ever run; the message names it.
    UnsupportedError
        A feature or kind of the instance, or a combination of options, that this algorithm does not handle.
    PolicyError
        A priority key of the caller raised, or returned NaN. A policy of the caller raised, started what cannot start,
        or returned something.

    Notes
    -----
    Runs without the GIL; several threads may solve on the same instance. Ctrl-C ends it with KeyboardInterrupt.
    """
    circumstances: dict[str, Any] = {}
    if incidents is not None:
        circumstances["incidents"] = incidents
    if site is not None:
        circumstances["site"] = site
    if infeasible != "refuse":
        circumstances["infeasible"] = infeasible
    return chosen_algorithm(name, "name").solve(instance, progress, options, circumstances)
