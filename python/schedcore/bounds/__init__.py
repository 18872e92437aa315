"""How good can any schedule be? `lower_bound` answers for every kind of instance and objective.

The proofs stand in ``docs/bounds.md``; the kernels in ``src/cpp`` say how rounding is accounted for. For jobs of
parallel tasks they stand in the modules of ``parallel_tasks``, for preemptive jobs in slots (sums of powers of flow
times, and fractional flow times) in those of ``preemptive``.
"""

from .by_objective import LowerBound, lower_bound, lower_bound_methods
from .makespan import makespan_lower_bound
from .parallel_tasks import relaxation_bound
from .preemptive import flow_power_lower_bound, fractional_lower_bound
from .weighted_completion import (
    average_response_time_lower_bound,
    awct_lower_bound,
    lower_bounds,
    mean_busy_times,
)

__all__ = [
    "LowerBound",
    "average_response_time_lower_bound",
    "awct_lower_bound",
    "flow_power_lower_bound",
    "fractional_lower_bound",
    "lower_bound",
    "lower_bound_methods",
    "lower_bounds",
    "makespan_lower_bound",
    "mean_busy_times",
    "relaxation_bound",
]
