"""What the knapsacks promise about weight and size, measured against the optimum over all subsets."""

from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import schedcore
from reference import knapsack as reference

ITEMS = st.lists(st.tuples(st.integers(1, 30), st.integers(1, 30)), min_size=1, max_size=9)


def weight_and_size(items: list[tuple[int, int]], chosen: list[int]) -> tuple[int, int]:
    return sum(items[i][0] for i in chosen), sum(items[i][1] for i in chosen)


def optimum(items: list[tuple[int, int]], capacity: int) -> int:
    weight, size = zip(*items, strict=True)
    return weight_and_size(items, reference.canonical_by_subsets(weight, size, capacity))[0]


def solve(
    items: list[tuple[int, int]], capacity: int, method: str, epsilon: Fraction = Fraction(1, 10)
) -> list[int]:
    weight, size = zip(*items, strict=True)
    return schedcore.knapsack(weight, size, capacity, method, epsilon).tolist()


@given(ITEMS, st.integers(1, 150), st.fractions(Fraction(1, 50), Fraction(49, 50), max_denominator=50))
def test_p2_cadp_outweighs_the_optimum_within_one_plus_epsilon_of_the_capacity(
    items: list[tuple[int, int]], capacity: int, epsilon: Fraction
) -> None:
    chosen = solve(items, capacity, "cadp", epsilon)
    weight, size = weight_and_size(items, chosen)
    assert weight >= optimum(items, capacity)
    assert size <= (1 + epsilon) * capacity


@given(ITEMS, st.integers(1, 150), st.fractions(Fraction(1, 50), Fraction(49, 50), max_denominator=50))
def test_p2_cadp_set_is_canonical_over_all_subsets_of_the_scaled_problem(
    items: list[tuple[int, int]], capacity: int, epsilon: Fraction
) -> None:
    weight, size = zip(*items, strict=True)
    scaled, units = reference.scaled_sizes(size, capacity, epsilon)
    assert solve(items, capacity, "cadp", epsilon) == reference.canonical_by_subsets(weight, scaled, units)


@pytest.mark.parametrize("method", ["greedy", "greedy_union"])
@given(items=ITEMS, capacity=st.integers(1, 150))
def test_p3_greedy_outweighs_the_optimum_within_twice_the_capacity(
    method: str, items: list[tuple[int, int]], capacity: int
) -> None:
    weight, size = weight_and_size(items, solve(items, capacity, method))
    assert weight >= optimum(items, capacity)
    assert size <= 2 * capacity


@given(ITEMS, st.integers(1, 150))
def test_p3_greedy_prefix_has_half_of_the_optimum_within_the_capacity(
    items: list[tuple[int, int]], capacity: int
) -> None:
    weight, size = weight_and_size(items, solve(items, capacity, "greedy_prefix"))
    assert 2 * weight >= optimum(items, capacity)
    assert size <= capacity


@given(ITEMS, st.integers(0, 150))
def test_greedy_union_is_never_larger_than_greedy(items: list[tuple[int, int]], capacity: int) -> None:
    assume(max(size for _, size in items) <= capacity)
    _, union_size = weight_and_size(items, solve(items, capacity, "greedy_union"))
    greedy = solve(items, capacity, "greedy")
    assume(len(greedy) > 1)  # the single overflowing item may be small
    assert union_size <= weight_and_size(items, greedy)[1]
