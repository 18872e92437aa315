"""What a schedule is worth: per-job columns, objectives, delays, load over time, a summary of them all, and fairness.

Completion and flow times, and the objectives that come from them, are the same functions for jobs of parallel tasks,
which have a summary of their own. Of schedules in slots, where jobs hold now more cores and now less, `slot_facts`,
`slot_summary`, `work_over_time` and their neighbours tell. Of jobs that span machines, are killed and run again
(`Runs`), `cluster_summary`, `run_work` and `capacity_use`; functions of jobs take runs in place of a schedule where all
jobs completed, and `completed_part` makes them so. Who got what under the rules of a site, `fairness_by_submitter`,
`shares_over_time` and `limit_holds` tell of a whole `Result`, as `waiting_reasons` does; every other function takes the
instance and the schedule, in this order. All work on whole columns. Times are in the unit of the instance; only the
default `tau` of the bounded slowdown assumes seconds. Sums and means are correctly rounded, so they do not depend on
the order of the jobs. With 0 jobs every sum, mean, maximum and share is 0.
"""

from schedcore.metrics.capacity_down import binned_share_down, capacity_down
from schedcore.metrics.capacity_use import CapacityUse, capacity_use, capacity_use_by_kind
from schedcore.metrics.class_figures import ClassFigures, fairness_by_class
from schedcore.metrics.cluster_summaries import cluster_summary
from schedcore.metrics.completed_part import CompletedPart, completed_part
from schedcore.metrics.delays import (
    DelaySummary,
    delay_quantile,
    delay_quantiles,
    queuing_delay_share,
    queuing_delay_summary,
)
from schedcore.metrics.jain_index import jain_index
from schedcore.metrics.job_classes import (
    JobClasses,
    length_classes,
    shape_classes,
    share_classes,
    size_classes,
)
from schedcore.metrics.limit_holds import LimitHolds, limit_holds
from schedcore.metrics.objectives import (
    OBJECTIVES,
    average_response_time,
    awct,
    makespan,
    weighted_average_completion,
    weighted_average_delay,
    weighted_completion,
    weighted_delay,
)
from schedcore.metrics.over_time import (
    binned_utilisation,
    horizon,
    queue_length,
    resource_usage,
    utilisation,
    waiting_work,
)
from schedcore.metrics.overtaking import OvertakingSummary, overtaking_summary, times_overtaken
from schedcore.metrics.parallel_tasks import (
    migrations,
    preemptions,
    remote_share,
    synchronisation_delay,
    task_completion_time,
    task_summary,
)
from schedcore.metrics.per_job import (
    bounded_slowdown,
    completion_time,
    flow_time,
    queuing_delay,
    slowdown,
)
from schedcore.metrics.preemptive import (
    PreemptionCounts,
    SlotFacts,
    WaitingBySize,
    flow_norm,
    flow_power_sum,
    fractional_flow_time,
    preemption_counts,
    slot_facts,
    waiting_by_size,
)
from schedcore.metrics.preemptive_curves import (
    WorkOverTime,
    dynamic_fit,
    dynamic_regret,
    slot_summary,
    work_over_time,
)
from schedcore.metrics.recorded_run import CapacityExcess, RecordedRun, recorded_run
from schedcore.metrics.run_work import RunWork, run_work
from schedcore.metrics.shares_over_time import SharesOverTime, shares_over_time
from schedcore.metrics.steady_state import SteadyState, steady_state
from schedcore.metrics.step_function import StepFunction
from schedcore.metrics.submitter_classes import submitter_classes
from schedcore.metrics.submitter_figures import SubmitterFigures, fairness_by_submitter
from schedcore.metrics.summaries import summary
from schedcore.metrics.waiting_reasons import WaitingReasons, waiting_reasons

__all__ = [
    "OBJECTIVES",
    "CapacityExcess",
    "CapacityUse",
    "ClassFigures",
    "CompletedPart",
    "DelaySummary",
    "JobClasses",
    "LimitHolds",
    "OvertakingSummary",
    "PreemptionCounts",
    "RecordedRun",
    "RunWork",
    "SharesOverTime",
    "SlotFacts",
    "SteadyState",
    "StepFunction",
    "SubmitterFigures",
    "WaitingBySize",
    "WaitingReasons",
    "WorkOverTime",
    "average_response_time",
    "awct",
    "binned_share_down",
    "binned_utilisation",
    "bounded_slowdown",
    "capacity_down",
    "capacity_use",
    "capacity_use_by_kind",
    "cluster_summary",
    "completed_part",
    "completion_time",
    "delay_quantile",
    "delay_quantiles",
    "dynamic_fit",
    "dynamic_regret",
    "fairness_by_class",
    "fairness_by_submitter",
    "flow_norm",
    "flow_power_sum",
    "flow_time",
    "fractional_flow_time",
    "horizon",
    "jain_index",
    "length_classes",
    "limit_holds",
    "makespan",
    "migrations",
    "overtaking_summary",
    "preemption_counts",
    "preemptions",
    "queue_length",
    "queuing_delay",
    "queuing_delay_share",
    "queuing_delay_summary",
    "recorded_run",
    "remote_share",
    "resource_usage",
    "run_work",
    "shape_classes",
    "share_classes",
    "shares_over_time",
    "size_classes",
    "slot_facts",
    "slot_summary",
    "slowdown",
    "steady_state",
    "submitter_classes",
    "summary",
    "synchronisation_delay",
    "task_completion_time",
    "task_summary",
    "times_overtaken",
    "utilisation",
    "waiting_by_size",
    "waiting_reasons",
    "waiting_work",
    "weighted_average_completion",
    "weighted_average_delay",
    "weighted_completion",
    "weighted_delay",
    "work_over_time",
]
