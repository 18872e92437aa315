import numpy as np
from numpy.typing import NDArray

from . import _Float64Array, _Int64Array

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
