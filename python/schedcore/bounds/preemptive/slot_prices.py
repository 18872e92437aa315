"""What prices of resources in slots prove about the fractional problem: a bound that no solver has to be trusted for.

Let M_r(t) >= 0 be the price of a unit of resource r in slot t. Moving the rows of the resources into the objective
leaves

    sum over j of  min { sum over t of (w_j(t) + sum over r of d_jr M_r(t)) y(t) :  0 <= y <= 1, sum of y = p_j }
    -  sum over r, t of C_r M_r(t),

a lower bound by weak duality whatever the prices are. The minimum is the sum of the p_j smallest costs of slots after
a_j: p_j is a whole number. There is no last slot: behind those with prices a cost is the weight alone, which grows.

*Rounding.* Every term takes `steps` operations at most, of which a weight is k + 3, a price 2 for each resource, and
sums one for each number added; a fractional flow time in doubles is within k + 48 steps of its value. The result is
lowered by steps 2^-52 of what the terms come to without their signs.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from schedcore.bounds.ranges import Ranges
from schedcore.model.arrays import FloatArray, IntArray

from .fractional_rates import FractionalRates, power

__all__ = ["SlotProof", "prove"]

_AT_ONCE = 2**21  # pairs of job and slot
_NEAR = 0.05  # relative difference of costs that is hardly more


class SlotProof(NamedTuple):
    """The proven bound, and the slots that the jobs would like at these prices.

    Attributes
    ----------
    bound : float
        No schedule has a smaller fractional flow time.
    last_slot : (n_jobs,) int64
        The last of the cheapest slots of each job.
    near_slot : (n_jobs,) int64
        The last slot that costs hardly more than those.
    """

    bound: float
    last_slot: IntArray
    near_slot: IntArray


def prove(rates: FractionalRates, prices: FloatArray) -> SlotProof:
    """Return what prices, (n_slots, n_resources) from slot 1 on, prove; those that are no price count as 0.

    Notes
    -----
    Time and memory follow the pairs of a job and a slot that may be among its cheapest ones, sorted; two million of
    them are looked at together.
    """
    prices = np.where(np.isfinite(prices), np.maximum(prices, 0.0), 0.0)
    least = np.empty(rates.n_jobs)
    last_slot, near_slot = np.empty((2, rates.n_jobs), dtype=np.int64)
    count = _slots_that_may_count(rates, prices)
    for jobs in _blocks(count):
        least[jobs], last_slot[jobs], near_slot[jobs] = _cheapest(rates, prices, jobs, count[jobs])
    spent = float(np.sum(prices * rates.capacity))
    work = float(rates.processing_time @ rates.base)
    size = float(least.sum()) + work + spent
    steps = 2 * rates.k + 2 * rates.n_resources + prices.size + rates.n_jobs + 64
    steps += int(rates.processing_time.max(initial=0))
    bound = float(least.sum()) + work - spent - steps * 2.0**-52 * size
    return SlotProof(bound, last_slot, near_slot)


def _slots_that_may_count(rates: FractionalRates, prices: FloatArray) -> IntArray:
    """Return for each job a number of slots after its release beyond which none is among the cheapest.

    The first p_j slots cost p^k / p + d M at most, where M is the highest price after the release; from the slot on
    whose weight is that, none is cheaper. Nor is any beyond the first p_j without prices.
    """
    n_slots = len(prices)
    highest = np.zeros((n_slots + 1, rates.n_resources))
    highest[:-1] = np.maximum.accumulate(prices[::-1], axis=0)[::-1]
    most = np.sum(rates.demand * highest[np.minimum(rates.release_time, n_slots)], axis=1)
    length = rates.processing_time.astype(np.float64)
    beyond = length * np.exp(np.log1p(most * length / power(length, rates.k)) / rates.k)
    priced = np.maximum(n_slots - rates.release_time, 0) + rates.processing_time
    count: IntArray = np.minimum(np.ceil(beyond) + 2, priced).astype(np.int64)
    return count


def _blocks(count: IntArray) -> Iterator[slice]:
    """Yield slices of jobs with about as many slots as are looked at together."""
    start, ends = 0, np.cumsum(count)
    while start < len(count):
        done = int(ends[start - 1]) if start else 0
        end = max(int(np.searchsorted(ends, done + _AT_ONCE, side="right")), start + 1)
        yield slice(start, end)
        start = end


def _cheapest(
    rates: FractionalRates, prices: FloatArray, jobs: slice, count: IntArray
) -> tuple[FloatArray, IntArray, IntArray]:
    """Return the sum of the cheapest costs of some jobs, without the base of the weights, and the last slots."""
    release_time = rates.release_time[jobs]
    row, slot = Ranges(release_time + 1, release_time + count).places()
    job = row + jobs.start
    cost = rates.waiting_weight(job, slot)
    priced = np.flatnonzero(slot <= len(prices))
    for resource in range(rates.n_resources):
        cost[priced] += rates.demand[job[priced], resource] * prices[slot[priced] - 1, resource]
    order = np.lexsort((cost, row))
    start = np.cumsum(count) - count
    is_cheapest = np.arange(len(row)) - start[row] < rates.processing_time[job]
    chosen = order[is_cheapest]
    end = np.cumsum(rates.processing_time[jobs])
    begin = end - rates.processing_time[jobs]
    dearest = cost[chosen[end - 1]]
    near = np.where(cost <= (1 + _NEAR) * dearest[row], slot, 0)
    return (
        np.add.reduceat(cost[chosen], begin),
        np.maximum.reduceat(slot[chosen], begin),
        np.maximum.reduceat(near, start),
    )
