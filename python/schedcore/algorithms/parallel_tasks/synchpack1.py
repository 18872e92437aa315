"""SynchPack-1: parallel-task jobs with preemption and migration, within 6 (1 + epsilon) of the optimum [Shafiee2020]_.

A linear program over intervals with ends (1 + epsilon)^l says which part of each task is done where in which interval.
These fractions are scheduled greedily, interval by interval; slow motion stretches that by 1 / lambda and ends every
task as soon as it is whole; a shift to the left closes the gaps. The kernels are in ``src/cpp``: `fraction_schedule`,
`best_lambda`, `slow_motion` and `shift_left`. ``docs/papers.md`` says where the letter of the paper does not give what
it proves.

.. [Shafiee2020] M. Shafiee, J. Ghaderi, "Scheduling parallel-task jobs subject to packing and placement constraints",
   arXiv:2004.00518; Operations Research 70(6), 2022.
"""

import math
from fractions import Fraction
from typing import Any

from schedcore import _core
from schedcore.bounds.parallel_tasks import (
    Intervals,
    IntervalSolution,
    given_fractions,
    horizon,
    interval_epsilon,
    lp_completion,
    solve_interval_program,
)
from schedcore.model import ParallelTaskInstance, ParallelTaskResult, usable
from schedcore.model.kernel_columns import kernel_columns
from schedcore.parameters import Parameters, option
from schedcore.registry import registered

from .family import PARALLEL_TASKS, GivenSolution, ProgramSolver, ProgramStart, refuse_release_times
from .slow_motion import SlowMotion
from .task_result import task_result

__all__ = ["synchpack1"]

_FACTOR = 6
_FACTOR_OF_FIXED_TASKS = 4
_FINE_TIMES = 1e9  # the unit of the kernel's times


class _Growth(Parameters, kw_only=True):
    epsilon: float | Fraction = option(
        "growth of the intervals of the linear program, in its decimal value",
        "Above 0; 0.1 is 1/10. Smaller ones give a tighter and larger program.",
        default=1.0,
        check=lambda _, value: interval_epsilon(value),
    )


class Synchpack1Parameters(ProgramStart, ProgramSolver, GivenSolution, SlowMotion, _Growth, kw_only=True):
    """The program of SynchPack-1 and what follows it."""


@registered(
    Synchpack1Parameters,
    "SynchPack-1: preemption and migration, by a linear program, list scheduling and slow motion",
    PARALLEL_TASKS,
    schedule_class="migrate",
    guarantee=True,
)
def synchpack1(instance: ParallelTaskInstance, parameters: Synchpack1Parameters) -> ParallelTaskResult:
    """Schedule tasks in pieces that may move between machines, by a linear program, list scheduling and slow motion.

    The best lambda makes the objective before the shift smallest; a number stands for all shares within 1e-12 of it. A
    solution has rows (job, task, machine, interval, units of 1e-9).

    Parameters
    ----------
    instance : ParallelTaskInstance
        With release times of 0.
    progress : callable, optional
        ``progress(n_complete, n_fractions)`` now and then during list scheduling.

    Returns
    -------
    ParallelTaskResult
        Without a schedule if the program gave no usable solution in time. `lower_bound` is proven by the program; with
        `lp_solution` there is none. `stats` has "lambda", "tau" (when the fractions of the intervals up to each one
        are complete before slow motion), "lp_completion" of each job, "horizon", "n_intervals", "lp_status" and "lp".

    Raises
    ------
    InfeasibleError
        If a task fits on none of its machines.
    InvalidInstanceError
        For options outside their range and an invalid `lp_solution`.
    UnsupportedError
        For release times above 0, and for schedules that take 2**63 billionths of the unit of time.

    Notes
    -----
    The guarantee is 6 (1 + epsilon), or 4 (1 + epsilon) if each task has one machine; it holds for one resource,
    ``lam="derand"``, ``cap="task"``, and a program solved to the optimum. Times are multiples of a billionth until slow
    motion, whose result is rounded to float64. What follows the program takes some tenths of a second for 10,000
    tasks.
    """
    inst = usable(instance)
    refuse_release_times(inst, "synchpack1")
    if parameters.lp_solution is None:
        solution = solve_interval_program(inst, **parameters.for_kernel())
        lower_bound = solution.bound
    else:
        solution = _given(inst, parameters.lp_solution, parameters.checked("epsilon"))
        lower_bound = None
    stats: dict[str, Any] = {
        "horizon": solution.intervals.horizon,
        "n_intervals": solution.intervals.n_intervals,
        "lp_status": solution.status,
        "lp": solution.details,
    }
    options = parameters.recorded()
    if solution.fractions is None:
        return task_result(
            "synchpack1", instance, None, stats=stats, lower_bound=lower_bound, options=options
        )
    tasks = kernel_columns(inst)
    fractions = solution.fractions
    scheduled = _core.parallel_tasks.FractionSchedule(
        tasks,
        fractions.task,
        fractions.machine,
        fractions.interval,
        fractions.units,
        solution.intervals.n_intervals,
        progress=parameters.progress,
    )
    speed = parameters.speed
    stats |= {
        "lambda": scheduled.best_lambda()[0] if speed is None else speed,
        "tau": scheduled.tau() / _FINE_TIMES,
        "lp_completion": lp_completion(inst, fractions, solution.intervals),
    }
    pieces = scheduled.slow_motion(lam=speed, cap=parameters.cap, shift=parameters.shift)
    is_proven = (
        speed is None and parameters.cap == "task" and solution.status == "optimal" and inst.n_resources == 1
    )
    return task_result(
        "synchpack1",
        instance,
        pieces,
        stats=stats,
        guarantee=_guarantee(inst, parameters.checked("epsilon")) if is_proven else None,
        lower_bound=lower_bound,
        options=options,
    )


def _given(instance: ParallelTaskInstance, lp_solution: Any, growth: Fraction) -> IntervalSolution:
    """Return a solution of the user in place of one of the program; it proves nothing."""
    intervals = Intervals(growth, horizon(instance))
    fractions = given_fractions(instance, lp_solution, intervals, doubling=False)
    return IntervalSolution(fractions, 0.0, "given", intervals, {})


def _guarantee(instance: ParallelTaskInstance, growth: Fraction) -> float:
    """Return the proven factor, rounded up."""
    factor = (_FACTOR_OF_FIXED_TASKS if instance.single_machine else _FACTOR) * (1 + growth)
    number = float(factor)
    return number if Fraction(number) >= factor else math.nextafter(number, math.inf)
