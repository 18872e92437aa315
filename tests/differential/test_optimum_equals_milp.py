"""The enumeration of active schedules and a time-indexed integer program agree on the optimum."""

import numpy as np
import pytest

from reference.optimum import optimum
from reference.time_indexed_milp import optimal_makespan, optimal_sum_weighted_completion
from schedcore import Instance, Jobs, Machines

CAPACITY = 6


def small_instance(seed: int) -> Instance:
    random = np.random.default_rng(seed)
    n_jobs = int(random.integers(2, 6))
    n_machines = int(random.integers(1, 3))
    n_resources = int(random.integers(1, 3))
    demand = random.integers(0, CAPACITY + 1, (n_jobs, n_resources))
    demand[demand.sum(axis=1) == 0, 0] = 1
    jobs = Jobs(
        processing_time=random.integers(1, 5, n_jobs),
        demand=demand,
        release_time=random.integers(0, 4, n_jobs),
        weight=random.integers(1, 6, n_jobs),
    )
    return Instance(jobs, Machines.identical(n_machines, [CAPACITY] * n_resources))


@pytest.mark.parametrize("seed", range(12))
def test_enumeration_equals_the_integer_program(seed: int) -> None:
    instance = small_instance(seed)
    best = optimum(instance)
    assert best.sum_weighted_completion == optimal_sum_weighted_completion(instance)
    assert best.makespan == optimal_makespan(instance)


def test_machines_may_differ() -> None:
    # machine 0 holds the large jobs one after another, the small one waits for nobody on machine 1
    jobs = Jobs(processing_time=[2, 2, 3], demand=[[5], [4], [2]], weight=[1, 3, 1])
    instance = Instance(jobs, Machines([[6], [2]]))
    best = optimum(instance)
    assert best.sum_weighted_completion == 3 * 2 + 4 + 3 == optimal_sum_weighted_completion(instance)
    assert best.makespan == 4 == optimal_makespan(instance)
