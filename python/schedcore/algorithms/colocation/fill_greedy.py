"""FILLGREEDY: machines for each cluster of compatible types, filled up to one threshold of load.

Next fit with the smallest threshold for which the machines suffice; machines of one cluster cost at most their load.
Source: Pascual and Rzadca, TPDS 2019, section 5.
"""

from functools import partial

from schedcore import _core
from schedcore.errors import InfeasibleError, UnsupportedError
from schedcore.model import ColocationInstance, ColocationResult
from schedcore.model.choices import checked_flag
from schedcore.registry import Algorithm, Option, register

from .clusters import CLUSTERS, Clusters, cluster_labels, clusters_with_tasks
from .colocation_run import Progress, colocation_result
from .family import BOUND, FAMILY, OBJECTIVE, PAPER, refuse_costly_diagonal
from .guarantees import fill_guarantee

__all__ = ["fill_greedy", "refuse_more_clusters_than_machines"]


def fill_greedy(
    instance: ColocationInstance,
    sort: bool = True,
    search: bool = True,
    clusters: Clusters = "first_fit",
    bound: str = "simple",
    *,
    progress: Progress = None,
) -> ColocationResult:
    """Give every cluster machines of its own and fill them, one after the other, up to a threshold.

    Parameters
    ----------
    instance : ColocationInstance
        No type may cost itself more than 1.
    sort : bool
        Place the largest tasks first; otherwise in the order of their indices.
    search : bool
        Find the smallest threshold that works. Otherwise it is the published max(2 L, L + largest size), rounded down,
        with L = total size / (n_machines - n_types), which needs more machines than types.
    clusters : {"first_fit", "exact"} or (n_types,) array_like of int
        See `schedcore.colocation.compatible_clusters`; or a label for each type.
    bound : {"simple", "qcp"}
        The lower bound of the result, see `schedcore.colocation.lower_bound`.
    progress : callable, optional
        Never called: this takes no time.

    Returns
    -------
    ColocationResult
        `stats` has "threshold", "clusters" (the types of each, without those that have no task) and
        "machines_of_cluster" (how many each uses). `guarantee` is 2 T m / (m - T) for m machines, T types and m > T.

    Raises
    ------
    InfeasibleError
        If there are more clusters with tasks than machines.
    UnsupportedError
        If a type with tasks costs itself more than 1; without `search`, if there are no more machines than types.
    InvalidInstanceError
        For labels that put incompatible types together; for a `sort` or `search` that is not True or False.

    Notes
    -----
    O(n log n + n log(total size)).
    """
    sort, search = checked_flag("sort", sort), checked_flag("search", search)
    refuse_costly_diagonal(instance, "fill_greedy")
    if not search and instance.n_machines <= instance.n_types:
        raise UnsupportedError(
            f"fill_greedy without search needs more machines than types: "
            f"n_machines = {instance.n_machines}, n_types = {instance.n_types}"
        )
    labels = cluster_labels(instance, clusters)
    groups = clusters_with_tasks(instance, labels)
    refuse_more_clusters_than_machines(instance, groups, "fill_greedy")
    machine, threshold, machines_of_cluster = _core.fill_greedy(
        instance.size, instance.type, instance.alpha, instance.n_machines, labels, sort, search
    )
    return colocation_result(
        "fill_greedy",
        instance,
        machine,
        bound=bound,
        stats={"threshold": threshold, "clusters": groups, "machines_of_cluster": machines_of_cluster},
        guarantee=fill_guarantee(instance),
        options={"sort": sort, "search": search, "clusters": clusters},
    )


def refuse_more_clusters_than_machines(
    instance: ColocationInstance, groups: list[list[int]], algorithm: str
) -> None:
    """Raise an `InfeasibleError`: an algorithm that dedicates machines needs one for each cluster."""
    if len(groups) > instance.n_machines:
        raise InfeasibleError(
            f"{algorithm} gives every cluster machines of its own: {len(groups)} clusters with tasks, "
            f"n_machines = {instance.n_machines}; fill_rebalance lets clusters share"
        )


register(
    Algorithm(
        "fill_greedy",
        "FILLGREEDY",
        FAMILY,
        PAPER,
        fill_greedy,
        (
            Option("sort", True, "place the largest tasks first", check=partial(checked_flag, "sort")),
            Option(
                "search",
                True,
                "find the smallest threshold that works",
                check=partial(checked_flag, "search"),
            ),
            CLUSTERS,
            BOUND,
        ),
        OBJECTIVE,
        instance_kind=ColocationInstance,
        guarantee=True,
    )
)
