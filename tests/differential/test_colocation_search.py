"""The exact search and the approximation scheme keep what they promise, against references and against each other.

Equality with the optimum and with the scheme's decisions stands in test_colocation.py; here are promises of statuses,
bounds and limits, and instances larger than a reference implementation that lists assignments can solve.
"""

from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import schedcore
from example_shares import examples
from properties.colocation_instances import CLASSES, colocation_instances, four_tasks, plain
from reference.colocation_instance import max_cost
from reference.colocation_optimum import optimum
from schedcore import ColocationInstance, InvalidInstanceError, UnsupportedError, colocation, solve

HEURISTICS = ["best_schedule", "fill_rebalance", "fill_greedy", "greedy_dedicated"]


def cost(instance: ColocationInstance, assignment: schedcore.Assignment) -> int:
    schedcore.validate(instance, assignment, raise_on_error=True)
    return max_cost(plain(instance), dict(enumerate(assignment.machine.tolist())))


def drawn(
    seed: int, kind: str, n_types: int, n_tasks: int, n_machines: int, largest: int
) -> ColocationInstance:
    """Unrelated sizes and coefficients of a class, as in the evaluation."""
    random = np.random.default_rng(seed)
    low, high = {"compatible": (0, 1000), "incompatible": (1001, 2000), "clashing": (2001, 4000)}[kind]
    upper = np.triu(random.integers(low, high, (n_types, n_types)), 1)
    alpha = upper + upper.T + 1000 * np.eye(n_types, dtype=np.int64)
    size = random.integers(max(1, largest // 2), largest + 1, n_tasks)
    return ColocationInstance(size, random.integers(0, n_types, n_tasks), alpha, n_machines=n_machines)


# The exact search


@examples(30)
@given(
    instance=colocation_instances(min_tasks=8, max_tasks=10, min_machines=2, max_machines=5, diagonal=None)
)
def test_exact_search_equals_the_reference_on_ten_tasks(instance: ColocationInstance) -> None:
    assert solve("mct_exact", instance).cost_numerator == optimum(plain(instance))


@pytest.mark.parametrize("kind", ["compatible", "incompatible", "clashing"])
@pytest.mark.parametrize(("n_types", "n_machines"), [(2, 2), (3, 3), (4, 5)])
def test_sixteen_tasks_are_solved_and_nothing_proven_contradicts(
    kind: str, n_types: int, n_machines: int
) -> None:
    for seed in range(3):
        instance = drawn(seed, kind, n_types, 16, n_machines, 100)
        exact = solve("mct_exact", instance)
        assert exact.stats["status"] == "optimal"
        assert (exact.guarantee, exact.gap()) == (1.0, 0.0)
        assert Fraction(exact.lower_bound) <= Fraction(exact.cost_numerator, instance.alpha_denominator)
        assert colocation.lower_bound(instance, "qcp").bound <= exact.value
        for name in HEURISTICS:
            result = solve_where_possible(name, instance)
            assert result is None or result.cost_numerator >= exact.cost_numerator
        assert solve("mct_exact", instance, bound="qcp").cost_numerator == exact.cost_numerator


def solve_where_possible(name: str, instance: ColocationInstance) -> schedcore.ColocationResult | None:
    try:
        return solve(name, instance)
    except (schedcore.InfeasibleError, UnsupportedError):
        return None


def test_more_nodes_never_cost_more_and_end_in_the_optimum() -> None:
    instance = drawn(3, "compatible", 3, 18, 3, 100)
    results = [solve("mct_exact", instance, node_limit=limit) for limit in (1, 30, 1000, 30_000, None)]
    assert [r.stats["status"] for r in results[:2]] == ["node_limit", "node_limit"]
    assert results[-1].stats["status"] == "optimal"
    assert all(later.cost_numerator <= earlier.cost_numerator for earlier, later in pairwise(results))
    assert results[0].guarantee is None
    assert results[0].lower_bound == colocation.lower_bound(instance, "simple").bound
    assert results[0].stats["nodes"] == 1


def test_the_exact_search_is_reproducible() -> None:
    instance = drawn(4, "clashing", 3, 16, 4, 100)
    assert solve("mct_exact", instance) == solve("mct_exact", instance)


def test_an_assignment_that_meets_the_bound_is_optimal_however_many_tasks_there_are() -> None:
    size = [3, 2, 1] * 40_000
    many = ColocationInstance(size, [0] * len(size), [[1.0]], n_machines=1000)
    result = solve("mct_exact", many)
    assert (result.stats["status"], result.stats["nodes"], result.value) == ("optimal", 0, 240.0)


def test_an_exact_search_that_cannot_end_is_refused() -> None:
    size = [2 * j + 101 for j in range(6000)]
    with pytest.raises(UnsupportedError, match="6000 tasks on 999 machines"):
        solve("mct_exact", ColocationInstance(size, [0] * 6000, [[1.0]], n_machines=999))


# The approximation scheme


@examples(60)
@given(
    data=st.data(),
    k=st.integers(1, 3),
    instance=colocation_instances(min_tasks=1, max_tasks=9, max_types=3, max_machines=4, diagonal=None),
)
def test_a_target_that_can_be_met_is_met_within_the_factor(
    data: st.DataObject, k: int, instance: ColocationInstance
) -> None:
    best = solve("mct_exact", instance).cost_numerator
    target = data.draw(st.integers(0, 2 * best + 1) | st.sampled_from([best, max(0, best - 1), best + 1]))
    assignment = colocation.ptas_decide(instance, target, k)
    assert assignment is not None or target < best
    if assignment is not None:
        assert k * cost(instance, assignment) <= (k + 1) * target


@examples(60)
@given(
    k=st.integers(1, 3),
    instance=colocation_instances(max_tasks=9, max_types=3, max_machines=4, diagonal=None),
)
def test_the_search_ends_at_most_at_the_optimum_and_costs_at_most_the_guarantee(
    k: int, instance: ColocationInstance
) -> None:
    best = solve("mct_exact", instance).cost_numerator
    result = solve("mct_ptas", instance, k=k)
    assert result.stats["status"] == "complete"
    assert result.stats["target_numerator"] <= best
    assert k * result.cost_numerator <= (k + 1) * best
    assert result.cost_numerator <= solve("best_schedule", instance).cost_numerator
    assert Fraction(result.guarantee) >= 1 + Fraction(1, k)


@pytest.mark.parametrize("kind", CLASSES[:3])
@pytest.mark.parametrize(("n_tasks", "n_machines"), [(60, 2), (200, 3)])
def test_short_tasks_of_two_types_are_no_work(kind: str, n_tasks: int, n_machines: int) -> None:
    instance = drawn(n_tasks, kind, 2, n_tasks, n_machines, 9)
    result = solve("mct_ptas", instance, work_limit=200_000)
    assert result.stats["status"] == "complete"
    assert result.cost_numerator <= 2 * result.stats["target_numerator"]


def test_more_work_never_costs_more_and_no_guarantee_comes_with_a_limit() -> None:
    instance = drawn(5, "incompatible", 3, 10, 3, 40)
    complete = solve("mct_ptas", instance)
    assert complete.stats["status"] == "complete"
    work = complete.stats["work"]
    results = [solve("mct_ptas", instance, work_limit=limit) for limit in (1, work // 2, work - 1, work)]
    assert [r.stats["status"] for r in results] == ["work_limit"] * 3 + ["complete"]
    assert [r.guarantee for r in results] == [None] * 3 + [2.0]
    assert all(later.cost_numerator <= earlier.cost_numerator for earlier, later in pairwise(results))
    assert results[0].cost_numerator <= solve("best_schedule", instance).cost_numerator
    assert results[-1].schedule == complete.schedule


@given(n_machines=st.integers(1, 2**24), k=st.integers(1, 10))
@examples(20)
def test_decisions_take_any_number_of_machines(n_machines: int, k: int) -> None:
    assume(n_machines > 4)
    instance = four_tasks(n_machines=n_machines)
    assert colocation.ptas_decide(instance, 30, k) is not None
    assert colocation.ptas_decide(instance, 14, k) is None


def test_units_beyond_128_bits_are_refused() -> None:
    with pytest.raises(UnsupportedError, match="128 bits"):
        colocation.ptas_decide(four_tasks(), 40, 2**62)


# Bad numbers


@pytest.mark.parametrize(
    ("name", "option"), [("mct_exact", "node_limit"), ("mct_ptas", "work_limit"), ("mct_ptas", "k")]
)
@pytest.mark.parametrize(
    ("value", "error"),
    [(0, InvalidInstanceError), (-3, InvalidInstanceError), (2**63, InvalidInstanceError)]
    + [(wrong, TypeError) for wrong in (True, np.True_, 1.0, "1", [1])],
)
def test_limits_and_parameters_are_integers_from_1_on(
    name: str, option: str, value: Any, error: type[Exception]
) -> None:
    with pytest.raises(error, match=option):
        solve(name, four_tasks(), **{option: value})
    if error is InvalidInstanceError:
        assert solve(name, four_tasks(), **{option: np.int64(2)}).cost_numerator >= 30


@pytest.mark.parametrize(
    ("target", "error"),
    [(-1, InvalidInstanceError), (2**63, InvalidInstanceError), (True, TypeError), (40.0, TypeError)],
)
def test_targets_are_integers_from_0_on(target: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match="target_numerator"):
        colocation.ptas_decide(four_tasks(), target)
