"""Colocating tasks with types: the largest cost of a task is to be as small as possible (MCT)."""

from .clusters import compatible_clusters
from .colocate import colocate
from .exact import mct_exact
from .fill_greedy import fill_greedy
from .fill_rebalance import fill_rebalance
from .greedy_dedicated import best_composition, greedy_dedicated
from .greedy_for_2_types import greedy_for_2_types
from .improvement import improve
from .list_scheduling_by_type import best_schedule, sched_juxtapose, sched_mixed
from .ptas import mct_ptas, ptas_decide

__all__ = [
    "best_composition",
    "best_schedule",
    "colocate",
    "compatible_clusters",
    "fill_greedy",
    "fill_rebalance",
    "greedy_dedicated",
    "greedy_for_2_types",
    "improve",
    "mct_exact",
    "mct_ptas",
    "ptas_decide",
    "sched_juxtapose",
    "sched_mixed",
]
