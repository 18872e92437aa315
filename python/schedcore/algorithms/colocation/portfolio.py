"""Every heuristic of the family with every choice of its options, as far as an instance admits it.

What a search that must not be worse than any of them begins with. Choices that cannot differ on an instance are run
once: other clusters where both methods find the same, and how a cluster is scheduled where all have one type.
"""

from collections.abc import Iterator
from functools import partial
from itertools import product
from typing import get_args

import numpy as np

from schedcore.errors import InfeasibleError, UnsupportedError
from schedcore.model import ColocationInstance, ColocationResult

from .clusters import cluster_labels, clusters_with_tasks
from .family import Base, present_types
from .fill_greedy import fill_greedy
from .fill_rebalance import Group, Rule, fill_rebalance
from .greedy_dedicated import Inner, greedy_dedicated
from .greedy_for_2_types import greedy_for_2_types
from .list_scheduling_by_type import sched_juxtapose, sched_mixed

__all__ = ["heuristic_results"]

_BASES: tuple[Base, ...] = get_args(Base)
_INNER: tuple[Inner, ...] = get_args(Inner)
_GROUPS: tuple[Group, ...] = get_args(Group)
_RULES: tuple[Rule, ...] = get_args(Rule)
_FLAGS = (True, False)
_EXACT_CLUSTERS_UP_TO = 12  # types; beyond, the fewest clusters may take long


def heuristic_results(instance: ColocationInstance) -> Iterator[ColocationResult]:
    """Yield the results of all variants, the quick ones first."""
    for attempt in _variants(instance):
        try:
            yield attempt()
        # too few machines, another number of groups, a costly diagonal
        except (InfeasibleError, UnsupportedError):
            continue


def _variants(instance: ColocationInstance) -> Iterator[partial[ColocationResult]]:
    for base in _BASES:  # best_schedule is the better of these two
        yield partial(sched_mixed, instance, base)
        yield partial(sched_juxtapose, instance, base)
    labelings = ["first_fit"]
    if instance.n_types <= _EXACT_CLUSTERS_UP_TO:
        first_fit, exact = (cluster_labels(instance, method) for method in ("first_fit", "exact"))
        if not np.array_equal(first_fit, exact):
            labelings.append("exact")
    for clusters in labelings:
        for sort, search in product(_FLAGS, _FLAGS):
            yield partial(fill_greedy, instance, sort, search, clusters)
            yield partial(greedy_for_2_types, instance, sort, search, clusters)
        for group, rule in product(_GROUPS, _RULES):
            yield partial(fill_rebalance, instance, group, rule, clusters)
    for clusters in labelings:
        groups = clusters_with_tasks(instance, cluster_labels(instance, clusters))
        alone = len(groups) == len(present_types(instance))
        for inner, base in product(_INNER[:1] if alone else _INNER, _BASES):
            yield partial(greedy_dedicated, instance, inner, base, clusters)
