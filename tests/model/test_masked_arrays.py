"""A masked entry is a missing value: whatever takes numbers refuses it by name; nothing reads below the mask."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import schedcore
from schedcore import (
    ColocationInstance,
    Instance,
    InvalidInstanceError,
    Jobs,
    Machines,
    MapReduceInstance,
    OnlineScheduler,
    ParallelTaskInstance,
    PolicyError,
    Schedule,
)
from schedcore.model import Assignment, PreemptiveSchedule


def masked(values: list[Any]) -> np.ma.MaskedArray[Any, Any]:
    """The values, of which the last one is masked."""
    array = np.ma.array(values)
    array[(-1,) * array.ndim] = np.ma.masked
    return array


def parallel_tasks(**changes: Any) -> ParallelTaskInstance:
    columns: dict[str, Any] = {
        "weight": [1.0, 1.0],
        "release_time": [0, 0],
        "machines": Machines([[4]]),
        "task_job": [0, 1],
        "demand": [[1], [2]],
        "placement_start": [0, 1, 2],
        "placement_machine": [0, 0],
        "placement_time": [3, 4],
    }
    return ParallelTaskInstance(**(columns | changes))


def map_reduce(**changes: Any) -> MapReduceInstance:
    names = ("map_tasks", "map_cores", "map_time", "reduce_tasks", "reduce_cores", "reduce_time")
    columns: dict[str, Any] = {"release_time": [0, 1], "machines": Machines([[4]])}
    return MapReduceInstance(**(columns | {name: [1, 1] for name in names} | changes))


ONE = Instance(Jobs([1.0, 2.0], [[1], [1]]), Machines([[2]]))

TAKERS: dict[str, tuple[Callable[[Any], object], list[Any]]] = {
    "processing_time": (lambda v: Jobs(v, [[1], [1]]), [1.0, 2.0]),
    "demand": (lambda v: Jobs([1.0, 2.0], v), [[1], [2]]),
    "real demand": (lambda v: Jobs([1.0, 2.0], v, resolution=100), [[0.1], [0.2]]),
    "release_time": (lambda v: Jobs([1.0, 2.0], [[1], [1]], release_time=v), [1, 2]),
    "weight": (lambda v: Jobs([1.0, 2.0], [[1], [1]], weight=v), [1.0, 2.0]),
    "id": (lambda v: Jobs([1.0, 2.0], [[1], [1]], id=v), [7, 8]),
    "estimate": (lambda v: Jobs([1.0, 2.0], [[1], [1]], estimated_processing_time=v), [7, 8]),
    "selection": (lambda v: ONE.jobs[v], [0, 1]),
    "capacity": (Machines, [[1], [2]]),
    "start_time": (lambda v: Schedule(v, [0, 0]), [0.0, 1.0]),
    "machine": (lambda v: Schedule([0.0, 1.0], v), [0, 0]),
    "assignment": (Assignment, [0, 0]),
    "piece": (lambda v: PreemptiveSchedule([0, 1], [0, 0], [0, 0], v, [1, 2]), [0, 1]),
    "size": (lambda v: ColocationInstance(v, [0, 0], [[1]], n_machines=1), [1, 2]),
    "alpha": (lambda v: ColocationInstance([1, 2], [0, 0], v, n_machines=1), [[1, 2], [3, 4]]),
    "task_job": (lambda v: parallel_tasks(task_job=v), [0, 1]),
    "placement_time": (lambda v: parallel_tasks(placement_time=v), [3, 4]),
    "placement_local": (lambda v: parallel_tasks(placement_local=v), [True, False]),
    "map_tasks": (lambda v: map_reduce(map_tasks=v), [1, 2]),
    "take_jobs": (lambda v: map_reduce().take_jobs(v), [0, 1]),
    "take_jobs of tasks": (lambda v: parallel_tasks().take_jobs(v), [0, 1]),
    "partition": (lambda v: schedcore.partition(v, 2), [3, 4]),
    "knapsack": (lambda v: schedcore.knapsack([1.0, 2.0], v, 3), [1, 2]),
    "key": (lambda v: schedcore.solve("pq", ONE, heuristic=v), [1.0, 2.0]),
    "submitted ids": (lambda v: scheduler().submit(ONE.jobs, 0.0, ids=v), [5, 6]),
    "completed ids": (lambda v: running().complete(v, 1.0), [0, 1]),
}


def scheduler() -> OnlineScheduler:
    return OnlineScheduler("pq", Machines([[2]]))


def running() -> OnlineScheduler:
    started = scheduler()
    started.submit(ONE.jobs, 0.0)
    started.advance(0.0)
    return started


@pytest.mark.parametrize("name", TAKERS)
def test_masked_entries_are_refused_and_an_empty_mask_is_none(name: str) -> None:
    take, values = TAKERS[name]
    take(np.ma.array(values))
    with pytest.raises(InvalidInstanceError, match="is masked; every entry needs a value"):
        take(masked(values))


@pytest.mark.parametrize("name", ["demand", "capacity", "alpha"])
def test_masked_rows_of_a_list_are_refused(name: str) -> None:
    take, values = TAKERS[name]
    take([np.ma.array(row) for row in values])
    with pytest.raises(InvalidInstanceError, match=r"\[1\]\[\d\] is masked"):
        take([np.ma.array(values[0]), masked(values[1])])


def test_the_masked_constant_is_refused_in_any_list() -> None:
    for start_time in ([0.0, np.ma.masked], np.ma.masked):
        with pytest.raises(InvalidInstanceError, match="masked"):
            Schedule(start_time, [0, 0])
    with pytest.raises(InvalidInstanceError, match=r"demand\[1\]\[0\] is masked"):
        Jobs([1.0, 2.0], [[1], [np.ma.masked]])


def test_what_a_priority_callable_masks_is_an_error_of_the_callable() -> None:
    with pytest.raises(PolicyError, match="masked"):
        schedcore.solve("pq", ONE, heuristic=lambda jobs: masked([1.0] * jobs.n_jobs))
