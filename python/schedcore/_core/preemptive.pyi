from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from . import _Float64Array, _Int64Array

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
    service: str = "shared",
    skip: bool = False,
    weight: _Float64Array | None = None,
    remainders: str = "carried",
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
def fair_shares(
    demand: _Int64Array,
    limit: _Int64Array,
    capacity: _Int64Array,
    weight: _Float64Array | None,
    *,
    rule: str,
) -> tuple[_Float64Array, _Float64Array]: ...
def whole_cores(share: _Float64Array, owed: _Float64Array | None, total: int) -> _Int64Array: ...
def gittins_index(attained: _Int64Array, completed: _Int64Array) -> _Float64Array: ...
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
