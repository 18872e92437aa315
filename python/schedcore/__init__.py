"""Multi-resource cluster scheduling: exact, fast, with a certificate beside every schedule."""

import importlib.resources
import logging

from . import bounds, colocation, engine, experiments, metrics, model, plotting, registry, workloads
from ._core import build_config
from .algorithms import (
    backfill,
    best_schedule,
    bf_exec,
    ca_pq,
    colocate,
    conservative,
    easy,
    epochs,
    fcfs,
    fill_greedy,
    fill_rebalance,
    first_fit,
    greedy_dedicated,
    greedy_for_2_types,
    knapsack,
    mct_exact,
    mct_ptas,
    mris,
    offline_pq,
    partition,
    pq,
    sched_juxtapose,
    sched_mixed,
    selection_scores,
    tetris,
)
from .bounds import lower_bounds, makespan_lower_bound
from .engine import Decision, OnlineScheduler, Placement, Placements, ResourceTimeline, solve
from .errors import InfeasibleError, InvalidInstanceError, PolicyError, SchedcoreError, UnsupportedError
from .model import (
    Assignment,
    ColocationInstance,
    ColocationResult,
    Instance,
    Jobs,
    Machines,
    ParallelTaskInstance,
    ParallelTaskResult,
    Partition,
    PreemptiveSchedule,
    Result,
    Schedule,
    ValidationReport,
    validate,
)

__all__ = [
    "Assignment",
    "ColocationInstance",
    "ColocationResult",
    "Decision",
    "InfeasibleError",
    "Instance",
    "InvalidInstanceError",
    "Jobs",
    "Machines",
    "OnlineScheduler",
    "ParallelTaskInstance",
    "ParallelTaskResult",
    "Partition",
    "Placement",
    "Placements",
    "PolicyError",
    "PreemptiveSchedule",
    "ResourceTimeline",
    "Result",
    "SchedcoreError",
    "Schedule",
    "UnsupportedError",
    "ValidationReport",
    "__version__",
    "backfill",
    "best_schedule",
    "bf_exec",
    "bounds",
    "build_config",
    "ca_pq",
    "colocate",
    "colocation",
    "conservative",
    "easy",
    "engine",
    "epochs",
    "experiments",
    "fcfs",
    "fill_greedy",
    "fill_rebalance",
    "first_fit",
    "get_include",
    "greedy_dedicated",
    "greedy_for_2_types",
    "knapsack",
    "lower_bounds",
    "makespan_lower_bound",
    "mct_exact",
    "mct_ptas",
    "metrics",
    "model",
    "mris",
    "offline_pq",
    "partition",
    "plotting",
    "pq",
    "registry",
    "sched_juxtapose",
    "sched_mixed",
    "selection_scores",
    "solve",
    "tetris",
    "validate",
    "workloads",
]

# A library prints nothing: whoever wants its messages adds a handler.
logging.getLogger("schedcore").addHandler(logging.NullHandler())

__version__: str = build_config()["version"]


def get_include() -> str:
    """Return the folder of the C++ headers: compile with ``-I`` and include ``"schedcore/<concept>.hpp"``."""
    return str(importlib.resources.files("schedcore").joinpath("include"))
