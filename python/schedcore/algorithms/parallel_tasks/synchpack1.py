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
from typing import Any, Literal

from numpy.typing import ArrayLike

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
from schedcore.model.choices import check_choice, checked_flag
from schedcore.model.kernel_columns import kernel_columns
from schedcore.registry import Algorithm, Option, register

from .family import (
    CAP,
    FAMILY,
    LAMBDA,
    LP_SOLUTION,
    MACHINES_PER_TASK,
    OBJECTIVE,
    PAPER,
    SEED,
    SHIFT,
    SOLVER,
    TIME_LIMIT,
    refuse_release_times,
)
from .lambda_option import stated_lambda
from .task_result import Progress, task_result, unsolved

__all__ = ["synchpack1"]

_NAME = "synchpack1"
_FACTOR = 6
_FACTOR_OF_FIXED_TASKS = 4
_FINE_TIMES = 1e9  # the unit of the kernel's times


def synchpack1(
    instance: ParallelTaskInstance,
    *,
    epsilon: float = 1.0,
    lam: float | str = "derand",
    seed: int = 0,
    cap: Literal["task", "machine"] = "task",
    shift: bool = True,
    lp_solution: ArrayLike | None = None,
    solver: Literal["auto", "simplex", "ipm", "pdlp"] = "auto",
    time_limit: float | None = None,
    machines_per_task: int | None = None,
    progress: Progress = None,
) -> ParallelTaskResult:
    """Schedule tasks in pieces that may move between machines, by a linear program, list scheduling and slow motion.

    Parameters
    ----------
    instance : ParallelTaskInstance
        With release times of 0.
    epsilon : float
        Growth of the intervals of the program, above 0, in its decimal value: 0.1 is 1/10. Smaller ones give a
        tighter and larger program.
    lam : "derand", "random" or float
        Speed of slow motion in [1e-9, 1]: the one that makes the objective before the shift smallest, one drawn with
        density 2 x, or this number, which stands for all shares within 1e-12 of it.
    seed : int
        Of the draw, in [0, 2**64).
    cap : {"task", "machine"}
        Slow motion stops a task where it is whole over all machines, or on each machine where it has what the program
        gave that machine. The second is the letter of the paper and has no guarantee.
    shift : bool
        Move every piece to the earliest time at which it fits. No job completes later by that.
    lp_solution : (n_fractions, 5) array_like of int, optional
        A solution to use in place of solving the program: rows (job, task, machine, interval, units of 1e-9).
    solver, time_limit, machines_per_task
        How the program is solved, the seconds for it, and with how many machines a task it starts; see
        `schedcore.bounds.parallel_tasks.solve_interval_program`.
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
        For options outside their range and solutions that are none.
    UnsupportedError
        For release times above 0, and for schedules that take 2**63 billionths of the unit of time.

    Notes
    -----
    The guarantee is 6 (1 + epsilon), or 4 (1 + epsilon) if each task has one machine; it holds for one resource,
    ``lam="derand"``, ``cap="task"``, and a program solved to the optimum. Times are multiples of a billionth until slow
    motion, whose result is rounded to float64. What follows the program takes some tenths of a second for 10,000
    tasks.
    """
    check_choice("cap", cap, CAP.choices or ())
    shift = checked_flag("shift", shift)
    speed = stated_lambda(lam, seed)
    growth = interval_epsilon(epsilon)
    inst = usable(instance)
    refuse_release_times(inst, _NAME)
    if lp_solution is None:
        solution = solve_interval_program(
            inst, epsilon=growth, solver=solver, time_limit=time_limit, machines_per_task=machines_per_task
        )
    else:
        solution = _given(inst, lp_solution, growth)
    lower_bound = solution.bound if lp_solution is None else None
    options = {
        "epsilon": epsilon, "lam": lam, "seed": seed, "cap": cap, "shift": shift,
        "solver": solver, "time_limit": time_limit, "machines_per_task": machines_per_task,
    }  # fmt: skip
    stats: dict[str, Any] = {
        "horizon": solution.intervals.horizon,
        "n_intervals": solution.intervals.n_intervals,
        "lp_status": solution.status,
        "lp": solution.details,
    }
    if solution.fractions is None:
        return unsolved(_NAME, instance, stats=stats, lower_bound=lower_bound, options=options)
    tasks = kernel_columns(inst)
    fractions = solution.fractions
    scheduled = _core.FractionSchedule(
        tasks,
        fractions.task,
        fractions.machine,
        fractions.interval,
        fractions.units,
        solution.intervals.n_intervals,
        progress,
    )
    stats |= {
        "lambda": scheduled.best_lambda()[0] if speed is None else speed,
        "tau": scheduled.tau() / _FINE_TIMES,
        "lp_completion": lp_completion(inst, fractions, solution.intervals),
    }
    pieces = scheduled.slow_motion(speed, cap, shift)
    is_proven = lam == "derand" and cap == "task" and solution.status == "optimal" and inst.n_resources == 1
    return task_result(
        _NAME,
        instance,
        pieces,
        stats=stats,
        guarantee=_guarantee(inst, growth) if is_proven else None,
        lower_bound=lower_bound,
        options=options,
    )


def _given(instance: ParallelTaskInstance, lp_solution: ArrayLike, growth: Fraction) -> IntervalSolution:
    """Return a solution of the user in place of one of the program; it proves nothing."""
    intervals = Intervals(growth, horizon(instance))
    fractions = given_fractions(instance, lp_solution, intervals, doubling=False)
    return IntervalSolution(fractions, 0.0, "given", intervals, {})


def _guarantee(instance: ParallelTaskInstance, growth: Fraction) -> float:
    """Return the proven factor, rounded up."""
    factor = (_FACTOR_OF_FIXED_TASKS if instance.single_machine else _FACTOR) * (1 + growth)
    number = float(factor)
    return number if Fraction(number) >= factor else math.nextafter(number, math.inf)


register(
    Algorithm(
        _NAME,
        "SynchPack-1: preemption and migration, by a linear program, list scheduling and slow motion",
        FAMILY,
        PAPER,
        synchpack1,
        (
            Option("epsilon", 1.0, "growth of the intervals of the linear program, in its decimal value"),
            LAMBDA,
            SEED,
            CAP,
            SHIFT,
            LP_SOLUTION,
            SOLVER,
            TIME_LIMIT,
            MACHINES_PER_TASK,
        ),
        OBJECTIVE,
        instance_kind=ParallelTaskInstance,
        schedule_class="migrate",
        machines_may_differ=True,
        guarantee=True,
    )
)
