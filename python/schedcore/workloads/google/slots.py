"""Times of Google's trace of 2011 in slots, and requests in cores and GB of the largest machine.

The largest machine is taken to have 64 of each [Xu2021]_.

.. [Xu2021] H. Xu, Y. Liu, W. C. Lau, "Optimal Job Scheduling With Resource Packing for Heterogeneous Servers",
   IEEE/ACM Transactions on Networking, 2021.
"""

import numpy as np

from schedcore.model.arrays import FloatArray, IntArray

__all__ = ["LARGEST_MACHINE", "SECOND", "largest_machine_units", "slots_between"]

#: Cores, and GB of memory, of the largest machine, of which requests are fractions.
LARGEST_MACHINE = 64
#: Microseconds, in which the trace counts.
SECOND = 1_000_000


def slots_between(start_time: IntArray, end_time: IntArray, slot: int) -> IntArray:
    """Return the durations in slots of `slot` seconds, rounded up, at least 1."""
    slots: IntArray = np.maximum(-((start_time - end_time) // (slot * SECOND)), 1)
    return slots


def largest_machine_units(fraction: FloatArray) -> IntArray:
    """Return fractions of the largest machine in its cores or GB, rounded up, at least 1.

    Multiplying by a power of two rounds nothing, and a decimal fraction with an integral product is a double itself:
    the result is that of exact arithmetic with the number in the file.
    """
    units: IntArray = np.maximum(np.ceil(LARGEST_MACHINE * fraction), 1).astype(np.int64)
    return units
