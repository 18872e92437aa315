"""FILLREBALANCE: fill machines cluster by cluster, then place what is left wherever types may mix.

The smallest threshold of cost that its bisection finds, never above that of FILLGREEDY; works for any number of
clusters and machines. Source: Pascual and Rzadca, TPDS 2019, section 7; ``docs/papers.md`` says what the paper leaves
open.
"""

from typing import Literal

import numpy as np

from schedcore import _core
from schedcore.model import ColocationInstance, ColocationResult
from schedcore.parameters import Parameters, option
from schedcore.registry import registered

from .assignment_result import colocation_result, kernel_columns
from .clusters import Clustering, cluster_labels, clusters_with_tasks
from .family import COLOCATION, Bounding, refuse_costly_diagonal
from .guarantees import fill_guarantee

__all__ = ["Group", "Rule", "fill_rebalance"]

Group = Literal["cluster", "type"]
Rule = Literal["best", "first"]


class _Rebalancing(Parameters):
    group: Group = option("what gets machines of its own at first", default="cluster", for_kernel=False)
    rule: Rule = option(
        "which machine takes a task that is left over",
        "The one that then costs least, or the first that may take it.",
        default="best",
    )


class FillRebalanceParameters(Bounding, Clustering, _Rebalancing):
    """Who gets machines, where the rest goes, and what the result is compared with."""


@registered(FillRebalanceParameters, "FILLREBALANCE", COLOCATION)
def fill_rebalance(instance: ColocationInstance, parameters: FillRebalanceParameters) -> ColocationResult:
    """Fill machines up to a threshold, cluster by cluster; what is left goes where it costs least.

    Parameters
    ----------
    instance : ColocationInstance
        No type may cost itself more than 1.
    progress : callable, optional
        Called now and then, so that it can end a long run; its arguments say nothing.

    Returns
    -------
    ColocationResult
        `stats` has "threshold" and "clusters" (the types of each, without those that have no task). No task costs more
        than the threshold. `guarantee` is that of `schedcore.colocation.fill_greedy` where there are machines for all
        clusters.

    Raises
    ------
    UnsupportedError
        If a type with tasks costs itself more than 1.
    InvalidInstanceError
        For labels that put incompatible types together, unknown groups and rules.

    Notes
    -----
    O(n + r m T) for each of some log2(total size) thresholds, with r tasks left over, m machines and T types.
    """
    refuse_costly_diagonal(instance, "fill_rebalance")
    labels = cluster_labels(instance, parameters.clusters)
    if parameters.group == "type":
        labels = np.arange(instance.n_types, dtype=np.int64)
    groups = clusters_with_tasks(instance, labels)
    machine, threshold = _core.colocation.fill_rebalance(
        **kernel_columns(instance),
        alpha_denominator=instance.alpha_denominator,
        label_of_type=labels,
        **parameters.for_kernel(),
        progress=parameters.progress,
    )
    return colocation_result(
        "fill_rebalance",
        instance,
        machine,
        bound=parameters.bound,
        options=parameters.recorded(),
        stats={"threshold": threshold, "clusters": groups},
        guarantee=fill_guarantee(instance) if len(groups) <= instance.n_machines else None,
    )
