"""The question, and the choice of a method: how good can any assignment of tasks with types be?"""

import math
import time
from fractions import Fraction
from typing import NamedTuple

from schedcore.model import ColocationInstance
from schedcore.model.choices import check_choice
from schedcore.model.real_numbers import finite_number

from ..bounded_instance import check_bounded
from ..content_cache import ContentCache
from ..rounding import largest_double_up_to
from .patterns import MOST_TYPES, pattern_program
from .per_machine import solve_per_machine
from .type_loads import TypeLoads, type_loads
from .volume import volume_bound

__all__ = ["METHODS", "ColocationBound", "lower_bound"]

METHODS = ("qcp", "qcp_per_machine", "simple")
_PER_MACHINE_PAIRS = 40  # with too many types for patterns, the per-machine form is tried up to this size


class ColocationBound(NamedTuple):
    """A proven lower bound on the largest cost, and whether the program behind it was solved to optimality."""

    bound: float
    is_exact: bool


def lower_bound(
    inst: ColocationInstance, method: str = "qcp", time_limit: float | None = None
) -> ColocationBound:
    """Return a cost below which no assignment of `inst` has its largest cost.

    Parameters
    ----------
    inst : ColocationInstance
    method : {"qcp", "qcp_per_machine", "simple"}
        "simple": the largest cost of a task alone, and volume bounds. "qcp": the larger of the largest cost of a task
        alone and the optimum c* of the program with divisible loads, solved over type patterns. "qcp_per_machine": the
        same number from the published form of the program, slower; for cross-checks.
    time_limit : float, optional
        Seconds, at least 0, or infinity. Reached: the best bound proven by then. Without it the search is limited by
        its amount of work, so that it ends and is reproducible.

    Returns
    -------
    ColocationBound
        ``bound``, never above the optimum and never below the one of "simple", and ``is_exact``: whether
        the number that the method asks for was found, up to rounding (1e-9 relatively; none for "simple", and none
        for "qcp" with one machine, and with one or two types on up to 5000). 0.0, exact, for no tasks.

    Raises
    ------
    InvalidInstanceError
        For an unknown method, and a time limit that is negative or nan.
    TypeError, UnsupportedError
        For what is no instance, and other kinds of instances.

    Notes
    -----
    "simple" takes O(n_tasks) and some 0.2 ms, in exact integer arithmetic. "qcp" takes some milliseconds for up to four
    types; the search stops after about five seconds, which happens from six types on. With more than ten types "qcp" is
    the per-machine form up to 40 pairs of type and machine, and beyond that the program of the eight types of largest
    load, which is not exact. No bound takes a solver's word. Remembered by the contents of the instance. The proofs
    stand in ``docs/bounds.md``.
    """
    check_bounded("colocation.lower_bound", inst, (ColocationInstance,))
    check_choice("method", method, METHODS)
    if time_limit is not None and time_limit != math.inf:
        finite_number("time_limit", time_limit, above_0=False, kind="a number of seconds")
    if inst.n_tasks == 0:
        return ColocationBound(0.0, True)
    if method == "simple":
        return ColocationBound(largest_double_up_to(_simple_numerator(inst) / inst.alpha_denominator), True)
    deadline = math.inf if time_limit is None else time.monotonic() + time_limit
    if method == "qcp_per_machine" or _is_narrow(inst):
        return _per_machine.get(
            inst,
            lambda same: _by_machine(same, deadline),
            keep=lambda found: time_limit is None or found.is_exact,
        )
    return _by_pattern(inst, time_limit)


def _simple_numerator(inst: ColocationInstance) -> Fraction:
    return _simple.get(inst, lambda same: _largest_simple(type_loads(same)))


def _largest_simple(loads: TypeLoads) -> Fraction:
    return max(Fraction(loads.longest), volume_bound(loads))


def _is_narrow(inst: ColocationInstance) -> bool:
    """Whether there are too many types for patterns, and few enough machines to list."""
    n_present = sum(load > 0 for load in inst.load_of_types())
    return n_present > MOST_TYPES and 1 < inst.n_machines <= _PER_MACHINE_PAIRS / n_present


def _by_machine(inst: ColocationInstance, deadline: float) -> ColocationBound:
    found = solve_per_machine(type_loads(inst), _simple_numerator(inst), deadline)
    return ColocationBound(largest_double_up_to(found.bound / inst.alpha_denominator), found.is_exact)


def _by_pattern(inst: ColocationInstance, time_limit: float | None) -> ColocationBound:
    # The volume bounds hold for divisible loads, too; where one is c* it undoes the solver's tolerance.
    simple = largest_double_up_to(_simple_numerator(inst) / inst.alpha_denominator)
    if inst.n_machines >= inst.n_tasks:
        return ColocationBound(simple, True)  # every task alone: the longest is the optimum, so c* <= it
    solution = pattern_program(inst, time_limit)
    return ColocationBound(max(simple, solution.bound), solution.is_exact or simple >= solution.cost)


_simple: ContentCache[Fraction] = ContentCache()
_per_machine: ContentCache[ColocationBound] = ContentCache()
