import numpy as np
from numpy.typing import NDArray

from . import _Int64Array

_BoolArray = NDArray[np.bool_]

class CycleMachines:
    def __init__(
        self, *, processors: _Int64Array, memory: _Int64Array, weight: _Int64Array, is_up: _BoolArray
    ) -> None: ...

class MachineSets:
    def __init__(self, *, offset: _Int64Array, machine: _Int64Array) -> None: ...

class CycleRuns:
    def __init__(
        self,
        *,
        end: _Int64Array,
        likely_end: _Int64Array,
        offset: _Int64Array,
        machine: _Int64Array,
        processors: _Int64Array,
        memory: _Int64Array,
    ) -> None: ...

class CycleRequests:
    def __init__(
        self,
        *,
        limit: _Int64Array,
        min_machines: _Int64Array,
        max_machines: _Int64Array,
        n_tasks: _Int64Array,
        processors_per_task: _Int64Array,
        tasks_per_machine: _Int64Array,
        least_processors: _Int64Array,
        memory_kind: _Int64Array,
        memory: _Int64Array,
        is_exclusive: _BoolArray,
        partition: _Int64Array,
        eligible: _Int64Array,
        required: _Int64Array,
        reservation: _Int64Array,
        n_copies: _Int64Array,
        array: _Int64Array,
        may_wait: _BoolArray,
        selection: _Int64Array,
    ) -> None: ...

class CycleReservations:
    def __init__(
        self,
        *,
        start: _Int64Array,
        end: _Int64Array,
        machines: _Int64Array,
        takes_all: _BoolArray,
        is_maintenance: _BoolArray,
        is_flexible: _BoolArray,
    ) -> None: ...

def plan_cycle(
    machines: CycleMachines,
    sets: MachineSets,
    runs: CycleRuns,
    requests: CycleRequests,
    reservations: CycleReservations,
    *,
    now: int,
    window: int,
    resolution: int,
    depth: int,
    most_intervals: int,
    growth: int,
) -> tuple[_Int64Array, _Int64Array, _Int64Array, _Int64Array, int, int]: ...
