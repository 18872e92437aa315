from . import _Float64Array, _Int64Array

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
