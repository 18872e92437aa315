"""Multi-resource cluster scheduling: exact, fast, with a certificate beside every schedule."""

import importlib.resources
import logging

from . import bounds, engine, experiments, metrics, model, plotting, registry, workloads
from ._core import build_config
from .algorithms import (
    backfill,
    bf_exec,
    ca_pq,
    conservative,
    easy,
    epochs,
    fcfs,
    first_fit,
    knapsack,
    mris,
    offline_pq,
    pq,
    selection_scores,
    tetris,
)
from .bounds import lower_bounds, makespan_lower_bound
from .engine import Decision, OnlineScheduler, Placement, Placements, ResourceTimeline, solve
from .errors import InfeasibleError, InvalidInstanceError, PolicyError, SchedcoreError, UnsupportedError
from .model import Instance, Jobs, Machines, Result, Schedule, ValidationReport, validate

__all__ = [
    "Decision",
    "InfeasibleError",
    "Instance",
    "InvalidInstanceError",
    "Jobs",
    "Machines",
    "OnlineScheduler",
    "Placement",
    "Placements",
    "PolicyError",
    "ResourceTimeline",
    "Result",
    "SchedcoreError",
    "Schedule",
    "UnsupportedError",
    "ValidationReport",
    "__version__",
    "backfill",
    "bf_exec",
    "bounds",
    "build_config",
    "ca_pq",
    "conservative",
    "easy",
    "engine",
    "epochs",
    "experiments",
    "fcfs",
    "first_fit",
    "get_include",
    "knapsack",
    "lower_bounds",
    "makespan_lower_bound",
    "metrics",
    "model",
    "mris",
    "offline_pq",
    "plotting",
    "pq",
    "registry",
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
