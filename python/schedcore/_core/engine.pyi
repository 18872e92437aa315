from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _Float64Array, _Int64Array
from .model import ParallelTasks
from .site import Parties, SiteRules

class Policy:
    @property
    def heeds_eligibility(self) -> bool: ...
    @property
    def heeds_clusters(self) -> bool: ...
    @property
    def heeds_placements(self) -> bool: ...

class PolicyEvent:
    @property
    def now(self) -> float: ...
    @property
    def arrived(self) -> _Int64Array: ...
    @property
    def completed(self) -> _Int64Array: ...
    @property
    def killed(self) -> _Int64Array: ...
    @property
    def cancelled(self) -> _Int64Array: ...
    @property
    def held(self) -> _Int64Array: ...
    @property
    def released(self) -> _Int64Array: ...
    @property
    def updated(self) -> _Int64Array: ...
    @property
    def adopted(self) -> _Int64Array: ...
    @property
    def machines_changed(self) -> _Int64Array: ...

class PolicyTurn:
    @property
    def free(self) -> _Int64Array: ...
    @property
    def waiting(self) -> _Int64Array: ...
    @property
    def running(self) -> tuple[_Int64Array, _Int64Array, _Float64Array, _Float64Array]: ...
    @property
    def machines(self) -> tuple[_Int64Array, _Int64Array, NDArray[np.bool_], _Float64Array]: ...
    def jobs(self, ids: _Int64Array) -> dict[str, Any]: ...
    def fits(self, id: int) -> _Int64Array: ...
    def room(self, id: int) -> _Int64Array: ...
    def start(self, id: int, machine: int) -> None: ...
    def start_tasks(self, id: int, tasks: Sequence[tuple[int, int]]) -> None: ...
    def wake(self, at: float) -> None: ...

class PythonPolicy(Policy):
    def __init__(self, policy: object, *, takes_gangs: bool) -> None: ...

class CompiledPolicy(Policy):
    def __init__(self, capsule: object) -> None: ...
    @staticmethod
    def of_function(address: int, *, name: str, takes_gangs: bool, owner: object) -> CompiledPolicy: ...
    @property
    def name(self) -> str: ...
    @property
    def takes_gangs(self) -> bool: ...
    @property
    def uses_estimates(self) -> bool: ...

def turn_function_addresses() -> dict[str, int]: ...
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
    cluster_jobs: ClusterJobs | None = None,
    machine_number: _Int64Array | None = None,
    machine_weight: _Int64Array | None = None,
) -> tuple[_Float64Array, _Int64Array, dict[str, Any]]: ...

_OutageColumns = tuple[_Int64Array, _Float64Array, _Float64Array]

class ClusterJobs:
    def __init__(
        self,
        n_jobs: int,
        n_machines: int,
        *,
        n_tasks: _Int64Array | None = None,
        max_tasks: _Int64Array | None = None,
        exclusive: NDArray[np.bool_] | None = None,
        eligibility: _Int64Array | None = None,
        allowed: NDArray[np.bool_] | None = None,
        checkpoint_interval: _Float64Array | None = None,
        restart_cost: _Float64Array | None = None,
        constraints: Sequence[str] = [],
        parties: Parties | None = None,
    ) -> None: ...

def simulate_cluster(
    policy: Policy,
    release_time: _Float64Array,
    processing_time: _Float64Array,
    weight: _Float64Array,
    demand: _Int64Array,
    capacity: _Int64Array,
    cluster_jobs: ClusterJobs,
    *,
    outages: _OutageColumns,
    failures: _OutageColumns,
    cancellation: _Float64Array | None = None,
    killed: str = "requeue",
    arrives: NDArray[np.bool_] | None = None,
    custom_key: _Float64Array | None = None,
    progress: Callable[[int, int], object] | None = None,
    estimated_processing_time: _Float64Array | None = None,
    machine_number: _Int64Array | None = None,
    machine_weight: _Int64Array | None = None,
    site: SiteRules | None = None,
    predicted_by: _Int64Array | None = None,
) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]: ...

_TaskColumns = tuple[_Int64Array, _Int64Array, _Int64Array]
_PlacementColumns = tuple[_Int64Array, _Int64Array, _Float64Array, _TaskColumns | None]

class History:
    def __init__(
        self,
        share: _Float64Array,
        first: _Int64Array,
        known: _Int64Array,
        group: _Int64Array,
        arrivals: tuple[Any, ...] | None = None,
    ) -> None: ...

class Continuation:
    def __init__(self, scheduler: OnlineScheduler, releases: bool = False) -> None: ...
    def first_starts(self, ids: _Int64Array) -> _Float64Array: ...
    def sample_starts(
        self, ids: _Int64Array, history: History, seed: int, first: int, last: int
    ) -> _Float64Array: ...
    def waiting(self) -> _Int64Array: ...
    def stop(self) -> None: ...

_BrokenColumns = tuple[_Int64Array, _Float64Array, _Float64Array, _Int64Array]
_Answer = tuple[
    _PlacementColumns,
    _PlacementColumns,
    float,
    _Int64Array,
    _BrokenColumns,
    _Int64Array,
    tuple[str, ...],
    _Int64Array,
    _Int64Array,
]

class Machines:
    def __init__(
        self,
        capacity: _Int64Array,
        weight: _Int64Array | None = None,
        label_set: _Int64Array | None = None,
        label_sets: Sequence[Sequence[str]] = [],
    ) -> None: ...

class OnlineScheduler:
    def __init__(
        self,
        policy: Policy,
        machines: Machines | _Int64Array,
        *,
        for_clusters: Policy | None = None,
        killed: str = "requeue",
        infeasible: str = "refuse",
        site: SiteRules | None = None,
    ) -> None: ...
    def submit(
        self,
        processing_time: _Float64Array,
        weight: _Float64Array,
        demand: _Int64Array,
        custom_key: _Float64Array | None,
        ids: _Int64Array | None,
        now: float,
        cluster_jobs: ClusterJobs | None = None,
        reservation: int | None = None,
    ) -> _Int64Array: ...
    def submit_tasks(self, tasks: ParallelTasks, ids: _Int64Array | None, now: float) -> _Int64Array: ...
    def adopt(
        self,
        processing_time: _Float64Array,
        weight: _Float64Array,
        demand: _Int64Array,
        custom_key: _Float64Array | None,
        ids: _Int64Array | None,
        now: float,
        release_time: _Float64Array,
        start_time: _Float64Array,
        places: tuple[_Int64Array, _Int64Array, _Int64Array],
        cluster_jobs: ClusterJobs | None = None,
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
    def cancel(self, ids: _Int64Array, now: float) -> None: ...
    def hold(self, ids: _Int64Array, now: float) -> None: ...
    def release(self, ids: _Int64Array, now: float) -> None: ...
    def requeue(self, ids: _Int64Array, now: float) -> None: ...
    def update(
        self,
        ids: _Int64Array,
        now: float,
        remaining_time: _Float64Array | None = None,
        weight: _Float64Array | None = None,
        machines: ClusterJobs | None = None,
        priority: _Float64Array | None = None,
    ) -> None: ...
    def partitions_of(self, ids: _Int64Array) -> list[str]: ...
    def fail_machines(self, machines: _Int64Array, now: float) -> _Int64Array: ...
    def repair_machines(self, machines: _Int64Array, now: float) -> None: ...
    def close_machines(self, machines: _Int64Array, running: str, now: float) -> _Int64Array: ...
    def remove_machines(self, machines: _Int64Array, running: str, now: float) -> _Int64Array: ...
    def add_machines(self, machines: Machines | _Int64Array, now: float) -> _Int64Array: ...
    def set_capacity(self, machine: int, capacity: _Int64Array, now: float) -> None: ...
    def tasks_with_room(
        self, demand: _Int64Array, cluster_jobs: ClusterJobs | None = None
    ) -> _Int64Array: ...
    def open_machines(self, machines: _Int64Array, now: float) -> None: ...
    def announce_outage(self, machine: int, start: float, end: float, now: float) -> None: ...
    def reserve(
        self, demand: _Int64Array, machines: _Int64Array | None, start: float, end: float, now: float
    ) -> int: ...
    def cancel_reservation(self, reservation: int, now: float) -> None: ...
    def advance(self, now: float, work_limit: int = 0) -> _Answer: ...
    def event(
        self,
        completed: _Int64Array,
        failed: _Int64Array,
        repaired: _Int64Array,
        cancelled: _Int64Array,
        now: float,
        *,
        jobs: tuple[Any, ...] | None = None,
        tasks: ParallelTasks | None = None,
        ids: _Int64Array | None = None,
        work_limit: int = 0,
    ) -> _Answer: ...
    def jobs(self, state: str | None = None) -> dict[str, Any]: ...
    def machine_state(self) -> dict[str, Any]: ...
    def reservations(self) -> dict[str, Any]: ...
    def are_alive(self, ids: _Int64Array) -> NDArray[np.bool_]: ...
    def are_running(self, ids: _Int64Array) -> NDArray[np.bool_]: ...
    def copy(self) -> OnlineScheduler: ...
    def snapshot(self) -> bytes: ...
    @staticmethod
    def load(
        policy: Policy,
        machines: Machines | _Int64Array,
        snapshot: bytes,
        *,
        for_clusters: Policy | None = None,
        killed: str = "requeue",
        infeasible: str = "refuse",
        site: SiteRules | None = None,
    ) -> OnlineScheduler: ...
    def check_invariants(
        self,
        policy: Policy,
        machines: Machines | _Int64Array,
        *,
        for_clusters: Policy | None = None,
        killed: str = "requeue",
        infeasible: str = "refuse",
        site: SiteRules | None = None,
    ) -> None: ...
    @property
    def n_overruns(self) -> int: ...
    @property
    def last_decision(self) -> _Answer | None: ...
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
