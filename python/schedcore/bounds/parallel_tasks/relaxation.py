"""Bounds on sum of w C by name, as results of algorithms have them that solve no program themselves."""

from functools import partial

from schedcore.bounds.content_cache import ContentCache
from schedcore.bounds.proven import Proven
from schedcore.model import ParallelTaskInstance, usable
from schedcore.model.choices import check_choice

from ..bounded_instance import check_bounded
from .interval_program import IntervalSolution, solve_interval_program
from .interval_rules import least_cost
from .order_program import OrderSolution, solve_order_program

__all__ = ["METHODS", "relaxation_bound", "task_bound"]

PROGRAMS = ("auto", "lp1", "lp2", "lp3")
METHODS = ("best", "alone", "lp1", "lp2", "lp3")


def relaxation_bound(instance: ParallelTaskInstance, program: str = "auto") -> float:
    """Return a proven lower bound on sum of w C.

    Parameters
    ----------
    instance : ParallelTaskInstance
        Release times are allowed.
    program : {"auto", "lp1", "lp2", "lp3"}
        "lp1" bounds the schedules of all classes, the others those in which every task stays on one machine. "lp3"
        needs one machine a task. "auto" is "lp3" if that is so, and else "lp2".

    Raises
    ------
    InfeasibleError
        If a task fits none of its machines.
    UnsupportedError
        For "lp3" if a task has several machines, and for other kinds of instances.
    TypeError
        For what is no instance.

    Notes
    -----
    Never below the sum of w_j (r_j + longest of the least processing times of the tasks). Solves one linear program;
    the last 64 bounds of each kind are remembered by the content of the instance.
    """
    check_bounded("relaxation_bound", instance, (ParallelTaskInstance,))
    check_choice("program", program, PROGRAMS)
    if program == "auto":
        return task_bound(instance, "best").value
    return max(task_bound(instance, method).value for method in ("alone", program))


def task_bound(instance: ParallelTaskInstance, method: str, time_limit: float | None = None) -> Proven:
    """Return what one of `METHODS` proves of sum of w C; remembered if it may take its time.

    "best" is the larger of "alone" and of "lp3", or "lp2" where a task has several machines.
    """
    if time_limit is not None:
        return _prove(method, time_limit, instance)
    return _CACHES[method].get(instance, partial(_prove, method, None))


def _prove(method: str, time_limit: float | None, instance: ParallelTaskInstance) -> Proven:
    inst = usable(instance)
    if method == "best":
        program = task_bound(instance, "lp3" if inst.single_machine else "lp2", time_limit)
        return program._replace(value=max(program.value, least_cost(inst)))
    if method == "alone":
        return Proven(least_cost(inst), None, "migrate")
    moving = "migrate" if method == "lp1" or inst.single_machine else "preempt"
    found: IntervalSolution | OrderSolution
    if method == "lp3":
        found = solve_order_program(inst, time_limit=time_limit)
    else:
        found = solve_interval_program(inst, doubling=method == "lp2", time_limit=time_limit)
    return Proven(found.bound, found.status, moving)


_CACHES = {method: ContentCache[Proven](max_entries=64) for method in METHODS}
