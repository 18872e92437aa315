"""The smallest possible largest cost of a few tasks: branch and bound from the best heuristic.

What other results are measured against. Source: Pascual and Rzadca, TPDS 2019, who solve small instances with a
solver; the search runs in ``src/cpp``, and ``colocation_exact.hpp`` says what it cuts and why nothing is lost.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from schedcore import _core
from schedcore.bounds.rounding import largest_double_up_to
from schedcore.errors import InfeasibleError, UnsupportedError
from schedcore.model import ColocationInstance, ColocationResult
from schedcore.model.integers import checked_limit
from schedcore.parameters import Parameters, option
from schedcore.registry import registered

from .assignment_result import colocation_result, kernel_columns, least_numerator
from .family import COLOCATION, Bounding
from .fill_greedy import fill_greedy
from .fill_rebalance import fill_rebalance
from .greedy_dedicated import greedy_dedicated
from .list_scheduling_by_type import best_schedule

__all__ = ["mct_exact"]

_STARTS: tuple[Callable[..., ColocationResult], ...] = (
    best_schedule,
    fill_rebalance,
    fill_greedy,
    greedy_dedicated,
)


class _Effort(Parameters):
    node_limit: int | None = option(
        "most placements of a task to try",
        "At least 1; without it the search ends when the optimum is proven.",
        default=None,
        check=checked_limit,
    )


class ExactParameters(Bounding, _Effort):
    """How long is searched, and the bound at which that may stop."""


@registered(ExactParameters, "exact optimum by branch and bound", COLOCATION)
def mct_exact(instance: ColocationInstance, parameters: ExactParameters) -> ColocationResult:
    """Find an assignment whose largest cost is the smallest possible.

    The search may stop at the lower bound, which is that of the result where the node limit is reached.

    Parameters
    ----------
    instance : ColocationInstance
        Some 20 tasks on a few machines; fewer if many sizes and costs are nearly equal.
    progress : callable, optional
        ``progress(nodes, node_limit)``, with 0 for no limit.

    Returns
    -------
    ColocationResult
        `stats` has "status" ("optimal" or "node_limit") and "nodes". Where it is optimal, `lower_bound` is the value
        and `guarantee` is 1. Otherwise it is the best assignment found, no dearer than those of these functions with
        their defaults: `schedcore.colocation.best_schedule`, `schedcore.colocation.fill_rebalance`,
        `schedcore.colocation.fill_greedy` and `schedcore.colocation.greedy_dedicated`.

    Raises
    ------
    InvalidInstanceError
        For a node limit below 1, or an unknown bound.
    UnsupportedError
        For more than 2**22 tasks times machines, unless a heuristic meets the lower bound.

    Notes
    -----
    Exponential in the number of tasks. 20 tasks of unrelated sizes on 2 to 5 machines take some milliseconds to some
    tenths of a second. At most 192 MiB for the placements seen.
    """
    numerator = least_numerator(instance, parameters.bound)
    start = _cheapest_start(instance, numerator)
    machine, cost, nodes, is_optimal = start.assignment.machine, start.cost_numerator, 0, True
    if cost > numerator:
        machine, cost, nodes, is_optimal = _core.colocation.exact_colocation(
            **kernel_columns(instance),
            start=machine,
            lower_bound=numerator,
            **parameters.for_kernel(),
            progress=parameters.progress,
        )
    return colocation_result(
        "mct_exact",
        instance,
        machine,
        bound=parameters.bound,
        options=parameters.recorded(),
        stats={"status": "optimal" if is_optimal else "node_limit", "nodes": nodes},
        guarantee=Fraction(1) if is_optimal else None,
        proven=largest_double_up_to(Fraction(cost, instance.alpha_denominator)) if is_optimal else None,
    )


def _cheapest_start(instance: ColocationInstance, enough: int) -> ColocationResult:
    """The first of the cheapest assignments of those heuristics that take the instance, or one that costs `enough`."""
    found: list[ColocationResult] = []
    for run in _STARTS:
        result = _attempt(run, instance)
        if result is None:
            continue
        if result.cost_numerator <= enough:
            return result
        found.append(result)
    return min(found, key=lambda result: result.cost_numerator)


def _attempt(run: Callable[..., Any], instance: ColocationInstance) -> ColocationResult | None:
    try:
        result: ColocationResult = run(instance)
    except (InfeasibleError, UnsupportedError):
        return None  # more clusters than machines, or a type that costs itself more than 1
    return result
