"""The bound that goes with results of algorithms that solve no program themselves."""

from functools import partial

from schedcore.bounds.content_cache import ContentCache
from schedcore.model import ParallelTaskInstance, usable
from schedcore.model.choices import check_choice

from .interval_program import solve_interval_program
from .interval_rules import least_cost
from .order_program import solve_order_program

__all__ = ["relaxation_bound"]

PROGRAMS = ("auto", "lp1", "lp2", "lp3")


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
        For "lp3" if a task has several machines.

    Notes
    -----
    Never below the sum of w_j (r_j + longest of the least processing times of the tasks). Solves one linear program;
    the last 64 bounds of each kind are remembered by the content of the instance.
    """
    check_choice("program", program, PROGRAMS)
    if program == "auto":
        program = "lp3" if usable(instance).single_machine else "lp2"
    return _CACHES[program].get(instance, partial(_bound, program))


def _bound(program: str, instance: ParallelTaskInstance) -> float:
    inst = usable(instance)
    alone = least_cost(inst)
    if program == "lp3":
        return max(alone, solve_order_program(inst).bound)
    return max(alone, solve_interval_program(inst, doubling=program == "lp2").bound)


_CACHES = {program: ContentCache[float](max_entries=64) for program in PROGRAMS[1:]}
