"""The best of all within a budget: every heuristic, the quadratic program turned into an assignment, and improvement.

Beyond the paper. The program whose optimum is the lower bound also says how many machines should hold which types, and
how much of each. Tasks placed by these loads and then improved mostly end within a thousandth of the bound.
"""

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schedcore import _core
from schedcore.bounds.colocation import pattern_program
from schedcore.bounds.colocation.whole_loads import whole_load_bound
from schedcore.bounds.rounding import largest_double_up_to
from schedcore.model import ColocationInstance, ColocationResult
from schedcore.parameters import Parameters, Progress, option, same_option
from schedcore.registry import registered

from .assignment_result import colocation_result, kernel_columns, least_numerator
from .family import COLOCATION, Bound, Bounding
from .improvement import WORK_LIMIT, checked_work_limit, improved
from .portfolio import heuristic_results

__all__ = ["colocate"]

_PLACEMENTS_BY_COST = 50_000_000  # tasks times machines that placing by cost may take
_FEW_TASKS = 20  # up to here branch and bound is tried
_NODES = 100_000
_LARGEST_LOAD = float(2**63 - 1024)  # the largest double that fits


class _Effort(Parameters):
    work_limit: int | None = option(
        "most exchanges to evaluate",
        "In all, at least 0; see `schedcore.colocation.improve`. None: until nothing more is found.",
        default=WORK_LIMIT,
        check=checked_work_limit,
        for_kernel=False,
    )


class ColocateParameters(Bounding, _Effort):
    """How long is searched, and with which bound."""

    bound: Bound = same_option(default="qcp")


@registered(ColocateParameters, "best of all, improved", COLOCATION, source="beyond the papers")
def colocate(instance: ColocationInstance, parameters: ColocateParameters) -> ColocationResult:
    """Find a cheap assignment and prove how far from the optimum it can be.

    With the bound "qcp" the program gives the first assignment and the lower bound, which is then sharpened where whole
    loads allow it. "simple" does neither; it is for instances where the program takes too long.

    Parameters
    ----------
    instance : ColocationInstance
    progress : callable, optional
        ``progress(done, total)`` in evaluated exchanges.

    Returns
    -------
    ColocationResult
        Never dearer than `sched_mixed`, `sched_juxtapose`, `best_schedule`, `fill_greedy`, `greedy_for_2_types`,
        `fill_rebalance` and `greedy_dedicated`, whatever their options other than your own clusters. `stats` has
        "status" ("optimal": proven; "local_optimum": nothing more was found; "work_limit"), "start" (what the
        assignment was improved from), "work" (exchanges evaluated) and "moves" (carried out). `guarantee` is 1 where it
        is proven optimal, else the best one of these algorithms.

    Raises
    ------
    InvalidInstanceError
        For a negative work limit, or an unknown bound.

    Notes
    -----
    An assignment that is proven optimal ends the search. The heuristics are run if the first one is not; of these
    greedy_dedicated takes most of the time on large instances. Up to 20 tasks end with branch and bound. There is no
    clock in it: the same arguments give the same result.
    """
    search = _Search(instance, parameters)
    search.run()
    return colocation_result(
        "colocate",
        instance,
        search.machine,
        bound=parameters.bound,
        options=parameters.recorded(),
        stats={
            "status": search.status(),
            "start": search.start,
            "work": search.work,
            "moves": search.moves,
        },
        guarantee=Fraction(1) if search.is_optimal() else search.guarantee,
        proven=largest_double_up_to(Fraction(search.target, instance.alpha_denominator)),
    )


class _Search:
    """The cheapest assignment so far, and `target`: no assignment has a smaller cost numerator."""

    def __init__(self, instance: ColocationInstance, parameters: ColocateParameters) -> None:
        self._instance = instance
        self._bound = parameters.bound
        self._limit: int = parameters.checked("work_limit")
        self._progress = parameters.progress
        self._ends = "local_optimum"
        self._checked: int | None = None  # the cost that whole loads were compared with
        self.target = least_numerator(instance, parameters.bound)
        self.machine = np.zeros(instance.n_tasks, dtype=np.int64)
        self.cost = self._cost_of(self.machine)
        self.start = "one_machine"
        self.work = self.moves = 0
        self.guarantee: Fraction | None = None

    def run(self) -> None:
        inst = self._instance
        if inst.n_tasks <= inst.n_machines:
            alone = np.arange(
                inst.n_tasks, dtype=np.int64
            )  # optimal: no bound is larger than the longest task
            self._offer("alone", alone, self._cost_of(alone))
        if self.is_optimal():
            return
        if self._bound == "qcp":
            self._improve("pattern_program", self._by_patterns(), self._limit // 4)
            self._sharpen()
        if not self.is_optimal():
            starts = self._heuristics()
            if inst.n_tasks * inst.n_machines <= _PLACEMENTS_BY_COST:
                starts.append(("least_cost", self._by_cost()))
            for name, machine in starts:
                self._improve(name, machine, self._limit // 8)
        if not self.is_optimal():
            self._improve(self.start, self.machine, self._limit - self.work)
            self._sharpen()
        if not self.is_optimal() and inst.n_tasks <= _FEW_TASKS:
            self._branch_and_bound()

    def is_optimal(self) -> bool:
        return self.cost <= self.target

    def status(self) -> str:
        return "optimal" if self.is_optimal() else self._ends

    def _cost_of(self, machine: NDArray[np.int64]) -> int:
        cost, _ = _core.colocation.colocation_cost(**kernel_columns(self._instance), machine=machine)
        return cost

    def _offer(self, name: str, machine: NDArray[np.int64], cost: int) -> None:
        if cost < self.cost:
            self.machine, self.cost, self.start = machine, cost, name

    def _improve(self, name: str, machine: NDArray[np.int64], limit: int) -> None:
        if self.is_optimal():
            return
        seed = self.work  # so that going on with an assignment is not the same walk again
        found = improved(self._instance, machine, self.target, limit, seed, self._reporter())
        self.work += found.work
        self.moves += found.moves
        self._ends = "work_limit" if found.end == "work_limit" else "local_optimum"
        self._offer(name, found.machine, self._cost_of(found.machine))

    def _reporter(self) -> Progress:
        report, before, limit = self._progress, self.work, self._limit
        return None if report is None else lambda done, total: report(before + done, limit)

    def _by_patterns(self) -> NDArray[np.int64]:
        """Place tasks by the loads that the solution of the program puts on machines."""
        inst = self._instance
        solution = pattern_program(inst)
        wanted = np.zeros((inst.n_machines, inst.n_types), dtype=np.int64)
        first = 0
        for load, count in zip(solution.load, solution.machines, strict=True):
            wanted[first : first + count] = np.minimum(load / count, _LARGEST_LOAD)
            first += count
        return _core.colocation.place_by_targets(**kernel_columns(inst), target=wanted)

    def _by_cost(self) -> NDArray[np.int64]:
        return _core.colocation.place_by_cost(**kernel_columns(self._instance), progress=None)

    def _heuristics(self) -> list[tuple[str, NDArray[np.int64]]]:
        """Run them all, unless one is optimal; return the two cheapest of different cost."""
        cheapest: dict[int, tuple[str, NDArray[np.int64]]] = {}
        for result in heuristic_results(self._instance):
            machine = result.assignment.machine
            self._offer(result.algorithm, machine, result.cost_numerator)
            cheapest.setdefault(result.cost_numerator, (result.algorithm, machine))
            if result.guarantee is not None:
                proven = Fraction(result.guarantee)
                self.guarantee = proven if self.guarantee is None else min(self.guarantee, proven)
            if self.is_optimal():
                break
        return [cheapest[cost] for cost in sorted(cheapest)[:2]]

    def _sharpen(self) -> None:
        """Raise the target by what whole loads prove."""
        if self._bound == "qcp" and not self.is_optimal() and self._checked != self.cost:
            self.target = whole_load_bound(self._instance, self.target, self.cost)
            self._checked = self.cost

    def _branch_and_bound(self) -> None:
        found: Any = _core.colocation.exact_colocation(
            **kernel_columns(self._instance),
            start=self.machine,
            lower_bound=self.target,
            node_limit=_NODES,
            progress=None,
        )
        machine, cost, _, is_optimal = found
        self._offer("branch_and_bound", machine, cost)
        if is_optimal:
            self.target = cost
