"""Linear programs for jobs of parallel tasks: LP1 and LP2 over intervals of time, LP3 over the order of the jobs.

They guide the algorithms SynchPack-1, -2 and -3, and bound the sum of w C for everybody else. What a program proves is
recomputed from its prices, so that it holds however the solver ended.
"""

from .given_solution import given_completion, given_fractions
from .interval_program import IntervalSolution, solve_interval_program
from .intervals import Intervals, horizon, interval_epsilon
from .order_program import OrderSolution, solve_order_program
from .relaxation import relaxation_bound
from .task_fractions import WHOLE_TASK, TaskFractions, cleaned, lp_completion, progress

__all__ = [
    "WHOLE_TASK",
    "IntervalSolution",
    "Intervals",
    "OrderSolution",
    "TaskFractions",
    "cleaned",
    "given_completion",
    "given_fractions",
    "horizon",
    "interval_epsilon",
    "lp_completion",
    "progress",
    "relaxation_bound",
    "solve_interval_program",
    "solve_order_program",
]
