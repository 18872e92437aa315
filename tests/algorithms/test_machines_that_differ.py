"""The policies of the online family on machines that differ, against decisions worked out by hand.

Sizes of jobs count in shares of all machines together, free amounts in shares of their own machine.
"""

from typing import Any

import numpy as np
import pytest

import schedcore
from schedcore import Instance, Jobs, Machines

ONLINE = ["pq", "offline_pq", "ca_pq", "tetris", "bf_exec", "mris"]


def test_keys_count_demands_in_shares_of_all_machines_together() -> None:
    # All together have (8, 20): u = 2/8 + 2/20 = 0.35 for job 0 and 1/8 + 5/20 = 0.375 for job 1. In shares of
    # machine 0 it would be 1.2 and 1, and job 1 would be first there.
    instance = Instance(Jobs([1, 1], [[2, 2], [1, 5]]), Machines([[2, 10], [6, 10]]))
    result = schedcore.solve("pq", instance, heuristic="sdf")
    assert result.schedule.machine.tolist() == [0, 1]
    assert result.schedule.start_time.tolist() == [0, 0]


def test_the_fullest_machine_is_the_one_with_the_least_share_of_its_own_free() -> None:
    # Job 0 fits machine 0 alone. Then half of it is free and all of machine 1, though 5 units there and 4 here; after
    # job 1 it is 4 of 10 units, after job 2 a single one, which is too little for job 3.
    jobs = Jobs([10, 10, 10, 10], [[5], [1], [3], [2]], release_time=[0, 1, 2, 3])
    result = schedcore.solve("bf_exec", Instance(jobs, Machines([[10], [4]])))
    assert result.schedule.machine.tolist() == [0, 0, 0, 1]
    assert result.schedule.start_time.tolist() == [0, 1, 2, 3]


def test_tetris_aligns_with_the_capacities_of_the_machine_at_hand() -> None:
    # Volumes are equal: 2 * (1/16 + 4/16) = 5 * (1/16 + 1/16). On machine 0 alignments are 1 + 1/8 and 1 + 4/8, and it
    # has room for one job. Its third resource is nowhere, and counts nowhere.
    jobs = Jobs([5, 2], [[1, 1, 0], [1, 4, 0]])
    result = schedcore.solve("tetris", Instance(jobs, Machines([[1, 8, 0], [15, 8, 0]])))
    assert result.schedule.machine.tolist() == [1, 0]
    assert result.schedule.start_time.tolist() == [0, 0]


def test_a_batch_of_mris_may_fill_all_machines_for_its_interval() -> None:
    # Each job has volume 2/8, and the first interval has room for 1.
    instance = Instance(Jobs([1] * 5, [[2]] * 5), Machines([[2], [6]]))
    result = schedcore.solve("mris", instance, knapsack="exact")
    assert [(row["gamma"], row["chosen"]) for row in result.stats["iterations"]] == [
        (1, [0, 1, 2, 3]),
        (2, [4]),
    ]
    assert result.schedule.machine.tolist() == [0, 1, 1, 1, 0]
    assert result.schedule.start_time.tolist() == [1, 1, 1, 1, 2]


@pytest.mark.parametrize(
    "options", [{}, {"opportunistic": True}, {"replan": True}, {"opportunistic": True, "replan": "always"}]
)
def test_nothing_is_proven_of_mris_where_machines_differ(options: dict[str, Any]) -> None:
    assert_proven_for_identical_machines_alone("mris", options)


def test_nothing_is_proven_of_offline_pq_where_machines_differ() -> None:
    assert_proven_for_identical_machines_alone("offline_pq", {})


def assert_proven_for_identical_machines_alone(name: str, options: dict[str, Any]) -> None:
    jobs = Jobs([1, 2, 3], [[2], [3], [1]])
    assert schedcore.solve(name, Instance(jobs, Machines([[3], [3]])), **options).guarantee is not None
    assert schedcore.solve(name, Instance(jobs, Machines([[3], [4]])), **options).guarantee is None


@pytest.mark.parametrize("name", ONLINE)
def test_bounds_count_the_capacity_of_all_machines(name: str) -> None:
    # Together they have 10 units, and work on two of the four jobs at a time.
    instance = Instance(Jobs([1] * 4, [[5]] * 4), Machines([[5], [3], [2]]))
    result = schedcore.solve(name, instance)
    assert result.lower_bound == pytest.approx(2 if result.objective == "makespan" else 1.5, rel=1e-12)
    assert result.gap() > 0


@pytest.mark.parametrize("name", ONLINE)
def test_totals_beyond_64_bits_are_counted_exactly_enough(name: str) -> None:
    # 2,048 machines with nearly 2**53 units each: more than 2**63 together
    capacity = np.full((2048, 2), 2**53)
    capacity[1::2] -= 1
    demand = [[2**53, 1], [1, 2**53], [2**52, 2**52]]
    instance = Instance(Jobs([1.0, 2.0, 3.0], demand), Machines(capacity))
    result = schedcore.solve(name, instance)
    schedcore.validate(instance, result.schedule, raise_on_error=True)
