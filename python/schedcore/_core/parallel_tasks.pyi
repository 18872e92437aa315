from collections.abc import Callable

from . import _Float64Array, _Int64Array
from .engine import Policy
from .model import ParallelTasks

class FractionSchedule:
    def __init__(
        self,
        tasks: ParallelTasks,
        task: _Int64Array,
        machine: _Int64Array,
        interval: _Int64Array,
        units: _Int64Array,
        n_intervals: int,
        progress: Callable[[int, int], object] | None,
    ) -> None: ...
    def tau(self) -> _Int64Array: ...
    def pieces(self) -> tuple[_Int64Array, _Int64Array, _Int64Array]: ...
    def best_lambda(self) -> tuple[float, float]: ...
    def slow_motion(
        self, lam: float | None, cap: str, shift: bool
    ) -> tuple[_Int64Array, _Int64Array, _Float64Array, _Float64Array]: ...

def shift_left(
    tasks: ParallelTasks, task: _Int64Array, machine: _Int64Array, start: _Float64Array, end: _Float64Array
) -> tuple[_Int64Array, _Int64Array, _Float64Array, _Float64Array]: ...
def cap_fractions(
    task: _Int64Array,
    machine: _Int64Array,
    interval: _Int64Array,
    units: _Int64Array,
    lambda_units: int,
    cap: str,
) -> tuple[_Int64Array, _Int64Array, _Int64Array, _Int64Array, int]: ...
def mapping_edges(
    tasks: ParallelTasks,
    task: _Int64Array,
    machine: _Int64Array,
    interval: _Int64Array,
    units: _Int64Array,
    whole: int,
) -> tuple[_Int64Array, _Int64Array, _Int64Array, _Int64Array, _Int64Array]: ...
def map_tasks(
    tasks: ParallelTasks,
    task: _Int64Array,
    machine: _Int64Array,
    interval: _Int64Array,
    units: _Int64Array,
    whole: int,
) -> tuple[_Int64Array, _Int64Array]: ...
def lambda_of_smallest_proxy(progress: _Int64Array, weight: _Float64Array) -> int: ...
def completion_ranks(progress: _Int64Array) -> _Int64Array: ...
def pack_batches(
    tasks: ParallelTasks, machine: _Int64Array, interval: _Int64Array, job_rank: _Int64Array
) -> tuple[_Int64Array, _Int64Array, _Float64Array, _Float64Array]: ...
def place_plan(
    tasks: ParallelTasks,
    running: tuple[_Int64Array, _Int64Array, _Float64Array, _Float64Array],
    plan: tuple[_Int64Array, _Int64Array, _Float64Array, _Float64Array],
    begin: float,
) -> tuple[_Int64Array, _Int64Array, _Float64Array, _Float64Array]: ...
def task_tetris_preemptive(
    tasks: ParallelTasks,
    *,
    scale: float | None,
    remote: str,
    progress: Callable[[int, int], object] | None = None,
) -> tuple[_Int64Array, _Int64Array, _Float64Array, _Float64Array]: ...
def simulate_tasks(
    policy: Policy, tasks: ParallelTasks, progress: Callable[[int, int], object] | None = None
) -> tuple[_Int64Array, _Int64Array, _Float64Array, _Float64Array]: ...

class TaskTetrisPolicy(Policy):
    def __init__(self, *, scale: float | None, remote: str, remote_penalty: float) -> None: ...

class JoinShortestQueuePolicy(Policy):
    def __init__(self, *, remote_penalty: float) -> None: ...

def preemptive_list_schedule(
    tasks: ParallelTasks,
    list: _Int64Array,
    remaining: _Int64Array,
    start: int,
    end: int,
    progress: Callable[[int, int], object] | None,
) -> tuple[tuple[_Int64Array, _Int64Array, _Float64Array, _Float64Array], _Int64Array]: ...
def psrs(
    tasks: ParallelTasks,
    *,
    v_numerator: int,
    v_denominator: int,
    progress: Callable[[int, int], object] | None,
) -> tuple[tuple[_Int64Array, _Int64Array, _Float64Array, _Float64Array], int]: ...
