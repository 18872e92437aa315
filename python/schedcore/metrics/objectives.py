"""What algorithms minimise: weighted completion time, response time and makespan.

For integer data the values are exact as long as they are below 2**53 (beyond: the nearest double); for other
data they are the exact sum over the given completion times, rounded once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from schedcore.metrics.exact_sums import exact_dot, exact_mean
from schedcore.metrics.per_job import completion_time, flow_time

if TYPE_CHECKING:
    from schedcore.model import Instance, Schedule


def weighted_completion(inst: Instance, schedule: Schedule) -> float:
    """Sum over all jobs of weight times completion time, correctly rounded; 0.0 without jobs. O(n)."""
    return exact_dot(inst.jobs.weight, completion_time(inst, schedule))


def awct(inst: Instance, schedule: Schedule) -> float:
    """Average weighted completion time: `weighted_completion` over the number of jobs; 0.0 without jobs."""
    return weighted_completion(inst, schedule) / inst.n_jobs if inst.n_jobs else 0.0


def average_response_time(inst: Instance, schedule: Schedule) -> float:
    """Mean flow time (response time): completion minus release; 0.0 without jobs. O(n)."""
    return exact_mean(flow_time(inst, schedule))


def makespan(inst: Instance, schedule: Schedule) -> float:
    """The last completion time, counted from time 0; 0.0 without jobs. O(n)."""
    return float(completion_time(inst, schedule).max(initial=0.0))
