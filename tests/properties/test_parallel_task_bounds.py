"""What the bounds of the parallel-task family promise: proven for any prices and releases, however solving ended."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import schedcore
from example_shares import examples
from parallel_task_cases import parallel_tasks
from properties.parallel_task_instances import (
    huge_parallel_task_instances,
    parallel_task_instances,
    plain,
    tiny_instances,
)
from reference import parallel_tasks_programs as reference
from reference.parallel_tasks_optimum import slot_optimum
from schedcore.bounds import relaxation_bound
from schedcore.bounds.parallel_tasks import (
    WHOLE_TASK,
    Intervals,
    TaskFractions,
    horizon,
    solve_interval_program,
    solve_order_program,
)
from schedcore.bounds.parallel_tasks.interval_layout import layout
from schedcore.bounds.parallel_tasks.interval_prices import Prices, prove
from schedcore.bounds.parallel_tasks.interval_rows import IntervalRows
from schedcore.bounds.parallel_tasks.interval_rules import IntervalRules
from schedcore.bounds.parallel_tasks.order_rows import OrderRows
from schedcore.errors import InfeasibleError, InvalidInstanceError, UnsupportedError
from schedcore.model import usable

RELEASES = ["zero", "whole"]
PROGRAMS = ["lp1", "lp2", "lp3"]
ANY_PRICE = st.floats(-10, 10) | st.sampled_from([0.0, 1e300, -1e300, np.inf, -np.inf, np.nan, 1e-300])


def prices_like(shape: tuple[int, ...], data: st.DataObject, scale: float = 1.0) -> Any:
    """Random prices with a few wild ones among them."""
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    prices = rng.normal(rng.choice([0, 1]), 1, shape) * rng.choice([0, 1, 1e-3, 1e3]) * scale
    if prices.size and data.draw(st.booleans()):
        for _ in range(3):
            prices.flat[data.draw(st.integers(0, prices.size - 1))] = data.draw(ANY_PRICE)
    return prices


def rules_of(instance: schedcore.ParallelTaskInstance, epsilon: Fraction, doubling: bool) -> IntervalRules:
    inst = usable(instance)
    return IntervalRules(inst, Intervals(epsilon, horizon(inst)), doubling=doubling)


# below the optimum


@examples(60)
@given(instance=tiny_instances(min_jobs=1, releases=RELEASES, max_resources=2))
def test_no_bound_exceeds_the_best_schedule_of_its_class(instance: schedcore.ParallelTaskInstance) -> None:
    inst = plain(instance)
    bounds = {"migrate": relaxation_bound(instance, "lp1"), "preempt": relaxation_bound(instance, "lp2")}
    fine = solve_interval_program(instance, epsilon=Fraction(1, 5)).bound
    assert Fraction(fine) <= slot_optimum(inst, "migrate")
    if usable(instance).single_machine:
        bounds["preempt"] = max(bounds["preempt"], relaxation_bound(instance, "lp3"))
        everywhere = solve_order_program(instance, all_machines=True).bound
        assert Fraction(everywhere) <= slot_optimum(inst, "preempt")
    for kind, bound in bounds.items():
        assert Fraction(bound) <= slot_optimum(inst, kind)


@examples(60)
@given(
    instance=tiny_instances(min_jobs=1, releases=RELEASES, max_resources=2),
    epsilon=st.sampled_from([Fraction(1), Fraction(1, 4)]),
    data=st.data(),
)
def test_random_prices_never_prove_more_than_the_optimum_over_intervals(
    instance: schedcore.ParallelTaskInstance, epsilon: Fraction, data: st.DataObject
) -> None:
    inst = plain(instance)
    for doubling, kind in ((False, "migrate"), (True, "preempt")):
        rules = rules_of(instance, Fraction(1) if doubling else epsilon, doubling)
        n = rules.intervals.n_intervals
        work = prices_like((instance.n_machines, instance.n_resources, n), data, 0.1)
        reward = prices_like((instance.n_tasks, n), data)
        time = prices_like((instance.n_tasks, n), data) if data.draw(st.booleans()) else None
        bound = prove(rules, Prices(work, time, reward)).bound
        assert not np.isnan(bound)
        assert bound == -np.inf or Fraction(bound) <= slot_optimum(inst, kind)


@examples(60)
@given(
    instance=parallel_task_instances(min_jobs=1, releases=[*RELEASES, "quarters"], max_resources=2),
    data=st.data(),
)
def test_disturbed_prices_never_prove_more_than_the_value(
    instance: schedcore.ParallelTaskInstance, data: st.DataObject
) -> None:
    for doubling in (False, True):
        value = solve_interval_program(instance, doubling=doubling).details["value"]
        rules = rules_of(instance, Fraction(1), doubling)
        rows = IntervalRows(rules, layout(rules, np.arange(rules.instance.n_placements)))
        row_prices = prices_like((len(rows.program.row_lower),), data)
        assert prove(rules, rows.prices(row_prices)).bound <= value * (1 + 1e-6)


@examples(60)
@given(
    instance=tiny_instances(min_jobs=1, single_machine=True, releases=RELEASES, max_resources=2),
    all_machines=st.booleans(),
    data=st.data(),
)
def test_random_prices_never_prove_more_than_the_optimum_over_orders(
    instance: schedcore.ParallelTaskInstance, all_machines: bool, data: st.DataObject
) -> None:
    rows = OrderRows(usable(instance), all_machines=all_machines)
    bound = rows.prove(prices_like((len(rows.program.row_lower),), data))
    assert not np.isnan(bound)
    assert bound == -np.inf or Fraction(bound) <= slot_optimum(plain(instance), "preempt")


@examples(40)
@given(instance=huge_parallel_task_instances(min_jobs=1, single_machine=True))
def test_bounds_of_huge_tasks_are_below_a_sequence_of_all_tasks(
    instance: schedcore.ParallelTaskInstance,
) -> None:
    finished, end = [Fraction(0)] * instance.n_jobs, 0
    for job, time in zip(instance.task_job.tolist(), instance.placement_time.tolist(), strict=True):
        end += time
        finished[job] = Fraction(end)
    value = sum(
        (Fraction(w) * c for w, c in zip(instance.weight.tolist(), finished, strict=True)), Fraction(0)
    )
    for program in PROGRAMS:
        assert 0 < Fraction(relaxation_bound(instance, program)) <= value


# near the value


@examples(40)
@given(instance=parallel_task_instances(min_jobs=1, single_machine=True, releases=RELEASES))
def test_bounds_come_within_a_millionth_of_the_value(instance: schedcore.ParallelTaskInstance) -> None:
    solutions = [
        solve_interval_program(instance),
        solve_interval_program(instance, doubling=True),
        solve_order_program(instance),
        solve_order_program(instance, all_machines=True),
    ]
    for solution in solutions:
        assert solution.status == "optimal"
        assert solution.bound >= solution.details["value"] * (1 - 1e-6)
    assert solutions[2].bound <= solutions[3].bound * (1 + 1e-6)


@examples(30)
@given(instance=parallel_task_instances(min_jobs=1, releases=[*RELEASES, "quarters"], max_resources=2))
def test_a_bound_is_at_least_what_each_job_takes_alone(instance: schedcore.ParallelTaskInstance) -> None:
    inst = plain(instance)
    alone = Fraction(0)
    for job, (weight, release) in enumerate(zip(inst.weight, inst.release_time, strict=True)):
        alone += weight * (release + max(min(inst.tasks[t].time.values()) for t in inst.tasks_of(job)))
    for program in PROGRAMS if usable(instance).single_machine else PROGRAMS[:2]:
        assert relaxation_bound(instance, program) >= float(alone) * (1 - 1e-9)


@examples(40)
@given(
    instance=parallel_task_instances(min_jobs=1, max_machines=5, single_machine=False),
    machines_per_task=st.integers(1, 3),
    doubling=st.booleans(),
)
def test_few_machines_a_task_prove_a_bound_for_all_machines(
    instance: schedcore.ParallelTaskInstance, machines_per_task: int, doubling: bool
) -> None:
    expected, _ = reference.interval_program(plain(instance), doubling=doubling)
    solution = solve_interval_program(instance, doubling=doubling, machines_per_task=machines_per_task)
    assert solution.status in {"optimal", "restricted"}
    assert expected * (1 - 1.1e-4) <= solution.bound <= expected * (1 + 1e-9)
    assert solution.details["value"] >= expected * (1 - 1e-6)


# whatever the solver did


@pytest.mark.parametrize("solver", ["simplex", "ipm", "pdlp"])
@pytest.mark.parametrize("time_limit", [1e-9, 0.02])
def test_a_program_that_is_not_solved_in_time_has_a_bound(solver: str, time_limit: float) -> None:
    instance = random_instance(60, 8)
    whole = solve_interval_program(instance, doubling=True).details["value"]
    solution = solve_interval_program(instance, doubling=True, solver=solver, time_limit=time_limit)
    assert solution.status in {"time_limit", "optimal"}
    assert 0 < solution.bound <= whole * (1 + 1e-9)
    assert (solution.fractions is None) == (solution.details["value"] == np.inf)

    single = random_instance(150, 10, per_task=1)
    value = solve_order_program(single).details["value"]
    order = solve_order_program(single, solver=solver, time_limit=time_limit)
    assert order.status in {"time_limit", "optimal"}
    assert 0 < order.bound <= value * (1 + 1e-9)


def random_instance(n_jobs: int, n_machines: int, per_task: int = 3) -> schedcore.ParallelTaskInstance:
    rng = np.random.default_rng(1)
    task_job = np.repeat(np.arange(n_jobs), rng.integers(1, 6, n_jobs))
    n_tasks = len(task_job)
    machine = np.sort(rng.random((n_tasks, n_machines)).argsort(axis=1)[:, :per_task], axis=1)
    return schedcore.ParallelTaskInstance(
        weight=rng.integers(1, 10, n_jobs),
        release_time=np.zeros(n_jobs),
        task_job=task_job,
        demand=rng.integers(1, 60, (n_tasks, 1)),
        placement_start=np.arange(n_tasks + 1) * per_task,
        placement_machine=machine.ravel(),
        placement_time=rng.integers(1, 300, n_tasks * per_task),
        machines=schedcore.Machines.identical(n_machines, [100]),
    )


def check_feasible(
    instance: schedcore.ParallelTaskInstance, fractions: TaskFractions, intervals: Intervals, doubling: bool
) -> None:
    total = np.zeros(instance.n_tasks, dtype=np.int64)
    np.add.at(total, fractions.task, fractions.units)
    assert (total == WHOLE_TASK).all()
    key = instance.placement_task * instance.n_machines + instance.placement_machine
    placement = np.searchsorted(key, fractions.task * instance.n_machines + fractions.machine)
    assert (key[placement] == fractions.task * instance.n_machines + fractions.machine).all()
    time = instance.placement_time[placement]
    if doubling:
        assert (time <= intervals.ends[fractions.interval]).all()
    part = fractions.units / WHOLE_TASK
    for interval, end in enumerate(intervals.ends):
        until = fractions.interval <= interval
        busy = np.bincount(fractions.task[until], (part * time)[until], instance.n_tasks)
        assert (busy <= end * (1 + 2e-6)).all()
        for resource in range(instance.n_resources):
            work = part * time * instance.demand[fractions.task, resource]
            used = np.bincount(fractions.machine[until], work[until], instance.n_machines)
            assert (used <= instance.machines.capacity[:, resource] * end * (1 + 2e-6)).all()


@pytest.mark.parametrize("solver", ["simplex", "ipm"])
@pytest.mark.parametrize("doubling", [False, True], ids=["lp1", "lp2"])
def test_fractions_keep_every_limit_to_within_two_millionths(solver: str, doubling: bool) -> None:
    instance = random_instance(40, 6)
    solution = solve_interval_program(instance, doubling=doubling, solver=solver)
    assert solution.fractions is not None
    check_feasible(instance, solution.fractions, solution.intervals, doubling)


@examples(30)
@given(instance=parallel_task_instances(min_jobs=1, max_resources=2), doubling=st.booleans())
def test_fractions_of_small_programs_keep_every_limit(
    instance: schedcore.ParallelTaskInstance, doubling: bool
) -> None:
    solution = solve_interval_program(instance, doubling=doubling)
    assert solution.fractions is not None
    check_feasible(usable(instance), solution.fractions, solution.intervals, doubling)


def test_the_same_program_has_the_same_solution_and_details() -> None:
    instance = random_instance(30, 6)
    for options in ({"solver": "simplex"}, {"solver": "ipm"}, {"machines_per_task": 1}):
        first, second = (solve_interval_program(instance, doubling=True, **options) for _ in range(2))
        assert first.fractions is not None
        assert second.fractions is not None
        assert all((a == b).all() for a, b in zip(first.fractions, second.fractions, strict=True))
        assert (first.bound, first.status, first.details) == (second.bound, second.status, second.details)


# bad input


def test_nothing_to_do_is_solved() -> None:
    empty = parallel_tasks([], [], [[1]])
    solution, order = solve_interval_program(empty), solve_order_program(empty)
    assert (solution.status, solution.bound, order.status, order.bound) == ("optimal", 0.0, "optimal", 0.0)
    assert solution.fractions is not None
    assert len(solution.fractions.task) == 0
    assert [relaxation_bound(empty, program) for program in PROGRAMS] == [0.0] * 3


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"solver": "simplx"}, "did you mean 'simplex'"),
        ({"time_limit": 0}, "time_limit = 0 must be finite and above 0"),
        ({"time_limit": float("nan")}, "time_limit = nan must be finite and above 0"),
        ({"machines_per_task": 0}, "machines_per_task = 0 must be at least 1"),
    ],
)
def test_options_outside_their_range_are_refused(options: dict[str, Any], match: str) -> None:
    with pytest.raises(InvalidInstanceError, match=match):
        solve_interval_program(random_instance(2, 3), **options)


def test_what_a_program_cannot_take_is_refused() -> None:
    instance = random_instance(2, 3)
    with pytest.raises(UnsupportedError, match="task 0 of job 0 may run on several machines"):
        solve_order_program(instance)
    with pytest.raises(InvalidInstanceError, match="unknown program 'lp4'"):
        relaxation_bound(instance, "lp4")
    large = parallel_tasks([1], [(0, [2], {0: 1})], [[1]])
    for program in PROGRAMS:
        with pytest.raises(InfeasibleError, match="task 0 of job 0 fits none"):
            relaxation_bound(large, program)
