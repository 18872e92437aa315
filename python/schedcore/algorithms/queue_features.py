"""The features of a cluster that online policies heed."""

__all__ = ["QUEUE_FEATURES", "SINGLE_TASK_FEATURES"]

#: Of policies for jobs of one task. Names of `schedcore.model.FEATURES`.
SINGLE_TASK_FEATURES = frozenset({"constraints", "outages", "weights", "failures", "cancellations"})
#: Of the policies with one queue.
QUEUE_FEATURES = SINGLE_TASK_FEATURES | {"gangs", "spread", "exclusive"}
