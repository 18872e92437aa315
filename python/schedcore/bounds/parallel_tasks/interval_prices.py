"""What prices prove about the interval-indexed programs: a bound that no solver has to be trusted for.

Write M[i,r,l] for the price of a unit of work (demand times time) on machine i and resource r in interval l, B[t,l]
for that of a unit of time of task t, N[t,l] for the reward of having all of task t done in interval l; all
non-negative and not increasing in l. They are suffix sums of multipliers mu >= 0 of the capacities (c), beta >= 0 of
the durations (b), and nu >= 0 of the synchronisation (d), and any mu, beta, nu >= 0 arise like that. Moving (b), (c)
and (d) into the objective leaves

    -  sum over i, r, l of m_ir (d_l - d_{l-1}) M[i,r,l]  -  sum over t, l of (g_tl - g_{t,l-1}) B[t,l]
    +  sum over t of  min over (i, l) of  p_ti (sum over r of a_tr M[i,r,l] + B[t,l]) - N[t,l]
    +  sum over j of  min over l >= 1 of  w_j c_jl + sum over tasks t of j of N[t,l],

because the fractions of a task sum to 1, and so do the X of a job. By weak duality this is at most the optimum of the
program, with *all* placements, whichever of them some solver has seen. g_tl = max(0, d_l - r_j) is the time that a task
has until d_l, and c_jl the least completion time of a job that completes in interval l.

*Release times* make the program smaller, and it stays a relaxation: in LP1 nothing of a task happens in intervals
with d_l <= r_j; in LP2 no task completes on i in one with d_l < r_j + p_ti; and a job that completes in interval l
does so at d_{l-1} or later, and never before e_j = r_j + its longest least processing time, so c_jl = max(d_{l-1},
e_j). Without release times all is as published, c_jl = d_{l-1} and g_tl = d_l.

*Rounding.* Every term is a sum of at most `steps` products; the result is lowered by steps 2^-51 of what the terms
come to without their signs.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .interval_rules import IntervalRules

__all__ = ["Prices", "Proof", "prove"]

_Floats = NDArray[np.float64]


class Prices(NamedTuple):
    """Proposals for the prices; anything will do, `prove` makes them non-negative, finite and non-increasing.

    Attributes
    ----------
    work : (n_machines, n_resources, n_intervals) float64
        M, per unit of demand and time.
    time : (n_tasks, n_intervals) float64 or None
        B; None for zero.
    reward : (n_tasks, n_intervals) float64
        N.
    """

    work: _Floats
    time: _Floats | None
    reward: _Floats


class Proof(NamedTuple):
    """The proven bound, and where it could gain.

    Attributes
    ----------
    bound : float
        No schedule of the class has a smaller sum of w C; minus infinity if the prices are useless.
    cheapest : (n_placements,) float64
        The least priced cost p (a M + B) - N of each placement, over its intervals.
    """

    bound: float
    cheapest: _Floats


def prove(rules: IntervalRules, prices: Prices) -> Proof:
    """Return what the prices prove.

    Notes
    -----
    O((n_placements * n_resources + n_tasks) * n_intervals) time, O(n_placements) memory beside the prices.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        return _prove(rules, _repaired(prices))


def _repaired(prices: Prices) -> Prices:
    time = None if prices.time is None else _non_increasing(prices.time)
    return Prices(_non_increasing(prices.work), time, _non_increasing(prices.reward))


def _non_increasing(proposal: _Floats) -> _Floats:
    """Return the least non-negative prices above the proposal that do not increase over the last axis."""
    usable = np.where(np.isfinite(proposal), np.maximum(proposal, 0.0), 0.0)
    return np.asarray(np.maximum.accumulate(usable[..., ::-1], axis=-1)[..., ::-1])


def _prove(rules: IntervalRules, prices: Prices) -> Proof:
    instance, intervals = rules.instance, rules.intervals
    capacity = instance.machines.capacity.astype(np.float64)
    spent = float(np.sum(capacity[:, :, None] * prices.work * intervals.lengths))
    if prices.time is not None:
        spent += float(np.sum(np.diff(rules.room(), axis=1, prepend=0.0) * prices.time))
    cheapest = _cheapest(rules, prices)
    of_tasks = np.minimum.reduceat(cheapest, instance.placement_start[:-1])
    of_jobs = _least_of_jobs(rules, prices.reward)
    size = spent + np.abs(of_tasks).sum() + 3 * prices.reward[:, 1].sum() + np.abs(of_jobs).sum()
    steps = int(np.diff(instance.task_start).max()) + instance.n_resources + 2 * intervals.n_intervals + 64
    bound = float(of_jobs.sum() + of_tasks.sum() - spent - steps * 2.0**-51 * size)
    return Proof(bound if np.isfinite(bound) else -np.inf, cheapest)


def _cheapest(rules: IntervalRules, prices: Prices) -> _Floats:
    instance = rules.instance
    task, machine = instance.placement_task, instance.placement_machine
    demand = instance.demand[task].astype(np.float64)
    time = instance.placement_time.astype(np.float64)
    cheapest = np.full(instance.n_placements, np.inf)
    for interval in range(1, rules.intervals.n_intervals):
        unit = np.zeros(instance.n_placements)
        for resource in range(instance.n_resources):
            unit += demand[:, resource] * prices.work[:, resource, interval][machine]
        if prices.time is not None:
            unit += prices.time[:, interval][task]
        cost = time * unit - prices.reward[:, interval][task]
        np.minimum(cheapest, cost, out=cheapest, where=rules.first <= interval)
    return cheapest


def _least_of_jobs(rules: IntervalRules, reward: _Floats) -> _Floats:
    """Return the minimum over the intervals in which a job can complete, that is, all its tasks can."""
    instance = rules.instance
    start = instance.task_start[:-1]
    first = np.maximum.reduceat(rules.first_of_tasks(), start)
    cost = instance.weight[:, None] * rules.completion() + np.add.reduceat(reward, start, axis=0)
    possible = np.arange(rules.intervals.n_intervals) >= first[:, None]
    return np.asarray(np.where(possible, cost, np.inf).min(axis=1))
