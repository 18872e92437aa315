"""GREEDYDEDICATED: how many machines each cluster of compatible types should have for itself.

The published algorithm tries every vector of machine counts; a bottleneck dynamic program finds the same one. Source:
Pascual and Rzadca, TPDS 2019, section 8.
"""

import operator
from typing import Literal, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from schedcore import _core
from schedcore.errors import InvalidInstanceError
from schedcore.model import ColocationInstance, ColocationResult
from schedcore.model.arrays import first_index, numeric_array, place
from schedcore.parameters import Parameters, option
from schedcore.registry import registered

from .assignment_result import colocation_result, kernel_columns
from .clusters import Clustering, cluster_labels, clusters_with_tasks
from .family import COLOCATION, Bounding, Spreading, refuse_costly_diagonal
from .fill_greedy import refuse_more_clusters_than_machines
from .guarantees import dedicated_guarantee

__all__ = ["Inner", "best_composition", "greedy_dedicated"]

Inner = Literal["sched_mixed", "sched_juxtapose", "best_schedule"]


class _WithinClusters(Parameters):
    inner: Inner = option("how a cluster is scheduled on its machines", default="best_schedule")


class DedicatedParameters(Bounding, Clustering, Spreading, _WithinClusters):
    """What is dedicated to which clusters, and what the result is compared with."""


@registered(DedicatedParameters, "GREEDYDEDICATED", COLOCATION)
def greedy_dedicated(instance: ColocationInstance, parameters: DedicatedParameters) -> ColocationResult:
    """Dedicate machines to clusters so that the worst cluster, scheduled alone, costs least.

    Parameters
    ----------
    instance : ColocationInstance
        No type may cost itself more than 1.
    progress : callable, optional
        ``progress(done, total)`` in runs of `inner`.

    Returns
    -------
    ColocationResult
        `stats` has "clusters" (the types of each, without those that have no task) and "machines_of_cluster" (how many
        each has, in that order from machine 0 on). `guarantee` with "lpt" is 4/3 - 1/(3 m) for one type; for two that
        cost themselves 1 and each other at least a >= 2, that times 1 + 1/a.

    Raises
    ------
    InfeasibleError
        If there are more clusters with tasks than machines.
    UnsupportedError
        If a type with tasks costs itself more than 1.
    InvalidInstanceError
        For labels that put incompatible types together, an unknown inner algorithm or base.

    Notes
    -----
    Runs `inner` on each of K clusters with 1 to m - K + 1 machines: O(m n log m) in total, then O(K m**2).
    """
    refuse_costly_diagonal(instance, "greedy_dedicated")
    labels = cluster_labels(instance, parameters.clusters)
    groups = clusters_with_tasks(instance, labels)
    refuse_more_clusters_than_machines(instance, groups, "greedy_dedicated")
    machine, machines_of_cluster = np.empty(0, dtype=np.int64), list[int]()
    if groups:
        machine, machines_of_cluster = _core.colocation.greedy_dedicated(
            **kernel_columns(instance),
            label_of_type=labels,
            **parameters.for_kernel(),
            progress=parameters.progress,
        )
    return colocation_result(
        "greedy_dedicated",
        instance,
        machine,
        bound=parameters.bound,
        options=parameters.recorded(),
        stats={"clusters": groups, "machines_of_cluster": machines_of_cluster},
        guarantee=dedicated_guarantee(instance, parameters.base),
    )


def best_composition(table: ArrayLike, n_machines: SupportsIndex) -> tuple[float, list[int]]:
    """Split machines among clusters so that the largest of their costs is least.

    Parameters
    ----------
    table : (n_clusters, n_machines - n_clusters + 1) array_like
        ``table[i, x - 1]`` is the cost of cluster i on x machines; need not fall with x.
    n_machines : int

    Returns
    -------
    value : int or float
        The least bottleneck, an entry of the table.
    n_machines_of_cluster : list of int
        At least 1 each, `n_machines` together; of all vectors with this value the lexicographically smallest.

    Raises
    ------
    InvalidInstanceError
        If the shape does not belong to the number of machines, or an entry is NaN.

    Notes
    -----
    O(n_clusters * (n_machines - n_clusters + 1)**2).
    """
    costs = numeric_array(table, "table")
    number = operator.index(n_machines)
    if costs.ndim != 2 or costs.shape[0] < 1 or costs.shape[1] < 1 or sum(costs.shape) != number + 1:
        raise InvalidInstanceError(
            f"table has shape {costs.shape}; K clusters on {number} machines need (K, {number} - K + 1)"
        )
    missing = costs != costs
    if np.any(missing):
        index = first_index(np.asarray(missing, dtype=np.bool_))
        raise InvalidInstanceError(f"{place('table', costs, index)} is no number")
    values, rank = np.unique(costs, return_inverse=True)
    value, vector = _core.colocation.best_composition(rank.reshape(costs.shape).astype(np.int64), number)
    return values[value].item() if isinstance(values[value], np.generic) else values[value], vector
