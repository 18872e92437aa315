"""The optimum of tiny integer instances once more, as a time-indexed mixed-integer program solved by HiGHS.

x[j, i, t] = 1 if job j starts on machine i at the integer time t >= r_j; every job starts once; at every
integer time the running jobs of a machine stay within its capacity. Integer times suffice: active schedules
of integer data start at integers.
"""

from typing import Any

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import coo_array


def optimal_sum_weighted_completion(instance: Any) -> int:
    """Least sum w C of an instance whose times, weights and amounts are small integers."""
    return _solve(instance, makespan=False)


def optimal_makespan(instance: Any) -> int:
    """Least makespan of an instance whose times and amounts are small integers."""
    return _solve(instance, makespan=True)


def _solve(instance: Any, *, makespan: bool) -> int:
    release = instance.jobs.release_time.astype(int)
    length = instance.jobs.processing_time.astype(int)
    weight = instance.jobs.weight.astype(int)
    demand, capacity = instance.jobs.demand, instance.machines.capacity
    n_jobs, n_machines, n_resources = instance.n_jobs, instance.n_machines, instance.n_resources
    horizon = int(release.max() + length.sum())

    starts = [
        (j, i, t)
        for j in range(n_jobs)
        for i in range(n_machines)
        for t in range(release[j], horizon - length[j] + 1)
    ]
    last = len(starts)  # the makespan, if that is the objective
    entries: list[tuple[int, int, float]] = []
    lower, upper = [], []

    def add_row(coefficients: dict[int, float], low: float, high: float) -> None:
        entries.extend((len(lower), column, value) for column, value in coefficients.items())
        lower.append(low)
        upper.append(high)

    for j in range(n_jobs):
        add_row({k: 1.0 for k, (job, _, _) in enumerate(starts) if job == j}, 1, 1)
    for i in range(n_machines):
        for time in range(horizon):
            active = [k for k, (j, m, t) in enumerate(starts) if m == i and t <= time < t + length[j]]
            for resource in range(n_resources):
                used = {k: float(demand[starts[k][0], resource]) for k in active}
                add_row(used, -np.inf, float(capacity[i, resource]))
    if makespan:
        for j in range(n_jobs):
            ends = {k: float(t + length[j]) for k, (job, _, t) in enumerate(starts) if job == j}
            add_row({**ends, last: -1.0}, -np.inf, 0)
        objective = np.zeros(last + 1)
        objective[last] = 1
    else:
        objective = np.array([*(float(weight[j] * (t + length[j])) for j, _, t in starts), 0.0])

    rows, columns, values = zip(*entries, strict=True)
    matrix = coo_array((values, (rows, columns)), shape=(len(lower), last + 1)).tocsr()
    solution = milp(
        objective,
        constraints=LinearConstraint(matrix, lower, upper),
        integrality=[1] * last + [0],
        bounds=Bounds(0, [1] * last + [horizon]),
        options={"mip_rel_gap": 0},
    )
    assert solution.success, solution.message
    return round(solution.fun)
