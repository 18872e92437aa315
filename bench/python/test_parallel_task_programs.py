"""The linear programs of jobs of parallel tasks, one core: building, solving, and what comes after, each by itself.

The stand-in of the Google trace: 1000 jobs of some ten tasks on 200 machines. The goals: LP3 within 60 seconds, LP2
with 13 machines a task within 10 minutes. That a value is right is what the bound proves, which has to come within a
millionth.
"""

from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
import pytest

import schedcore
from schedcore.bounds.linear_solver import solve_linear
from schedcore.bounds.parallel_tasks import (
    WHOLE_TASK,
    Intervals,
    horizon,
    solve_interval_program,
    solve_order_program,
)
from schedcore.bounds.parallel_tasks.interval_layout import layout
from schedcore.bounds.parallel_tasks.interval_prices import prove
from schedcore.bounds.parallel_tasks.interval_rows import IntervalRows
from schedcore.bounds.parallel_tasks.interval_rules import IntervalRules
from schedcore.bounds.parallel_tasks.order_rows import OrderRows
from schedcore.workloads import parallel_task_standin

N_JOBS, N_MACHINES, N_LOCAL, N_REMOTE = 1000, 200, 3, 10
SEED = 1
LP2_GOAL_SECONDS, LP3_GOAL_SECONDS = 600, 60


@lru_cache(maxsize=1)
def single() -> schedcore.ParallelTaskInstance:
    return parallel_task_standin(N_JOBS, N_MACHINES, SEED, load=None)


@lru_cache(maxsize=1)
def thirteen_machines() -> schedcore.ParallelTaskInstance:
    """The local machines of each task and ten of the others."""
    drawn = parallel_task_standin(
        N_JOBS, N_MACHINES, SEED, placement="local_remote", n_local=N_LOCAL, load=None
    )
    key = np.random.default_rng(SEED).random(drawn.n_placements) - drawn.placement_local
    rank = key.reshape(drawn.n_tasks, N_MACHINES).argsort(axis=1).argsort(axis=1)
    kept = np.flatnonzero(rank.ravel() < N_LOCAL + N_REMOTE)
    return schedcore.ParallelTaskInstance(
        weight=drawn.weight,
        release_time=drawn.release_time,
        task_job=drawn.task_job,
        demand=drawn.demand,
        placement_start=np.arange(drawn.n_tasks + 1) * (N_LOCAL + N_REMOTE),
        placement_machine=drawn.placement_machine[kept],
        placement_time=drawn.placement_time[kept],
        placement_local=drawn.placement_local[kept],
        machines=drawn.machines,
        remote_penalty=drawn.remote_penalty,
    )


@lru_cache(maxsize=1)
def rules() -> IntervalRules:
    inst = thirteen_machines()
    return IntervalRules(inst, Intervals(Fraction(1), horizon(inst)), doubling=True)


def rows(placements: str) -> IntervalRows:
    """The program of LP2 over local machines only, or over all thirteen."""
    local = rules().instance.placement_local
    return IntervalRows(rules(), layout(rules(), np.flatnonzero(local | (placements == "all"))))


@pytest.mark.parametrize("placements", ["local", "all"], ids=["3-machines", "13-machines"])
def test_lp2_is_built(placements: str, benchmark: Any) -> None:
    benchmark.group = "LP2, n1000-M200"
    rules()
    model = benchmark.pedantic(lambda: rows(placements).program.model(), rounds=2, iterations=1)
    assert model.num_col_ > rules().instance.n_tasks * (
        N_LOCAL if placements == "local" else N_LOCAL + N_REMOTE
    )


def test_lp2_is_solved_and_proven_for_13_machines(benchmark: Any) -> None:
    benchmark.group = "LP2, n1000-M200"
    benchmark.extra_info["goal_seconds"] = LP2_GOAL_SECONDS
    inst = thirteen_machines()
    solution = benchmark.pedantic(
        solve_interval_program, args=(inst,), kwargs={"doubling": True}, rounds=1, iterations=1
    )
    assert solution.status == "optimal"
    assert solution.details["value"] * (1 - 1e-6) <= solution.bound
    benchmark.extra_info.update(solution.details)


def test_lp2_values_become_fractions_and_a_bound(benchmark: Any) -> None:
    benchmark.group = "LP2, n1000-M200"
    program = rows("local")
    found = solve_linear(program.program, "ipm", np.inf, is_small=False)
    values, prices = found.values, found.row_prices
    assert values is not None
    assert prices is not None

    def clean_up() -> tuple[Any, float]:
        return program.fractions(values), prove(rules(), program.prices(prices)).bound

    fractions, bound = benchmark.pedantic(clean_up, rounds=3, iterations=1)
    assert np.bincount(fractions.task, fractions.units).min() == WHOLE_TASK
    assert program.value(values) * (1 - 1e-3) <= bound  # for all machines, by prices of the local ones


def test_lp3_is_built(benchmark: Any) -> None:
    benchmark.group = "LP3, n1000-M200"
    instance = single()

    def build() -> Any:
        return OrderRows(instance, all_machines=False).program.model()

    assert benchmark.pedantic(build, rounds=3, iterations=1).num_col_ > N_JOBS


def test_lp3_is_solved_and_proven(benchmark: Any) -> None:
    benchmark.group = "LP3, n1000-M200"
    benchmark.extra_info["goal_seconds"] = LP3_GOAL_SECONDS
    solution = benchmark.pedantic(solve_order_program, args=(single(),), rounds=1, iterations=1)
    assert solution.status == "optimal"
    assert solution.details["value"] * (1 - 1e-6) <= solution.bound
    benchmark.extra_info.update(solution.details)
