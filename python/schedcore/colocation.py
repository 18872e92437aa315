"""Tasks that share machines and slow each other down by type: everything of the MCT problem in one place.

This module holds the algorithms, their parts, bounds and generators. Instances, results and `solve` are at the top
level (`schedcore.ColocationInstance`, `schedcore.solve`). Source: F. Pascual, K. Rzadca, "Optimizing egalitarian
performance when colocating tasks with types for cloud data center resource management", IEEE TPDS 30(11), 2019.
"""

from .algorithms.colocation import (
    best_composition,
    best_schedule,
    colocate,
    compatible_clusters,
    fill_greedy,
    fill_rebalance,
    greedy_dedicated,
    greedy_for_2_types,
    improve,
    mct_exact,
    mct_ptas,
    ptas_decide,
    sched_juxtapose,
    sched_mixed,
)
from .bounds.colocation import lower_bound as lower_bound
from .model import Assignment, ColocationInstance, ColocationResult
from .workloads import (
    TaskSample,
    colocation_tasks,
    grid_cells,
    grid_instance,
    hard_cliques,
    hard_gap,
    hard_partition,
    sample_google_requests,
    sample_google_usage,
    standin_tasks,
    task_type,
)

__all__ = [
    "Assignment",
    "ColocationInstance",
    "ColocationResult",
    "TaskSample",
    "best_composition",
    "best_schedule",
    "colocate",
    "colocation_tasks",
    "compatible_clusters",
    "fill_greedy",
    "fill_rebalance",
    "greedy_dedicated",
    "greedy_for_2_types",
    "grid_cells",
    "grid_instance",
    "hard_cliques",
    "hard_gap",
    "hard_partition",
    "improve",
    "mct_exact",
    "mct_ptas",
    "ptas_decide",
    "sample_google_requests",
    "sample_google_usage",
    "sched_juxtapose",
    "sched_mixed",
    "standin_tasks",
    "task_type",
]
