"""The linear programs of the parallel-task family against their references, row by row as they are defined."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import schedcore
from example_shares import examples
from parallel_task_cases import THREE_PINNED_JOBS, parallel_tasks
from properties.parallel_task_instances import parallel_task_instances, plain, shares_of, solution_rows
from reference import parallel_tasks_fractions as reference_fractions
from reference import parallel_tasks_programs as reference
from schedcore.bounds.parallel_tasks import (
    Intervals,
    TaskFractions,
    cleaned,
    given_fractions,
    horizon,
    interval_epsilon,
    lp_completion,
    progress,
    solve_interval_program,
    solve_order_program,
)
from schedcore.model import usable

EPSILONS = [Fraction(1), Fraction(1, 2), Fraction(1, 10), Fraction(7, 3)]
SOLVERS = ["auto", "simplex", "ipm", "pdlp"]


def fractions_of(shares: list[reference_fractions.Share]) -> list[tuple[int, int, int, int]]:
    return sorted((s.task, s.interval, s.machine, s.units) for s in shares)


def rows_of(fractions: TaskFractions) -> list[tuple[int, ...]]:
    columns = (fractions.task, fractions.interval, fractions.machine, fractions.units)
    return [*zip(*(column.tolist() for column in columns), strict=True)]


# values of the programs


@pytest.mark.parametrize("solver", SOLVERS)
def test_the_worked_example_has_its_values(solver: str) -> None:
    first = solve_interval_program(THREE_PINNED_JOBS, solver=solver)
    second = solve_interval_program(THREE_PINNED_JOBS, doubling=True, solver=solver)
    order = solve_order_program(THREE_PINNED_JOBS, solver=solver)
    assert [part.status for part in (first, second, order)] == ["optimal"] * 3
    assert first.bound == pytest.approx(6.810077519, rel=1e-6)
    assert second.bound == pytest.approx(7.5, rel=1e-6)
    assert order.bound == pytest.approx(13, rel=1e-6)
    assert order.completion is not None
    assert order.completion == pytest.approx([4, 2, 3], abs=1e-4)


def test_a_single_task_is_not_charged_for_interval_0() -> None:
    one = parallel_tasks([1], [(0, [1], {0: 1})], [[1]])
    assert solve_interval_program(one).bound == pytest.approx(1, rel=1e-9)
    assert solve_interval_program(one, doubling=True).bound == pytest.approx(1, rel=1e-9)


@examples(60)
@given(
    instance=parallel_task_instances(min_jobs=1, max_jobs=5),
    epsilon=st.sampled_from(EPSILONS),
    solver=st.sampled_from(["auto", "ipm"]),
    machines_per_task=st.sampled_from([None, 1]),
)
def test_interval_programs_have_the_value_of_the_reference(
    instance: schedcore.ParallelTaskInstance, epsilon: Fraction, solver: str, machines_per_task: int | None
) -> None:
    for doubling in (False, True):
        expected, _ = reference.interval_program(plain(instance), epsilon, doubling=doubling)
        solution = solve_interval_program(
            instance,
            epsilon=Fraction(1) if doubling else epsilon,
            doubling=doubling,
            solver=solver,
            machines_per_task=machines_per_task,
        )
        accuracy = 1e-6 if machines_per_task is None else 1.1e-4
        assert solution.status in (["optimal"] if machines_per_task is None else ["optimal", "restricted"])
        assert solution.details["value"] == pytest.approx(expected, rel=accuracy)
        assert expected * (1 - accuracy) <= solution.bound <= expected * (1 + 1e-9)


@examples(60)
@given(
    instance=parallel_task_instances(min_jobs=1, max_jobs=6, single_machine=True),
    solver=st.sampled_from(["auto", "ipm"]),
    all_machines=st.booleans(),
)
def test_the_order_program_has_the_value_of_the_reference(
    instance: schedcore.ParallelTaskInstance, solver: str, all_machines: bool
) -> None:
    expected, _ = reference.order_program(plain(instance), all_machines=all_machines)
    solution = solve_order_program(instance, all_machines=all_machines, solver=solver)
    assert solution.status == "optimal"
    assert solution.completion is not None
    assert float(instance.weight @ solution.completion) == pytest.approx(expected, rel=1e-6)
    assert expected * (1 - 1e-6) <= solution.bound <= expected * (1 + 1e-9)


@examples(30)
@given(instance=parallel_task_instances(min_jobs=1, single_machine=True))
def test_a_resource_that_repeats_another_changes_no_value(instance: schedcore.ParallelTaskInstance) -> None:
    twice = instance.replace(
        demand=np.repeat(instance.demand, 2, 1),
        machines=schedcore.Machines(np.repeat(instance.machines.capacity, 2, 1)),
    )
    for doubling in (False, True):
        value = solve_interval_program(instance, doubling=doubling).details["value"]
        assert solve_interval_program(twice, doubling=doubling).details["value"] == pytest.approx(
            value, rel=1e-6
        )
    order = solve_order_program(instance).details["value"]
    assert solve_order_program(twice).details["value"] == pytest.approx(order, rel=1e-6)


@examples(30)
@given(instance=parallel_task_instances(min_jobs=1, single_machine=True, max_resources=3))
def test_each_resource_alone_is_a_relaxation(instance: schedcore.ParallelTaskInstance) -> None:
    usable_one = usable(instance)
    programs = (
        lambda inst: solve_interval_program(inst).details["value"],
        lambda inst: solve_interval_program(inst, doubling=True).details["value"],
        lambda inst: solve_order_program(inst).details["value"],
    )
    for value in programs:
        together = value(usable_one)
        for resource in range(instance.n_resources):
            demand = usable_one.demand[:, [resource]]
            if demand.all():
                alone = usable_one.replace(
                    demand=demand,
                    machines=schedcore.Machines(usable_one.machines.capacity[:, [resource]]),
                )
                assert value(alone) <= together * (1 + 1e-6)


# intervals and fractions


@given(horizon=st.integers(0, 2**40), epsilon=st.sampled_from([*EPSILONS, Fraction(1, 50)]))
@examples(60)
def test_intervals_are_powers_up_to_the_horizon(horizon: int, epsilon: Fraction) -> None:
    expected = [float(end) for end in reference_fractions.interval_ends(horizon, epsilon)]
    intervals = Intervals(epsilon, horizon)
    assert intervals.ends.tolist() == expected
    assert intervals.start_of.tolist() == [0.0, *expected[:-1]]
    assert intervals.n_intervals == len(expected)


@pytest.mark.parametrize("base", [2, 3, 10])
def test_a_horizon_that_is_a_power_needs_no_interval_more(base: int) -> None:
    for exponent in range(1, 15):
        assert Intervals(Fraction(base - 1), base**exponent).n_intervals == exponent + 1
        assert Intervals(Fraction(base - 1), base**exponent + 1).n_intervals == exponent + 2


def test_epsilon_is_what_a_person_would_write() -> None:
    assert interval_epsilon(0.1) == Fraction(1, 10)
    assert interval_epsilon(1e-3) == Fraction(1, 1000)
    assert interval_epsilon(np.float64(1.5)) == Fraction(3, 2)
    assert interval_epsilon(Fraction(1, 3)) == Fraction(1, 3)
    assert interval_epsilon(2) == 2
    for wrong in (0, -1.0, float("nan"), float("inf")):
        with pytest.raises(schedcore.InvalidInstanceError, match="finite and above 0"):
            interval_epsilon(wrong)
    for strange in (True, "1", None):
        with pytest.raises(TypeError, match="must be a number"):
            interval_epsilon(strange)
    with pytest.raises(schedcore.InvalidInstanceError, match="20000; use a larger one"):
        Intervals(Fraction(1, 10**6), 10**6)


@examples(60)
@given(instance=parallel_task_instances(), data=st.data())
def test_cleaning_progress_and_completion_equal_the_reference(
    instance: schedcore.ParallelTaskInstance, data: st.DataObject
) -> None:
    inst = plain(instance)
    intervals = Intervals(Fraction(1), horizon(usable(instance)))
    shares = data.draw(shares_of(inst, tidy=False))
    noise = data.draw(st.lists(st.floats(-2e-7, 2e-7), min_size=len(shares), max_size=len(shares)))
    value = {(s.task, s.machine, s.interval): s.units / 1e9 + e for s, e in zip(shares, noise, strict=True)}
    keys = np.array([*value], dtype=np.int64).reshape(-1, 3)
    found = cleaned(*keys.T, np.array([*value.values()], dtype=np.float64), instance.n_tasks)
    expected = reference_fractions.cleaned(value)
    assert found is not None
    assert rows_of(found) == fractions_of(expected)

    done = progress(instance, found, intervals.n_intervals)
    for job in range(instance.n_jobs):
        for interval in range(intervals.n_intervals):
            assert done[job, interval] == reference_fractions.progress(inst, expected, job, interval)
    ends = reference_fractions.interval_ends(intervals.horizon)
    exact = reference_fractions.lp_completion(inst, expected, ends)
    completion = lp_completion(instance, found, intervals)
    assert completion.tolist() == [float(exact[job]) for job in range(instance.n_jobs)]


def test_noise_is_dropped_and_what_is_missing_goes_to_the_first_of_the_largest() -> None:
    task = np.array([0, 0, 0, 0])
    found = cleaned(
        task, np.array([1, 0, 0, 1]), np.array([2, 2, 1, 1]), np.array([0.4, 0.4, 9.9e-8, 0.1]), 1
    )
    assert found is not None
    # 0.4 + 0.4 + 0.1 leave 0.1 for interval 2, machine 0, which comes before machine 1
    assert rows_of(found) == [(0, 1, 1, 10**8), (0, 2, 0, 5 * 10**8), (0, 2, 1, 4 * 10**8)]


def test_a_task_without_any_value_makes_the_solution_useless() -> None:
    assert cleaned(np.array([1]), np.array([0]), np.array([1]), np.array([1.0]), 2) is None
    assert cleaned(np.array([0]), np.array([0]), np.array([1]), np.array([9e-8]), 1) is None


@examples(40)
@given(instance=parallel_task_instances(), data=st.data())
def test_given_rows_become_the_fractions_in_any_order(
    instance: schedcore.ParallelTaskInstance, data: st.DataObject
) -> None:
    shares = data.draw(shares_of(plain(instance), doubling=True))
    rows = solution_rows(instance, shares)
    order = data.draw(st.permutations(range(len(rows))))
    inst = usable(instance)
    intervals = Intervals(Fraction(1), horizon(inst))
    found = given_fractions(inst, rows[list(order)], intervals, doubling=True)
    assert rows_of(found) == fractions_of(shares)

    kept = [t for t in range(instance.n_tasks) if data.draw(st.booleans())]
    part = given_fractions(
        inst, rows[list(order)], intervals, doubling=True, part=np.array(kept, dtype=np.int64)
    )
    number = {task: k for k, task in enumerate(kept)}
    own = [share._replace(task=number[share.task]) for share in shares if share.task in number]
    assert rows_of(part) == fractions_of(own)
