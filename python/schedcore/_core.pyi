"""Signatures of the compiled core. Hand-written; a test compares the parameter names with the bindings."""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

_Float64Array = NDArray[np.float64]
_Int64Array = NDArray[np.int64]

def build_config() -> dict[str, Any]: ...
def find_first_violation(
    release_time: _Float64Array,
    processing_time: _Float64Array,
    demand: _Int64Array,
    capacity: _Int64Array,
    start_time: _Float64Array,
    machine: _Int64Array,
) -> tuple[str, int, int, float, int, int] | None: ...
def completion_time_bounds(
    release_time: _Float64Array,
    processing_time: _Float64Array,
    weight: _Float64Array,
    demand: _Int64Array,
    capacity: _Int64Array,
) -> tuple[float, list[float], list[float], float, float]: ...
def mean_busy_time_bound(
    release_time: _Float64Array,
    processing_time: _Float64Array,
    weight: _Float64Array,
    load: _Float64Array,
) -> tuple[float, _Float64Array]: ...
def makespan_bound(
    release_time: _Float64Array,
    processing_time: _Float64Array,
    demand: _Int64Array,
    capacity: _Int64Array,
) -> float: ...
def spread_tasks(
    size: _Int64Array, speed: _Int64Array, *, method: str, work_limit: int, gap: float
) -> tuple[_Int64Array, _Int64Array, tuple[int, int], tuple[int, int], int]: ...
def times_overtaken(release_time: _Float64Array, start_time: _Float64Array) -> _Int64Array: ...
def lowest_free_processors(
    start_time: _Float64Array,
    processing_time: _Float64Array,
    processors: _Int64Array,
    machine: _Int64Array,
    capacity: _Int64Array,
) -> tuple[_Int64Array, _Int64Array, _Int64Array]: ...

class Policy: ...

class PriorityQueuePolicy(Policy):
    def __init__(self, rule: str, last_release_time: float | None = None) -> None: ...

class TetrisPolicy(Policy):
    def __init__(self, mode: str) -> None: ...

class BestFitExecutionPolicy(Policy):
    def __init__(self) -> None: ...

class MrisPolicy(Policy):
    def __init__(
        self,
        *,
        rule: str,
        knapsack: str,
        epsilon: tuple[int, int],
        memory_limit: int,
        placement: str,
        gamma0: float,
        origin: float | None,
        opportunistic: bool,
        patience: float,
        replan: bool,
        record: bool,
    ) -> None: ...

class MrisDynamicPolicy(Policy):
    def __init__(
        self,
        *,
        rule: str,
        knapsack: str,
        epsilon: tuple[int, int],
        memory_limit: int,
        placement: str,
        gamma0: float,
        origin: float | None,
        opportunistic: bool,
        patience: float,
        replan: bool,
        record: bool,
    ) -> None: ...

def simulate(
    policy: Policy,
    release_time: _Float64Array,
    processing_time: _Float64Array,
    weight: _Float64Array,
    demand: _Int64Array,
    capacity: _Int64Array,
    *,
    custom_key: _Float64Array | None = None,
    progress: Callable[[int, int], object] | None = None,
    estimated_processing_time: _Float64Array | None = None,
) -> tuple[_Float64Array, _Int64Array, dict[str, Any]]: ...

class BackfillPolicy(Policy):
    def __init__(
        self,
        overtaking: str,
        *,
        rule: str = "ff",
        bl_window: int = 1,
        fullness: bool = True,
        queue_depth: int | None = None,
        window: float | None = None,
        resolution: float | None = None,
        interval: float | None = None,
        record: bool = False,
    ) -> None: ...

class ReservationPolicy(Policy):
    def __init__(
        self,
        *,
        protected_jobs: int | None = None,
        compression: str = "pass",
        rule: str = "ff",
        bl_window: int = 1,
        fullness: bool = True,
        queue_depth: int | None = None,
        window: float | None = None,
        resolution: float | None = None,
        interval: float | None = None,
        record: bool = False,
    ) -> None: ...

class RebuildPolicy(Policy):
    def __init__(
        self,
        *,
        queue_depth: int | None = None,
        window: float | None = None,
        resolution: float | None = None,
        record: bool = False,
    ) -> None: ...

_PlacementColumns = tuple[_Int64Array, _Int64Array, _Float64Array]

class OnlineScheduler:
    def __init__(self, policy: Policy, capacity: _Int64Array) -> None: ...
    def submit(
        self,
        processing_time: _Float64Array,
        weight: _Float64Array,
        demand: _Int64Array,
        custom_key: _Float64Array | None,
        ids: _Int64Array | None,
        now: float,
    ) -> _Int64Array: ...
    def submit_one(
        self,
        processing_time: float,
        weight: float,
        demand: Sequence[int],
        custom_key: float | None,
        id: int | None,
        now: float,
    ) -> int: ...
    def reserve_ids(self, count: int) -> int: ...
    def release_ids(self, first: int, count: int) -> None: ...
    def complete(self, ids: _Int64Array, now: float) -> None: ...
    def advance(self, now: float) -> tuple[_PlacementColumns, _PlacementColumns, float]: ...
    def copy(self) -> OnlineScheduler: ...
    def snapshot(self) -> bytes: ...
    @staticmethod
    def load(policy: Policy, capacity: _Int64Array, snapshot: bytes) -> OnlineScheduler: ...
    def check_invariants(self, policy: Policy, capacity: _Int64Array) -> None: ...
    @property
    def n_overruns(self) -> int: ...
    @property
    def last_decision(self) -> tuple[_PlacementColumns, _PlacementColumns, float] | None: ...
    @property
    def n_advances(self) -> int: ...
    @property
    def recorded_instant(self) -> float | None: ...
    @property
    def next_id(self) -> int: ...
    @property
    def now(self) -> float: ...
    @property
    def n_running(self) -> int: ...
    @property
    def n_waiting(self) -> int: ...

class ResourceTimeline:
    def __init__(self, capacity: ArrayLike, origin: float = 0.0) -> None: ...
    @property
    def n_resources(self) -> int: ...
    @property
    def n_breakpoints(self) -> int: ...
    @property
    def origin(self) -> float: ...
    def reserve(self, start: float, end: float, demand: ArrayLike) -> None: ...
    def release(self, start: float, end: float, demand: ArrayLike) -> None: ...
    def free_at(self, t: float) -> _Int64Array: ...
    def range_min(self, start: float, end: float) -> _Int64Array: ...
    def first_shortage(self, not_before: float, demand: ArrayLike) -> float: ...
    def earliest_fit(self, not_before: float, duration: float, demand: ArrayLike) -> float: ...
    def forget_before(self, t: float) -> None: ...
    def next_change(self, after: float) -> float: ...
    def breakpoints(self) -> tuple[_Float64Array, _Int64Array]: ...
    def check_invariants(self) -> None: ...
    def __copy__(self) -> ResourceTimeline: ...
    def __deepcopy__(self, memo: dict[int, Any]) -> ResourceTimeline: ...
    def __eq__(self, other: object) -> bool: ...
    __hash__: ClassVar[None]  # type: ignore[assignment]

class MachineIndex:
    def __init__(self, free: ArrayLike) -> None: ...
    @property
    def n_machines(self) -> int: ...
    @property
    def n_resources(self) -> int: ...
    def free(self, machine: int) -> _Int64Array: ...
    def acquire(self, machine: int, demand: ArrayLike) -> None: ...
    def release(self, machine: int, demand: ArrayLike) -> None: ...
    def first_fit(self, demand: ArrayLike, from_machine: int = 0) -> int | None: ...
    def best_fit(self, demand: ArrayLike, scale: ArrayLike) -> int | None: ...
    def check_invariants(self) -> None: ...

def fits_many(demand: ArrayLike, available: ArrayLike) -> NDArray[np.bool_]: ...
def fits_many_columns(demand: ArrayLike, available: ArrayLike) -> NDArray[np.bool_]: ...
def first_fitting(demand: ArrayLike, available: ArrayLike) -> int | None: ...
def first_fitting_column(demand: ArrayLike, available: ArrayLike) -> int | None: ...
def feitelson_jobs(
    seed: int,
    n_jobs: int,
    size_weight: _Float64Array,
    stage_mean: _Float64Array,
    stage_probability: _Float64Array,
    repetition_weight: _Float64Array,
) -> tuple[_Int64Array, _Int64Array]: ...
def lublin_jobs(seed: int, n_jobs: int) -> tuple[_Int64Array, _Int64Array]: ...
def distinct_indices(seed: int, population: int, n_chosen: int) -> _Int64Array: ...
def usage_records(seed: int, n_records: int) -> tuple[_Float64Array, _Float64Array]: ...
def colocation_draw(
    seed: int, type: _Int64Array, n_types: int, cls: str, n_tasks: int, symmetric: bool
) -> tuple[_Int64Array, _Int64Array]: ...
def k_resource_demands(
    seed: int,
    size: _Int64Array,
    n_resources: int,
    variance: float,
    factor: float,
    largest_size: int,
) -> _Int64Array: ...
def unit_arrivals(seed: int, n_jobs: int) -> _Float64Array: ...
def estimated_times(seed: int, processing_time: _Float64Array, factor: float) -> _Float64Array: ...

class ParallelTasks:
    def __init__(
        self,
        weight: _Float64Array,
        release_time: _Float64Array,
        task_job: _Int64Array,
        demand: _Int64Array,
        placement_start: _Int64Array,
        placement_machine: _Int64Array,
        placement_time: _Int64Array,
        placement_local: NDArray[np.bool_],
        capacity: _Int64Array,
        remote_penalty: float,
    ) -> None: ...

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
def find_first_task_violation(
    tasks: ParallelTasks,
    job: _Int64Array,
    task: _Int64Array,
    machine: _Int64Array,
    start: _Float64Array,
    end: _Float64Array,
    kind: str,
) -> tuple[str, int, int, int, float, int, int, float] | None: ...

class SlotTasks:
    def __init__(
        self,
        release_time: _Int64Array,
        first_task: _Int64Array | None,
        map_tasks: _Int64Array | None,
        processing_time: _Int64Array,
        demand: _Int64Array,
        estimated_demand: _Int64Array | None,
        capacity: _Int64Array,
    ) -> None: ...

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
def slot_facts(
    tasks: SlotTasks,
    job: _Int64Array,
    task: _Int64Array,
    machine: _Int64Array,
    start: _Float64Array,
    end: _Float64Array,
    cores: _Int64Array,
    k: int,
    end_of_run: int,
) -> tuple[_Float64Array, _Float64Array, _Int64Array, _Int64Array, _Int64Array, _Int64Array]: ...
def work_curves(
    tasks: SlotTasks,
    job: _Int64Array,
    task: _Int64Array,
    machine: _Int64Array,
    start: _Float64Array,
    end: _Float64Array,
    cores: _Int64Array,
    k: int,
    times: _Int64Array,
) -> tuple[_Float64Array, _Float64Array, _Float64Array, _Float64Array, _Float64Array]: ...
def task_tetris_preemptive(
    tasks: ParallelTasks,
    *,
    scale: float | None,
    remote: str,
    progress: Callable[[int, int], object] | None = None,
) -> tuple[_Int64Array, _Int64Array, _Float64Array, _Float64Array]: ...
def task_tetris_nonpreemptive(
    tasks: ParallelTasks,
    *,
    scale: float | None,
    remote: str,
    progress: Callable[[int, int], object] | None = None,
) -> tuple[_Int64Array, _Int64Array, _Float64Array, _Float64Array]: ...
def join_shortest_queue(
    tasks: ParallelTasks, progress: Callable[[int, int], object] | None = None
) -> tuple[_Int64Array, _Int64Array, _Float64Array, _Float64Array]: ...
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
def colocation_cost(
    size: _Int64Array, type: _Int64Array, alpha: _Int64Array, machine: _Int64Array, n_machines: int
) -> tuple[int, int]: ...
def type_list_scheduling(
    size: _Int64Array, type: _Int64Array, alpha: _Int64Array, n_machines: int, *, mixing: str, base: str
) -> _Int64Array: ...
def fill_greedy(
    size: _Int64Array,
    type: _Int64Array,
    alpha: _Int64Array,
    n_machines: int,
    label_of_type: _Int64Array,
    *,
    sort: bool,
    search: bool,
) -> tuple[_Int64Array, int, list[int]]: ...
def greedy_for_two_types(
    size: _Int64Array,
    type: _Int64Array,
    alpha: _Int64Array,
    alpha_denominator: int,
    n_machines: int,
    label_of_type: _Int64Array,
    *,
    sort: bool,
    search: bool,
) -> tuple[_Int64Array, int]: ...
def fill_rebalance(
    size: _Int64Array,
    type: _Int64Array,
    alpha: _Int64Array,
    alpha_denominator: int,
    n_machines: int,
    label_of_type: _Int64Array,
    *,
    rule: str,
    progress: Callable[[int, int], object] | None,
) -> tuple[_Int64Array, int]: ...
def greedy_dedicated(
    size: _Int64Array,
    type: _Int64Array,
    alpha: _Int64Array,
    n_machines: int,
    label_of_type: _Int64Array,
    *,
    inner: str,
    base: str,
    progress: Callable[[int, int], object] | None,
) -> tuple[_Int64Array, list[int]]: ...
def best_composition(cost: _Int64Array, n_machines: int) -> tuple[int, list[int]]: ...
def type_clusters(alpha: _Int64Array, alpha_denominator: int, method: str) -> list[int]: ...
def improve_assignment(
    size: _Int64Array,
    type: _Int64Array,
    alpha: _Int64Array,
    n_machines: int,
    start: _Int64Array,
    *,
    target: int,
    work_limit: int,
    seed: int,
    progress: Callable[[int, int], object] | None,
) -> tuple[_Int64Array, int, int, str]: ...
def place_by_targets(
    size: _Int64Array, type: _Int64Array, alpha: _Int64Array, n_machines: int, target: _Int64Array
) -> _Int64Array: ...
def place_by_cost(
    size: _Int64Array,
    type: _Int64Array,
    alpha: _Int64Array,
    n_machines: int,
    progress: Callable[[int, int], object] | None,
) -> _Int64Array: ...
def exact_colocation(
    size: _Int64Array,
    type: _Int64Array,
    alpha: _Int64Array,
    n_machines: int,
    start: _Int64Array,
    *,
    lower_bound: int,
    node_limit: int,
    progress: Callable[[int, int], object] | None,
) -> tuple[_Int64Array, int, int, bool]: ...
def ptas_decision(
    size: _Int64Array,
    type: _Int64Array,
    alpha: _Int64Array,
    alpha_denominator: int,
    n_machines: int,
    *,
    target: int,
    k: int,
) -> _Int64Array | None: ...
def ptas_assignment(
    size: _Int64Array,
    type: _Int64Array,
    alpha: _Int64Array,
    alpha_denominator: int,
    n_machines: int,
    start: _Int64Array,
    *,
    k: int,
    work_limit: int,
    progress: Callable[[int, int], object] | None,
) -> tuple[_Int64Array, int, int, bool]: ...
def knapsack_of_integers(
    weight: _Float64Array,
    size: _Int64Array,
    capacity: int,
    *,
    method: str,
    epsilon: tuple[int, int],
    memory_limit: int,
    progress: Callable[[int, int], object] | None,
) -> _Int64Array: ...
def knapsack_of_reals(
    weight: _Float64Array,
    size: _Float64Array,
    capacity: float,
    *,
    method: str,
    epsilon: tuple[int, int],
    memory_limit: int,
    progress: Callable[[int, int], object] | None,
) -> _Int64Array: ...
def run_slots(
    release_time: _Int64Array,
    processing_time: _Int64Array,
    demand: _Int64Array,
    estimated_demand: _Int64Array | None,
    capacity: _Int64Array,
    *,
    policy: str,
    k: int = 1,
    gamma: float = 1.0,
    mu: float | None = None,
    lambda0: tuple[str, float] = ("zero", 0.0),
    work_conserving: bool = True,
    packing: str,
    mem_mode: str,
    alpha: float = 0.0,
    solver: str = "joblevel",
    max_slots: int | None,
    record: bool,
    progress: Callable[[int, int], object] | None,
) -> tuple[
    _Float64Array,
    tuple[_Int64Array, _Int64Array, _Int64Array, _Float64Array, _Float64Array, _Int64Array],
    int,
    tuple[_Int64Array, _Int64Array, _Float64Array],
    tuple[_Int64Array, _Int64Array, _Int64Array],
]: ...
def run_mapreduce(
    release_time: _Int64Array,
    map_tasks: _Int64Array,
    map_cores: _Int64Array,
    map_time: _Int64Array,
    reduce_tasks: _Int64Array,
    reduce_cores: _Int64Array,
    reduce_time: _Int64Array,
    capacity: _Int64Array,
    *,
    order: str,
    k: int = 1,
    gamma: float = 1.0,
    mu: float | None = None,
    lambda0: tuple[str, float] = ("zero", 0.0),
    work_conserving: bool = True,
    packing: str,
    latency: _Float64Array | None,
    max_slots: int | None,
    record: bool,
    progress: Callable[[int, int], object] | None,
) -> tuple[
    _Float64Array,
    _Float64Array,
    tuple[_Int64Array, _Int64Array, _Int64Array, _Float64Array, _Float64Array, _Int64Array],
    _Int64Array,
    _Int64Array,
    _Float64Array,
]: ...
def switching_slot(
    cost: _Float64Array,
    demand: _Int64Array,
    limit: _Int64Array,
    capacity: _Int64Array,
    *,
    alpha: float,
    previous: _Int64Array,
    first: NDArray[np.uint8],
    solver: str,
    work_conserving: bool,
) -> _Int64Array: ...
def place_by_latency(
    demand: _Int64Array, cores: _Int64Array, capacity: _Int64Array, latency: _Float64Array
) -> tuple[_Int64Array, float]: ...
def slot_rates(key: _Float64Array, limit: _Int64Array, total: int) -> tuple[_Int64Array, int]: ...
def pack_slot(
    cores: _Int64Array, cut: int, capacity: _Int64Array, previous: _Int64Array | None
) -> _Int64Array: ...
def memory_step(
    placed: _Int64Array,
    profit: _Float64Array | None,
    demand: _Int64Array,
    limit: _Int64Array,
    memory: _Int64Array,
    capacity: _Int64Array,
    order: _Int64Array,
    *,
    mem_mode: str,
    work_conserving: bool,
) -> tuple[_Int64Array, NDArray[np.bool_]]: ...
