"""PRIORITY-QUEUE and its relatives: waiting jobs in priority order start wherever they fit.

Online PQ decides at every arrival and completion; CA-PQ collects all jobs until the last release and then does the
same; offline PQ is PQ for jobs that are all there at time 0, and a makespan algorithm. Source: Fan and Liang, ICPP
2024, sections 4 and 5.2. PQ has no bounded competitive ratio (one long job can block everything, see `lemma41` in
`schedcore.workloads`); offline PQ has a makespan at most 2R + 1 times optimal, 2R on one machine.
"""

from functools import partial

from schedcore import _core
from schedcore.algorithms.priority_key import HeuristicParameters, PriorityKey
from schedcore.engine.policy_simulation import run_policy
from schedcore.engine.queue_features import SINGLE_TASK_FEATURES, SITE_FEATURES
from schedcore.errors import UnsupportedError
from schedcore.model import Instance, Jobs, Machines, Result, Site
from schedcore.model.real_numbers import finite_number
from schedcore.parameters import embedded_option
from schedcore.registry import OnlinePolicy, registered

from .family import ONLINE

__all__ = ["ca_pq", "offline_pq", "pq"]


class CollectingParameters(HeuristicParameters):
    """The options of CA-PQ, which an embedded one cannot know by itself."""

    last_release_time: float = embedded_option(
        "nothing starts before it, no job arrives after it",
        why="nothing starts before that finite time",
        check=partial(finite_number, above_0=False, kind="a time"),
    )


def _embedded_pq(machines: Machines, parameters: HeuristicParameters) -> OnlinePolicy:
    _check_order(parameters.site)
    key = PriorityKey.embedded(parameters.heuristic)
    plain = _core.online.PriorityQueuePolicy(rule=key.rule)
    return OnlinePolicy(plain, key.numbers, _on_clusters(key.rule))


def _embedded_ca_pq(machines: Machines, parameters: CollectingParameters) -> OnlinePolicy:
    key = PriorityKey.embedded(parameters.heuristic)
    rule, last_release_time = _ignoring_releases(key), float(parameters.last_release_time)
    plain = _core.online.PriorityQueuePolicy(rule=rule, last_release_time=last_release_time)
    for_clusters = _on_clusters(rule, last_release_time)
    numbers = key.numbers
    if numbers is None:
        return OnlinePolicy(plain, for_clusters=for_clusters)
    return OnlinePolicy(plain, lambda jobs, ids: numbers(_released_at_zero(jobs), ids), for_clusters)


@registered(
    HeuristicParameters,
    "PRIORITY-QUEUE",
    ONLINE,
    non_idling=True,
    embed=_embedded_pq,
    takes=SITE_FEATURES | {"preemption"},
    takes_embedded=SITE_FEATURES | {"preemption"},
)
def pq(instance: Instance, parameters: HeuristicParameters) -> Result:
    """Schedule online by priority: at every event, waiting jobs start in key order, on the lowest machine with room.

    Parameters
    ----------
    instance : Instance
        Every job demands something, fits a machine and has a positive weight. Machines may differ; keys count demands
        in shares of all machines together.

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
    _check_order(parameters.site)
    key = PriorityKey.of(parameters.heuristic)
    policy = _core.online.PriorityQueuePolicy(rule=key.rule)
    return run_policy(
        "pq",
        instance,
        policy,
        parameters,
        cluster_policy=lambda: _on_clusters(key.rule),
        custom_key=key.column(instance.jobs),
    )


@registered(
    HeuristicParameters,
    "offline PRIORITY-QUEUE",
    ONLINE,
    objective="makespan",
    non_idling=True,
    needs_zero_releases=True,
    guarantee=True,
    takes=SINGLE_TASK_FEATURES,
)
def offline_pq(instance: Instance, parameters: HeuristicParameters) -> Result:
    """PQ for jobs that are all released at time 0, as a makespan algorithm.

    Errors and cost are those of `pq`; an instance with a release time above 0 is an `UnsupportedError`.

    Parameters
    ----------
    instance : Instance
        As for `schedcore.online.pq`.

    Returns
    -------
    Result
        `objective` is "makespan", `guarantee` 2R on one machine and 2R + 1 on several (corrected Lemma 6.3), R counting
        the resources with capacity. None where machines differ, and where features of a cluster are used.
    """
    late = instance.jobs.release_time.nonzero()[0]
    if late.size:
        job = int(late[0])
        raise UnsupportedError(
            f"release_time[{job}] = {instance.jobs.release_time[job]:g}: offline_pq needs all release times 0"
        )
    key = PriorityKey.of(parameters.heuristic)
    n_counted = int((instance.machines.capacity[0] > 0).sum())
    ratio = 2.0 * n_counted + (1.0 if instance.n_machines > 1 else 0.0)
    return run_policy(
        "offline_pq",
        instance,
        _core.online.PriorityQueuePolicy(rule=_ignoring_releases(key)),
        parameters,
        cluster_policy=lambda: _on_clusters(_ignoring_releases(key)),
        custom_key=key.column(instance.jobs),
        objective="makespan",
        guarantee=ratio if instance.machines.are_identical else None,
    )


@registered(
    CollectingParameters,
    "COLLECT-ALL-PQ",
    ONLINE,
    embed=_embedded_ca_pq,
    takes=SINGLE_TASK_FEATURES,
    takes_embedded=SINGLE_TASK_FEATURES,
)
def ca_pq(instance: Instance, parameters: CollectingParameters) -> Result:
    """COLLECT-ALL-PQ: wait for the last release, then run PQ on everything.

    Errors and cost are those of `pq`. Keys are computed as if all release times were 0, so "erf" orders by job index.
    It knows the last release time in advance, so it is no fair online competitor; it is a baseline.

    Parameters
    ----------
    instance : Instance
        As for `schedcore.online.pq`.

    Returns
    -------
    Result
        `objective` is "awct"; no guarantee.
    """
    key = PriorityKey.of(parameters.heuristic)
    last_release = float(instance.jobs.release_time.max(initial=0.0))
    rule = _ignoring_releases(key)
    return run_policy(
        "ca_pq",
        instance,
        _core.online.PriorityQueuePolicy(rule=rule, last_release_time=last_release),
        parameters,
        cluster_policy=lambda: _on_clusters(rule, last_release),
        custom_key=key.column(_released_at_zero(instance.jobs)),
    )


def _check_order(site: Site | None) -> None:
    if site is not None and not (isinstance(site.order, str) and site.order == "arrival"):
        raise UnsupportedError(
            f"pq has an order of its own, its heuristic; a site may order by arrival alone, not by {site!r}"
        )


def _released_at_zero(jobs: Jobs) -> Jobs:
    return jobs.replace(release_time=0.0)


def _ignoring_releases(key: PriorityKey) -> str:
    return "by_id" if key.rule == "erf" else key.rule


def _on_clusters(rule: str, last_release_time: float | None = None) -> _core.engine.Policy:
    return _core.gangs.GangQueuePolicy(
        overtaking="always", order=rule, last_release_time=last_release_time, ties_by_id=True
    )
