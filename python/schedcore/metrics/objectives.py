"""What algorithms minimise: weighted completion time and delay, response time and makespan.

For integer data the values are exact as long as they are below 2**53 (beyond: the nearest double); for other
data they are the exact sum over the given completion times, rounded once.
"""

from collections.abc import Callable

from schedcore.metrics.exact_sums import exact_dot, exact_mean, exact_sum
from schedcore.metrics.per_job import Timed, completion_time, flow_time
from schedcore.model import Instance, ParallelTaskInstance, Schedule


def weighted_completion(inst: Instance | ParallelTaskInstance, schedule: Timed) -> float:
    """Sum over all jobs of weight times completion time, correctly rounded; 0.0 without jobs. O(n)."""
    return exact_dot(inst.weight, completion_time(inst, schedule))


def awct(inst: Instance | ParallelTaskInstance, schedule: Timed) -> float:
    """Average weighted completion time: `weighted_completion` over the number of jobs; 0.0 without jobs."""
    return weighted_completion(inst, schedule) / inst.n_jobs if inst.n_jobs else 0.0


def weighted_average_completion(inst: Instance | ParallelTaskInstance, schedule: Timed) -> float:
    """Mean completion time, each job weighted: `weighted_completion` over the sum of the weights; 0.0 without jobs."""
    return _per_weight(inst, weighted_completion(inst, schedule))


def weighted_delay(inst: Instance | ParallelTaskInstance, schedule: Timed) -> float:
    """Sum over all jobs of weight times flow time, correctly rounded; 0.0 without jobs. O(n)."""
    return exact_dot(inst.weight, flow_time(inst, schedule))


def weighted_average_delay(inst: Instance | ParallelTaskInstance, schedule: Timed) -> float:
    """Mean flow time, each job weighted: `weighted_delay` over the sum of the weights; 0.0 without jobs."""
    return _per_weight(inst, weighted_delay(inst, schedule))


def average_response_time(inst: Instance | ParallelTaskInstance, schedule: Timed) -> float:
    """Mean flow time (response time): completion minus release; 0.0 without jobs. O(n)."""
    return exact_mean(flow_time(inst, schedule))


def makespan(inst: Instance | ParallelTaskInstance, schedule: Timed) -> float:
    """The last completion time, counted from time 0; 0.0 without jobs. O(n)."""
    return float(completion_time(inst, schedule).max(initial=0.0))


def _per_weight(inst: Instance | ParallelTaskInstance, total: float) -> float:
    return total / exact_sum(inst.weight) if inst.n_jobs else 0.0


#: What policies on jobs are made to minimise, by name; `schedcore.bounds.lower_bound` knows a bound on each.
OBJECTIVES: dict[str, Callable[[Instance, Schedule], float]] = {
    "awct": awct,
    "average_response_time": average_response_time,
    "makespan": makespan,
}
