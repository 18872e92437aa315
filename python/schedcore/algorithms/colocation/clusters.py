"""Which types may share a machine: clusters of pairwise compatible types.

Types a and b are compatible if neither ``alpha[a, b]`` nor ``alpha[b, a]`` is above 1, so that a machine that holds one
cluster costs at most its load. Source: Pascual and Rzadca, TPDS 2019, section 4; any partition into such sets is legal.
"""

from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from schedcore import _core
from schedcore.errors import InvalidInstanceError
from schedcore.model import ColocationInstance
from schedcore.model.choices import check_choice
from schedcore.model.columns import integer_column
from schedcore.parameters import Parameters, option

__all__ = ["Clustering", "cluster_labels", "clusters_with_tasks", "compatible_clusters"]

Clusters = str | ArrayLike

_METHODS = ("first_fit", "exact")


def _checked_method(method: Any) -> str:
    check_choice("clusters", method, _METHODS)
    return str(method)


def _checked_clusters(name: str, clusters: Any) -> Any:
    """A word is a method; labels are checked with the instance."""
    return _checked_method(clusters) if isinstance(clusters, str) else clusters


class Clustering(Parameters):
    """Which types may share machines."""

    clusters: Clusters = option(
        "partition into sets of compatible types: first_fit, exact (the fewest), or a label for each type",
        "See `schedcore.colocation.compatible_clusters`.",
        default="first_fit",
        check=_checked_clusters,
        early=True,
        examples=_METHODS,
        takes='{"first_fit", "exact"} or (n_types,) array_like of int',
        for_kernel=False,
    )


def compatible_clusters(
    alpha: ArrayLike, alpha_denominator: SupportsIndex = 1000, method: str = "first_fit"
) -> list[list[int]]:
    """Partition types into clusters whose members are pairwise compatible.

    Parameters
    ----------
    alpha : (n_types, n_types) array_like
        Coefficients as in `ColocationInstance`.
    alpha_denominator : int
    method : {"first_fit", "exact"}
        "first_fit": each type, in turn, joins the first cluster whose members are all compatible with it. "exact": the
        fewest clusters, and of these partitions the one with the lexicographically smallest labels.

    Returns
    -------
    list of list of int
        The types of each cluster, ascending; clusters in the order of their first types.

    Raises
    ------
    InvalidInstanceError
        For an unknown method, and coefficients that `ColocationInstance` refuses.

    Notes
    -----
    O(n_types**2) for "first_fit". "exact" is a search, exponential at worst and instant up to some twenty types.
    """
    none: list[int] = []
    inst = ColocationInstance(none, none, alpha, alpha_denominator, n_machines=1)
    return _groups(cluster_labels(inst, _checked_method(method)))


def cluster_labels(instance: ColocationInstance, clusters: Clusters) -> NDArray[np.int64]:
    """Return a label below n_types for every type: by a method, or the caller's labels, ranked.

    Raises
    ------
    InvalidInstanceError
        For an unknown method, another number of labels than types, and a label that two incompatible types share.
    """
    if isinstance(clusters, str):
        labels = _core.colocation.type_clusters(
            instance.alpha, instance.alpha_denominator, method=_checked_method(clusters)
        )
        return np.array(labels, dtype=np.int64)
    given = integer_column(clusters, "clusters", row="type")
    if len(given) != instance.n_types:
        raise InvalidInstanceError(f"clusters has {len(given)} labels for {instance.n_types} types")
    alpha, one = instance.alpha, instance.alpha_denominator
    conflict = (given[:, np.newaxis] == given) & (alpha > one)
    np.fill_diagonal(conflict, False)
    if conflict.any():
        source, destination = (int(i) for i in np.argwhere(conflict)[0])
        raise InvalidInstanceError(
            f"clusters puts types {source} and {destination} together, which are not compatible: "
            f"alpha[{source}, {destination}] = {alpha[source, destination]} / {one} is above 1"
        )
    return np.unique(given, return_inverse=True)[1].reshape(-1).astype(np.int64)


def clusters_with_tasks(instance: ColocationInstance, labels: NDArray[np.int64]) -> list[list[int]]:
    """Return the types of each cluster that have a task, without clusters that have none."""
    present = np.array(instance.load_of_types(), dtype=object) > 0
    groups = ([kind for kind in group if present[kind]] for group in _groups(labels))
    return [group for group in groups if group]


def _groups(labels: NDArray[np.int64]) -> list[list[int]]:
    groups: list[list[int]] = [[] for _ in range(int(labels.max()) + 1)]
    for kind, label in enumerate(labels.tolist()):
        groups[label].append(kind)
    return groups
