"""The approximation scheme: a cost within 1 + 1/k of the optimum, for every k, at a price.

Proposition 3 of Pascual and Rzadca, TPDS 2019, with declared sets of types: the published procedure puts a container
of short tasks of every type back on every machine, also where the type was absent and its cost not limited, and so
misses its bound (``docs/papers.md``). A result of theory: it can be run for a dozen tasks, or a few dozen that are all
short beside the target.
"""

from fractions import Fraction
from functools import partial
from typing import SupportsIndex

from schedcore import _core
from schedcore.model import Assignment, ColocationInstance, ColocationResult
from schedcore.model.integers import checked_integer, checked_limit
from schedcore.parameters import Parameters, option
from schedcore.registry import registered

from .assignment_result import colocation_result, kernel_columns
from .family import COLOCATION, Bounding
from .list_scheduling_by_type import best_schedule

__all__ = ["mct_ptas", "ptas_decide"]


class _Scheme(Parameters):
    k: int = option(
        "the cost is at most 1 + 1/k times the optimum",
        "At least 1; 1 and 2 are what can be computed.",
        default=1,
        check=partial(checked_integer, least=1),
    )
    work_limit: int | None = option(
        "most steps of its search; without it some tens of tasks can take hours",
        "Steps are configurations of machines and states; at least 1.",
        default=None,
        check=checked_limit,
    )


class PtasParameters(Bounding, _Scheme):
    """How close to the optimum, at what price, and what the result is compared with."""


@registered(PtasParameters, "approximation scheme with declared sets of types", COLOCATION)
def mct_ptas(instance: ColocationInstance, parameters: PtasParameters) -> ColocationResult:
    """Approximate the smallest largest cost within 1 + 1/k, by a search for the target cost.

    Parameters
    ----------
    instance : ColocationInstance
        A dozen tasks, or a few dozen tasks of which all are short.
    progress : callable, optional
        ``progress(work, work_limit)``, with 0 for no limit.

    Returns
    -------
    ColocationResult
        The cheapest assignment seen, that of `schedcore.colocation.best_schedule` included. `stats` has "status"
        ("complete", or "work_limit" where that limit, or that of the memory, ended the search), "work" and
        "target_numerator": the smallest target, times the denominator, for which the decision succeeded; at most the
        optimum where complete. `guarantee` is 1 + 1/k where complete.

    Raises
    ------
    InvalidInstanceError
        For `k` or a work limit below 1, or an unknown bound.
    UnsupportedError
        If the units in which loads are counted do not fit into 128 bits.

    Notes
    -----
    Exponential in the number of long tasks and types, and in g = k T alpha_max (2 + 1/alpha_min). At most 352 MiB.
    """
    machine, target, work, is_complete = _core.colocation.ptas_assignment(
        **kernel_columns(instance),
        alpha_denominator=instance.alpha_denominator,
        start=best_schedule(instance).assignment.machine,
        **parameters.for_kernel(),
        progress=parameters.progress,
    )
    return colocation_result(
        "mct_ptas",
        instance,
        machine,
        bound=parameters.bound,
        options=parameters.recorded(),
        stats={
            "status": "complete" if is_complete else "work_limit",
            "work": work,
            "target_numerator": target,
        },
        guarantee=1 + Fraction(1, parameters.checked("k")) if is_complete else None,
    )


def ptas_decide(
    inst: ColocationInstance, target_numerator: SupportsIndex, k: SupportsIndex = 1
) -> Assignment | None:
    """Find an assignment that costs at most 1 + 1/k times a target, or prove that none costs at most the target.

    Parameters
    ----------
    inst : ColocationInstance
        As for `schedcore.colocation.mct_ptas`.
    target_numerator : int
        The target cost times the denominator of the instance, at least 0.
    k : int
        At least 1.

    Returns
    -------
    Assignment or None
        None: every assignment costs more than the target. An assignment is found whenever one costs at most the target,
        and sometimes also where none does.

    Raises
    ------
    InvalidInstanceError
        For numbers out of range.
    TypeError
        For numbers that are no integers.
    UnsupportedError
        If the units in which loads are counted do not fit into 128 bits, or the search into its memory.

    Notes
    -----
    Exponential, see `schedcore.colocation.mct_ptas`; Ctrl-C ends it.
    """
    machine = _core.colocation.ptas_decision(
        **kernel_columns(inst),
        alpha_denominator=inst.alpha_denominator,
        target=checked_integer("target_numerator", target_numerator, 0),
        k=checked_integer("k", k, 1),
    )
    return None if machine is None else Assignment(machine)
