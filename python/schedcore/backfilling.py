"""How supercomputers are run: jobs start in the order of their arrival, and others fill the gaps (backfilling).

This module holds the policies, the scores of their selections, and models of their workloads; instances, `solve` and
`OnlineScheduler` are at the top level. Source: W. Leinberger, G. Karypis, V. Kumar, "Job scheduling in the presence of
multiple resource requirements", SC 1999.
"""

from .algorithms.backfilling import (
    backfill,
    bbsched,
    conservative,
    easy,
    fcfs,
    first_fit,
    plan_annealing,
    selection_scores,
)
from .bounds import average_response_time_lower_bound
from .workloads import (
    calibrate_gap,
    estimates,
    feitelson,
    feitelson_k,
    k_resource_demand,
    lublin,
    lublin_k,
    poisson_arrivals,
)

__all__ = [
    "average_response_time_lower_bound",
    "backfill",
    "bbsched",
    "calibrate_gap",
    "conservative",
    "easy",
    "estimates",
    "fcfs",
    "feitelson",
    "feitelson_k",
    "first_fit",
    "k_resource_demand",
    "lublin",
    "lublin_k",
    "plan_annealing",
    "poisson_arrivals",
    "selection_scores",
]
