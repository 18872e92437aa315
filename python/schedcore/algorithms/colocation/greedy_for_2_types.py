"""GREEDYFOR2TYPES: two groups of tasks, one after the other, with a shared machine where both do not fit.

With two types and coefficients between 1 and 2 it costs at most twice the optimum. At the published threshold the
shared machine is never used with two machines or more, and every machine is filled to some 2 W / m; searching the
threshold makes the difference. Source: Pascual and Rzadca, TPDS 2019, section 6.
"""

import numpy as np
from numpy.typing import NDArray

from schedcore import _core
from schedcore.errors import UnsupportedError
from schedcore.model import ColocationInstance, ColocationResult
from schedcore.parameters import same_option
from schedcore.registry import registered

from .assignment_result import colocation_result, kernel_columns
from .clusters import Clustering, cluster_labels, clusters_with_tasks
from .family import COLOCATION, Bounding, refuse_costly_diagonal
from .fill_greedy import Filling
from .guarantees import two_groups_guarantee

__all__ = ["greedy_for_2_types"]


class _AsPublished(Filling):
    sort: bool = same_option(default=False)
    search: bool = same_option(default=False, description="bisect for a smaller threshold")


class TwoTypesParameters(Bounding, Clustering, _AsPublished):
    """How machines are filled with which groups, and what the result is compared with."""


@registered(TwoTypesParameters, "GREEDYFOR2TYPES", COLOCATION)
def greedy_for_2_types(instance: ColocationInstance, parameters: TwoTypesParameters) -> ColocationResult:
    """Fill machines with the first group up to a threshold, then with the second; the rest joins the first group.

    The published threshold is (W + max(W, m * largest size)) / m; the search finds a smaller one that the cost of the
    packing does not exceed, which is far better. Clusters are the groups of more than two types; two types are their
    own groups.

    Parameters
    ----------
    instance : ColocationInstance
        Of two types, whatever their coefficients; of more, if they form exactly two clusters with tasks. No type may
        cost itself more than 1.

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
    refuse_costly_diagonal(instance, "greedy_for_2_types")
    labels = _labels(instance, cluster_labels(instance, parameters.clusters))
    machine, threshold = _core.colocation.greedy_for_two_types(
        **kernel_columns(instance),
        alpha_denominator=instance.alpha_denominator,
        label_of_type=labels,
        **parameters.for_kernel(),
    )
    return colocation_result(
        "greedy_for_2_types",
        instance,
        machine,
        bound=parameters.bound,
        options=parameters.recorded(),
        stats={"threshold": threshold, "clusters": clusters_with_tasks(instance, labels)},
        guarantee=two_groups_guarantee(instance),
    )


def _labels(instance: ColocationInstance, labels: NDArray[np.int64]) -> NDArray[np.int64]:
    """The label of each type by group."""
    if instance.n_types == 2:
        return np.arange(2, dtype=np.int64)
    n_groups = len(clusters_with_tasks(instance, labels))
    if instance.n_types < 2 or n_groups != 2:
        raise UnsupportedError(
            f"greedy_for_2_types needs two types, or more that form two clusters with tasks: "
            f"{instance.n_types} types form {n_groups}"
        )
    return labels
