"""The hard instances have the coefficients of their definitions; nonsense is refused by name."""

from typing import Any

import pytest

from schedcore import InvalidInstanceError
from schedcore.workloads import hard_cliques, hard_gap, hard_partition


def test_partition_numbers_are_what_tasks_cost_all_others() -> None:
    inst = hard_partition([3, 1, 2])
    assert inst.alpha.tolist() == [
        [1, 3, 3, 3, 3],
        [1, 1, 1, 1, 1],
        [2, 2, 1, 2, 2],
        [3, 1, 2, 1, 6],
        [3, 1, 2, 6, 1],
    ]
    assert (inst.n_machines, inst.alpha_denominator) == (2, 1)
    assert (inst.size.tolist(), inst.type.tolist()) == ([1] * 5, [0, 1, 2, 3, 4])


def test_vertices_without_an_edge_cost_each_other() -> None:
    inst = hard_cliques(3, [(0, 1), (1, 0)], K=2, r=7)
    assert inst.alpha.tolist() == [[1, 0, 7], [0, 1, 7], [7, 7, 1]]
    assert (inst.n_machines, inst.alpha_denominator, inst.size.tolist()) == (2, 1, [1, 1, 1])
    assert hard_cliques(2, [], 1, 5).alpha.tolist() == [[1, 5], [5, 1]]


def test_a_gap_instance_has_one_task_of_the_second_type() -> None:
    inst = hard_gap(m=3, a=5, alpha=2)
    assert (inst.size.tolist(), inst.type.tolist()) == ([10, 10, 5, 1], [0, 0, 0, 1])
    assert (inst.alpha.tolist(), inst.n_machines, inst.alpha_denominator) == ([[1, 2], [2, 1]], 3, 1)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: hard_partition([]), "a holds no number"),
        (lambda: hard_partition([2, 0]), r"a\[1\] = 0 must be at least 1"),
        (lambda: hard_partition([2**62, 2**62]), r"add up to 9223372036854775808"),
        (lambda: hard_partition([2**61, 2**61]), r"above 2\*\*63"),
        (lambda: hard_cliques(0, [], 1, 1), "n = 0 is below 1"),
        (lambda: hard_cliques(2, [], 0, 1), "K = 0 is below 1"),
        (lambda: hard_cliques(2, [], 1, 0), "r = 0 is below 1"),
        (lambda: hard_cliques(3, [(0, 1), (1, 3)], 1, 1), r"edges\[1\] = \[1, 3\] does not join"),
        (lambda: hard_cliques(3, [(1, 1)], 1, 1), r"edges\[0\] = \[1, 1\] does not join"),
        (lambda: hard_cliques(3, [(0, 1, 2)], 1, 1), r"shape \(n_edges, 2\), not \(1, 3\)"),
        (lambda: hard_gap(1, 1, 2), "m = 1 is below 2"),
        (lambda: hard_gap(2, 0, 2), "a = 0 is below 1"),
        (lambda: hard_gap(2, 1, 1), "alpha = 1 is below 2"),
        (lambda: hard_gap(2, 2**62, 2), "size"),
    ],
)
def test_nonsense_is_refused_by_name(make: Any, message: str) -> None:
    with pytest.raises(InvalidInstanceError, match=message):
        make()


def test_numbers_that_are_no_integers_are_a_type_error() -> None:
    with pytest.raises(TypeError, match="a must hold integers"):
        hard_partition([1.5])
    with pytest.raises(TypeError, match="edges must hold integers"):
        hard_cliques(3, [(0.5, 1)], 1, 1)
