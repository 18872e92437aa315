"""What a schedule is worth: per-job columns, objectives, delays, load over time and a summary of them all.

Every function takes the instance and the schedule, in this order, and works on whole columns. Times are in
the unit of the instance; only the default `tau` of the bounded slowdown assumes seconds. Sums and means are
correctly rounded, so they do not depend on the order of the jobs. With 0 jobs every sum, mean, maximum and
share is 0.
"""

from schedcore.metrics.delays import (
    DelaySummary,
    delay_quantile,
    delay_quantiles,
    queuing_delay_share,
    queuing_delay_summary,
)
from schedcore.metrics.objectives import average_response_time, awct, makespan, weighted_completion
from schedcore.metrics.over_time import (
    binned_utilisation,
    horizon,
    queue_length,
    resource_usage,
    utilisation,
)
from schedcore.metrics.per_job import (
    bounded_slowdown,
    completion_time,
    flow_time,
    queuing_delay,
    slowdown,
)
from schedcore.metrics.step_function import StepFunction
from schedcore.metrics.summaries import summary

__all__ = [
    "DelaySummary",
    "StepFunction",
    "average_response_time",
    "awct",
    "binned_utilisation",
    "bounded_slowdown",
    "completion_time",
    "delay_quantile",
    "delay_quantiles",
    "flow_time",
    "horizon",
    "makespan",
    "queue_length",
    "queuing_delay",
    "queuing_delay_share",
    "queuing_delay_summary",
    "resource_usage",
    "slowdown",
    "summary",
    "utilisation",
    "weighted_completion",
]
