"""What the bounds of colocation promise: proven whatever stops the search, ordered, and with a solution that fits."""

import threading
from fractions import Fraction
from typing import Any, cast

import highspy
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import schedcore
from example_shares import examples
from properties.colocation_instances import colocation_instances, huge_colocation_instances, plain
from reference.colocation_optimum import optimum
from schedcore.bounds.colocation import (
    ColocationBound,
    PatternSolution,
    lower_bound,
    pattern_program,
)
from schedcore.bounds.colocation import patterns as patterns_module
from schedcore.bounds.colocation.pattern_lp import proven_worth
from schedcore.bounds.content_cache import ContentCache
from schedcore.errors import InvalidInstanceError

METHODS = ["simple", "qcp", "qcp_per_machine"]
small = colocation_instances(min_tasks=1, max_tasks=7, max_types=5, max_machines=4, diagonal=None)


def optimal_cost(instance: schedcore.ColocationInstance) -> Fraction:
    return Fraction(optimum(plain(instance)), instance.alpha_denominator)


def random_instance(
    n_types: int, n_machines: int, n_tasks: int, *, lowest: int, highest: int, seed: int = 1
) -> schedcore.ColocationInstance:
    rng = np.random.default_rng(seed)
    alpha = rng.integers(lowest, highest, (n_types, n_types))
    np.fill_diagonal(alpha, 1000)
    kind = rng.permutation(np.arange(n_tasks) % n_types)
    return schedcore.ColocationInstance(
        rng.integers(1, 100, n_tasks), kind, alpha, 1000, n_machines=n_machines
    )


# never above the optimum


@pytest.mark.parametrize("method", METHODS)
@given(data=st.data())
@examples(40)
def test_no_bound_exceeds_the_optimum(method: str, data: st.DataObject) -> None:
    instance = data.draw(small)
    assert Fraction(lower_bound(instance, method).bound) <= optimal_cost(instance)


@examples(40)
@given(instance=huge_colocation_instances())
def test_no_bound_exceeds_the_optimum_of_huge_tasks(instance: schedcore.ColocationInstance) -> None:
    least = optimal_cost(instance)
    for method in METHODS:
        assert Fraction(lower_bound(instance, method).bound) <= least


@examples(40)
@given(
    size=st.lists(st.sampled_from([1, 2, 2**20, 2**40]), min_size=1, max_size=6),
    data=st.data(),
)
def test_no_bound_exceeds_the_optimum_where_loads_and_coefficients_are_far_apart(
    size: list[int], data: st.DataObject
) -> None:
    own = st.sampled_from([1, 2**10, 2**20])
    others = st.sampled_from([0, 1, 2**10, 2**20])
    alpha = [[data.draw(own if s == d else others) for d in range(3)] for s in range(3)]
    kind = data.draw(st.lists(st.integers(0, 2), min_size=len(size), max_size=len(size)))
    instance = schedcore.ColocationInstance(size, kind, alpha, 7, n_machines=data.draw(st.integers(1, 3)))
    least = optimal_cost(instance)
    for method in METHODS:
        assert Fraction(lower_bound(instance, method).bound) <= least


@examples(30)
@given(instance=small, time_limit=st.sampled_from([0.0, 1e-4, 1e-3]))
def test_a_search_that_is_stopped_leaves_a_proven_bound(
    instance: schedcore.ColocationInstance, time_limit: float
) -> None:
    simple = lower_bound(instance, "simple").bound
    for method in ("qcp", "qcp_per_machine"):
        bound, _ = lower_bound(instance, method, time_limit=time_limit)
        assert simple <= bound
        assert Fraction(bound) <= optimal_cost(instance)


@examples(60)
@given(
    proposal=st.lists(st.sampled_from([0.0, 1e-12, 1.0]) | st.floats(0.0, 10.0), min_size=24, max_size=24),
    rest=st.lists(st.sampled_from([0.0, 0.01, 0.5, 1.0, 3.0]), min_size=9, max_size=9),
    loads=st.lists(st.floats(0.0, 1.0), min_size=3, max_size=3),
    scale=st.lists(st.sampled_from([1e-3, 1.0, 50.0]), min_size=7, max_size=7),
)
def test_no_prices_make_a_machine_seem_worth_less_than_what_it_holds(
    proposal: list[float], rest: list[float], loads: list[float], scale: list[float]
) -> None:
    """Whatever the solver proposes, its `worth` covers the prices of any loads that fit one machine."""
    matrix = np.array(rest).reshape(3, 3)
    np.fill_diagonal(matrix, 1.0)
    cost = np.array(scale)[:, None, None] * matrix  # another matrix for each pattern
    holds = np.array([[mask >> s & 1 for s in range(3)] for mask in range(1, 8)], dtype=bool)
    price, unit_cost = np.array(proposal[:3]), np.array(proposal[3:]).reshape(7, 3) * holds
    worth = proven_worth(holds, cost, price, unit_cost)
    if price.sum() == 0:
        assert not np.isfinite(worth).any()
        return
    for row, matrix, most in zip(holds, cost, worth, strict=True):
        held = np.array(loads) * row
        held /= max(float((held @ matrix)[row].max()), 1e-9)
        # prices below 1e-100 of the total count as none
        assert price @ held / price.sum() <= most * (1 + 1e-12) + 1e-90


# order, exactness, limits


@examples(40)
@given(instance=small)
def test_the_program_is_exact_and_at_least_the_simple_bounds(instance: schedcore.ColocationInstance) -> None:
    bound, is_exact = lower_bound(instance)
    assert is_exact
    assert bound >= lower_bound(instance, "simple").bound
    assert bound >= pattern_program(instance).bound


def test_a_time_limit_is_a_status_and_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patterns_module, "_solutions", ContentCache())
    instance = random_instance(4, 20, 300, lowest=1001, highest=4000)
    stopped = lower_bound(instance, time_limit=0.0)
    assert stopped == ColocationBound(lower_bound(instance, "simple").bound, False)
    solved = lower_bound(instance)
    assert solved.is_exact
    assert solved.bound > stopped.bound
    assert lower_bound(instance, time_limit=0.0) == solved  # remembered


def test_an_exhausted_work_limit_leaves_a_bound_and_a_solution(monkeypatch: pytest.MonkeyPatch) -> None:
    instance = random_instance(4, 20, 300, lowest=1001, highest=4000, seed=2)
    exact = patterns_module.solve_patterns(patterns_module.type_loads(instance), 4, 1000)
    monkeypatch.setattr(patterns_module, "_WORK_LIMIT", 100_000)
    limited = patterns_module.solve_patterns(patterns_module.type_loads(instance), 4, 1000)
    assert exact.is_exact
    assert not limited.is_exact
    assert 0 < limited.bound <= exact.bound <= exact.cost <= limited.cost


@pytest.mark.parametrize("wrong", [-1.0, float("nan")])
def test_a_time_limit_below_zero_is_refused(wrong: float) -> None:
    with pytest.raises(InvalidInstanceError, match=rf"time_limit = {wrong} must be finite and at least 0"):
        lower_bound(random_instance(2, 2, 4, lowest=0, highest=10), time_limit=wrong)


def test_an_unknown_method_is_refused_by_name() -> None:
    with pytest.raises(InvalidInstanceError, match="did you mean 'simple'"):
        lower_bound(random_instance(2, 2, 4, lowest=0, highest=10), method="simpel")


@pytest.mark.parametrize("method", METHODS)
def test_no_tasks_cost_nothing(method: str) -> None:
    nothing = schedcore.ColocationInstance([], [], [[1]], 1, n_machines=3)
    assert lower_bound(nothing, method) == (0.0, True)
    assert pattern_program(nothing).machines == ()


@pytest.mark.parametrize("n_machines", [6, 7, 2**24])
def test_a_machine_for_every_task_makes_the_longest_task_the_bound(n_machines: int) -> None:
    instance = random_instance(3, n_machines, 6, lowest=1001, highest=4000)
    longest = int(instance.size.max())
    assert lower_bound(instance) == (longest, True)


# many types


def test_many_types_on_two_machines_are_solved_machine_by_machine() -> None:
    instance = random_instance(12, 2, 24, lowest=0, highest=3000)
    bound, is_exact = lower_bound(instance)
    assert is_exact
    assert bound == lower_bound(instance, "qcp_per_machine").bound > lower_bound(instance, "simple").bound


def test_too_many_types_leave_the_bound_of_the_largest() -> None:
    instance = random_instance(30, 10, 300, lowest=1001, highest=4000)
    bound, is_exact = lower_bound(instance, time_limit=0.5)
    assert not is_exact
    assert bound >= lower_bound(instance, "simple").bound
    solution = pattern_program(instance, time_limit=0.5)
    assert solution.patterns == (tuple(range(30)),)
    assert solution.machines == (10,)


def test_a_type_without_tasks_changes_nothing() -> None:
    few = random_instance(3, 4, 30, lowest=500, highest=3000)
    alpha = np.full((6, 6), 1)
    places = [0, 2, 5]
    alpha[np.ix_(places, places)] = few.alpha
    kind = np.array(places)[few.type]
    many = schedcore.ColocationInstance(few.size, kind, alpha, 1000, n_machines=4)
    for method in METHODS:
        assert lower_bound(many, method) == lower_bound(few, method)
    solution = pattern_program(many)
    assert solution.types == (0, 2, 5)
    assert (solution.load[:, [1, 3, 4]] == 0).all()


# the solution behind the bound


def check_solution(instance: schedcore.ColocationInstance, solution: PatternSolution) -> None:
    assert sum(solution.machines) <= instance.n_machines
    assert all(count > 0 for count in solution.machines)
    loads = np.array(instance.load_of_types(), dtype=float)
    np.testing.assert_allclose(solution.load.sum(axis=0), loads, rtol=1e-12)
    for held, count, load in zip(solution.patterns, solution.machines, solution.load, strict=True):
        assert set(np.flatnonzero(load)) <= set(held)
        costs = (load @ instance.alpha)[list(held)] / count / instance.alpha_denominator
        assert costs.max() <= solution.cost * (1 + 1e-9)


@examples(60)
@given(instance=small | huge_colocation_instances())
def test_the_solution_splits_all_loads_and_costs_what_it_says(instance: schedcore.ColocationInstance) -> None:
    solution = pattern_program(instance)
    check_solution(instance, solution)
    assert solution.bound <= solution.cost


@pytest.mark.parametrize(("lowest", "highest"), [(0, 1000), (1001, 2000), (1001, 4000), (0, 3000)])
@pytest.mark.parametrize("n_types", [3, 4, 5])
@pytest.mark.parametrize("n_machines", [2, 10, 100])
def test_instances_of_the_evaluation_are_solved_to_optimality(
    n_types: int, n_machines: int, lowest: int, highest: int
) -> None:
    instance = random_instance(n_types, n_machines, 500, lowest=lowest, highest=highest)
    solution = pattern_program(instance)
    assert solution.is_exact
    assert solution.cost <= solution.bound * (1 + 2e-9)
    check_solution(instance, solution)


# invariance


@examples(25)
@given(instance=small, factor=st.sampled_from([2, 3, 2**30]))
def test_scaling_all_sizes_scales_the_bound(instance: schedcore.ColocationInstance, factor: int) -> None:
    larger = schedcore.ColocationInstance(
        instance.size * factor,
        instance.type,
        instance.alpha,
        instance.alpha_denominator,
        n_machines=instance.n_machines,
    )
    for method in ("simple", "qcp"):
        expected = lower_bound(instance, method).bound * factor
        assert lower_bound(larger, method).bound == pytest.approx(expected, rel=2e-9)


@examples(25)
@given(instance=small, data=st.data())
def test_renaming_types_keeps_the_bound(instance: schedcore.ColocationInstance, data: st.DataObject) -> None:
    names = np.array(data.draw(st.permutations(range(instance.n_types))))
    alpha = np.empty_like(instance.alpha)
    alpha[np.ix_(names, names)] = instance.alpha
    renamed = schedcore.ColocationInstance(
        instance.size,
        names[instance.type],
        alpha,
        instance.alpha_denominator,
        n_machines=instance.n_machines,
    )
    assert lower_bound(renamed, "simple") == lower_bound(instance, "simple")
    assert lower_bound(renamed).bound == pytest.approx(lower_bound(instance).bound, rel=2e-9)


@examples(25)
@given(instance=small)
def test_a_further_machine_never_raises_the_bound(instance: schedcore.ColocationInstance) -> None:
    more = schedcore.ColocationInstance(
        instance.size,
        instance.type,
        instance.alpha,
        instance.alpha_denominator,
        n_machines=instance.n_machines + 1,
    )
    for method in ("simple", "qcp"):
        assert lower_bound(more, method).bound <= lower_bound(instance, method).bound * (1 + 2e-9)


def test_the_same_instance_has_the_same_solution_every_time() -> None:
    instance = random_instance(4, 10, 200, lowest=1001, highest=2000)
    loads = patterns_module.type_loads(instance)
    first, second = (patterns_module.solve_patterns(loads, 4, 1000) for _ in range(2))
    assert (first.bound, first.cost, first.patterns, first.machines) == (
        second.bound,
        second.cost,
        second.patterns,
        second.machines,
    )
    assert (first.load == second.load).all()


def test_a_solver_of_the_caller_with_other_threads_does_not_weaken_the_bound() -> None:
    # HiGHS keeps its number of threads for each thread of Python, hence a fresh one
    def bound_after_a_run_with_two_threads() -> None:
        solver = cast(Any, highspy).Highs()
        for option, value in (("output_flag", False), ("threads", 2)):
            solver.setOptionValue(option, value)
        solver.addVar(0.0, 1.0)
        solver.run()
        assert solver.getModelStatus() == highspy.HighsModelStatus.kOptimal
        found.append(lower_bound(random_instance(4, 10, 60, lowest=500, highest=2500, seed=57)))

    found: list[ColocationBound] = []
    fresh = threading.Thread(target=bound_after_a_run_with_two_threads)
    fresh.start()
    fresh.join()
    assert [bound.is_exact for bound in found] == [True]


def test_a_machine_for_all_of_many_types_needs_no_search() -> None:
    instance = random_instance(14, 1, 30, lowest=0, highest=3000)
    load = np.array(instance.load_of_types())
    most = max(int(load @ instance.alpha[:, kind]) for kind in range(14) if load[kind])
    bound, is_exact = lower_bound(instance)
    assert is_exact
    assert bound == pytest.approx(most / instance.alpha_denominator, rel=1e-15)
