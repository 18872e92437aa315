from . import _Float64Array, _Int64Array
from .model import SlotTasks

def times_overtaken(release_time: _Float64Array, start_time: _Float64Array) -> _Int64Array: ...
def lowest_free_processors(
    start_time: _Float64Array,
    processing_time: _Float64Array,
    processors: _Int64Array,
    machine: _Int64Array,
    capacity: _Int64Array,
) -> tuple[_Int64Array, _Int64Array, _Int64Array]: ...
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
