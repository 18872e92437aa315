"""GREEDYFOR2TYPES: two groups of tasks, one after the other, with a shared machine where both do not fit.

With two types and coefficients between 1 and 2 it costs at most twice the optimum. At the published threshold the
shared machine is never used with two machines or more, and every machine is filled to some 2 W / m; searching the
threshold makes the difference. Source: Pascual and Rzadca, TPDS 2019, section 6.
"""

from functools import partial

import numpy as np
from numpy.typing import NDArray

from schedcore import _core
from schedcore.errors import UnsupportedError
from schedcore.model import ColocationInstance, ColocationResult
from schedcore.model.choices import checked_flag
from schedcore.registry import Algorithm, Option, register

from .clusters import CLUSTERS, Clusters, cluster_labels, clusters_with_tasks
from .colocation_run import Progress, colocation_result
from .family import BOUND, FAMILY, OBJECTIVE, PAPER, refuse_costly_diagonal
from .guarantees import two_groups_guarantee

__all__ = ["greedy_for_2_types"]


def greedy_for_2_types(
    instance: ColocationInstance,
    sort: bool = False,
    search: bool = False,
    clusters: Clusters = "first_fit",
    bound: str = "simple",
    *,
    progress: Progress = None,
) -> ColocationResult:
    """Fill machines with the first group up to a threshold, then with the second; the rest joins the first group.

    Parameters
    ----------
    instance : ColocationInstance
        Of two types, whatever their coefficients; of more, if they form exactly two clusters with tasks. No type may
        cost itself more than 1.
    sort : bool
        Place the largest tasks first; otherwise in the order of their indices, as published.
    search : bool
        Bisect for a smaller threshold that the cost of the packing does not exceed; far better than the published
        (W + max(W, m * largest size)) / m.
    clusters : {"first_fit", "exact"} or (n_types,) array_like of int
        The two groups of more than two types, as for `schedcore.fill_greedy`; two types are their own groups.
    bound : {"simple", "qcp"}
        The lower bound of the result, see `schedcore.colocation.lower_bound`.
    progress : callable, optional
        Never called: this takes no time.

    Returns
    -------
    ColocationResult
        `stats` has "threshold" and "clusters", the two groups without types that have no task. `guarantee` is 2 for two
        types with cross coefficients in [1, 2].

    Raises
    ------
    UnsupportedError
        If there are not two groups, or a type with tasks costs itself more than 1.
    InvalidInstanceError
        For labels that put incompatible types together; for a `sort` or `search` that is not True or False.

    Notes
    -----
    O(n) at the published threshold, O(n log(total size)) with `search`; O(n log n) more with `sort`.
    """
    sort, search = checked_flag("sort", sort), checked_flag("search", search)
    refuse_costly_diagonal(instance, "greedy_for_2_types")
    labels = _groups(instance, clusters)
    groups = clusters_with_tasks(instance, labels)
    machine, threshold = _core.greedy_for_two_types(
        instance.size,
        instance.type,
        instance.alpha,
        instance.alpha_denominator,
        instance.n_machines,
        labels,
        sort,
        search,
    )
    return colocation_result(
        "greedy_for_2_types",
        instance,
        machine,
        bound=bound,
        stats={"threshold": threshold, "clusters": groups},
        guarantee=two_groups_guarantee(instance),
        options={"sort": sort, "search": search, "clusters": clusters},
    )


def _groups(instance: ColocationInstance, clusters: Clusters) -> NDArray[np.int64]:
    labels = cluster_labels(instance, clusters)
    if instance.n_types == 2:
        return np.arange(2, dtype=np.int64)
    n_groups = len(clusters_with_tasks(instance, labels))
    if instance.n_types < 2 or n_groups != 2:
        raise UnsupportedError(
            f"greedy_for_2_types needs two types, or more that form two clusters with tasks: "
            f"{instance.n_types} types form {n_groups}"
        )
    return labels


register(
    Algorithm(
        "greedy_for_2_types",
        "GREEDYFOR2TYPES",
        FAMILY,
        PAPER,
        greedy_for_2_types,
        (
            Option("sort", False, "place the largest tasks first", check=partial(checked_flag, "sort")),
            Option("search", False, "bisect for a smaller threshold", check=partial(checked_flag, "search")),
            CLUSTERS,
            BOUND,
        ),
        OBJECTIVE,
        instance_kind=ColocationInstance,
        guarantee=True,
    )
)
