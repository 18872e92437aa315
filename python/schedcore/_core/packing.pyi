from collections.abc import Callable

from . import _Float64Array, _Int64Array

def spread_tasks(
    size: _Int64Array, speed: _Int64Array, *, method: str, work_limit: int, gap: float
) -> tuple[_Int64Array, _Int64Array, tuple[int, int], tuple[int, int], int]: ...
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
