"""FILLGREEDY: machines for each cluster of compatible types, filled up to one threshold of load.

Next fit with the smallest threshold for which the machines suffice; machines of one cluster cost at most their load.
Source: Pascual and Rzadca, TPDS 2019, section 5.
"""

from schedcore import _core
from schedcore.errors import InfeasibleError, UnsupportedError
from schedcore.model import ColocationInstance, ColocationResult
from schedcore.parameters import Parameters, option
from schedcore.registry import registered

from .assignment_result import colocation_result, kernel_columns
from .clusters import Clustering, cluster_labels, clusters_with_tasks
from .family import COLOCATION, Bounding, refuse_costly_diagonal
from .guarantees import fill_guarantee

__all__ = ["Filling", "fill_greedy", "refuse_more_clusters_than_machines"]


class Filling(Parameters):
    """How machines are filled."""

    sort: bool = option(
        "place the largest tasks first", "Otherwise in the order of their indices.", default=True, early=True
    )
    search: bool = option(
        "find the smallest threshold that works",
        "Otherwise it is the published one.",
        default=True,
        early=True,
    )


class FillGreedyParameters(Bounding, Clustering, Filling):
    """How machines are filled with which clusters, and what the result is compared with."""


@registered(FillGreedyParameters, "FILLGREEDY", COLOCATION)
def fill_greedy(instance: ColocationInstance, parameters: FillGreedyParameters) -> ColocationResult:
    """Give every cluster machines of its own and fill them, one after the other, up to a threshold.

    The published threshold is max(2 L, L + largest size), rounded down, with L = total size / (n_machines - n_types),
    which needs more machines than types; the search finds the smallest that works.

    Parameters
    ----------
    instance : ColocationInstance
        No type may cost itself more than 1.

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
    refuse_costly_diagonal(instance, "fill_greedy")
    if not parameters.search and instance.n_machines <= instance.n_types:
        raise UnsupportedError(
            f"fill_greedy without search needs more machines than types: "
            f"n_machines = {instance.n_machines}, n_types = {instance.n_types}"
        )
    labels = cluster_labels(instance, parameters.clusters)
    groups = clusters_with_tasks(instance, labels)
    refuse_more_clusters_than_machines(instance, groups, "fill_greedy")
    machine, threshold, machines_of_cluster = _core.colocation.fill_greedy(
        **kernel_columns(instance), label_of_type=labels, **parameters.for_kernel()
    )
    return colocation_result(
        "fill_greedy",
        instance,
        machine,
        bound=parameters.bound,
        options=parameters.recorded(),
        stats={"threshold": threshold, "clusters": groups, "machines_of_cluster": machines_of_cluster},
        guarantee=fill_guarantee(instance),
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
