"""The features of a cluster that the policies with one queue heed."""

__all__ = ["QUEUE_FEATURES"]

#: Names of `schedcore.model.FEATURES`.
QUEUE_FEATURES = frozenset(
    {"gangs", "spread", "exclusive", "constraints", "outages", "weights", "failures", "cancellations"}
)
