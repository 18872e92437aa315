from collections.abc import Callable

from . import _Int64Array

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
