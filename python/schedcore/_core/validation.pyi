from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from . import _Float64Array, _Int64Array
from .model import ParallelTasks, SlotTasks

def find_first_violation(
    release_time: _Float64Array,
    processing_time: _Float64Array,
    demand: _Int64Array,
    capacity: _Int64Array,
    start_time: _Float64Array,
    machine: _Int64Array,
) -> tuple[str, int, int, float, int, int] | None: ...
def find_first_task_violation(
    tasks: ParallelTasks,
    job: _Int64Array,
    task: _Int64Array,
    machine: _Int64Array,
    start: _Float64Array,
    end: _Float64Array,
    kind: str,
) -> tuple[str, int, int, int, float, int, int, float] | None: ...
def find_first_slot_violation(
    tasks: SlotTasks,
    job: _Int64Array,
    task: _Int64Array,
    machine: _Int64Array,
    start: _Float64Array,
    end: _Float64Array,
    cores: _Int64Array,
    complete: bool,
) -> tuple[str, int, int, int, float, int, int] | None: ...
def find_first_run_violation(
    release_time: _Float64Array,
    processing_time: _Float64Array,
    demand: _Int64Array,
    capacity: _Int64Array,
    job: _Int64Array,
    attempt: _Int64Array,
    start_time: _Float64Array,
    end_time: _Float64Array,
    outcome: _Int64Array,
    first_place: _Int64Array,
    machine: _Int64Array,
    place_n_tasks: _Int64Array,
    *,
    n_tasks: _Int64Array | None = None,
    max_tasks: _Int64Array | None = None,
    exclusive: NDArray[np.bool_] | None = None,
    machine_set: _Int64Array | None = None,
    allowed: NDArray[np.bool_] | None = None,
    checkpoint_interval: _Float64Array | None = None,
    restart_cost: _Float64Array | None = None,
    first_awaited: _Int64Array | None = None,
    awaited_job: _Int64Array | None = None,
    awaited: _Int64Array | None = None,
    outages: tuple[_Int64Array, _Float64Array, _Float64Array] | None = None,
    failures: tuple[_Int64Array, _Float64Array, _Float64Array] | None = None,
    cancellation: _Float64Array | None = None,
    killed: str = "requeue",
    job_outcome: _Int64Array | None = None,
    forbidden: NDArray[np.bool_] | None = None,
    level: _Int64Array | None = None,
    preemptible: NDArray[np.bool_] | None = None,
    limits: Sequence[tuple[_Int64Array, int, str, int, int]] = [],
    preempt: str | None = None,
) -> tuple[str, int, int, int, float, int, int, float, int] | None: ...
