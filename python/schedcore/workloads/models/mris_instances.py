"""Named instances of the MRIS paper: random ones, the families behind its lemmas, and the patience experiment.

The same arguments give the same instance, bit for bit, on every platform [Fan2024]_. All times, weights and
demands are integers; arguments come in the order of the paper's symbols. Cost: O(n_jobs * n_resources), whole
columns at a time.

.. [Fan2024] X. Fan, B. Liang, "Online Non-preemptive Multi-Resource Scheduling for Weighted Completion Time on
   Multiple Machines", ICPP 2024.
"""

from typing import Any

import numpy as np

from schedcore.errors import InvalidInstanceError
from schedcore.model import Instance, Jobs, Machines
from schedcore.model.integers import at_least
from schedcore.model.real_numbers import shown
from schedcore.workloads.draws.splitmix import Draws, scaled_u53, u53

__all__ = ["half_plus", "lemma41", "lemma64", "list_gap", "patience", "uniform"]


def uniform(
    seed: int,
    n_jobs: int,
    n_machines: int,
    n_resources: int,
    capacity: int,
    max_processing_time: int,
    max_weight: int,
    max_release_time: int,
    max_demand: int,
) -> Instance:
    """Draw every value uniformly and independently.

    Parameters
    ----------
    seed : int
        In [0, 2**64).
    n_jobs, n_machines, n_resources : int
        Sizes; `n_jobs` may be 0.
    capacity : int
        Capacity of every resource on every machine.
    max_processing_time, max_weight : int
        Values are drawn from 1..max.
    max_release_time, max_demand : int
        Values are drawn from 0..max; a job without any demand gets 1 unit of resource 0.

    Raises
    ------
    InvalidInstanceError
        For an argument out of range; names it.
    """
    at_least(0, n_jobs=n_jobs, max_release_time=max_release_time, max_demand=max_demand)
    at_least(1, n_resources=n_resources, max_processing_time=max_processing_time, max_weight=max_weight)
    draws = Draws(seed, n_jobs, per_job=3 + n_resources)
    demand = np.empty((n_jobs, n_resources), dtype=np.int64)
    for resource in range(n_resources):
        demand[:, resource] = draws.below(3 + resource, max_demand + 1)
    _demand_something(demand)
    jobs = Jobs(
        processing_time=draws.below(0, max_processing_time) + np.uint64(1),
        demand=demand,
        release_time=draws.below(2, max_release_time + 1),
        weight=draws.below(1, max_weight) + np.uint64(1),
    )
    return Instance(jobs, Machines.identical(n_machines, [capacity] * n_resources))


def lemma41(n_jobs: int, n_resources: int = 1, scale: int = 100, p: int | None = None) -> Instance:
    """Return the instance on which every priority queue is far from the optimum (Lemma 4.1).

    One machine of capacity ``n_jobs - 1``. Job 0 is `p` * `scale` long, needs the whole machine and comes
    first; the others, `scale` long and of demand 1, come one tick later and would all run side by side.

    Parameters
    ----------
    n_jobs : int
        At least 2.
    n_resources : int
        Every job has the same demand in each.
    scale : int
        Ticks in the paper's unit of time; its epsilon is ``1 / scale``.
    p : int, optional
        Length of job 0 in units of `scale`; `n_jobs` where left out.
    """
    at_least(2, n_jobs=n_jobs)
    length = n_jobs if p is None else p
    at_least(1, n_resources=n_resources, scale=scale, p=length)
    at_most_exact("p * scale", length * scale)
    is_first = np.arange(n_jobs) == 0
    jobs = Jobs(
        processing_time=np.where(is_first, length * scale, scale),
        demand=np.repeat(np.where(is_first, n_jobs - 1, 1)[:, np.newaxis], n_resources, axis=1),
        release_time=np.where(is_first, 0, 1),
    )
    return Instance(jobs, Machines.identical(1, [n_jobs - 1] * n_resources))


def lemma64(n_jobs: int, n_resources: int, p: int, capacity: int) -> Instance:
    """Return equal jobs that need just over half of resource 0 of one machine and nothing else (Lemma 6.4).

    Parameters
    ----------
    n_jobs, n_resources : int
        Sizes; `n_jobs` may be 0.
    p : int
        Processing time of every job.
    capacity : int
        Capacity of every resource; each job takes ``capacity // 2 + 1`` of resource 0.
    """
    at_least(0, n_jobs=n_jobs)
    at_least(1, n_resources=n_resources, p=p, capacity=capacity)
    demand = np.zeros((n_jobs, n_resources), dtype=np.int64)
    demand[:, 0] = capacity // 2 + 1
    jobs = Jobs(processing_time=np.full(n_jobs, p), demand=demand)
    return Instance(jobs, Machines.identical(1, [capacity] * n_resources))


def half_plus(n_jobs: int, n_machines: int, capacity: int = 100, p: int = 1) -> Instance:
    """Return equal jobs that need just over half of a machine with one resource.

    With ``n_jobs = 2 * n_machines + 1``, from two machines on, they refute the makespan bound that the paper
    prints for priority queues.

    Parameters
    ----------
    n_jobs, n_machines : int
        Sizes; `n_jobs` may be 0.
    capacity : int
        Capacity of every machine; each job takes ``capacity // 2 + 1``.
    p : int
        Processing time of every job.
    """
    at_least(0, n_jobs=n_jobs)
    at_least(1, capacity=capacity, p=p)
    jobs = Jobs(processing_time=np.full(n_jobs, p), demand=np.full((n_jobs, 1), capacity // 2 + 1))
    return Instance(jobs, Machines.identical(n_machines, [capacity]))


def list_gap(n: int, L: int, capacity: int = 100) -> Instance:
    """Return pairs of a long thin and a short wide job on which list placement in MRIS falls behind.

    Job ``2 i`` is ``L + 2 i`` long, of demand 1 and released at 0; job ``2 i + 1`` is 1 long, fills the
    machine and is released at `L`. Weights put them into the key order 0, 1, 2, ... (weighted shortest job
    first).

    Parameters
    ----------
    n : int
        Number of pairs.
    L : int
        Length of the shortest long job. Everything falls into one MRIS iteration if ``2**(m-1) < L``,
        ``L + 2 n <= 2**m`` and the total volume is at most ``capacity * 2**m`` for some m, as with (16, 90)
        or (60, 300).
    capacity : int
        Capacity of the machine.
    """
    at_least(0, n=n)
    at_least(1, L=L, capacity=capacity)
    pair = np.arange(n)
    # Both jobs of pair i, as rows (long, short) that are read off in pair order.
    weight_scale = (L + 2 * n) ** 3
    at_most_exact("(L + 2 n)**3", weight_scale)
    columns = {
        "processing_time": (L + 2 * pair, np.ones(n, dtype=np.int64)),
        "weight": (np.full(n, weight_scale), weight_scale // (L + 2 * pair + 1)),
        "release_time": (np.zeros(n, dtype=np.int64), np.full(n, L)),
        "demand": (np.ones(n, dtype=np.int64), np.full(n, capacity)),
    }
    jobs: dict[str, Any] = {name: np.stack(rows, axis=1).reshape(-1) for name, rows in columns.items()}
    jobs["demand"] = jobs["demand"][:, np.newaxis]
    return Instance(Jobs(**jobs), Machines.identical(1, [capacity]))


def patience(seed: int, n_jobs: int = 2500, n_resources: int = 3) -> Instance:
    """Return one long wide job that comes just before many short ones (Section 7.5.4, Figure 7).

    One machine of capacity 10**6; the paper's unit of time is 10**6 ticks; weights 1. The short jobs come in
    ten bands, each with up to twice the length of the one before.

    Parameters
    ----------
    seed : int
        In [0, 2**64).
    n_jobs : int
        At least 1; the published experiment has 2500.
    n_resources : int
        The published experiment has 3.
    """
    at_least(1, n_jobs=n_jobs, n_resources=n_resources)
    n_short = n_jobs - 1
    draws = Draws(seed, n_short, per_job=1 + n_resources)
    band = 10 * np.arange(1, n_jobs, dtype=np.uint64) // np.uint64(n_jobs)
    longest = np.uint64(10_000) << band
    demand = np.empty((n_jobs, n_resources), dtype=np.int64)
    demand[0] = 990_000
    for resource in range(n_resources):
        demand[1:, resource] = draws.below(1 + resource, 100_000)
    _demand_something(demand)
    processing_time = np.empty(n_jobs, dtype=np.int64)
    processing_time[0] = 14_000_000
    processing_time[1:] = scaled_u53(u53(draws.column(0)), longest, np.uint64(1)) + np.uint64(1)
    jobs = Jobs(
        processing_time=processing_time,
        demand=demand,
        release_time=np.where(np.arange(n_jobs) == 0, 10_000, 100_000),
    )
    return Instance(jobs, Machines.identical(1, [1_000_000] * n_resources))


def at_most_exact(name: str, value: int) -> None:
    """Raise an `InvalidInstanceError` where a derived value exceeds 2**53, the last exact float64 integer."""
    if value > 2**53:
        raise InvalidInstanceError(f"{name} = {shown(value)} is above 2**53")


def _demand_something(demand: np.ndarray[tuple[int, int], np.dtype[np.int64]]) -> None:
    """Give one unit of resource 0 to the jobs that drew no demand at all, in place."""
    demand[~demand.any(axis=1), 0] = 1
