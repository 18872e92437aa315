"""A linear program as sparse arrays, handed to HiGHS in one call."""

from typing import Any, NamedTuple, cast

import highspy
import numpy as np
from numpy.typing import NDArray

__all__ = ["Program", "quiet_solver"]

_TOLERANCE = 1e-9


class Program(NamedTuple):
    """Minimise cost @ x over x >= 0 with bounds on x and on the rows; entries in any order, none twice.

    `row`, `column` and `value` list the entries of the matrix; infinite bounds are np.inf.
    """

    cost: NDArray[np.float64]
    column_upper: NDArray[np.float64]
    row_lower: NDArray[np.float64]
    row_upper: NDArray[np.float64]
    row: NDArray[np.int64]
    column: NDArray[np.int64]
    value: NDArray[np.float64]
    column_lower: NDArray[np.float64] | None = None

    def model(self) -> highspy.HighsLp:
        """Return the program for ``Highs.passModel``."""
        n_columns, n_rows = len(self.cost), len(self.row_lower)
        order = np.lexsort((self.row, self.column))
        lp = highspy.HighsLp()
        lp.num_col_, lp.num_row_ = n_columns, n_rows
        lp.col_cost_ = self.cost
        lp.col_lower_ = np.zeros(n_columns) if self.column_lower is None else self.column_lower
        lp.col_upper_ = self.column_upper
        lp.row_lower_, lp.row_upper_ = self.row_lower, self.row_upper
        lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise
        lp.a_matrix_.start_ = np.searchsorted(self.column[order], np.arange(n_columns + 1)).astype(np.int32)
        lp.a_matrix_.index_ = self.row[order].astype(np.int32)
        lp.a_matrix_.value_ = self.value[order]
        return lp


class _Quiet(cast(Any, highspy.Highs)):  # type: ignore[misc]  # its methods are not annotated
    """HiGHS that prints nothing: without this, newer ones introduce themselves on stdout where they are made."""

    def enableCallbacks(self) -> None:  # called by the constructor, and the first to print
        self.setOptionValue("output_flag", False)
        super().enableCallbacks()


def quiet_solver() -> highspy.Highs:
    """Return a solver that prints nothing, works in one thread and with the tightest customary tolerances (1e-9).

    The number of threads is left alone: HiGHS shares them among all solvers of a thread and refuses to run with
    another number than the first one that ran, be it ours or the caller's.
    """
    solver = _Quiet()
    for option, value in (
        ("output_flag", False),
        ("parallel", "off"),
        ("presolve", "off"),
        ("primal_feasibility_tolerance", _TOLERANCE),
        ("dual_feasibility_tolerance", _TOLERANCE),
    ):
        solver.setOptionValue(option, value)
    return solver
