"""Policies of jobs that may use some machines only, against the reference implementations."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import schedcore
from engine.task_driver import TaskDriver
from parallel_task_cases import parallel_tasks
from reference.bf_exec import bf_exec
from reference.online_pq import pq
from reference.plain_instance import PlainInstance
from reference.tetris import tetris
from strategies import instances

POLICIES: list[tuple[str, dict[str, Any], Any]] = [
    ("pq", {"heuristic": "wsvf"}, lambda plain: pq(plain, "wsvf")),
    ("pq", {"heuristic": "erf"}, lambda plain: pq(plain, "erf")),
    ("tetris", {}, tetris),
    ("tetris", {"mode": "minus"}, lambda plain: tetris(plain, "minus")),
    ("bf_exec", {}, bf_exec),
]


@st.composite
def restricted(draw: st.DrawFn) -> tuple[schedcore.ParallelTaskInstance, PlainInstance]:
    """Jobs of one task each that share few sets of machines, as tasks and for the references."""
    instance = draw(instances(max_jobs=14, max_machines=5, max_resources=3))
    plain = PlainInstance.from_instance(instance)
    everywhere = set(range(plain.n_machines))
    sets = [everywhere, *draw(st.lists(st.sets(st.sampled_from(sorted(everywhere)), min_size=1), max_size=3))]
    allowed = []
    for demand in plain.demand:
        holds = {
            i
            for i, capacity in enumerate(plain.capacities)
            if all(d <= c for d, c in zip(demand, capacity, strict=True))
        }
        allowed.append((draw(st.sampled_from(sets)) & holds) or holds)
    tasks = parallel_tasks(
        plain.weight,
        [
            (job, plain.demand[job], {machine: int(plain.processing_time[job]) for machine in allowed[job]})
            for job in range(plain.n_jobs)
        ],
        plain.capacities,
        release_time=plain.release_time,
    )
    return tasks, replace(plain, allowed=allowed)


@pytest.mark.parametrize(("name", "options", "reference"), POLICIES, ids=lambda value: str(value)[:20])
@given(drawn=restricted())
def test_equals_the_reference(
    name: str,
    options: dict[str, Any],
    reference: Any,
    drawn: tuple[schedcore.ParallelTaskInstance, PlainInstance],
) -> None:
    tasks, plain = drawn
    run = TaskDriver(schedcore.OnlineScheduler(name, tasks.machines, **options), tasks).run()
    expected = reference(plain)
    assert run.start_time == expected.start_time
    assert run.machine == expected.machine
