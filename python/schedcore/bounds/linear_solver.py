"""One linear program, solved by the method of choice within a limit of time.

Nothing that is proven rests on what comes back: the caller judges the values and turns the row prices into a bound.
"""

import threading
import time
from typing import Any, NamedTuple, cast

import highspy
import numpy as np
from numpy.typing import NDArray

from schedcore.bounds.sparse_program import Program, quiet_solver
from schedcore.model.choices import check_choice
from schedcore.model.real_numbers import finite_number

__all__ = ["LinearSolution", "check_solver_options", "solve_linear"]

SOLVERS = ("auto", "simplex", "ipm", "pdlp")
_PATIENCE = 0.1  # seconds between two looks at whether the solver has finished
_TOLERANCE = 1e-7  # absolute, of methods that end near an optimum and not at a vertex


class LinearSolution(NamedTuple):
    """What a solver returned.

    Attributes
    ----------
    values, row_prices : float64 or None
        Primal values and dual values of the rows, whatever their quality; None if there are none.
    is_optimal : bool
        Whether the solver says so.
    out_of_time : bool
    method : str
        "simplex", "ipm" or "pdlp".
    n_iterations : int
    """

    values: NDArray[np.float64] | None
    row_prices: NDArray[np.float64] | None
    is_optimal: bool
    out_of_time: bool
    method: str
    n_iterations: int


def check_solver_options(solver: str, time_limit: float | None) -> None:
    """Raise an `InvalidInstanceError` for an unknown method or a limit that is not above 0."""
    check_choice("solver", solver, SOLVERS)
    if time_limit is None:
        return
    finite_number("time_limit", time_limit, above_0=True, kind="a number of seconds")


def solve_linear(
    program: Program, solver: str, seconds: float, *, is_small: bool, most_iterations: int | None = None
) -> LinearSolution:
    """Solve `program`; "auto" takes simplex if it `is_small`, else interior points, without crossover.

    Should a method give up, simplex follows in what is left of the time. Ctrl-C ends what is not small.
    `most_iterations` ends simplex, which may go on for ever where costs lie some 1e20 apart.
    """
    method = ("simplex" if is_small else "ipm") if solver == "auto" else solver
    deadline = time.monotonic() + seconds
    found = _run(program, method, seconds, is_small, most_iterations)
    if method != "simplex" and not (found.is_optimal or found.out_of_time):
        return _run(program, "simplex", deadline - time.monotonic(), False, most_iterations)
    return found


def _run(
    program: Program, method: str, seconds: float, is_small: bool, most_iterations: int | None
) -> LinearSolution:
    solver = quiet_solver()
    for option, value in _OPTIONS[method]:
        solver.setOptionValue(option, value)
    if most_iterations is not None:
        solver.setOptionValue("simplex_iteration_limit", most_iterations)
    if seconds < np.inf:
        solver.setOptionValue("time_limit", max(seconds, 0.0))
    solver.passModel(program.model())
    if is_small or threading.current_thread() is not threading.main_thread():
        solver.run()
    else:
        _run_interruptibly(solver)
    status = solver.getModelStatus()
    solution = solver.getSolution()
    return LinearSolution(
        values=np.array(solution.col_value) if solution.value_valid else None,
        row_prices=np.array(solution.row_dual) if solution.dual_valid else None,
        is_optimal=status == highspy.HighsModelStatus.kOptimal,
        out_of_time=status == highspy.HighsModelStatus.kTimeLimit,
        method=method,
        n_iterations=int(solver.getInfoValue(f"{method}_iteration_count")[1]),
    )


def _run_interruptibly(solver: highspy.Highs) -> None:
    """Let the solver run beside the main thread, which alone hears Ctrl-C and passes it on.

    An event tells the end: `Thread.join` takes a thread for finished if Ctrl-C interrupts it.
    """
    finished = threading.Event()

    def run() -> None:
        try:
            solver.run()
        finally:
            finished.set()

    solver.HandleUserInterrupt = True
    try:
        threading.Thread(target=run).start()
        while not finished.wait(_PATIENCE):
            pass
    except BaseException:
        cast(Any, solver).cancelSolve()  # not annotated
        finished.wait()
        raise


_OPTIONS: dict[str, tuple[tuple[str, str | float], ...]] = {
    "simplex": (("solver", "simplex"),),
    "ipm": (
        ("solver", "ipm"),
        ("run_crossover", "off"),
        ("presolve", "on"),
        ("primal_feasibility_tolerance", _TOLERANCE),
        ("dual_feasibility_tolerance", _TOLERANCE),
    ),
    "pdlp": (
        ("solver", "pdlp"),
        ("presolve", "on"),
        ("primal_feasibility_tolerance", _TOLERANCE),
        ("dual_feasibility_tolerance", _TOLERANCE),
    ),
}
