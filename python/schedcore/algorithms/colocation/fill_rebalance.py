"""FILLREBALANCE: fill machines cluster by cluster, then place what is left wherever types may mix.

The smallest threshold of cost that its bisection finds, never above that of FILLGREEDY; works for any number of
clusters and machines. Source: Pascual and Rzadca, TPDS 2019, section 7; ``docs/papers.md`` says what the paper leaves
open.
"""

import numpy as np

from schedcore import _core
from schedcore.model import ColocationInstance, ColocationResult
from schedcore.model.choices import check_choice
from schedcore.registry import Algorithm, Option, register

from .clusters import CLUSTERS, Clusters, cluster_labels, clusters_with_tasks
from .colocation_run import Progress, colocation_result
from .family import BOUND, FAMILY, OBJECTIVE, PAPER, refuse_costly_diagonal
from .guarantees import fill_guarantee

__all__ = ["fill_rebalance"]

_GROUPS = ("cluster", "type")
_RULES = ("best", "first")


def fill_rebalance(
    instance: ColocationInstance,
    group: str = "cluster",
    rule: str = "best",
    clusters: Clusters = "first_fit",
    bound: str = "simple",
    *,
    progress: Progress = None,
) -> ColocationResult:
    """Fill machines up to a threshold, cluster by cluster; what is left goes where it costs least.

    Parameters
    ----------
    instance : ColocationInstance
        No type may cost itself more than 1.
    group : {"cluster", "type"}
        Whether clusters, or single types, get machines of their own at first.
    rule : {"best", "first"}
        Where a task that is left over goes: to the machine that then costs least, or to the first that may take it.
    clusters : {"first_fit", "exact"} or (n_types,) array_like of int
        As for `schedcore.fill_greedy`.
    bound : {"simple", "qcp"}
        The lower bound of the result, see `schedcore.colocation.lower_bound`.
    progress : callable, optional
        Called now and then, so that it can end a long run; its arguments say nothing.

    Returns
    -------
    ColocationResult
        `stats` has "threshold" and "clusters" (the types of each, without those that have no task). No task costs more
        than the threshold. `guarantee` is that of `schedcore.fill_greedy` where there are machines for all clusters.

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
    check_choice("group", group, _GROUPS)
    check_choice("rule", rule, _RULES)
    labels = cluster_labels(instance, clusters)
    if group == "type":
        labels = np.arange(instance.n_types, dtype=np.int64)
    groups = clusters_with_tasks(instance, labels)
    machine, threshold = _core.fill_rebalance(
        instance.size,
        instance.type,
        instance.alpha,
        instance.alpha_denominator,
        instance.n_machines,
        labels,
        rule,
        progress,
    )
    return colocation_result(
        "fill_rebalance",
        instance,
        machine,
        bound=bound,
        stats={"threshold": threshold, "clusters": groups},
        guarantee=fill_guarantee(instance) if len(groups) <= instance.n_machines else None,
        options={"group": group, "rule": rule, "clusters": clusters},
    )


register(
    Algorithm(
        "fill_rebalance",
        "FILLREBALANCE",
        FAMILY,
        PAPER,
        fill_rebalance,
        (
            Option("group", "cluster", "what gets machines of its own at first", _GROUPS),
            Option("rule", "best", "which machine takes a task that is left over", _RULES),
            CLUSTERS,
            BOUND,
        ),
        OBJECTIVE,
        instance_kind=ColocationInstance,
        guarantee=True,
    )
)
