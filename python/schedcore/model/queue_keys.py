"""The named keys by which queues are ordered, smaller first."""

from collections.abc import Mapping

__all__ = ["QUEUE_KEYS", "key_columns"]

#: Key by name, in the order of the literature: p is the processing time, or the estimate where a policy decides with
#: it, w the weight, u the summed normalised demand of all tasks and v = p u the volume.
QUEUE_KEYS: Mapping[str, str] = {
    "wsjf": "p / w",
    "wsvf": "v / w",
    "wsdf": "u / w",
    "sjf": "p",
    "svf": "v",
    "sdf": "u",
    "erf": "release time",
}


def key_columns(name: str) -> frozenset[str]:
    """Return which columns of jobs a key reads beside times and demands: the weight, or none."""
    return frozenset({"weight"} if "w" in QUEUE_KEYS.get(name, "").split() else ())
