"""Instances of parallel-task jobs, and solutions of their linear programs: few tasks, many ties, every odd shape.

Sizes and times come from short ranges, so that tasks tie and machines fill exactly; machines differ; a machine of a
placement set may be too small for the task, which algorithms have to pass over. Solutions are any division of the tasks
over machines and intervals, feasible or not: what follows the linear program must cope with both.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
from hypothesis import strategies as st

import schedcore
from parallel_task_cases import Row, parallel_tasks
from reference.parallel_tasks_fractions import UNIT, Share, cleaned, interval_ends
from reference.parallel_tasks_instance import PlainTasks
from reference.parallel_tasks_programs import interval_program

WEIGHTS = [1.0, 2.0, 3.0, 5.0, 0.1, 0.5, 1 / 3]
PENALTIES = [1.0, 1.25, 2.0, 3.0]
# C_j of which some tie to six decimals and some just do not
COMPLETIONS = st.integers(0, 40).map(lambda c: c / 4) | st.sampled_from([2.0, 2.0000004, 2.0000006, 1e9 / 7])


def plain(instance: schedcore.ParallelTaskInstance) -> PlainTasks:
    return PlainTasks.from_instance(instance)


@st.composite
def _demands(draw: st.DrawFn, capacity: Sequence[int]) -> list[int]:
    """What fits into the capacity, often all of it; above 0 somewhere."""
    demand = [draw(st.integers(0, c) | st.sampled_from([c, (c + 1) // 2])) for c in capacity]
    if not any(demand):
        positive = [r for r, c in enumerate(capacity) if c]
        demand[draw(st.sampled_from(positive))] = 1
    return demand


@st.composite
def parallel_task_instances(
    draw: st.DrawFn,
    *,
    min_jobs: int = 0,
    max_jobs: int = 4,
    max_tasks: int = 3,
    max_machines: int = 3,
    max_resources: int = 1,
    single_machine: bool | None = None,
    longest: int | None = None,
    largest_capacity: int = 10,
    releases: Sequence[str] = ("zero",),
    largest_release: int = 12,
    too_small_machines: bool = True,
) -> schedcore.ParallelTaskInstance:
    """`releases` are drawn from "zero", "whole" and "quarters"; `single_machine` gives each task one machine."""
    n_machines = draw(st.integers(1, max_machines))
    n_resources = draw(st.integers(1, max_resources))
    capacity = [
        [draw(st.integers(1, largest_capacity)) for _ in range(n_resources)] for _ in range(n_machines)
    ]
    bound = draw(st.sampled_from([1, 3, 12])) if longest is None else longest
    times = st.integers(1, bound)
    one_each = draw(st.booleans()) if single_machine is None else single_machine
    rows: list[Row] = []
    n_jobs = draw(st.integers(min_jobs, max_jobs))
    for job in range(n_jobs):
        for _ in range(draw(st.integers(1, max_tasks))):
            first = draw(st.integers(0, n_machines - 1))
            demand = draw(_demands(capacity[first]))
            others = [] if one_each else draw(st.lists(st.integers(0, n_machines - 1), max_size=2))
            if not too_small_machines:
                others = [i for i in others if all(d <= c for d, c in zip(demand, capacity[i], strict=True))]
            rows.append((job, demand, {i: draw(times) for i in {first, *others}}))
    kind = draw(st.sampled_from(list(releases)))
    whole = st.integers(0, largest_release)
    release = {
        "zero": st.just(0.0),
        "whole": whole.map(float),
        "quarters": st.integers(0, 4 * largest_release).map(lambda r: r / 4),
    }[kind]
    local = None
    if draw(st.booleans()):
        local = [sorted(draw(st.sets(st.sampled_from(sorted(time))))) for _, _, time in rows]
    return parallel_tasks(
        [draw(st.sampled_from(WEIGHTS)) for _ in range(n_jobs)],
        rows,
        capacity,
        release_time=[draw(release) for _ in range(n_jobs)],
        local=local,
        remote_penalty=draw(st.sampled_from(PENALTIES)),
    )


def huge_parallel_task_instances(**limits: Any) -> st.SearchStrategy[schedcore.ParallelTaskInstance]:
    """Processing times up to 2**40."""
    return parallel_task_instances(**{"longest": 2**40, **limits})


def tiny_instances(
    *, most_tasks: int = 4, **limits: Any
) -> st.SearchStrategy[schedcore.ParallelTaskInstance]:
    """Few and short enough for the exact optimum, which is found by looking at all schedules."""
    small = {"max_jobs": 3, "max_tasks": 2, "max_machines": 2, "longest": 3, "largest_release": 3}
    return parallel_task_instances(**{**small, **limits}).filter(lambda drawn: drawn.n_tasks <= most_tasks)


@st.composite
def divisions(draw: st.DrawFn, n_parts: int, *, tidy: bool = True) -> list[int]:
    """10**9 units in parts of at least 100: whole percents, or (not `tidy`) whatever adds up."""
    if n_parts == 1:
        return [UNIT]
    smallest, step = (1, UNIT // 100) if tidy else (100, 1)
    spare = UNIT // step - smallest * n_parts
    cuts = sorted(draw(st.integers(0, spare)) for _ in range(n_parts - 1))
    edges = [0, *cuts, spare]
    return [(after - before + smallest) * step for before, after in pairwise(edges)]


@st.composite
def shares_of(
    draw: st.DrawFn,
    instance: PlainTasks,
    *,
    tasks: Sequence[int] | None = None,
    epsilon: Fraction = Fraction(1),
    doubling: bool = False,
    tidy: bool = True,
) -> list[Share]:
    """Any division of the tasks (all by default) over their machines and intervals, as a program might answer."""
    chosen = range(len(instance.tasks)) if tasks is None else tasks
    horizon = max(
        (sum(instance.tasks[t].time.get(i, 0) for t in chosen) for i in range(instance.n_machines)),
        default=0,
    )
    ends = interval_ends(horizon, epsilon)
    shares = []
    for t in chosen:
        cells = [
            (i, q)
            for i, time in instance.tasks[t].time.items()
            for q, end in enumerate(ends)
            if not (doubling and time > end)
        ]
        used = draw(st.lists(st.sampled_from(cells), min_size=1, max_size=min(4, len(cells)), unique=True))
        parts = draw(divisions(len(used), tidy=tidy))
        shares += [Share(q, t, i, units) for (i, q), units in zip(used, parts, strict=True)]
    return sorted(shares)


def solved_shares(
    instance: PlainTasks, epsilon: Fraction = Fraction(1), *, doubling: bool = False
) -> list[Share]:
    """The cleaned solution of LP1 or LP2, one resource only."""
    return cleaned(interval_program(instance, epsilon, doubling=doubling)[1])


def solution_rows(instance: schedcore.ParallelTaskInstance, shares: Sequence[Share]) -> Any:
    """Shares as ``lp_solution`` wants them: job, number, machine, interval, units."""
    rows = [
        (instance.task_job[s.task], instance.task_number[s.task], s.machine, s.interval, s.units)
        for s in shares
    ]
    return np.array(rows, dtype=np.int64).reshape(len(rows), 5)


def completions(instance: schedcore.ParallelTaskInstance) -> st.SearchStrategy[list[float]]:
    """C_j for SynchPack-3: any order of the jobs."""
    return st.lists(COMPLETIONS, min_size=instance.n_jobs, max_size=instance.n_jobs)
