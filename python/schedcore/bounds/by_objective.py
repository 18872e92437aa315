"""One question for every kind of instance: which number can no schedule beat?

The table says what can be bounded of each kind of instance, and how; results of algorithms, ``schedcore bounds`` and
``schedcore compare`` ask it. Another bound is another line of it.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from schedcore.model import (
    AnyInstance,
    ColocationInstance,
    Instance,
    MapReduceInstance,
    ParallelTaskInstance,
)
from schedcore.model.choices import check_choice
from schedcore.model.integers import checked_integer
from schedcore.model.real_numbers import finite_number
from schedcore.model.slots import slot_columns

from .bounded_instance import check_bounded
from .colocation.methods import METHODS as COST_METHODS
from .colocation.methods import lower_bound as cost_bound
from .makespan import makespan_lower_bound
from .parallel_tasks.relaxation import METHODS as PROGRAMS
from .parallel_tasks.relaxation import task_bound
from .preemptive.fractional_flow import HIGHEST_POWER, flow_power_bound, fractional_bound
from .preemptive.processing_powers import processing_bound
from .proven import Proven
from .rounding import mean_up_to
from .weighted_completion import average_response_time_lower_bound, bound_names, lower_bounds

__all__ = ["LowerBound", "lower_bound", "lower_bound_methods"]


@dataclass(frozen=True, slots=True)
class LowerBound:
    """A number that no schedule of an instance can beat; ``float(bound)`` is its value.

    Attributes
    ----------
    value : float
        Proven, however the program behind it ended.
    objective : str
        What it bounds.
    method : str
        How it was found.
    status : str or None
        How the program behind it ended: "optimal" (solved to the end), "restricted" (a part of it, and close),
        "limit" (of time or work), "time_limit" or "failed"; None where there is no program.
    holds_for : str or None
        The class of schedules of parallel tasks that it bounds: "migrate" is all of them, "preempt" those in which
        every task stays on one machine. None for other kinds of instances, where it bounds all.
    """

    value: float
    objective: str
    method: str
    status: str | None = None
    holds_for: str | None = None

    @property
    def is_exact(self) -> bool:
        """Whether the number that the method asks for was found, up to rounding and tolerances."""
        return self.status in (None, "optimal")

    def __float__(self) -> float:
        return self.value


def lower_bound(
    instance: AnyInstance,
    objective: str | None = None,
    method: str | None = None,
    *,
    k: int = 2,
    time_limit: float | None = None,
) -> LowerBound:
    """Return a proven lower bound on an objective.

    Parameters
    ----------
    instance : Instance, ColocationInstance, ParallelTaskInstance or MapReduceInstance
    objective : str, optional
        By default the first one of its kind:

        ====================  ===============================================================================
        Instance              "awct", "weighted_completion", "average_response_time", "makespan"; for schedules in
                              slots "flow_power_sum", "flow_time", "l2_norm", "fractional_flow_time"
        ColocationInstance    "max_cost"
        ParallelTaskInstance  "weighted_completion_time"
        MapReduceInstance     "flow_power_sum", "flow_time", "l2_norm"
        ====================  ===============================================================================
    method : str, optional
        One of `lower_bound_methods`. By default "best" for completion times, "qcp" for costs, "alone" for flow times,
        "program" for fractional ones.
    k : int
        The power of "flow_power_sum" and "fractional_flow_time", 1 to 64.
    time_limit : float, optional
        Seconds, above 0, for each linear or quadratic program; reached, the best bound proven by then. Without it
        programs end by themselves, and their bounds are remembered. Bounds without a program take no heed of it.

    Returns
    -------
    LowerBound

    Raises
    ------
    InvalidInstanceError
        For an unknown objective or method (with the close matches), options out of range, and times that are no whole
        slots where slots are asked for.
    InfeasibleError
        Of parallel tasks and of fractional flow times: for what no machine can ever run.
    UnsupportedError
        For "lp3" if a task has several machines, a horizon of more than 2**26 slots, and for jobs of several tasks and
        exclusive jobs where slots are asked for.
    TypeError
        For anything but an instance, and for a `k` or `time_limit` that is no number.

    Notes
    -----
    Bounds without a program cost O(n_jobs * n_resources * log n_jobs) at most; see `lower_bounds`. "qcp" takes
    milliseconds for up to four types and five seconds at most; the programs of parallel tasks and of fractional flow
    times take from milliseconds to minutes. Proofs, sources and times stand in ``docs/bounds.md``.
    """
    objectives = _objectives_of(instance)
    what = next(iter(objectives)) if objective is None else objective
    check_choice(f"objective of {type(instance).__name__}", what, objectives)
    bounded = objectives[what]
    how = bounded.default if method is None else method
    check_choice(f"method for {what}", how, bounded.methods(instance))
    checked_integer("k", k, 1, HIGHEST_POWER)
    if time_limit is not None:
        finite_number("time_limit", time_limit, above_0=True, kind="a number of seconds")
    value, status, holds_for = bounded.prove(instance, how, k, time_limit)
    return LowerBound(value, what, how, status, holds_for)


def lower_bound_methods(instance: AnyInstance) -> dict[str, tuple[str, ...]]:
    """Return what `lower_bound` can be asked about an instance.

    Returns
    -------
    dict of str to tuple of str
        Objective -> its methods. The names "mean_busy_0", "split_0", ... go by the resources of the instance;
        `lower_bounds` explains them.

    Raises
    ------
    TypeError
        For what is no instance.
    """
    return {name: bounded.methods(instance) for name, bounded in _objectives_of(instance).items()}


class _Bounded(NamedTuple):
    """An objective: its methods, the one taken by default, and ``prove(instance, method, k, time_limit)``."""

    methods: Callable[[Any], tuple[str, ...]]
    default: str
    prove: Callable[[Any, str, int, float | None], Proven]


def _of_completion(value: Callable[[Instance, float], float]) -> _Bounded:
    """What follows from the bounds on the sum of weighted completion times."""
    return _Bounded(
        bound_names, "best", lambda inst, method, *_: Proven(value(inst, lower_bounds(inst)[method]))
    )


def _closed(method: str, value: Callable[[Any, int], float]) -> _Bounded:
    """A bound by one method, without a program."""
    return _Bounded(lambda inst: (method,), method, lambda inst, _, k, __: Proven(value(inst, k)))


def _alone(inst: Instance | MapReduceInstance, k: int) -> float:
    """The sum of the k-th powers of the flow times of jobs that never wait."""
    return processing_bound(inst.processing_time, k)


def _alone_in_slots(inst: Instance, k: int) -> float:
    check_bounded("lower_bound on flow times", inst, (Instance,))
    slot_columns(inst)  # refuses times that are no slots
    return _alone(inst, k)


def _flow_power(inst: Instance, method: str, k: int, time_limit: float | None) -> Proven:
    return Proven(_alone_in_slots(inst, k)) if method == "alone" else flow_power_bound(inst, k, time_limit)


def _fractional(inst: Instance, method: str, k: int, time_limit: float | None) -> Proven:
    return fractional_bound(inst, k, time_limit=time_limit)


def _largest_cost(inst: ColocationInstance, method: str, k: int, time_limit: float | None) -> Proven:
    found = cost_bound(inst, method, time_limit)
    return Proven(found.bound, None if method == "simple" else "optimal" if found.is_exact else "limit")


#: Kind -> objective, its first one by default -> what bounds it.
_TABLE: Mapping[type[AnyInstance], Mapping[str, _Bounded]] = {
    Instance: {
        "awct": _of_completion(lambda inst, total: mean_up_to(total, inst.n_jobs)),
        "weighted_completion": _of_completion(lambda inst, total: total),
        "average_response_time": _closed("response", lambda inst, k: average_response_time_lower_bound(inst)),
        "makespan": _closed("makespan", lambda inst, k: makespan_lower_bound(inst)),
        "flow_power_sum": _Bounded(lambda inst: ("alone", "program"), "alone", _flow_power),
        "flow_time": _closed("alone", lambda inst, k: _alone_in_slots(inst, 1)),
        "l2_norm": _closed("alone", lambda inst, k: math.sqrt(_alone_in_slots(inst, 2))),
        "fractional_flow_time": _Bounded(lambda inst: ("program",), "program", _fractional),
    },
    ColocationInstance: {"max_cost": _Bounded(lambda inst: COST_METHODS, "qcp", _largest_cost)},
    ParallelTaskInstance: {
        "weighted_completion_time": _Bounded(
            lambda inst: PROGRAMS,
            "best",
            lambda inst, method, k, time_limit: task_bound(inst, method, time_limit),
        )
    },
    MapReduceInstance: {
        "flow_power_sum": _closed("alone", _alone),
        "flow_time": _closed("alone", lambda inst, k: _alone(inst, 1)),
        "l2_norm": _closed("alone", lambda inst, k: math.sqrt(_alone(inst, 2))),
    },
}


def _objectives_of(instance: AnyInstance) -> Mapping[str, _Bounded]:
    for kind, objectives in _TABLE.items():
        if isinstance(instance, kind):
            return objectives
    raise TypeError(f"there are bounds for instances, not for {type(instance).__name__}")
