"""Clusters of compatible types: first fit, and the fewest by trying every label vector.

Types are compatible if neither pays the other more than its load. Clusters are lists of increasing types, in the order
of their labels.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations

from reference.colocation_instance import PlainColocation

Clusters = list[list[int]]
Labels = Sequence[int]


def compatible(coefficient: list[list[int]], denominator: int, a: int, b: int) -> bool:
    return coefficient[a][b] <= denominator and coefficient[b][a] <= denominator


def is_partition_into_clusters(coefficient: list[list[int]], denominator: int, clusters: Clusters) -> bool:
    return all(
        compatible(coefficient, denominator, a, b)
        for cluster in clusters
        for a, b in combinations(cluster, 2)
    )


def first_fit_clusters(coefficient: list[list[int]], denominator: int) -> Clusters:
    """Every type joins the first cluster it is compatible with as a whole, or opens one."""
    clusters: Clusters = []
    for new in range(len(coefficient)):
        for cluster in clusters:
            if all(compatible(coefficient, denominator, new, member) for member in cluster):
                cluster.append(new)
                break
        else:
            clusters.append([new])
    return clusters


def label_vectors(length: int) -> Iterator[list[int]]:
    """All partitions as labels numbered by first appearance, in lexicographic order."""
    if length == 0:
        yield []
        return
    for shorter in label_vectors(length - 1):
        for label in range(max(shorter, default=-1) + 2):
            yield [*shorter, label]


def clusters_of_labels(labels: Labels) -> Clusters:
    return [[t for t, own in enumerate(labels) if own == label] for label in sorted(set(labels))]


def fewest_clusters(coefficient: list[list[int]], denominator: int) -> Clusters:
    """The fewest clusters; among those the lexicographically smallest label vector."""
    possible = [clusters_of_labels(labels) for labels in label_vectors(len(coefficient))]
    legal = [c for c in possible if is_partition_into_clusters(coefficient, denominator, c)]
    return min(legal, key=len)  # the first of them: label vectors come in lexicographic order


def occupied_clusters(instance: PlainColocation, clusters: str | Labels = "first_fit") -> Clusters:
    """The clusters of types that have tasks, without those that have none; the rest keep their order."""
    if isinstance(clusters, str):
        method = {"first_fit": first_fit_clusters, "exact": fewest_clusters}[clusters]
        partition = method(instance.coefficient, instance.denominator)
    else:
        partition = clusters_of_labels(clusters)
    present = set(instance.type)
    occupied = [[t for t in cluster if t in present] for cluster in partition]
    return [cluster for cluster in occupied if cluster]
