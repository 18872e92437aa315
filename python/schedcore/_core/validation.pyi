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
