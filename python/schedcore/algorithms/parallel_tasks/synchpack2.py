"""SynchPack-2: parallel-task jobs without preemption or migration, within 24 times the optimum [Shafiee2020]_.

A linear program over intervals with ends 1, 2, 4, ... says how much of each task completes in which interval of which
machine. Slow motion, a bipartite matching and greedy packing turn that into a machine and a time for every task
(`batch_plan`); a shift to the left closes the gaps. The factor holds against the best preemptive schedule, too.

.. [Shafiee2020] M. Shafiee, J. Ghaderi, "Scheduling parallel-task jobs subject to packing and placement constraints",
   arXiv:2004.00518; Operations Research 70(6), 2022.
"""

from fractions import Fraction
from typing import Any

from schedcore import _core
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
from schedcore.model.kernel_columns import kernel_columns
from schedcore.registry import registered

from .batch_plan import batch_plan
from .family import PARALLEL_TASKS, refuse_release_times
from .synchpack2_online import Synchpack2Parameters, schedule_in_epochs
from .task_result import task_result

__all__ = ["synchpack2"]

_FACTOR = 24.0  # of LP2, hence of the optimum


@registered(
    Synchpack2Parameters,
    "SynchPack-2: no preemption, by a linear program, a matching and batches",
    PARALLEL_TASKS,
    schedule_class="nonpreempt",
    guarantee=True,
)
def synchpack2(instance: ParallelTaskInstance, parameters: Synchpack2Parameters) -> ParallelTaskResult:
    """Schedule every task in one piece, by a linear program, a matching and greedy packing.

    Online, started tasks run to their end; the others are planned anew in every epoch as if all machines were empty,
    and placed on their machines beside what runs there, at the earliest time at which they fit whatever `shift` says.

    Lambda counts in units of 1e-9; the best one makes the bound on the objective smallest. A solution has rows (job,
    task, machine, interval, units of 1e-9); online there is one for each epoch with jobs to plan, in the indices of
    `instance`, and rows of jobs not yet released and of started tasks are ignored.

    Parameters
    ----------
    instance : ParallelTaskInstance
        With release times of 0, unless `online`.
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
        For options outside their range and an invalid `lp_solution`.
    UnsupportedError
        Offline, for release times above 0. Online, if more than 1,000,000 epochs have jobs to plan, or times could
        exceed 2**53.

    Notes
    -----
    The guarantee of 24 holds for one resource, ``lam="derand"``, ``cap="task"``, and a program solved to the optimum.
    What follows the program takes some tenths of a second for 10,000 tasks with 13 machines each.
    """
    inst = usable(instance)
    options = parameters.recorded()
    if parameters.online:
        lengths = parameters.lengths(inst)
        options = parameters.recorded_with(lengths)
        run = schedule_in_epochs(inst, parameters, lengths)
        return task_result(
            "synchpack2", instance, run.pieces, stats=run.stats, lower_bound=run.lower_bound, options=options
        )

    refuse_release_times(inst, "synchpack2")
    if parameters.lp_solution is None:
        solution = solve_interval_program(inst, doubling=True, **parameters.for_kernel())
        lower_bound = solution.bound
    else:
        solution = _given(inst, parameters.lp_solution)
        lower_bound = None
    stats: dict[str, Any] = {
        "horizon": solution.intervals.horizon,
        "n_intervals": solution.intervals.n_intervals,
        "lp_status": solution.status,
        "lp": solution.details,
    }
    if solution.fractions is None:
        return task_result(
            "synchpack2", instance, None, stats=stats, lower_bound=lower_bound, options=options
        )
    plan = batch_plan(
        inst,
        solution.fractions,
        solution.intervals,
        lambda_units=parameters.lambda_units,
        cap=parameters.cap,
        order=parameters.order,
    )
    stats |= {
        "lambda": plan.lambda_units / WHOLE_TASK,
        "proxy": plan.proxy,
        "machine_of_task": plan.machine_of_task,
        "interval_of_task": plan.interval_of_task,
        "lp_completion": lp_completion(inst, solution.fractions, solution.intervals),
    }
    pieces = (
        _core.parallel_tasks.shift_left(kernel_columns(inst), *plan.pieces)
        if parameters.shift
        else plan.pieces
    )
    is_proven = (
        parameters.lambda_units is None
        and parameters.cap == "task"
        and solution.status == "optimal"
        and inst.n_resources == 1
    )
    return task_result(
        "synchpack2",
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
