"""Lower bounds on the fractional flow time and on the sum of k-th powers of flow times of preemptive schedules.

The flow time f_j >= p_j and the fractional flow time F_j of a job satisfy F_j <= f_j^k + p_j^k: the work of j is done
within f_j slots of its release, so the mean of (t - a_j)^k over it is at most f_j^k [Xu2021]_, (6). A bound on the sum
of F_j is therefore one on the sum of f_j^k once the sum of p_j^k is subtracted; and sum p_j^k is one by itself. The
better of the two is never below half of the first, the form in which it is printed.

.. [Xu2021] H. Xu, Y. Liu, W. C. Lau, "Optimal Job Scheduling With Resource Packing for Heterogeneous Servers",
   IEEE/ACM Transactions on Networking, 2021.
"""

from fractions import Fraction
from typing import NamedTuple

from schedcore.bounds.content_cache import ContentCache
from schedcore.bounds.linear_solver import check_solver_options
from schedcore.bounds.proven import Proven
from schedcore.bounds.rounding import largest_double_up_to
from schedcore.errors import UnsupportedError
from schedcore.model import Instance, MapReduceInstance
from schedcore.model.arrays import EXACT_BOUND
from schedcore.model.integers import checked_integer

from ..bounded_instance import check_bounded
from .fractional_rates import FractionalRates
from .processing_powers import exact_power_sum, processing_bound
from .slot_program import bound_by_program

__all__ = ["flow_power_lower_bound", "fractional_lower_bound"]

HIGHEST_POWER = 64
_MOST_COLUMNS = 100_000


def fractional_lower_bound(
    inst: Instance, k: int = 2, *, max_columns: int = _MOST_COLUMNS, time_limit: float | None = None
) -> float:
    """Return a proven lower bound on the sum of fractional flow times of every schedule of an instance.

    Parameters
    ----------
    inst : Instance
        Times are whole slots; the first resource is cores.
    k : int
        Exponent of the flow time, 1 to 64.
    max_columns : int
        About how many columns the linear program may have. As long as they suffice there is one for every job and slot
        that matter, and the bound is the optimum of the program, to within the accuracy of the solver. For more jobs
        the program works with stretches of several slots, and the bound is somewhat lower.
    time_limit : float, optional
        Seconds for the solver, above 0; after them the best bound so far is returned.

    Returns
    -------
    float
        At least the sum over jobs of what they cost alone, and never above the fractional flow time of any schedule,
        whatever the solver returned.

    Raises
    ------
    InvalidInstanceError
        For times that are no integers, jobs without cores, and options out of range.
    InfeasibleError
        If no machine has a resource that jobs demand.
    UnsupportedError
        For other kinds of instances, and for a horizon of more than 2**26 slots.
    TypeError
        For what is no instance, and a `k` or `time_limit` that is no number.

    Notes
    -----
    Solves a few linear programs; see ``docs/bounds.md`` for times. Machines count as one, with the sum of their
    capacities. The last 64 bounds without a limit of time are remembered by the content of the instance.
    """
    return fractional_bound(inst, k, max_columns=max_columns, time_limit=time_limit).value


def fractional_bound(
    inst: Instance, k: int = 2, *, max_columns: int = _MOST_COLUMNS, time_limit: float | None = None
) -> Proven:
    """Return the number of `fractional_lower_bound`, and how its program ended."""
    if isinstance(inst, MapReduceInstance):
        raise UnsupportedError("fractional_lower_bound: the linear program is for jobs without phases")
    check_bounded("fractional_lower_bound", inst, (Instance,))
    checked_integer("k", k, 1, HIGHEST_POWER)
    checked_integer("max_columns", max_columns, 1)
    check_solver_options("auto", time_limit)
    if time_limit is not None:
        return bound_by_program(FractionalRates(inst, k), max_columns, time_limit)
    return _BOUNDS.get(_Question(inst, k, max_columns), _answer)


def flow_power_lower_bound(inst: Instance | MapReduceInstance, k: int = 2) -> float:
    """Return a proven lower bound on the sum of k-th powers of flow times of every schedule of an instance.

    Parameters
    ----------
    inst : Instance or MapReduceInstance
        Times are whole slots.
    k : int
        1 to 64.

    Returns
    -------
    float
        The larger of the sum of p^k and `fractional_lower_bound` minus that sum; the sum alone for a
        `MapReduceInstance`, with p the times of both phases together.

    Raises
    ------
    InvalidInstanceError, InfeasibleError, UnsupportedError, TypeError
        As `fractional_lower_bound` does.
    """
    check_bounded("flow_power_lower_bound", inst, (Instance, MapReduceInstance))
    checked_integer("k", k, 1, HIGHEST_POWER)
    if isinstance(inst, MapReduceInstance):
        return processing_bound(inst.processing_time, k)
    return flow_power_bound(inst, k).value


def flow_power_bound(inst: Instance, k: int, time_limit: float | None = None) -> Proven:
    """Return the number of `flow_power_lower_bound`, and how its program ended."""
    fractional, *ended = fractional_bound(inst, k, time_limit=time_limit)
    rest = largest_double_up_to(Fraction(fractional) - exact_power_sum(inst.processing_time, k))
    if rest > EXACT_BOUND:  # powers in doubles are rounded k - 1 times, and their sum once
        rest *= 1 - (k + 1) * 2.0**-53
    return Proven(max(processing_bound(inst.processing_time, k), rest), *ended)


class _Question(NamedTuple):
    """What is remembered."""

    instance: Instance
    k: int
    max_columns: int

    def content_hash(self) -> str:
        return f"{self.instance.content_hash()} {self.k} {self.max_columns}"


def _answer(question: _Question) -> Proven:
    return bound_by_program(FractionalRates(question.instance, question.k), question.max_columns, None)


_BOUNDS = ContentCache[Proven](max_entries=64)
