"""What colocate and improve promise: never dearer than what they begin with, bounds that hold, no chance in it."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import schedcore
from example_shares import examples
from properties.colocation_instances import (
    CLUSTERED,
    OPTIONS,
    colocation_instances,
    huge_colocation_instances,
    plain,
)
from reference.colocation_optimum import optimum
from schedcore import colocation
from schedcore.bounds.colocation.whole_loads import is_ruled_out, whole_load_bound

BOUNDS = ["simple", "qcp"]
LITTLE_WORK = 3000


def heuristic_costs(instance: schedcore.ColocationInstance) -> dict[str, int]:
    """The cost of every heuristic with each of its documented options that takes the instance."""
    costs = {}
    for name, variants in OPTIONS.items():
        clusters: list[dict[str, Any]] = [{"clusters": method} for method in ("first_fit", "exact")]
        for options in variants:
            for more in clusters if name in CLUSTERED else [{}]:
                try:
                    result = schedcore.solve(name, instance, **options, **more)
                except (schedcore.InfeasibleError, schedcore.UnsupportedError):
                    continue
                assert isinstance(result, schedcore.ColocationResult)
                costs[f"{name} {options} {more}"] = result.cost_numerator
    return costs


@st.composite
def assignments(draw: st.DrawFn, instance: schedcore.ColocationInstance) -> schedcore.Assignment:
    n = instance.n_tasks
    return schedcore.Assignment(
        draw(st.lists(st.integers(0, instance.n_machines - 1), min_size=n, max_size=n))
    )


def grid_sample(n_tasks: int, n_machines: int) -> list[schedcore.ColocationInstance]:
    tasks = colocation.standin_tasks()
    kinds = [("compatible", 2), ("incompatible", 3), ("clashing", 3), ("mixed", 4)]
    return [colocation.grid_instance(tasks, cls, n_types, n_tasks, n_machines, 0) for cls, n_types in kinds]


# colocate


@examples(40)
@given(data=st.data(), instance=colocation_instances(max_tasks=14, diagonal=None))
def test_colocate_is_never_dearer_than_any_heuristic(
    data: st.DataObject, instance: schedcore.ColocationInstance
) -> None:
    work_limit = data.draw(st.sampled_from([0, 50, LITTLE_WORK]))
    result = schedcore.colocate(instance, work_limit, data.draw(st.sampled_from(BOUNDS)))
    schedcore.validate(instance, result.assignment, raise_on_error=True)
    for heuristic, cost in heuristic_costs(instance).items():
        assert result.cost_numerator <= cost, heuristic


@pytest.mark.parametrize("work_limit", [0, 20_000])
def test_colocate_is_never_dearer_than_any_heuristic_on_the_grid(work_limit: int) -> None:
    for instance in grid_sample(60, 6):
        result = schedcore.colocate(instance, work_limit)
        assert result.cost_numerator <= min(heuristic_costs(instance).values())


@examples(40)
@given(data=st.data(), instance=colocation_instances(max_tasks=8, max_machines=4, diagonal=None))
def test_colocate_proves_the_optimum_of_a_few_tasks(
    data: st.DataObject, instance: schedcore.ColocationInstance
) -> None:
    result = schedcore.colocate(instance, LITTLE_WORK, data.draw(st.sampled_from(BOUNDS)))
    assert result.cost_numerator == optimum(plain(instance))
    assert result.stats["status"] == "optimal"
    exact = Fraction(result.cost_numerator, instance.alpha_denominator)
    assert Fraction(result.lower_bound) <= exact < Fraction(math.nextafter(result.lower_bound, math.inf))
    assert (result.ratio(), result.gap()) == (1.0, 0.0)
    assert result.guarantee == 1


def test_the_lower_bound_of_colocate_is_at_least_the_program_and_at_most_its_value() -> None:
    for instance in grid_sample(80, 7):
        result = schedcore.colocate(instance, 50_000)
        program = colocation.lower_bound(instance).bound
        assert result.lower_bound is not None
        assert program <= result.lower_bound <= result.value
        assert result.value < 1.02 * result.lower_bound


def test_colocate_spends_no_more_work_than_allowed_and_counts_it() -> None:
    for instance in grid_sample(300, 20):
        reports: list[tuple[int, int]] = []

        def note(done: int, total: int, reports: list[tuple[int, int]] = reports) -> None:
            reports.append((done, total))

        result = schedcore.colocate(instance, 30_000, progress=note)
        assert 0 < result.stats["work"] <= 30_000
        assert result.stats["status"] in ("optimal", "local_optimum", "work_limit")
        assert reports == sorted(reports)
        assert all(done <= total == 30_000 for done, total in reports)


def test_colocate_depends_on_nothing_but_its_arguments() -> None:
    for instance in grid_sample(100, 8):
        first, second = (schedcore.colocate(instance, 30_000) for _ in range(2))
        assert np.array_equal(first.assignment.machine, second.assignment.machine)
        assert first.stats == second.stats
        assert first.lower_bound == second.lower_bound


@pytest.mark.parametrize("bound", BOUNDS)
def test_colocate_handles_no_tasks_one_machine_and_absent_types(bound: str) -> None:
    alpha = [[1.0, 0.5, 2.0], [0.5, 2.0, 0.0], [3.0, 0.0, 0.25]]
    none = schedcore.colocate(schedcore.ColocationInstance([], [], alpha, n_machines=3), bound=bound)
    assert none.cost_numerator == 0
    assert none.stats["status"] == "optimal"
    one = schedcore.colocate(schedcore.ColocationInstance([3, 4], [0, 2], alpha, n_machines=1), bound=bound)
    assert one.cost_numerator == max(3000 + 4 * 3000, 3 * 2000 + 4 * 250)
    absent = schedcore.ColocationInstance([3, 4, 5], [2, 2, 2], alpha, n_machines=2)
    assert schedcore.colocate(absent, bound=bound).cost_numerator == 7 * 250


def test_colocate_solves_instances_with_more_clusters_than_machines() -> None:
    alpha = np.full((4, 4), 3.0) - 2 * np.eye(4)
    instance = schedcore.ColocationInstance([5, 6, 7, 8, 9, 1], [0, 1, 2, 3, 0, 1], alpha, n_machines=2)
    assert schedcore.colocate(instance).cost_numerator == optimum(plain(instance))


def test_colocate_splits_a_partition_of_twenty_numbers_of_its_own_types() -> None:
    numbers = [31, 4, 15, 92, 65, 35, 89, 79, 32, 38, 46, 26, 43, 38, 32, 79, 50, 28, 84, 19]
    result = schedcore.colocate(colocation.hard_partition(numbers))
    assert result.cost_numerator == (1 + (sum(numbers) + 1) // 2) * result.instance.alpha_denominator


def test_colocate_finds_the_cliques_of_a_graph() -> None:
    groups = [range(i, 30, 5) for i in range(5)]
    edges = [(a, b) for group in groups for a in group for b in group if a < b] + [(0, 1), (7, 8), (12, 29)]
    result = schedcore.colocate(colocation.hard_cliques(30, edges, 5, 3))
    assert result.value == 1


@given(instance=huge_colocation_instances())
@examples(25)
def test_sizes_near_the_end_of_64_bits_are_exact(instance: schedcore.ColocationInstance) -> None:
    assert schedcore.colocate(instance, LITTLE_WORK).cost_numerator == optimum(plain(instance))


# improve


@given(data=st.data(), instance=colocation_instances(max_tasks=14, diagonal=None))
def test_improving_never_makes_an_assignment_dearer(
    data: st.DataObject, instance: schedcore.ColocationInstance
) -> None:
    start = data.draw(assignments(instance))
    result = colocation.improve(instance, start, data.draw(st.sampled_from([0, 10, LITTLE_WORK])))
    schedcore.validate(instance, result.assignment, raise_on_error=True)
    assert result.cost_numerator <= result.stats["start_numerator"]
    if result.stats["status"] == "optimal":
        assert result.cost_numerator == optimum(plain(instance))


@examples(30)
@given(data=st.data(), instance=colocation_instances(max_tasks=7, max_machines=3, diagonal=None))
def test_improving_a_few_tasks_until_nothing_is_found_ends_at_the_optimum(
    data: st.DataObject, instance: schedcore.ColocationInstance
) -> None:
    start = data.draw(assignments(instance))
    result = colocation.improve(instance, start, None)
    assert result.cost_numerator == optimum(plain(instance))
    assert result.stats["status"] != "work_limit"


def test_what_an_algorithm_returned_can_be_improved_as_it_is() -> None:
    for instance in grid_sample(200, 10):
        mixed = schedcore.sched_mixed(instance)
        result = colocation.improve(instance, mixed, bound="qcp")
        same = colocation.improve(instance, mixed.assignment, bound="qcp")
        assert np.array_equal(result.assignment.machine, same.assignment.machine)
        assert result.stats["start_numerator"] == mixed.cost_numerator
        assert result.lower_bound is not None
        assert result.value < 1.05 * result.lower_bound


def test_more_work_is_never_worse() -> None:
    for instance in grid_sample(200, 10):
        mixed = schedcore.sched_mixed(instance)
        costs = [
            colocation.improve(instance, mixed, limit).cost_numerator for limit in (0, 100, 10_000, 50_000)
        ]
        assert costs[0] == mixed.cost_numerator
        assert costs == sorted(costs, reverse=True)


def test_assignments_of_other_instances_are_refused() -> None:
    instance = schedcore.ColocationInstance([1, 2], [0, 0], [[1.0]], n_machines=2)
    with pytest.raises(schedcore.InvalidInstanceError, match="the assignment has 1 tasks, the instance 2"):
        colocation.improve(instance, schedcore.Assignment([0]))
    with pytest.raises(schedcore.InvalidInstanceError, match="task 1 is on machine 2: machines are numbered"):
        colocation.improve(instance, schedcore.Assignment([0, 2]))
    with pytest.raises(TypeError, match="must be an Assignment or a ColocationResult, not list"):
        colocation.improve(instance, [0, 1])  # type: ignore[arg-type]
    with pytest.raises(schedcore.InvalidInstanceError, match="work_limit = -1"):
        colocation.improve(instance, schedcore.Assignment([0, 1]), -1)
    with pytest.raises(schedcore.InvalidInstanceError, match="work_limit = -1"):
        schedcore.colocate(instance, -1)


# whole loads


@given(instance=colocation_instances(max_tasks=8, max_machines=4, diagonal=None))
def test_whole_loads_never_rule_out_the_optimum(instance: schedcore.ColocationInstance) -> None:
    least = optimum(plain(instance))
    assert not is_ruled_out(instance, least)
    assert 0 <= whole_load_bound(instance, 0, least + 5) <= least


@examples(30)
@given(instance=colocation_instances(max_tasks=8, max_machines=4, min_tasks=1, diagonal=None))
def test_whole_loads_prove_no_less_than_the_program(instance: schedcore.ColocationInstance) -> None:
    program = colocation.lower_bound(instance).bound * instance.alpha_denominator
    assert is_ruled_out(instance, int(program * (1 - 1e-5)) - 1)


Machine = list[tuple[int, int]]


@st.composite
def planted(draw: st.DrawFn) -> tuple[schedcore.ColocationInstance, int]:
    """An instance made of machines that are full alike, many times, and the cost numerator of those machines."""
    n_types, denominator = draw(st.integers(1, 4)), draw(st.sampled_from([1, 1000]))
    entry = st.integers(0, 3) if denominator == 1 else st.integers(0, 3 * denominator)
    row = st.lists(entry, min_size=n_types, max_size=n_types)
    alpha = draw(st.lists(row, min_size=n_types, max_size=n_types))
    for kind in range(n_types):
        alpha[kind][kind] = denominator
    task = st.tuples(st.integers(1, 60), st.integers(0, n_types - 1))
    machine = st.tuples(st.lists(task, min_size=1, max_size=3), st.sampled_from([1, 2, 30]))
    return planted_instance(draw(st.lists(machine, min_size=1, max_size=4)), alpha, denominator)


def planted_instance(
    machines: list[tuple[Machine, int]], alpha: list[list[int]], denominator: int
) -> tuple[schedcore.ColocationInstance, int]:
    tasks = [task for machine, times in machines for task in machine * times]
    cost = max(
        sum(size * alpha[kind][d] for size, kind in machine) for machine, _ in machines for _, d in machine
    )
    size, kind = zip(*tasks, strict=True)
    n_machines = sum(times for _, times in machines)
    return schedcore.ColocationInstance(size, kind, alpha, denominator, n_machines=n_machines), cost


@examples(300)
@given(case=planted())
def test_whole_loads_never_rule_out_an_assignment_of_many_machines(
    case: tuple[schedcore.ColocationInstance, int],
) -> None:
    instance, cost = case
    assert not is_ruled_out(instance, cost)
    assert whole_load_bound(instance, 0, cost + 5) <= cost


def test_programs_that_a_solver_of_integer_programs_took_for_infeasible_are_not_ruled_out() -> None:
    a: Machine = [(60, 1), (60, 0), (60, 2)]
    b: Machine = [(58, 0), (60, 2), (49, 1)]
    c: Machine = [(60, 2), (50, 0)]
    apart = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    for machines, alpha in (
        ([(a, 1), (b, 30), (c, 30)], apart),
        (
            [([(1000, 1)], 1), ([(644, 2), (339, 0), (8, 1)], 30)],
            [[1, 1, 0, 1], [0, 1, 0, 2], [1, 1, 1, 1], [1, 0, 0, 1]],
        ),
    ):
        instance, cost = planted_instance(machines, alpha, 1)
        assert not is_ruled_out(instance, cost)
        result = schedcore.colocate(instance)
        assert result.lower_bound is not None
        assert result.lower_bound <= cost


def test_dedicated_machines_hold_whole_loads() -> None:
    # 13 units of load on 2 machines cost 7 at least, not 6.5; sizes that are multiples of 4 cost 8 for each 5 of them.
    units = schedcore.ColocationInstance([1] * 13, [0] * 13, [[1.0]], n_machines=2)
    assert colocation.lower_bound(units).bound == 6.5
    assert whole_load_bound(units, 6500, 7000) == 7000
    fours = schedcore.ColocationInstance([4] * 5, [0] * 5, [[1.0]], n_machines=3)
    assert whole_load_bound(fours, 6667, 8000) == 8000


# the large grid


@pytest.mark.slow
@pytest.mark.parametrize("cls", ["compatible", "incompatible", "clashing", "mixed"])
def test_colocate_is_within_a_hundredth_of_the_bound_on_the_large_grid(cls: str) -> None:
    tasks = colocation.standin_tasks()
    cells = [cell for cell in colocation.grid_cells() if cell.cls == cls and not cell.is_small]
    ratios = []
    for cell in cells[:: max(1, len(cells) // 9)]:
        instance = colocation.grid_instance(tasks, *cell, 0)
        result = schedcore.colocate(instance, 200_000)
        ratios.append(result.value / colocation.lower_bound(instance).bound)
    assert np.mean(ratios) <= 1.01
