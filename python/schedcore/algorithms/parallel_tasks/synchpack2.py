"""SynchPack-2: parallel-task jobs without preemption or migration, within 24 times the optimum [Shafiee2020]_.

A linear program over intervals with ends 1, 2, 4, ... says how much of each task completes in which interval of which
machine. Slow motion, a bipartite matching and greedy packing turn that into a machine and a time for every task
(`batch_plan`); a shift to the left closes the gaps. The factor holds against the best preemptive schedule, too.

.. [Shafiee2020] M. Shafiee, J. Ghaderi, "Scheduling parallel-task jobs subject to packing and placement constraints",
   arXiv:2004.00518; Operations Research 70(6), 2022.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Literal

from numpy.typing import ArrayLike

from schedcore import _core
from schedcore.bounds.linear_solver import check_solver_options
from schedcore.bounds.parallel_tasks import (
    WHOLE_TASK,
    Intervals,
    IntervalSolution,
    given_fractions,
    horizon,
    lp_completion,
    solve_interval_program,
)
from schedcore.model import ParallelTaskInstance, ParallelTaskResult, usable
from schedcore.model.choices import check_choice, checked_flag
from schedcore.model.kernel_columns import kernel_columns
from schedcore.registry import Algorithm, Option, register

from .batch_plan import batch_plan
from .epochs import BETA, GAMMA, epoch_lengths
from .family import (
    CAP,
    EPOCHS,
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
from .synchpack2_online import EpochPlanning, schedule_in_epochs
from .task_result import Progress, task_result, unsolved

__all__ = ["synchpack2"]

_NAME = "synchpack2"
_FACTOR = 24.0  # of LP2, hence of the optimum
_ORDER = Option(
    "order", "index", "which task of a batch goes first: by index, or by its job's completion in the linear program",
    ("index", "lp"),
)  # fmt: skip


def synchpack2(
    instance: ParallelTaskInstance,
    *,
    lam: float | str = "derand",
    seed: int = 0,
    cap: Literal["task", "machine"] = "task",
    shift: bool = True,
    order: Literal["index", "lp"] = "index",
    lp_solution: ArrayLike | Sequence[ArrayLike] | None = None,
    online: bool = False,
    tau0: float | None = None,
    gamma: float = GAMMA,
    beta: float = BETA,
    solver: Literal["auto", "simplex", "ipm", "pdlp"] = "auto",
    time_limit: float | None = None,
    machines_per_task: int | None = None,
    progress: Progress = None,
) -> ParallelTaskResult:
    """Schedule every task in one piece, by a linear program, a matching and greedy packing.

    Parameters
    ----------
    instance : ParallelTaskInstance
        With release times of 0, unless `online`.
    lam : "derand", "random" or float
        Speed of slow motion in [1e-9, 1], taken to 1e-9: the one whose bound on the objective is smallest, one drawn
        with density 2 x, or this number.
    seed : int
        Of the draw, in [0, 2**64).
    cap : {"task", "machine"}
        Slow motion stops a task where it is whole over all machines, or on each machine where it has what the program
        gave that machine. The second is the letter of the paper and has no guarantee.
    shift : bool
        Offline: move every task to the earliest time at which it fits. No job completes later by that. Online, tasks
        are placed at the earliest time at which they fit in any case.
    order : {"index", "lp"}
        Order of the tasks in a batch: by job, or by the completion of the job in the program.
    lp_solution : (n_fractions, 5) array_like of int, optional
        A solution to use in place of solving the program: rows (job, task, machine, interval, units of 1e-9). Online a
        sequence of such arrays, one for each epoch with jobs to plan, in the indices of `instance`; rows of jobs not
        yet released and of started tasks are ignored.
    online : bool
        Decide in epochs, each by the jobs released before it. Started tasks run to their end; the others are planned
        anew as if all machines were empty, and placed on their machines beside what runs there.
    tau0, gamma, beta : float
        Online: epoch x lasts tau0 / (1 + gamma exp(-beta x)), rounded, at least 1. Without `tau0`, five mean times
        between two arrivals, or the work of the busiest machine if all come at once. The number of epochs is about the
        length of the schedule / tau0: name one where processing times are far longer than the gaps between arrivals.
    solver, time_limit, machines_per_task
        How the program is solved, the seconds for each, and with how many machines a task it starts; see
        `schedcore.bounds.parallel_tasks.solve_interval_program`.
    progress : callable, optional
        Online, ``progress(tasks started, n_tasks)`` after every epoch with jobs to plan. Offline it is not called.

    Returns
    -------
    ParallelTaskResult
        Without a schedule if the program gave no usable solution in time. Offline `lower_bound` is proven by the
        program, and `stats` has "lambda", "proxy", "machine_of_task" and "interval_of_task" (a task row each),
        "lp_completion" of each job, "horizon", "n_intervals", "lp_status" and "lp". Online `lower_bound` is one on all
        schedules that know the future, computed when asked for, and `stats` has "lp_status" (the worst) and "epochs",
        a dict of start, end, lower_bound and n_started for each epoch with jobs to plan. With `lp_solution` there is
        no bound.

    Raises
    ------
    InfeasibleError
        If a task fits on none of its machines.
    InvalidInstanceError
        For options outside their range and solutions that are none.
    UnsupportedError
        Offline, for release times above 0. Online, if more than 1,000,000 epochs have jobs to plan, or times could
        exceed 2**53.

    Notes
    -----
    The guarantee of 24 holds for one resource, ``lam="derand"``, ``cap="task"``, and a program solved to the optimum.
    What follows the program takes some tenths of a second for 10,000 tasks with 13 machines each.
    """
    check_choice("cap", cap, CAP.choices or ())
    check_choice("order", order, _ORDER.choices or ())
    shift, online = checked_flag("shift", shift), checked_flag("online", online)
    speed = stated_lambda(lam, seed)
    lambda_units = None if speed is None else round(speed * WHOLE_TASK)
    check_solver_options(solver, time_limit)
    inst = usable(instance)
    options = {
        "lam": lam, "seed": seed, "cap": cap, "shift": shift, "order": order, "online": online,
        "solver": solver, "time_limit": time_limit, "machines_per_task": machines_per_task,
    }  # fmt: skip
    lengths = epoch_lengths(inst, tau0, gamma, beta)
    if online:
        options |= {"tau0": lengths.tau0, "gamma": lengths.gamma, "beta": lengths.beta}
        planning = EpochPlanning(
            inst, lambda_units, cap, order, lp_solution, solver, time_limit, machines_per_task
        )
        run = schedule_in_epochs(planning, lengths, progress)
        if run.pieces is None:
            return unsolved(_NAME, instance, stats=run.stats, lower_bound=run.lower_bound, options=options)
        return task_result(
            _NAME, instance, run.pieces, stats=run.stats, lower_bound=run.lower_bound, options=options
        )

    refuse_release_times(inst, _NAME)
    if lp_solution is None:
        solution = solve_interval_program(
            inst, doubling=True, solver=solver, time_limit=time_limit, machines_per_task=machines_per_task
        )
    else:
        solution = _given(inst, lp_solution)
    lower_bound = solution.bound if lp_solution is None else None
    stats: dict[str, Any] = {
        "horizon": solution.intervals.horizon,
        "n_intervals": solution.intervals.n_intervals,
        "lp_status": solution.status,
        "lp": solution.details,
    }
    if solution.fractions is None:
        return unsolved(_NAME, instance, stats=stats, lower_bound=lower_bound, options=options)
    plan = batch_plan(
        inst, solution.fractions, solution.intervals, lambda_units=lambda_units, cap=cap, order=order
    )
    stats |= {
        "lambda": plan.lambda_units / WHOLE_TASK,
        "proxy": plan.proxy,
        "machine_of_task": plan.machine_of_task,
        "interval_of_task": plan.interval_of_task,
        "lp_completion": lp_completion(inst, solution.fractions, solution.intervals),
    }
    pieces = _core.shift_left(kernel_columns(inst), *plan.pieces) if shift else plan.pieces
    is_proven = (
        lambda_units is None and cap == "task" and solution.status == "optimal" and inst.n_resources == 1
    )
    return task_result(
        _NAME,
        instance,
        pieces,
        stats=stats,
        guarantee=_FACTOR if is_proven else None,
        lower_bound=lower_bound,
        options=options,
    )


def _given(instance: ParallelTaskInstance, lp_solution: Any) -> IntervalSolution:
    """Return a solution of the user in place of one of the program; it proves nothing."""
    intervals = Intervals(Fraction(1), horizon(instance))
    fractions = given_fractions(instance, lp_solution, intervals, doubling=True)
    return IntervalSolution(fractions, 0.0, "given", intervals, {})


register(
    Algorithm(
        _NAME,
        "SynchPack-2: no preemption, by a linear program, a matching and batches",
        FAMILY,
        PAPER,
        synchpack2,
        (
            LAMBDA,
            SEED,
            CAP,
            SHIFT,
            _ORDER,
            LP_SOLUTION,
            *EPOCHS,
            SOLVER,
            TIME_LIMIT,
            MACHINES_PER_TASK,
        ),
        OBJECTIVE,
        instance_kind=ParallelTaskInstance,
        schedule_class="nonpreempt",
        machines_may_differ=True,
        guarantee=True,
    )
)
