"""LP3: in which order jobs complete at the earliest, where every task has one machine."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from schedcore.bounds.content_cache import ContentCache
from schedcore.bounds.linear_solver import check_solver_options, solve_linear
from schedcore.errors import UnsupportedError
from schedcore.model import ParallelTaskInstance, usable
from schedcore.model.choices import checked_flag

from .order_rows import OrderRows

__all__ = ["OrderSolution", "solve_order_program"]

_SIMPLEX_UP_TO = 30_000  # entries; from there on interior points are faster
_OPTIMAL = 1e-6  # relative gap that counts as none


class OrderSolution(NamedTuple):
    """What is known about LP3.

    Attributes
    ----------
    completion : (n_jobs,) float64 or None
        C_j of a feasible solution; None if the solver left none.
    bound : float
        Proven: no schedule of class preempt has a smaller sum of w C.
    status : str
        "optimal": by the word of the solver, or because the bound is within 1e-6; "time_limit"; "failed".
    details : dict
        Facts for the record, none of which depends on the speed of the machine.
    """

    completion: NDArray[np.float64] | None
    bound: float
    status: str
    details: dict[str, Any]


def solve_order_program(
    instance: ParallelTaskInstance,
    *,
    all_machines: bool = False,
    solver: str = "auto",
    time_limit: float | None = None,
) -> OrderSolution:
    """Solve LP3 by HiGHS.

    Parameters
    ----------
    instance : ParallelTaskInstance
        One machine a task.
    all_machines : bool
        Whether a job waits on every machine for the jobs before it, or only where it has tasks: tighter, and far
        larger.
    solver : {"auto", "simplex", "ipm", "pdlp"}
        "ipm" without crossover. "auto" takes simplex for small programs and "ipm" for others.
    time_limit : float, optional
        Seconds.

    Raises
    ------
    InfeasibleError
        If a task does not fit its machine.
    UnsupportedError
        If a task has several machines; names it.

    Notes
    -----
    A column for every pair of jobs that share a machine, and for each of their machines and resources two entries.
    """
    check_solver_options(solver, time_limit)
    everywhere = checked_flag("all_machines", all_machines)
    if solver == "auto" and time_limit is None and not everywhere:
        found = _SOLVED.get(instance, _answer)
        return found._replace(details=dict(found.details))
    return _solve(instance, everywhere, solver, time_limit)


def _answer(instance: ParallelTaskInstance) -> OrderSolution:
    found = _solve(instance, everywhere=False, solver="auto", time_limit=None)
    if found.completion is not None:
        found.completion.setflags(write=False)  # everybody who asks gets the same array
    return found


# An algorithm and the bound of those that it is compared with ask the same.
_SOLVED = ContentCache[OrderSolution](max_entries=8)


def _solve(
    instance: ParallelTaskInstance, everywhere: bool, solver: str, time_limit: float | None
) -> OrderSolution:
    inst = usable(instance)
    if not inst.single_machine:
        task = int(np.argmax(np.diff(inst.placement_start) > 1))
        raise UnsupportedError(
            f"{inst.task_name(task)} may run on several machines; LP3 needs one for each task"
        )
    if inst.n_tasks == 0:
        return OrderSolution(np.zeros(0), 0.0, "optimal", {})
    rows = OrderRows(inst, all_machines=everywhere)
    found = solve_linear(
        rows.program,
        solver,
        np.inf if time_limit is None else time_limit,
        is_small=len(rows.program.value) <= _SIMPLEX_UP_TO,
    )
    completion = None if found.values is None else rows.completion(found.values)
    value = np.inf if completion is None else float(inst.weight @ completion)
    prices = np.zeros(len(rows.program.row_lower)) if found.row_prices is None else found.row_prices
    bound = max(rows.prove(prices * float(inst.weight.max())), rows.prove(np.zeros(len(prices))))
    details = {
        "method": found.method,
        "n_iterations": found.n_iterations,
        "n_columns": len(rows.program.cost),
        "n_rows": len(rows.program.row_lower),
        "n_entries": len(rows.program.value),
        "value": value,
    }
    if completion is not None and (found.is_optimal or value - bound <= _OPTIMAL * value):
        status = "optimal"
    else:
        status = "time_limit" if found.out_of_time else "failed"
    return OrderSolution(completion, bound, status, details)
