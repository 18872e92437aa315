"""What a schedule is worth: per-job columns, objectives, delays, load over time, a summary of them all, and fairness.

Every function takes the instance and the schedule, in this order, and works on whole columns. Times are in
the unit of the instance; only the default `tau` of the bounded slowdown assumes seconds. Sums and means are
correctly rounded, so they do not depend on the order of the jobs. With 0 jobs every sum, mean, maximum and
share is 0.
"""

from schedcore.metrics.class_figures import ClassFigures, fairness_by_class
from schedcore.metrics.delays import (
    DelaySummary,
    delay_quantile,
    delay_quantiles,
    queuing_delay_share,
    queuing_delay_summary,
)
from schedcore.metrics.job_classes import (
    JobClasses,
    length_classes,
    shape_classes,
    share_classes,
    size_classes,
)
from schedcore.metrics.objectives import average_response_time, awct, makespan, weighted_completion
from schedcore.metrics.over_time import (
    binned_utilisation,
    horizon,
    queue_length,
    resource_usage,
    utilisation,
)
from schedcore.metrics.overtaking import OvertakingSummary, overtaking_summary, times_overtaken
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
    "ClassFigures",
    "DelaySummary",
    "JobClasses",
    "OvertakingSummary",
    "StepFunction",
    "average_response_time",
    "awct",
    "binned_utilisation",
    "bounded_slowdown",
    "completion_time",
    "delay_quantile",
    "delay_quantiles",
    "fairness_by_class",
    "flow_time",
    "horizon",
    "length_classes",
    "makespan",
    "overtaking_summary",
    "queue_length",
    "queuing_delay",
    "queuing_delay_share",
    "queuing_delay_summary",
    "resource_usage",
    "shape_classes",
    "share_classes",
    "size_classes",
    "slowdown",
    "summary",
    "times_overtaken",
    "utilisation",
    "weighted_completion",
]
