"""PRIORITY-QUEUE and its relatives: waiting jobs in priority order start wherever they fit.

Online PQ decides at every arrival and completion; CA-PQ collects all jobs until the last release and then does the
same; offline PQ is PQ for jobs that are all there at time 0, and a makespan algorithm. Source: Fan and Liang, ICPP
2024, sections 4 and 5.2. PQ has no bounded competitive ratio (one long job can block everything, see `lemma41` in
`schedcore.workloads`); offline PQ has a makespan at most 2R + 1 times optimal, 2R on one machine.
"""

from typing import Any

from schedcore import _core
from schedcore.algorithms.workload_run import Progress, run_policy
from schedcore.errors import InvalidInstanceError, UnsupportedError
from schedcore.model import Instance, Jobs, Machines, Result
from schedcore.model.real_numbers import finite_number
from schedcore.registry import Algorithm, OnlinePolicy, Option, register

from .family import FAMILY, PAPER
from .priority_key import HEURISTIC, Heuristic, PriorityKey

__all__ = ["ca_pq", "offline_pq", "pq"]


def pq(instance: Instance, heuristic: Heuristic = "wsjf", *, progress: Progress = None) -> Result:
    """Schedule online by priority: at every event, waiting jobs start in key order, on the lowest machine with room.

    Parameters
    ----------
    instance : Instance
        Identical machines; every job demands something, fits a machine and has a positive weight.
    heuristic : str, callable or (n_jobs,) array
        Priority key, smaller first: "wsjf", "wsvf", "wsdf", "sjf", "svf", "sdf", "erf" (any case); a callable that is
        given the `Jobs` and returns a number for each; or the numbers.
    progress : callable, optional
        ``progress(jobs_started, n_jobs)``.

    Returns
    -------
    Result
        `objective` is "awct"; no guarantee (the ratio to the optimum is unbounded).

    Raises
    ------
    InvalidInstanceError, InfeasibleError, UnsupportedError, PolicyError
        See `schedcore.solve`.

    Notes
    -----
    A start costs a heap operation and a search over the distinct demand vectors; an event with nothing to start costs
    one such search for every machine with a completion. Memory about 150 bytes a job.
    """
    return _run("pq", instance, heuristic, progress)


def ca_pq(instance: Instance, heuristic: Heuristic = "wsjf", *, progress: Progress = None) -> Result:
    """COLLECT-ALL-PQ: wait for the last release, then run PQ on everything.

    Parameters, errors and cost are those of `pq`. Keys are computed as if all release times were 0, so "erf" orders by
    job index. It knows the last release time in advance, so it is no fair online competitor; it is a baseline.
    """
    last_release = float(instance.jobs.release_time.max(initial=0.0))
    return _run("ca_pq", instance, heuristic, progress, last_release_time=last_release)


def offline_pq(instance: Instance, heuristic: Heuristic = "wsjf", *, progress: Progress = None) -> Result:
    """PQ for jobs that are all released at time 0, as a makespan algorithm.

    Parameters, errors and cost are those of `pq`; an instance with a release time above 0 is an `UnsupportedError`.
    `objective` is "makespan", `guarantee` 2R on one machine and 2R + 1 on several (corrected Lemma 6.3), R counting the
    resources with capacity.
    """
    late = instance.jobs.release_time.nonzero()[0]
    if late.size:
        job = int(late[0])
        raise UnsupportedError(
            f"release_time[{job}] = {instance.jobs.release_time[job]:g}: offline_pq needs all release times 0"
        )
    n_counted = int((instance.machines.capacity[0] > 0).sum())
    guarantee = 2.0 * n_counted + (1.0 if instance.n_machines > 1 else 0.0)
    return _run("offline_pq", instance, heuristic, progress, objective="makespan", guarantee=guarantee)


def _run(
    algorithm: str,
    instance: Instance,
    heuristic: Heuristic,
    progress: Progress,
    last_release_time: float | None = None,
    **result: Any,
) -> Result:
    key = PriorityKey.of(heuristic)
    ignore_releases = algorithm != "pq"
    return run_policy(
        algorithm,
        instance,
        _prototype(key, last_release_time, ignore_releases=ignore_releases),
        custom_key=key.column(_released_at_zero(instance.jobs) if ignore_releases else instance.jobs),
        options={"heuristic": heuristic},
        progress=progress,
        **result,
    )


def _released_at_zero(jobs: Jobs) -> Jobs:
    return jobs.replace(release_time=0.0)


def _prototype(key: PriorityKey, last_release_time: float | None, *, ignore_releases: bool) -> _core.Policy:
    rule = "by_id" if ignore_releases and key.rule == "erf" else key.rule
    return _core.PriorityQueuePolicy(rule, last_release_time)


def _embed_pq(machines: Machines, heuristic: Heuristic = "wsjf") -> OnlinePolicy:
    key = PriorityKey.embedded(heuristic)
    return OnlinePolicy(_prototype(key, None, ignore_releases=False), key.numbers)


def _embed_ca_pq(
    machines: Machines, heuristic: Heuristic = "wsjf", last_release_time: float | None = None
) -> OnlinePolicy:
    if last_release_time is None:
        raise InvalidInstanceError("ca_pq needs last_release_time, a finite time, when embedded")
    last_release = finite_number("last_release_time", last_release_time, above_0=False, kind="a time")
    key = PriorityKey.embedded(heuristic)
    prototype = _prototype(key, last_release, ignore_releases=True)
    numbers = key.numbers
    if numbers is None:
        return OnlinePolicy(prototype)
    return OnlinePolicy(prototype, lambda jobs, ids: numbers(_released_at_zero(jobs), ids))


register(
    Algorithm(
        "pq",
        "PRIORITY-QUEUE",
        FAMILY,
        PAPER,
        pq,
        (HEURISTIC,),
        "awct",
        non_idling=True,
        embed=_embed_pq,
    )
)
register(
    Algorithm(
        "offline_pq",
        "offline PRIORITY-QUEUE",
        FAMILY,
        PAPER,
        offline_pq,
        (HEURISTIC,),
        "makespan",
        non_idling=True,
        needs_zero_releases=True,
        guarantee=True,
    )
)
register(
    Algorithm(
        "ca_pq",
        "COLLECT-ALL-PQ",
        FAMILY,
        PAPER,
        ca_pq,
        (HEURISTIC,),
        "awct",
        embed=_embed_ca_pq,
        embedded_options=(
            Option("last_release_time", None, "nothing starts before it, no job arrives after it"),
        ),
    )
)
