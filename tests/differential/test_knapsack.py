"""The compiled knapsacks return the very sets that their reference implementations return."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import schedcore
from reference import knapsack as reference
from schedcore import kernels

EPSILONS = st.sampled_from(
    [Fraction(1, 10), Fraction(1, 2), Fraction(9, 10), Fraction(1, 3), Fraction(7, 1000)]
)
GREEDY_FORMS = {
    "greedy": reference.greedy,
    "greedy_union": reference.greedy_union,
    "greedy_prefix": reference.greedy_prefix,
}


@st.composite
def knapsacks(
    draw: st.DrawFn, max_items: int = 14, max_weight: int = 40, max_size: int = 40
) -> tuple[list[int], list[int], int]:
    """Unrelated and closely related weights and sizes, few and many distinct ones, any capacity."""
    n = draw(st.integers(0, max_items))
    heaviest = draw(st.sampled_from([1, 2, 3, 8, max_weight]))
    largest = draw(st.sampled_from([1, 3, 9, max_size]))
    size = draw(st.lists(st.integers(1, largest), min_size=n, max_size=n))
    relation = draw(st.sampled_from(["none", "equal", "shifted", "halved"]))
    if relation == "none":
        weight = draw(st.lists(st.integers(1, heaviest), min_size=n, max_size=n))
    else:
        weight = [{"equal": v, "shifted": v + 3, "halved": 1 + v // 2}[relation] for v in size]
    capacity = draw(st.integers(0, sum(size) + 1))
    return weight, size, capacity


@given(knapsacks(max_items=60))
def test_exact_knapsack_equals_the_table(case: tuple[list[int], list[int], int]) -> None:
    weight, size, capacity = case
    assert schedcore.knapsack(weight, size, capacity).tolist() == reference.canonical_by_table(
        weight, size, capacity
    )


@given(knapsacks(max_items=9))
def test_table_equals_all_subsets(case: tuple[list[int], list[int], int]) -> None:
    assert reference.canonical_by_table(*case) == reference.canonical_by_subsets(*case)


@given(knapsacks(), EPSILONS)
def test_cadp_equals_the_table_over_scaled_sizes(
    case: tuple[list[int], list[int], int], epsilon: Fraction
) -> None:
    weight, size, capacity = case
    if not size or capacity == 0:
        return
    scaled, units = reference.scaled_sizes(size, capacity, epsilon)
    expected = reference.canonical_by_table(weight, scaled, units)
    assert schedcore.knapsack(weight, size, capacity, "cadp", epsilon).tolist() == expected


@given(knapsacks(), EPSILONS, st.sampled_from([0.1, 1 / 3, 0.7]))
def test_cadp_of_reals_equals_the_table_over_sizes_scaled_in_double(
    case: tuple[list[int], list[int], int], epsilon: Fraction, unit: float
) -> None:
    weight, whole, capacity = case
    if not whole or capacity == 0:
        return
    size = [v * unit for v in whole]
    scaled, units = reference.scaled_sizes_in_double(size, capacity * unit, epsilon)
    expected = reference.canonical_by_table(weight, scaled, units)
    assert schedcore.knapsack(weight, size, capacity * unit, "cadp", epsilon).tolist() == expected


@pytest.mark.parametrize("method", GREEDY_FORMS)
@given(case=knapsacks())
def test_greedy_forms_equal_their_definitions(method: str, case: tuple[list[int], list[int], int]) -> None:
    weight, size, capacity = case
    expected = GREEDY_FORMS[method](weight, size, capacity)
    assert schedcore.knapsack(weight, size, capacity, method).tolist() == expected


@pytest.mark.parametrize("method", ["exact", *GREEDY_FORMS])
@given(
    st.lists(
        st.tuples(st.floats(1e-3, 1e3), st.sampled_from([0.1, 0.2, 0.3, 0.7, 1.1, 2.5])),
        min_size=0,
        max_size=9,
    ),
    st.floats(0, 4),
)
def test_reals_count_as_exact_fractions(
    method: str, items: list[tuple[float, float]], capacity: float
) -> None:
    weight = [w for w, _ in items]
    size = [v for _, v in items]
    solve = {"exact": reference.canonical_by_subsets, **GREEDY_FORMS}[method]
    expected = solve([Fraction(w) for w in weight], [Fraction(v) for v in size], Fraction(capacity))
    assert schedcore.knapsack(weight, size, capacity, method).tolist() == expected


@given(knapsacks(max_items=30), st.integers(0, 45), st.integers(-60, 60))
def test_scaling_weights_and_sizes_keeps_the_set(
    case: tuple[list[int], list[int], int], shift: int, weight_shift: int
) -> None:
    weight, size, capacity = case
    wide = np.array(size, dtype=np.int64) << shift
    room = (capacity << shift) + (1 << shift) - 1
    chosen = schedcore.knapsack([w * 2.0**weight_shift for w in weight], wide, room)
    assert chosen.tolist() == reference.canonical_by_table(weight, size, capacity)


@given(knapsacks(max_items=20, max_weight=10**6, max_size=200), st.permutations(range(20)))
def test_weight_and_size_of_the_optimum_do_not_depend_on_the_order(
    case: tuple[list[int], list[int], int], order: list[int]
) -> None:
    weight, size, capacity = case
    order = [i for i in order if i < len(size)]
    straight = schedcore.knapsack(weight, size, capacity)
    permuted = schedcore.knapsack([weight[i] for i in order], [size[i] for i in order], capacity)
    for column in (weight, size):
        assert sum(column[i] for i in straight) == sum(column[order[i]] for i in permuted)


@given(knapsacks(), EPSILONS, st.sampled_from(list(kernels.KnapsackMethod)))
def test_cython_wrapper_returns_the_same_set(
    case: tuple[list[int], list[int], int], epsilon: Fraction, method: kernels.KnapsackMethod
) -> None:
    weight, size, capacity = case
    columns = np.array(weight, dtype=np.int64), np.array(size, dtype=np.int64)
    chosen = kernels.knapsack_items(*columns, capacity, method, epsilon.as_integer_ratio())
    expected = schedcore.knapsack(*columns, capacity, kernels.KnapsackMethod(method).name.lower(), epsilon)
    assert chosen.tolist() == expected.tolist()
