"""The hard instances of colocation have the optima of their definitions, found by search (P11)."""

from itertools import combinations, product

from hypothesis import given
from hypothesis import strategies as st

from properties.colocation_instances import plain
from reference.colocation_optimum import optimum
from schedcore import colocation

Edge = tuple[int, int]


def best_split(numbers: list[int]) -> int:
    """The larger side of the most even split."""
    sides = [[0, 0] for _ in range(2 ** len(numbers))]
    for split, choice in enumerate(product((0, 1), repeat=len(numbers))):
        for number, side in zip(numbers, choice, strict=True):
            sides[split][side] += number
    return min(max(split) for split in sides)


@given(numbers=st.lists(st.integers(1, 12), min_size=1, max_size=6))
def test_the_optimum_of_a_partition_instance_is_its_most_even_split(numbers: list[int]) -> None:
    instance = colocation.hard_partition(numbers)
    assert (instance.n_machines, instance.n_tasks, instance.n_types) == (
        2,
        len(numbers) + 2,
        len(numbers) + 2,
    )
    assert optimum(plain(instance)) == (1 + best_split(numbers)) * instance.alpha_denominator


def splits_into_cliques(n_vertices: int, edges: set[Edge], n_cliques: int) -> bool:
    return any(
        all(edge in edges or label[edge[0]] != label[edge[1]] for edge in combinations(range(n_vertices), 2))
        for label in product(range(n_cliques), repeat=n_vertices)
    )


@given(data=st.data(), n_vertices=st.integers(1, 6), n_cliques=st.integers(1, 3), r=st.integers(1, 5))
def test_the_optimum_of_a_clique_instance_tells_whether_the_graph_splits(
    data: st.DataObject, n_vertices: int, n_cliques: int, r: int
) -> None:
    possible = list(combinations(range(n_vertices), 2))
    edges = {edge for edge in possible if data.draw(st.booleans())}
    instance = colocation.hard_cliques(n_vertices, sorted(edges), n_cliques, r)
    least = optimum(plain(instance))
    if splits_into_cliques(n_vertices, edges, n_cliques):
        assert least == instance.alpha_denominator
    else:
        assert least >= (r + 1) * instance.alpha_denominator


@given(n_machines=st.integers(2, 4), size=st.integers(1, 20), alpha=st.integers(2, 5))
def test_the_optimum_of_a_gap_instance_mixes_one_task(n_machines: int, size: int, alpha: int) -> None:
    instance = colocation.hard_gap(n_machines, size, alpha)
    assert (instance.n_machines, instance.n_tasks) == (n_machines, n_machines + 1)
    assert optimum(plain(instance)) == (alpha * size + 1) * instance.alpha_denominator
