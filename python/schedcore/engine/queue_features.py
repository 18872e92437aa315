"""The features of a cluster that online policies heed."""

__all__ = ["NATIVE_FEATURES", "QUEUE_FEATURES", "SINGLE_TASK_FEATURES", "SITE_FEATURES"]

#: Of the policies that know no cluster: the table of jobs and the order of the machines say all of it. Constraints only
#: where a policy heeds eligibility.
NATIVE_FEATURES = frozenset({"constraints", "weights"})
#: Of policies for jobs of one task. Names of `schedcore.model.FEATURES`.
SINGLE_TASK_FEATURES = frozenset({"constraints", "outages", "weights", "failures", "cancellations"})
#: Of policies with one queue.
QUEUE_FEATURES = SINGLE_TASK_FEATURES | {"gangs", "spread", "exclusive"}
#: Of those whose queue obeys the rules of a site. Whether they let jobs end others is theirs to say.
SITE_FEATURES = QUEUE_FEATURES | {"dependencies", "site"}
