"""SynchPack-2: the facts that its factor of 24 rests on, for any fractions and for those of its program."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from parallel_task_cases import drawn_tasks
from schedcore import _core
from schedcore.algorithms.parallel_tasks.batch_plan import batch_plan
from schedcore.algorithms.parallel_tasks.synchpack2 import synchpack2
from schedcore.bounds.parallel_tasks import (
    WHOLE_TASK,
    Intervals,
    TaskFractions,
    horizon,
    solve_interval_program,
)
from schedcore.model import ParallelTaskInstance, validate


def drawn_rows(instance: ParallelTaskInstance, seed: int) -> list[list[int]]:
    """Fractions of any kind, in intervals that do not end before the processing time."""
    random = np.random.default_rng(seed)
    n_intervals = Intervals(Fraction(1), horizon(instance)).n_intervals
    rows = []
    for task in range(instance.n_tasks):
        placements = range(instance.placement_start[task], instance.placement_start[task + 1])
        cells = [
            (int(instance.placement_machine[placement]), interval)
            for placement in placements
            for interval in range(n_intervals)
            if instance.placement_time[placement] <= 2**interval
        ]
        chosen = random.permutation(len(cells))[: random.integers(1, 5)]
        shares = random.integers(1, WHOLE_TASK // 5, len(chosen))
        shares[0] = WHOLE_TASK - int(shares[1:].sum())
        name = int(instance.task_job[task]), int(instance.task_number[task])
        rows += [[*name, *cells[cell], int(share)] for cell, share in zip(chosen, shares, strict=True)]
    return rows


@pytest.mark.parametrize("cap", ["task", "machine"])
@pytest.mark.parametrize("order", ["index", "lp"])
@pytest.mark.parametrize("n_resources", [1, 3])
def test_any_fractions_give_a_schedule_in_one_piece(cap: Any, order: Any, n_resources: int) -> None:
    for seed in range(12):
        instance = drawn_tasks(seed, n_resources)
        rows = drawn_rows(instance, seed)
        for lam in ("derand", "random", 0.4, 1e-9):
            packed, shifted = (
                synchpack2(instance, lam=lam, seed=seed, cap=cap, order=order, lp_solution=rows, shift=shift)
                for shift in (False, True)
            )
            for result in (packed, shifted):
                validate(instance, result.schedule, kind="nonpreempt", raise_on_error=True)
            assert (shifted.completion_time <= packed.completion_time).all()


@pytest.mark.parametrize("seed", range(25))
def test_the_facts_behind_the_guarantee_hold_for_every_lambda(seed: int) -> None:
    instance = drawn_tasks(100 + seed)
    solution = solve_interval_program(instance, doubling=True)
    assert solution.fractions is not None
    random = np.random.default_rng(seed)
    proxies = []
    for lambda_units in (None, WHOLE_TASK, *(int(units) for units in random.integers(1, WHOLE_TASK, 4))):
        plan = batch_plan(
            instance, solution.fractions, solution.intervals,
            lambda_units=lambda_units, cap="task", order="index",
        )  # fmt: skip
        check_batches(instance, solution.fractions, solution.intervals, plan)
        task, _, _, end = plan.pieces
        completion = np.zeros(instance.n_jobs)
        np.maximum.at(completion, instance.task_job[task], end)
        assert float(instance.weight @ completion) <= 12 * plan.proxy * (1 + 1e-6)
        proxies.append(plan.proxy)
    assert proxies[0] <= min(proxies) * (1 + 1e-12)
    assert proxies[0] <= 2 * solution.bound * (1 + 1e-5)
    assert synchpack2(instance, shift=False).ratio() <= 24


def check_batches(
    instance: ParallelTaskInstance, fractions: TaskFractions, intervals: Intervals, plan: Any
) -> None:
    """Volume, length and end of every batch, in the units of lambda where they are whole numbers."""
    lam = plan.lambda_units
    capped = _core.parallel_tasks.cap_fractions(*fractions, lam, "task")
    last = np.zeros(instance.n_tasks, dtype=np.int64)
    np.maximum.at(last, capped[0], capped[2])
    done = np.zeros((instance.n_tasks, intervals.n_intervals), dtype=np.int64)
    np.add.at(done, (fractions.task, fractions.interval), fractions.units)
    by_job = [done[instance.task_job == job].cumsum(axis=1).min(axis=0) for job in range(instance.n_jobs)]
    reached = np.array([int(np.argmax(row >= lam)) for row in by_job])
    assert (last <= np.maximum(reached, 1)[instance.task_job]).all()

    task, machine, start, end = plan.pieces
    time = (end - start).astype(np.int64)
    volume = time * instance.demand[task, 0]
    assert (time <= 2 ** plan.interval_of_task[task]).all()
    for i, interval in set(zip(machine.tolist(), plan.interval_of_task[task].tolist(), strict=True)):
        batch = (machine == i) & (plan.interval_of_task[task] == interval)
        ends = 2**interval
        capacity = int(instance.machines.capacity[i, 0])
        total = int(volume[batch].sum())
        here = (capped[1] == i) & (capped[2] == interval)
        of_fractions = sum(
            int(units) * int(instance.demand[t, 0]) * time_on(instance, int(t), i)
            for t, units in zip(capped[0][here], capped[3][here], strict=True)
        )
        assert total * lam <= capacity * ends * lam + of_fractions
        length = end[batch].max() - start[batch].min()
        assert capacity * length <= 2 * max(capacity * ends, total)
        # the program keeps its capacities to within its tolerance only
        assert end[batch].max() <= (4 * ends + 2 * ends * WHOLE_TASK / lam) * (1 + 1e-6)


def time_on(instance: ParallelTaskInstance, task: int, machine: int) -> int:
    first, behind = instance.placement_start[task : task + 2]
    return int(instance.placement_time[first:behind][instance.placement_machine[first:behind] == machine][0])
