"""Policies of jobs that may use some machines only, for another time on each, against the reference implementations."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import schedcore
from engine.task_driver import TaskDriver
from parallel_task_cases import parallel_tasks
from reference.bf_exec import bf_exec
from reference.online_pq import ca_pq, pq
from reference.plain_instance import PlainInstance
from reference.tetris import tetris
from strategies import instances

POLICIES: list[tuple[str, dict[str, Any], Any]] = [
    ("pq", {"heuristic": "wsvf"}, lambda plain: pq(plain, "wsvf")),
    ("pq", {"heuristic": "erf"}, lambda plain: pq(plain, "erf")),
    ("ca_pq", {"heuristic": "sjf"}, lambda plain: ca_pq(plain, "sjf")),
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
    slower = draw(st.sampled_from([[0], [0, 0, 1, 5]]))
    time_on = []
    for demand, shortest in zip(plain.demand, plain.processing_time, strict=True):
        holds = {
            i
            for i, capacity in enumerate(plain.capacities)
            if all(d <= c for d, c in zip(demand, capacity, strict=True))
        }
        allowed = sorted((draw(st.sampled_from(sets)) & holds) or holds)
        more = {machine: draw(st.sampled_from(slower)) for machine in allowed}
        more[draw(st.sampled_from(allowed))] = 0
        time_on.append({machine: shortest + more[machine] for machine in allowed})
    tasks = parallel_tasks(
        plain.weight,
        [
            (job, plain.demand[job], {machine: int(time) for machine, time in time_on[job].items()})
            for job in range(plain.n_jobs)
        ],
        plain.capacities,
        release_time=plain.release_time,
    )
    return tasks, replace(plain, time_on=time_on)


def crowd(seed: int) -> tuple[schedcore.ParallelTaskInstance, PlainInstance]:
    """Some hundred jobs that arrive at two instants, each for one to three of many machines or for all of them."""
    random = np.random.default_rng(seed)
    n_jobs, n_machines = 130, 90
    capacities = random.integers(6, 10, (n_machines, 2)).tolist()
    rows: list[tuple[int, list[int], dict[int, int]]] = []
    for job in range(n_jobs):
        size = n_machines if random.random() < 0.1 else int(random.integers(1, 4))
        allowed = sorted(random.permutation(n_machines)[:size].tolist())
        rows.append(
            (job, random.integers(1, 7, 2).tolist(), {i: int(random.integers(1, 20)) for i in allowed})
        )
    plain = PlainInstance(
        processing_time=[float(min(time.values())) for _, _, time in rows],
        weight=random.integers(1, 5, n_jobs).astype(float).tolist(),
        release_time=sorted((5.0 * random.integers(0, 2, n_jobs)).tolist()),
        demand=[demand for _, demand, _ in rows],
        capacities=capacities,
        time_on=[{i: float(time) for i, time in times.items()} for _, _, times in rows],
    )
    return parallel_tasks(plain.weight, rows, capacities, release_time=plain.release_time), plain


def check_against_reference(
    name: str,
    options: dict[str, Any],
    reference: Any,
    tasks: schedcore.ParallelTaskInstance,
    plain: PlainInstance,
) -> None:
    if name == "ca_pq":
        options = {**options, "last_release_time": max(plain.release_time, default=0.0)}
    run = TaskDriver(schedcore.OnlineScheduler(name, tasks.machines, **options), tasks).run()
    expected = reference(plain)
    assert run.start_time == expected.start_time
    assert run.machine == expected.machine


policies = pytest.mark.parametrize(
    ("name", "options", "reference"), POLICIES, ids=lambda value: str(value)[:20]
)


@policies
@pytest.mark.parametrize("seed", range(3))
def test_many_jobs_for_few_of_many_machines_start_as_in_the_reference(
    name: str, options: dict[str, Any], reference: Any, seed: int
) -> None:
    check_against_reference(name, options, reference, *crowd(seed))


@policies
@given(drawn=restricted())
def test_equals_the_reference(
    name: str,
    options: dict[str, Any],
    reference: Any,
    drawn: tuple[schedcore.ParallelTaskInstance, PlainInstance],
) -> None:
    check_against_reference(name, options, reference, *drawn)
