"""The steps of one slot at their boundary: the paper's examples computed by hand, and what they refuse."""

from typing import Any

import numpy as np
import pytest

from schedcore import InvalidInstanceError
from schedcore.preemptive import memory_step, pack_slot, slot_rates

NAN = float("nan")

# Machines (cores, memory) (4, 8), (4, 8). Cost per core -1.25, -2, -1.5, -0.5; the first three fill the cores.
EXAMPLE: dict[str, Any] = {
    "cost": [-5.0, -4.0, -3.0, -1.0],
    "demand": [4, 2, 2, 2],
    "limit": [4, 2, 2, 2],
    "memory": [6, 3, 6, 4],
    "capacity": [4, 4],
    "memory_capacity": [8, 8],
}
PLACED = [[4, 0], [0, 2], [0, 2], [0, 0]]


def step(placed: Any = PLACED, **changes: Any) -> tuple[list[list[int]], list[list[int]]]:
    """Cores, and the pairs (job, machine) refused."""
    cores, refused = memory_step(placed, **{**EXAMPLE, **changes})
    return cores.tolist(), np.argwhere(refused).tolist()


def value(cores: list[list[int]], cost: list[float], demand: list[int]) -> float:
    return -sum(c * sum(row) / d for row, c, d in zip(cores, cost, demand, strict=True))


def test_rates_serve_the_least_cost_per_core_first_and_cut_one_job() -> None:
    cores, cut = slot_rates(EXAMPLE["cost"], EXAMPLE["demand"], EXAMPLE["limit"], 8)
    assert (cores.tolist(), cut) == ([4, 2, 2, 0], None)
    cores, cut = slot_rates(EXAMPLE["cost"], EXAMPLE["demand"], EXAMPLE["limit"], 7)
    assert (cores.tolist(), cut) == ([3, 2, 2, 0], 0)
    # A job that needs fewer cores than it asked for leaves the others to the next.
    cores, cut = slot_rates([1.0, 1.0], [2, 2], [1, 2], 2)
    assert (cores.tolist(), cut) == ([1, 1], 1)
    cores, cut = slot_rates([], [], [], 5)
    assert (cores.tolist(), cut) == ([], None)


def test_packing_splits_what_fits_nowhere_whole_and_the_cut_job_last() -> None:
    assert pack_slot([4, 2, 2, 0], None, EXAMPLE["capacity"]).tolist() == PLACED
    # Job 0 on machine 0, job 2 on machine 1; 2, 1, 4 cores are free for job 1 and then for the cut job.
    assert pack_slot([6, 5, 3, 2], 3, [8, 4, 4]).tolist() == [[6, 0, 0], [2, 1, 2], [0, 3, 0], [0, 0, 2]]
    assert pack_slot([5, 5, 5, 1], 3, [8, 4, 4]).tolist() == [[5, 0, 0], [3, 2, 0], [0, 2, 3], [0, 0, 1]]


def test_sticky_packing_leaves_jobs_where_they_were() -> None:
    previous = [[0, 2], [0, 2]]
    assert pack_slot([2, 2], None, [4, 4], previous).tolist() == previous
    assert pack_slot([2, 2], -1, [4, 4]).tolist() == [[2, 0], [2, 0]]
    # Job 0 keeps two cores on machine 1; the third fits on machine 0 alone, because job 1 keeps the rest.
    assert pack_slot([3, 2], None, [4, 4], previous).tolist() == [[1, 2], [0, 2]]


@pytest.mark.parametrize("mem_mode", ["once", "twice"])
def test_the_knapsack_refuses_the_job_that_is_worth_less(mem_mode: str) -> None:
    # Machine 1: 3 + 6 > 8, and 4 > 3.
    cores, refused = step(mem_mode=mem_mode)
    assert cores == [[4, 0], [0, 2], [0, 0], [0, 0]]
    assert refused == [[2, 1]]
    assert value(cores, EXAMPLE["cost"], EXAMPLE["demand"]) == 9


def test_backfill_gives_idle_cores_to_the_next_job_whose_memory_fits() -> None:
    # 5 of memory are left on machine 1: too little for job 2, enough for job 3, which waited.
    cores, refused = step()
    assert (cores, refused) == step(mem_mode="backfill")
    assert cores == [[4, 0], [0, 2], [0, 0], [0, 2]]
    assert refused == [[2, 1]]
    assert value(cores, EXAMPLE["cost"], EXAMPLE["demand"]) == 10


def test_packing_before_memory_can_miss_the_optimum_of_the_slot() -> None:
    cost, demand, memory = [-4.0, -6.0, -5.0, -1.0], [4, 4, 2, 2], [6, 5, 3, 2]
    cores, cut = slot_rates(cost, demand, demand, 12)
    placed = pack_slot(cores, cut, [8, 4])
    assert placed.tolist() == [[4, 0], [4, 0], [0, 2], [0, 2]]
    found, refused = memory_step(placed, cost, demand, demand, memory, [8, 4], [8, 8], mem_mode="once")
    # Machine 0: 6 + 5 > 8, and 6 > 4. With jobs 1 and 2 on machine 0 and job 0 on machine 1 it would be 15.
    assert found.tolist() == [[0, 0], [4, 0], [0, 2], [0, 2]]
    assert np.argwhere(refused).tolist() == [[0, 0]]
    assert value(found.tolist(), cost, demand) == 12


def test_twice_lets_an_admitted_job_grow_and_others_make_room() -> None:
    # Job 0 holds machines 0 and 1, job 1 machine 0 alone. Job 2, worth nothing there, is refused on machine 0.
    cores, refused = memory_step(
        [[1, 2], [2, 0], [1, 0]],
        [-6.0, -4.0, -0.5],
        [4, 4, 1],
        [4, 4, 1],
        [2, 2, 5],
        [4, 4],
        [5, 5],
        mem_mode="twice",
    )
    assert cores.tolist() == [[0, 4], [4, 0], [0, 0]]
    assert np.argwhere(refused).tolist() == [[2, 0]]


def test_an_order_admits_without_regard_to_profit() -> None:
    assert step(cost=None, order=[2, 1, 0, 3], mem_mode="once")[1] == [[1, 1]]
    assert step(cost=None, order=[1, 2, 0, 3], mem_mode="once")[1] == [[2, 1]]
    assert step(cost=None, order=[1, 2, 0, 3])[0] == step()[0]


def test_jobs_without_profit_come_after_the_knapsack_and_not_at_all_in_strict_mode() -> None:
    placed, cost = [[4, 0], [0, 2], [0, 2], [0, 0]], [-5.0, -4.0, 1.0, 2.0]
    assert step(placed, cost=cost, memory=[6, 3, 5, 4])[1] == []
    cores, refused = step(placed, cost=cost, memory=[6, 3, 5, 4], work_conserving=False)
    assert (cores, refused) == ([[4, 0], [0, 2], [0, 0], [0, 0]], [[2, 1]])


def test_a_second_memory_counts_as_the_first() -> None:
    memory = np.column_stack([EXAMPLE["memory"], [0, 9, 0, 0]])
    cores, refused = step(memory=memory, memory_capacity=[[8, 8], [8, 8]])
    # Job 1 never fits, so job 2 gets machine 1 beside nobody; 2 of memory are left there, too little for job 3.
    assert cores == [[4, 0], [0, 0], [0, 2], [0, 0]]
    assert refused == [[1, 1]]


def test_memory_in_bytes_is_exact() -> None:
    gigabytes = 2**30
    cores, refused = step(
        memory=[6 * gigabytes, 3 * gigabytes, 5 * gigabytes + 1, 5 * gigabytes],
        memory_capacity=[8 * gigabytes, 8 * gigabytes],
    )
    assert cores == [[4, 0], [0, 2], [0, 0], [0, 2]]
    assert refused == [[2, 1]]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([NAN], [1], [1], 1), r"cost\[0\] = nan \(job 0\) must be finite"),
        (([1.0, 2.0], [1, 0], [1, 1], 1), r"demand\[1\] = 0 \(job 1\) must be at least 1"),
        (([1.0], [0.9], [1], 1), r"demand\[0\] = 0.9 is a float; cores and memory are whole units"),
        (([1.0], [1], [-1], 1), r"limit\[0\] = -1 \(job 0\) must be at least 0"),
        (([1.0], [1], [2**53 + 1], 1), r"limit\[0\] = 9007199254740993 \(job 0\) .* at most 2\*\*53"),
        (([1.0], [1], [1], -1), r"total = -1 must be at least 0"),
        (([1.0], [1, 2], [1], 1), r"demand must have shape \(1,\), one number a job, not \(2,\)"),
        (([[1.0]], [1], [1], 1), r"cost must have shape \(n_jobs,\)"),
    ],
)
def test_rates_refuse_bad_input(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(InvalidInstanceError, match=message):
        slot_rates(*arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([3, 2], None, [4]), r"the jobs get 5 cores, but all machines together have 4"),
        (([1.5], None, [4]), r"cores\[0\] = 1.5 is a float"),
        (([-1], None, [4]), r"cores\[0\] = -1 \(job 0\) must be at least 0"),
        (([1], None, [-4]), r"capacity\[0\] = -4 \(machine 0\) must be at least 0"),
        (([1], 1, [4]), r"cut = 1 must be at least -1 and at most 0"),
        (([1], None, [4], [[1, 1]]), r"previous must have shape \(1, 1\), not \(1, 2\)"),
        (([2**53] * 600, None, [2**53] * 600), r"cores must be below 2\*\*62 in total"),
        (([1], None, [[4]]), r"capacity must have shape \(n_machines,\)"),
    ],
)
def test_packing_refuses_bad_input(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(InvalidInstanceError, match=message):
        pack_slot(*arguments)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"placed": [[5, 0], [0, 0], [0, 0], [0, 0]]}, r"5 cores on machine 0, which has 4"),
        ({"placed": [[0, 0], [1, 2], [0, 0], [0, 0]]}, r"job 1 is placed on 3 cores, above limit\[1\] = 2"),
        ({"placed": [[0, 0]]}, r"placed must have shape \(4, 2\), not \(1, 2\)"),
        ({"cost": [1.0, NAN, 1.0, 1.0]}, r"cost\[1\] = nan"),
        ({"cost": None}, r"either the cost of the jobs or their order is needed"),
        ({"memory": [1, 2, 3, -4]}, r"memory\[3\] = -4 \(job 3\) must be at least 0"),
        ({"memory": [1, 2, 3]}, r"memory must have shape \(4,\) or \(4, n_memories\), not \(3,\)"),
        ({"memory_capacity": [[8, 8], [8, 8]]}, r"memory has 1 columns, memory_capacity has 2"),
        ({"mem_mode": "thrice"}, r"unknown mem_mode 'thrice'; did you mean"),
        ({"work_conserving": 1}, r"work_conserving = 1 must be True or False"),
        ({"order": [0, 1, 1, 2]}, r"order repeats job 1"),
        ({"order": [0, 1]}, r"order leaves out job 2, which is placed"),
        ({"order": [4]}, r"order\[0\] = 4 is no job; there are 4"),
        ({"order": [0, 1, 2], "mem_mode": "twice"}, r"mem_mode='twice' needs the cost of the jobs"),
        ({"order": [0, 1, 2], "work_conserving": False}, r"work_conserving=False needs the cost"),
    ],
)
def test_the_memory_step_refuses_bad_input(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInstanceError, match=message):
        step(**changes)
