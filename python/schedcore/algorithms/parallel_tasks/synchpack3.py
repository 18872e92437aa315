"""SynchPack-3: parallel-task jobs with preemption, one machine for each task, within 4 times the best [Shafiee2020]_.

A linear program (LP3) asks which job goes before which; its completion times are an order of the jobs, and every
machine runs its tasks by that order (`order_schedule`). Every job completes within 4 times its time in the program.

.. [Shafiee2020] M. Shafiee, J. Ghaderi, "Scheduling parallel-task jobs subject to packing and placement constraints",
   arXiv:2004.00518; Operations Research 70(6), 2022.
"""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from schedcore.bounds.linear_solver import check_solver_options
from schedcore.bounds.parallel_tasks import OrderSolution, given_completion, solve_order_program
from schedcore.model import ParallelTaskInstance, ParallelTaskResult, usable
from schedcore.model.arrays import EXACT_BOUND
from schedcore.model.choices import checked_flag
from schedcore.registry import Algorithm, Option, register

from .epochs import BETA, GAMMA, epoch_lengths
from .family import (
    EPOCHS,
    FAMILY,
    LP_SOLUTION,
    OBJECTIVE,
    PAPER,
    SOLVER,
    TIME_LIMIT,
    refuse_choice_of_machines,
    refuse_release_times,
)
from .order_schedule import OrderSchedule, completion_order
from .synchpack3_online import OrderPlanning, order_in_epochs
from .task_result import Progress, task_result, unsolved

__all__ = ["synchpack3"]

_NAME = "synchpack3"
_FACTOR = 4.0  # of LP3, hence of the optimum


def synchpack3(
    instance: ParallelTaskInstance,
    *,
    all_machines: bool = False,
    lp_solution: ArrayLike | Sequence[ArrayLike] | None = None,
    online: bool = False,
    tau0: float | None = None,
    gamma: float = GAMMA,
    beta: float = BETA,
    solver: Literal["auto", "simplex", "ipm", "pdlp"] = "auto",
    time_limit: float | None = None,
    progress: Progress = None,
) -> ParallelTaskResult:
    """Schedule with preemption by the order in which a linear program completes the jobs.

    Parameters
    ----------
    instance : ParallelTaskInstance
        One machine for each task; with release times of 0, unless `online`.
    all_machines : bool
        Whether, in the program, a job waits on every machine for the jobs before it, or only where it has tasks:
        tighter, and far larger.
    lp_solution : (n_jobs,) array_like, optional
        Completion times to use in place of solving the program. Online a sequence of such arrays, one for each epoch
        with unfinished tasks of released jobs, in the indices of `instance`; what it says of other jobs is ignored.
    online : bool
        Decide in epochs, each by the jobs released before it: everything is stopped and ordered anew, by what remains.
    tau0, gamma, beta : float
        Online: epoch x lasts tau0 / (1 + gamma exp(-beta x)), rounded, at least 1. Without `tau0`, five mean times
        between two arrivals, or the work of the busiest machine if all come at once. The number of epochs is about the
        length of the schedule / tau0: name one where processing times are far longer than the gaps between arrivals.
    solver : {"auto", "simplex", "ipm", "pdlp"}
        How the program is solved; see `schedcore.bounds.parallel_tasks.solve_order_program`.
    time_limit : float, optional
        Seconds for each program.
    progress : callable, optional
        ``progress(done, total)``: tasks finished; offline, those of one machine after the other.

    Returns
    -------
    ParallelTaskResult
        Without a schedule if a program gave no usable solution in time. Offline `lower_bound` is proven by the program,
        and `stats` has "order" (the jobs, first to last), "lp_completion" of each job, "lp_status" and "lp". Online
        `lower_bound` is one on all schedules that know the future, computed when asked for, and `stats` has "lp_status"
        (the worst) and "epochs", a dict of start, end, lower_bound and order for each epoch with unfinished tasks. With
        `lp_solution` there is no bound.

    Raises
    ------
    InfeasibleError
        If a task does not fit its machine.
    InvalidInstanceError
        For options outside their range and solutions that are none.
    UnsupportedError
        For tasks with several machines; offline, for release times above 0. Online, if more than 1,000,000 epochs have
        unfinished tasks, or times could exceed 2**53.

    Notes
    -----
    The guarantee of 4 holds offline, for one resource and a program solved to the optimum. What follows the program
    takes some hundredths of a second for 10,000 tasks on 200 machines.
    """
    all_machines, online = checked_flag("all_machines", all_machines), checked_flag("online", online)
    check_solver_options(solver, time_limit)
    inst = usable(instance)
    refuse_choice_of_machines(inst, _NAME)
    options = {
        "all_machines": all_machines, "online": online, "solver": solver, "time_limit": time_limit,
    }  # fmt: skip
    lengths = epoch_lengths(inst, tau0, gamma, beta)
    if online:
        options |= {"tau0": lengths.tau0, "gamma": lengths.gamma, "beta": lengths.beta}
        run = order_in_epochs(
            OrderPlanning(inst, all_machines, lp_solution, solver, time_limit), lengths, progress
        )
        if run.pieces is None:
            return unsolved(_NAME, instance, stats=run.stats, lower_bound=run.lower_bound, options=options)
        return task_result(
            _NAME, instance, run.pieces, stats=run.stats, lower_bound=run.lower_bound, options=options
        )

    refuse_release_times(inst, _NAME)
    if lp_solution is None:
        solution = solve_order_program(inst, all_machines=all_machines, solver=solver, time_limit=time_limit)
    else:
        solution = _given(inst, lp_solution)
    lower_bound = solution.bound if lp_solution is None else None
    stats: dict[str, Any] = {"lp_status": solution.status, "lp": solution.details}
    if solution.completion is None:
        return unsolved(_NAME, instance, stats=stats, lower_bound=lower_bound, options=options)
    order = completion_order(solution.completion)
    stats |= {"order": order, "lp_completion": solution.completion}
    everything = np.arange(inst.n_tasks, dtype=np.int64)
    pieces = OrderSchedule(inst).run(everything, order, 0, EXACT_BOUND, progress)
    is_proven = solution.status == "optimal" and inst.n_resources == 1
    return task_result(
        _NAME,
        instance,
        pieces,
        stats=stats,
        guarantee=_FACTOR if is_proven else None,
        lower_bound=lower_bound,
        options=options,
    )


def _given(instance: ParallelTaskInstance, lp_solution: Any) -> OrderSolution:
    """Return completion times of the user in place of a solution of the program; they prove nothing."""
    return OrderSolution(given_completion(instance, lp_solution), 0.0, "given", {})


register(
    Algorithm(
        _NAME,
        "SynchPack-3: preemption, one machine a task, by the order of a linear program",
        FAMILY,
        PAPER,
        synchpack3,
        (
            Option("all_machines", False, "let jobs wait for each other on every machine in the program"),
            LP_SOLUTION,
            *EPOCHS,
            SOLVER,
            TIME_LIMIT,
        ),
        OBJECTIVE,
        instance_kind=ParallelTaskInstance,
        schedule_class="preempt",
        machines_may_differ=True,
        guarantee=True,
    )
)
