"""The named keys and formulas by which queues are ordered, smaller first.

Sources of the formulas: SAF and LXF are folklore; [TangLanDesaiBuettner2009]_ for WFP3 and UNICEF;
[CarastanSantosCamargo2017]_ for F1 to F4.

.. [TangLanDesaiBuettner2009] W. Tang, Z. Lan, N. Desai and D. Buettner, "Fault-aware, utility-based job scheduling on
   Blue Gene/P systems", Cluster 2009.
.. [CarastanSantosCamargo2017] D. Carastan-Santos and R. Y. de Camargo, "Obtaining dynamic scheduling policies with
   simulation and machine learning", SC 2017.
"""

from collections.abc import Mapping

__all__ = ["QUEUE_FORMULAS", "QUEUE_KEYS", "key_columns"]

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

#: Formula by name, of queues of backfilling and of sites alone: r is the estimate, n the amount that a job demands with
#: all of its tasks of one resource, that of which it demands the largest share of all machines together (the first of
#: equals), s is 1 + release time - first release, at least 1. Those that count the wait, now - release time, change
#: with time. log2(1) is 0, and UNICEF puts jobs of n = 1 first.
QUEUE_FORMULAS: Mapping[str, str] = {
    "saf": "r n",
    "f1": "log10(r) n + 870 log10(s)",
    "f2": "sqrt(r) n + 25600 log10(s)",
    "f3": "r n + 6.86e6 log10(s)",
    "f4": "r sqrt(n) + 5.3e5 log10(s)",
    "lxf": "-(wait + r) / r",
    "wfp3": "-(wait / r)^3 n",
    "unicef": "-wait / (log2(n) r)",
}


def key_columns(name: str) -> frozenset[str]:
    """Return which columns of jobs a key reads beside times and demands: the weight, or none."""
    return frozenset({"weight"} if "w" in QUEUE_KEYS.get(name, "").split() else ())
