"""The fractional problem P2 of [Xu2021]_: rates y_j(t) of jobs in slots that minimise the sum of w_j(t) y_j(t).

    w_j(t) = (t - a_j)^k / p_j + p_j^(k-1)   for t > a_j
    sum over t of y_j(t) = p_j,   0 <= y_j(t) <= 1,   sum over j of d_jr y_j(t) <= sum over machines of C_ir.

*Every schedule is a solution.* Its rate y_j(t) is the work that j does in slot t over d_j, and its cost the fractional
flow time. The rates of a slot need sum d_j y_j(t) cores in all. In a further resource r (memory) a job that runs holds
d_jr on every machine on which it runs, hence on one at least, and d_jr >= d_jr y_j(t): so the row of r, which adds the
machines up, holds too. With estimates a job holds what it believes to need, which may be less than d_jr: the rows of
these resources take the smaller of the two. The cores that it gets do the work that they do, whatever it believes.

*No horizon is lost.* In an optimal solution let T be the last slot with y_j(T) > 0. In every slot of (a_j, T) either
y_j = 1, which is so in p_j slots at most, or some resource is used up, or else moving work of j there from T would cost
less. Resource r is used up in no more slots than its total work V_r fills, so T <= a_j + p_j + sum over r of V_r / C_r
+ 1, the `latest` slot. No slot beyond it is needed, whatever optimal solution is looked for.

.. [Xu2021] H. Xu, Y. Liu, W. C. Lau, "Optimal Job Scheduling With Resource Packing for Heterogeneous Servers",
   IEEE/ACM Transactions on Networking, 2021.
"""

import numpy as np

from schedcore.errors import InfeasibleError, UnsupportedError
from schedcore.model import Instance
from schedcore.model.arrays import FloatArray, IntArray
from schedcore.model.slots import slot_columns

__all__ = ["FractionalRates", "power"]

_MOST_SLOTS = 2**26  # of the horizon and of all processing times together
_LARGEST_WEIGHT = 2.0**900  # lower weights only lower a bound


class FractionalRates:
    """The data of P2.

    Parameters
    ----------
    instance : Instance
        In whole slots.
    k : int
        Exponent of the flow time, at least 1.

    Attributes
    ----------
    release_time, processing_time, latest : (n_jobs,) int64
        `latest` is the last slot in which a job need run.
    demand : (n_jobs, n_resources) float64
        Of cores the true one; of other resources the least that a job may hold where it runs.
    capacity : (n_resources,) float64
        Of all machines together.
    """

    def __init__(self, instance: Instance, k: int) -> None:
        columns = slot_columns(instance)
        self.k = k
        self.release_time = columns.release_time
        self.processing_time = columns.processing_time
        self.demand: FloatArray = columns.demand.astype(np.float64)
        if columns.estimated_demand is not None:
            np.minimum(self.demand[:, 1:], columns.estimated_demand[:, 1:], out=self.demand[:, 1:])
        self.capacity: FloatArray = columns.capacity.sum(axis=0, dtype=np.float64)
        missing = (self.capacity == 0) & (self.demand.max(axis=0, initial=0) > 0)
        if missing.any():
            name = instance.machines.resource_names[int(np.argmax(missing))]
            raise InfeasibleError(f"no machine has any {name}, which jobs demand")
        volume = self.processing_time.astype(np.float64) @ self.demand
        filled = np.divide(volume, self.capacity, out=np.zeros_like(volume), where=self.capacity > 0)
        span = float(np.max(self.release_time + self.processing_time, initial=0)) + filled.sum() + 2
        work = float(self.processing_time.sum(dtype=np.float64))
        if max(span, work) > _MOST_SLOTS:
            raise UnsupportedError(
                f"a schedule of {span:g} slots, with {work:g} slots of all jobs, is too long for the program over "
                f"slots (at most 2**26); count time in longer slots"
            )
        self.latest: IntArray = self.release_time + self.processing_time + int(filled.sum()) + 1

    @property
    def n_jobs(self) -> int:
        """Number of jobs."""
        return len(self.release_time)

    @property
    def n_resources(self) -> int:
        """Number of resources."""
        return len(self.capacity)

    @property
    def base(self) -> FloatArray:
        """(n_jobs,) Return p^(k-1), the part of the weight that is the same in all slots."""
        return np.minimum(power(self.processing_time.astype(np.float64), self.k - 1), _LARGEST_WEIGHT)

    def waiting_weight(self, job: IntArray, slot: IntArray | FloatArray) -> FloatArray:
        """Return (t - a)^k / p of some jobs in some slots, t > a; the rest of the weight is the `base`."""
        delay = slot.astype(np.float64) - self.release_time[job]
        weight = power(delay, self.k) / self.processing_time[job]
        return np.minimum(weight, _LARGEST_WEIGHT)


def power(x: FloatArray, exponent: int) -> FloatArray:
    """Return x to a whole power as `exponent` products; infinite where it is too large."""
    result = np.ones_like(x)
    with np.errstate(over="ignore"):
        for _ in range(exponent):
            result *= x
    return result
