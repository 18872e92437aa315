"""LP1 and LP2: solve them, all at once or from a few machines a task on, and prove a bound.

A program over some machines of each task has a value that is too high, but its prices bound the whole program
(`interval_prices`), and say which machines are missing. In the evaluation of the paper, where a task has a few fast
machines and many that take twice as long, the fast ones alone have the value of the whole program.
"""

import time
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from schedcore.bounds.content_cache import ContentCache
from schedcore.bounds.linear_solver import LinearSolution, check_solver_options, solve_linear
from schedcore.model import ParallelTaskInstance, usable
from schedcore.model.integers import checked_integer

from .interval_layout import layout
from .interval_prices import Proof, prove
from .interval_rows import IntervalRows
from .interval_rules import IntervalRules, least_cost
from .intervals import Intervals, horizon
from .task_fractions import TaskFractions

__all__ = ["IntervalSolution", "solve_interval_program"]

# by default, with how many columns a program is still solved at once, and with how many at last
_AT_ONCE, _AT_LAST = 250_000, 4_000_000
_FEWEST, _MOST = (
    3,
    16,
)  # machines a task that larger programs start with: all that tie for the fastest, within this
_ROUNDS = 5  # after which all machines are taken in, if they make no more columns than that
_ADDED_PER_TASK = 4  # machines that one round prices in for a task, at most
_SIMPLEX_UP_TO = 25_000  # rows; from there on interior points are faster
_CLOSE = (
    1e-4  # relative gap between a restricted program and the bound, that ends the rounds for a given number
)
_OPTIMAL = 1e-6  # relative gap that counts as none
_USABLE = 1e-5  # by how much a row may be missed in a solution that is used


class IntervalSolution(NamedTuple):
    """What is known about LP1 or LP2.

    Attributes
    ----------
    fractions : TaskFractions or None
        The solution, cleaned; None if there is no usable one.
    bound : float
        Proven: no schedule of class migrate (LP1) or preempt (LP2) has a smaller sum of w C.
    status : str
        "optimal": the fractions are, to within 1e-6 of the bound or by the word of the solver on the whole program;
        "restricted": optimal for some machines a task, and within 1e-4 of the bound; "time_limit"; "failed" if the
        solver gave up.
    intervals : Intervals
    details : dict
        Facts for the record, none of which depends on the speed of the machine.
    """

    fractions: TaskFractions | None
    bound: float
    status: str
    intervals: Intervals
    details: dict[str, Any]


def solve_interval_program(
    instance: ParallelTaskInstance,
    *,
    epsilon: Fraction = Fraction(1),
    doubling: bool = False,
    solver: str = "auto",
    time_limit: float | None = None,
    machines_per_task: int | None = None,
) -> IntervalSolution:
    """Solve LP1, or with `doubling` LP2, by HiGHS.

    Parameters
    ----------
    instance : ParallelTaskInstance
        Release times above 0 make the program tighter; it is then meant for bounds.
    epsilon : Fraction
        Growth of the intervals; LP2 is defined for 1.
    doubling : bool
        Whether tasks complete in their interval, which must not end before their processing time.
    solver : {"auto", "simplex", "ipm", "pdlp"}
        "ipm" without crossover. "auto" takes simplex for small programs and "ipm" for others.
    time_limit : float, optional
        Seconds for all solving together.
    machines_per_task : int, optional
        The program starts with so many machines a task, the fastest, local ones first. Machines whose priced cost is
        less are taken in until the bound is within 1e-4. By default small programs have all machines, large ones
        start with some and go on until the bound is within 1e-6.

    Raises
    ------
    InfeasibleError
        If a task fits none of its machines.
    InvalidInstanceError
        For options outside their range.

    Notes
    -----
    A column for every placement and interval in which it can be needed, with at most 2 + n_resources entries.
    """
    check_solver_options(solver, time_limit)
    if machines_per_task is not None:
        checked_integer("machines_per_task", machines_per_task, 1)
    if solver == "auto" and time_limit is None and machines_per_task is None:
        found = _SOLVED.get(_Question(instance, epsilon, doubling), _answer)
        return found._replace(details=dict(found.details))
    return _solve(instance, epsilon, doubling, solver, time_limit, machines_per_task)


class _Question(NamedTuple):
    """What the default program is asked."""

    instance: ParallelTaskInstance
    epsilon: Fraction
    doubling: bool

    def content_hash(self) -> str:
        return f"{self.instance.content_hash()} {self.epsilon} {self.doubling}"


def _answer(question: _Question) -> IntervalSolution:
    found = _solve(*question, solver="auto", time_limit=None, machines_per_task=None)
    for column in found.fractions or ():
        column.setflags(write=False)  # everybody who asks gets the same arrays
    return found


# An algorithm and the bound of those that it is compared with ask the same.
_SOLVED = ContentCache[IntervalSolution](max_entries=8)


def _solve(
    instance: ParallelTaskInstance,
    epsilon: Fraction,
    doubling: bool,
    solver: str,
    time_limit: float | None,
    machines_per_task: int | None,
) -> IntervalSolution:
    inst = usable(instance)
    intervals = Intervals(epsilon, horizon(inst))
    if inst.n_tasks == 0:
        nothing = np.zeros(0, dtype=np.int64)
        return IntervalSolution(TaskFractions(*[nothing] * 4), 0.0, "optimal", intervals, {})
    rules = IntervalRules(inst, intervals, doubling=doubling)
    deadline = np.inf if time_limit is None else time.monotonic() + time_limit
    return _Rounds(rules, machines_per_task, solver, deadline).run()


def _first_choice(rules: IntervalRules, machines_per_task: int | None) -> NDArray[np.int64]:
    """Return the placements to begin with: the fastest of each task, of equal ones local ones, then the first."""
    instance = rules.instance
    task, time = instance.placement_task, instance.placement_time
    if machines_per_task is None and _n_columns(rules) <= _AT_ONCE:
        return np.arange(instance.n_placements)
    order = np.lexsort((~instance.placement_local, time, task))
    rank = np.empty(instance.n_placements, dtype=np.int64)
    rank[order] = np.arange(instance.n_placements) - instance.placement_start[task]
    if machines_per_task is not None:
        return np.flatnonzero(rank < machines_per_task)
    fastest = time == np.minimum.reduceat(time, instance.placement_start[:-1])[task]
    return np.flatnonzero((rank < _FEWEST) | (fastest & (rank < _MOST)))


def _n_columns(rules: IntervalRules) -> int:
    return int((rules.intervals.n_intervals - rules.first).sum())


class _Rounds:
    """Solving a program again and again with more placements; keeps the last solution and the best bound."""

    def __init__(
        self, rules: IntervalRules, machines_per_task: int | None, solver: str, deadline: float
    ) -> None:
        self._rules = rules
        self._chosen = _first_choice(rules, machines_per_task)
        self._solver = solver
        self._deadline = deadline
        to_the_end = machines_per_task is None and _n_columns(rules) <= _AT_LAST
        self._close = _OPTIMAL if to_the_end else _CLOSE
        self._last_round = _ROUNDS if to_the_end else None
        self._n_rounds = 0
        # No job counts less than at 1, the end of interval 0; with release times the program knows more.
        weights = float(rules.instance.weight.sum()) * (1 - 2.0**-40)
        self._bound = least_cost(rules.instance) if rules.instance.release_time.any() else weights
        self._fractions: TaskFractions | None = None
        self._value = np.inf

    def run(self) -> IntervalSolution:
        while True:
            rows = IntervalRows(self._rules, layout(self._rules, self._chosen))
            found = solve_linear(
                rows.program,
                self._solver,
                self._deadline - time.monotonic(),
                is_small=len(rows.program.row_lower) <= _SIMPLEX_UP_TO,
            )
            self._n_rounds += 1
            is_solved = self._keep(rows, found) and found.is_optimal
            proof = self._prove(rows, found)
            gap = 1 - self._bound / self._value
            added = self._wanted(proof) if gap > self._close else self._chosen[:0]
            if found.out_of_time or len(added) == 0:
                return IntervalSolution(
                    self._fractions,
                    self._bound,
                    self._status(gap, is_solved, found.out_of_time),
                    self._rules.intervals,
                    self._details(rows, found),
                )
            self._chosen = np.sort(np.concatenate([self._chosen, added]))

    def _keep(self, rows: IntervalRows, found: LinearSolution) -> bool:
        """Keep the solution if it is usable; return whether it is."""
        if found.values is None or rows.violation(found.values) > _USABLE:
            return False
        fractions = rows.fractions(found.values)
        if fractions is None:
            return False
        self._fractions, self._value = fractions, rows.value(found.values)
        return True

    def _prove(self, rows: IntervalRows, found: LinearSolution) -> Proof:
        prices = np.zeros(len(rows.program.row_lower)) if found.row_prices is None else found.row_prices
        proof = prove(self._rules, rows.prices(prices))
        self._bound = max(self._bound, proof.bound)
        return proof

    def _wanted(self, proof: Proof) -> NDArray[np.int64]:
        """Return the cheapest placements left out, where they cost less than all chosen ones of their task."""
        instance = self._rules.instance
        task = instance.placement_task
        inside = np.zeros(instance.n_placements, dtype=np.bool_)
        inside[self._chosen] = True
        if self._n_rounds == self._last_round:
            return np.flatnonzero(~inside)
        best = np.minimum.reduceat(np.where(inside, proof.cheapest, np.inf), instance.placement_start[:-1])
        wanted = np.flatnonzero(~inside & (proof.cheapest < best[task]))
        order = wanted[np.lexsort((proof.cheapest[wanted], task[wanted]))]
        rank = np.arange(len(order)) - np.searchsorted(task[order], task[order])
        return order[rank < _ADDED_PER_TASK]

    def _status(self, gap: float, is_solved: bool, out_of_time: bool) -> str:
        whole = len(self._chosen) == self._rules.instance.n_placements
        if self._fractions is not None and (gap <= _OPTIMAL or (is_solved and whole)):
            return "optimal"
        if out_of_time:
            return "time_limit"
        return "restricted" if is_solved else "failed"

    def _details(self, rows: IntervalRows, found: LinearSolution) -> dict[str, Any]:
        return {
            "method": found.method,
            "n_iterations": found.n_iterations,
            "n_columns": len(rows.program.cost),
            "n_rows": len(rows.program.row_lower),
            "n_entries": len(rows.program.value),
            "n_placements": len(self._chosen),
            "n_placements_of_all": self._rules.instance.n_placements,
            "rounds": self._n_rounds,
            "value": self._value,
        }
