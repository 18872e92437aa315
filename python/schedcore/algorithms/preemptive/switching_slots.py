"""One slot under a switching cost, and the placement of tasks by latency.

OCORP+ [Xu, Liu and Lau, IEEE/ACM ToN 2021] pays for changing the rates of jobs from one slot to the next, equation
(32); its MapReduce extension places the cores of tasks where their data is, which is a transportation problem. The
kernels run in ``src/cpp/preemptive/switching_*`` and ``place_by_latency``; this module checks the input.
"""

from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from schedcore import _core
from schedcore.errors import InfeasibleError, InvalidInstanceError, UnsupportedError
from schedcore.model.arrays import (
    EXACT_BOUND,
    FloatArray,
    IntArray,
    first_index,
    numeric_array,
    place,
    unmasked,
)
from schedcore.model.choices import check_choice, checked_flag
from schedcore.model.real_numbers import finite_number

from .slot_arrays import refuse_floats

__all__ = ["SOLVERS", "Solver", "check_single_cores", "place_by_latency", "switching_slot"]

Solver = Literal["joblevel", "greedy", "flow"]
SOLVERS = get_args(Solver)
_ALPHA_BOUND = 2.0**900  # products with 2**53 cores stay finite
_MOST_STEPS = 10**7  # of solvers that place one core at a time


def switching_slot(
    cost: ArrayLike,
    demand: ArrayLike,
    limit: ArrayLike,
    capacity: ArrayLike,
    alpha: float,
    previous: ArrayLike,
    first: ArrayLike,
    solver: Solver = "joblevel",
    work_conserving: bool = True,
) -> IntArray:
    """Distribute the cores of one slot where changing a job's rate costs `alpha`.

    Minimises ``sum_j cost[j] x_j + alpha S``, where x = cores / demand and S sums the squared changes of the rates
    since the slot before, over the jobs for which `first` is false.

    Parameters
    ----------
    cost : (n_jobs,) float
        Cost of a slot at full rate, w - lambda; may be negative; finite.
    demand : (n_jobs,) int64
        Cores at full rate, at least 1.
    limit : (n_jobs,) int64
        Most cores that the job can use in this slot, 0 to `demand`.
    capacity : (n_machines,) int64
        Cores of each machine.
    alpha : float
        Weight of the changes, at least 0 and below 2**900; 0 gives the rates of OCORP.
    previous : (n_jobs, n_machines) int64
        Cores of each job on each machine in the slot before.
    first : (n_jobs,) bool
        Whether this is the first slot in which the job can run: what `previous` says of it costs nothing.
    solver : {"joblevel", "greedy", "flow"}
        "joblevel" counts changes of a job's total rate, exactly, and then packs: jobs stay where they were, the rest
        goes to the largest machines. The others count changes on every machine, which rewards splitting a job:
        "greedy" gives one core after the other to the cheapest job and machine, nearly always at or close to the
        optimum, which "flow" finds.
    work_conserving : bool
        True: as many cores as the machines have and the jobs can use; False: no core that does not lower the
        objective.

    Returns
    -------
    (n_jobs, n_machines) int64
        Cores of each job on each machine. The optimum of "flow" need not be unique: compare values.

    Raises
    ------
    InvalidInstanceError
        For a wrong shape, a number outside its range (`alpha` below 0), cores that are not integers, an unknown
        solver; names the job, the value and the bound.
    UnsupportedError
        If "greedy" or "flow" would have to place more than 10**7 cores.

    Notes
    -----
    "joblevel" takes expected O(n_jobs) evaluations, whatever the number of cores; "greedy" O(log) for each core and
    each piece of `previous`; "flow" a search over the machines for each core, and O(n_jobs * n_machines) memory. Ties
    go to the lowest job, then to the lowest machine.

    "joblevel" and "greedy" compare the costs of single cores as doubles. "flow" computes with integers of 128 bits,
    of which the largest marginal cost takes about 115 less log2(n_machines). Nothing is rounded if the demands have a
    common multiple up to 2**20 and cost and alpha are multiples of one power of two within 2**-60 of that largest
    cost; otherwise each core may cost one unit of the last bit more than at the optimum.
    """
    costs = _reals("cost", cost, ("n_jobs",))
    n_jobs = costs.size
    demands = _cores("demand", demand, ("n_jobs",), (n_jobs,), least=1)
    limits = _cores("limit", limit, ("n_jobs",), (n_jobs,))
    machines = _cores("capacity", capacity, ("n_machines",))
    before = _cores("previous", previous, ("n_jobs", "n_machines"), (n_jobs, machines.size))
    is_first = _flags("first", first, n_jobs)
    _check_at_most("limit", limits, "demand", demands, "job")
    weight = finite_number("alpha", alpha, above_0=False)
    if weight >= _ALPHA_BOUND:
        raise InvalidInstanceError(f"alpha = {weight} must be below 2**900")
    check_choice("solver", solver, SOLVERS)
    conserving = checked_flag("work_conserving", work_conserving)
    check_single_cores(solver, min(_total("capacity", machines), int(limits.sum(dtype=object))))
    return _core.preemptive.switching_slot(
        cost=costs,
        demand=demands,
        limit=limits,
        capacity=machines,
        alpha=weight,
        previous=before,
        first=is_first,
        solver=solver,
        work_conserving=conserving,
    )


def check_single_cores(solver: str, n_cores: int) -> None:
    """Raise an `UnsupportedError` for a solver that would have to place more than 10**7 cores in a slot, one by one."""
    if solver != "joblevel" and n_cores > _MOST_STEPS:
        raise UnsupportedError(
            f"solver {solver!r} places cores one at a time, here up to {n_cores}; the limit is {_MOST_STEPS}; use "
            "'joblevel'"
        )


def place_by_latency(
    demand: ArrayLike, cores: ArrayLike, capacity: ArrayLike, latency: ArrayLike
) -> tuple[IntArray, float]:
    """Place the given cores of tasks on machines at the least total latency.

    Minimises ``sum latency[t, i] * u[t, i] / demand[t]`` over all u with ``sum_i u[t, i] = cores[t]`` that fit the
    machines: a transportation problem, whose optimum is whole cores.

    Parameters
    ----------
    demand : (n_tasks,) int64
        Cores of each task at full rate, at least 1.
    cores : (n_tasks,) int64
        Cores that each task gets, 0 to `demand`.
    capacity : (n_machines,) int64
        Cores of each machine.
    latency : (n_tasks, n_machines) float
        Latency of a task at full rate on a machine, such as 0 where its data is, 1 in the same rack, 3 elsewhere; at
        least 0 and finite.

    Returns
    -------
    (cores, cost) : (n_tasks, n_machines) int64, float
        Cores of each task on each machine, and their total latency. The placement need not be unique: compare costs.

    Raises
    ------
    InvalidInstanceError
        For a wrong shape, a number outside its range and cores that are not integers; names the task, the value and
        the bound.
    InfeasibleError
        If the tasks get more cores than all machines have.

    Notes
    -----
    Successive shortest paths over the machines: O(n_machines) for a task whose nearest machine has room, a search
    otherwise; O(n_tasks * n_machines) memory. Optimal for latencies that are multiples of one power of two up to
    2**24 times it, with demands that have a common multiple below 2**20; otherwise within 2**-40 of the largest
    latency for each core.

    Examples
    --------
    >>> import schedcore
    >>> cores, cost = schedcore.preemptive.place_by_latency([1, 1], [1, 1], [1, 1], [[0, 1], [0, 3]])
    >>> cores.tolist(), cost
    ([[0, 1], [1, 0]], 1.0)
    """
    demands = _cores("demand", demand, ("n_tasks",), least=1)
    given = _cores("cores", cores, ("n_tasks",), demands.shape)
    machines = _cores("capacity", capacity, ("n_machines",))
    latencies = _reals("latency", latency, ("n_tasks", "n_machines"), (demands.size, machines.size))
    negative = latencies < 0
    if negative.any():
        raise InvalidInstanceError(f"{place('latency', latencies, first_index(negative))} must be at least 0")
    _check_at_most("cores", given, "demand", demands, "task")
    available, needed = _total("capacity", machines), int(given.sum(dtype=object))
    if needed > available:
        raise InfeasibleError(f"the tasks get {needed} cores, all machines together have {available}")
    return _core.preemptive.place_by_latency(demands, given, machines, latencies)


def _cores(
    name: str,
    values: ArrayLike,
    axes: tuple[str, ...],
    shape: tuple[int, ...] | None = None,
    *,
    least: int = 0,
) -> IntArray:
    array = _shaped(name, numeric_array(values, name), axes, shape)
    refuse_floats(name, array)
    outside = np.asarray((array < least) | (array > EXACT_BOUND), dtype=np.bool_)
    if outside.any():
        raise InvalidInstanceError(f"{place(name, array, first_index(outside))} is outside [{least}, 2**53]")
    return np.ascontiguousarray(array, dtype=np.int64)


def _reals(
    name: str, values: ArrayLike, axes: tuple[str, ...], shape: tuple[int, ...] | None = None
) -> FloatArray:
    array = _shaped(name, numeric_array(values, name), axes, shape)
    reals = np.ascontiguousarray(array, dtype=np.float64)
    infinite = ~np.isfinite(reals)
    if infinite.any():
        raise InvalidInstanceError(f"{place(name, array, first_index(infinite))} must be finite")
    return reals


def _flags(name: str, values: ArrayLike, n_jobs: int) -> NDArray[np.uint8]:
    array = _shaped(name, np.asarray(unmasked(values, name)), ("n_jobs",), (n_jobs,))
    if array.dtype.kind != "b" and array.size:
        raise TypeError(f"{name} must hold truth values, not {array.dtype}")
    return np.ascontiguousarray(array, dtype=np.uint8)


def _shaped(
    name: str, array: NDArray[Any], axes: tuple[str, ...], shape: tuple[int, ...] | None
) -> NDArray[Any]:
    expected = f"({', '.join(axes)}{',' if len(axes) == 1 else ''})"
    if shape is not None and array.size == 0 and 0 in shape:
        return array.reshape(shape)  # empty lists have no shape of their own
    if array.ndim != len(axes) or (shape is not None and array.shape != shape):
        wanted = expected if shape is None else f"{expected} = {shape}"
        raise InvalidInstanceError(f"{name} must have shape {wanted}, not {array.shape}")
    return array


def _check_at_most(name: str, values: IntArray, bound_name: str, bound: IntArray, row: str) -> None:
    above = values > bound
    if above.any():
        index = first_index(above)
        raise InvalidInstanceError(
            f"{place(name, values, index)} of {row} {index[0]} exceeds {place(bound_name, bound, index)}"
        )


def _total(name: str, values: IntArray) -> int:
    total = int(values.sum(dtype=object))
    if total > EXACT_BOUND:
        raise InvalidInstanceError(
            f"{name} sums to {total}; all machines together may have at most 2**53 cores"
        )
    return total
