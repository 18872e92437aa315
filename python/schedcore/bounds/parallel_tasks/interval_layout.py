"""The interval-indexed programs as sparse rows, with two or three entries a column.

Fractions z[t,i,l] stand for the placements that the caller chose, in the intervals where they can be needed. Prefix
sums are kept as stocks:

* Every task t of a job with several has the stock s[t,l] of what is done of it by l beyond what counts for the job.
  X[j,l] + s[t,l] - s[t,l-1] = sum over i of z[t,i,l] is its row of interval l. With X summing to 1 and no stock at
  the end, its z sum to 1. The task of a job with one has that one row, and its z carry the cost of X.
* Machine i has for each resource the used part U[l] <= 1 of what it offers by d_l:
  U[l] = (d_{l-1}/d_l) U[l-1] + sum over t of a_t p_ti / (m_i d_l) z[t,i,l].
* In LP1 task t has the used part W[l] of its time until d_l likewise; its limit is (d_l - r_j) / d_l.

*What is left out changes no value.* If all tasks that may run on a machine fit there by d_l, it needs no row from l
on, and then no fraction there is needed later than in the interval after the last row: an earlier one serves the job
as well. W needs no row once d_l - r_j reaches the longest processing time of the task, and before that all its
fractions are kept. A job with all tasks done by the last of their intervals does not complete later.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from schedcore.bounds.ranges import Ranges

from .interval_rules import IntervalRules

__all__ = ["Layout", "layout"]

_Ints = NDArray[np.int64]
_Floats = NDArray[np.float64]
_SLACK = 1 - 1e-9  # a row counts as needless if it has this much room; covers the rounding of sums


class Layout(NamedTuple):
    """Which columns and rows there are.

    Attributes
    ----------
    chosen : (n_chosen,) int64
        Ascending placements that have columns.
    fractions : Ranges
        z, by chosen placement.
    shared : (n_tasks,) bool
        Whether the job of the task has others.
    counted : Ranges
        X, by job; none for jobs of one task.
    stocks : Ranges
        Rows of stock, by task; the column s of the last one of each does not exist. One row, as of interval 0, for
        the task of a job of one.
    capacity : Ranges
        U, by machine and resource (row-major).
    time : Ranges
        W, by task; none in LP2.
    """

    chosen: _Ints
    fractions: Ranges
    shared: NDArray[np.bool_]
    counted: Ranges
    stocks: Ranges
    capacity: Ranges
    time: Ranges


def layout(rules: IntervalRules, chosen: _Ints) -> Layout:
    """Return the layout for some placements, at least one a task."""
    instance = rules.instance
    task = instance.placement_task[chosen]
    start = np.searchsorted(task, np.arange(instance.n_tasks))  # of the chosen placements of each task
    first = rules.first[chosen]
    task_first = np.minimum.reduceat(first, start)

    capacity = _capacity_rows(rules, chosen)
    time = _time_rows(rules, np.maximum.reduceat(instance.placement_time[chosen], start), task_first)
    of_machines = capacity.last.reshape(instance.n_machines, -1).max(axis=1)
    needless_from = np.maximum(of_machines[instance.placement_machine[chosen]], time.last[task]) + 1
    last = np.maximum(first, np.minimum(needless_from, rules.intervals.n_intervals - 1))

    shared = (np.diff(instance.task_start) > 1)[instance.task_job]
    task_last = np.maximum.reduceat(last, start)
    job_first = np.maximum.reduceat(task_first, instance.task_start[:-1])
    job_last = np.maximum.reduceat(task_last, instance.task_start[:-1])
    several = np.diff(instance.task_start) > 1
    return Layout(
        chosen=chosen,
        fractions=Ranges(first, last),
        shared=shared,
        counted=Ranges(job_first, np.where(several, job_last, -1)),
        stocks=Ranges(np.where(shared, task_first, 0), np.where(shared, job_last[instance.task_job], 0)),
        capacity=capacity,
        time=time,
    )


def _capacity_rows(rules: IntervalRules, chosen: _Ints) -> Ranges:
    """Return U: from the first to the last interval by which tasks that may be done exceed what a machine offers."""
    instance, intervals = rules.instance, rules.intervals
    size = (instance.n_machines, instance.n_resources, intervals.n_intervals)
    machine = instance.placement_machine[chosen]
    work = instance.placement_time[chosen, None] * instance.demand[instance.placement_task[chosen]].astype(
        np.float64
    )
    possible = np.zeros(size)
    for resource in range(instance.n_resources):
        key = machine * intervals.n_intervals + rules.first[chosen]
        added = np.bincount(key, work[:, resource], instance.n_machines * intervals.n_intervals)
        possible[:, resource] = added.reshape(instance.n_machines, -1).cumsum(axis=1)
    offered = instance.machines.capacity[:, :, None] * intervals.ends
    return _from_first_to_last((possible > offered * _SLACK).reshape(-1, intervals.n_intervals))


def _time_rows(rules: IntervalRules, longest: _Ints, task_first: _Ints) -> Ranges:
    n_tasks = rules.instance.n_tasks
    if rules.doubling:  # there (b) follows from the rest
        return Ranges(np.zeros(n_tasks, dtype=np.int64), np.full(n_tasks, -1))
    short = rules.room() < longest[:, None]
    return _from_first_to_last(short & (np.arange(rules.intervals.n_intervals) >= task_first[:, None]))


def _from_first_to_last(needed: NDArray[np.bool_]) -> Ranges:
    """Return for each row of a table the range from its first to its last true entry; 0 to -1 if it has none."""
    n = needed.shape[1]
    none = ~needed.any(axis=1)
    first = np.where(none, 0, needed.argmax(axis=1))
    return Ranges(first, np.where(none, -1, n - 1 - needed[:, ::-1].argmax(axis=1)))
