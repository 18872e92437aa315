"""SynchPack-3: parallel-task jobs with preemption, one machine for each task, within 4 times the best [Shafiee2020]_.

A linear program (LP3) asks which job goes before which; its completion times are an order of the jobs, and every
machine runs its tasks by that order (`order_schedule`). Every job completes within 4 times its time in the program.

.. [Shafiee2020] M. Shafiee, J. Ghaderi, "Scheduling parallel-task jobs subject to packing and placement constraints",
   arXiv:2004.00518; Operations Research 70(6), 2022.
"""

from typing import Any

import numpy as np

from schedcore.bounds.parallel_tasks import OrderSolution, given_completion, solve_order_program
from schedcore.model import ParallelTaskInstance, ParallelTaskResult, usable
from schedcore.model.arrays import EXACT_BOUND
from schedcore.registry import registered

from .family import PARALLEL_TASKS, refuse_choice_of_machines, refuse_release_times
from .order_schedule import OrderSchedule, completion_order
from .synchpack3_online import Synchpack3Parameters, order_in_epochs
from .task_result import task_result

__all__ = ["synchpack3"]

_FACTOR = 4.0  # of LP3, hence of the optimum


@registered(
    Synchpack3Parameters,
    "SynchPack-3: preemption, one machine a task, by the order of a linear program",
    PARALLEL_TASKS,
    schedule_class="preempt",
    guarantee=True,
)
def synchpack3(instance: ParallelTaskInstance, parameters: Synchpack3Parameters) -> ParallelTaskResult:
    """Schedule with preemption by the order in which a linear program completes the jobs.

    Online, everything is stopped at the start of an epoch and ordered anew, by what remains.

    A solution has the completion time of each job. Online there is one for each epoch with unfinished tasks of released
    jobs, in the indices of `instance`; what it says of other jobs is ignored.

    Parameters
    ----------
    instance : ParallelTaskInstance
        One machine for each task; with release times of 0, unless `online`.
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
        For options outside their range and an invalid `lp_solution`.
    UnsupportedError
        For tasks with several machines; offline, for release times above 0. Online, if more than 1,000,000 epochs have
        unfinished tasks, or times could exceed 2**53.

    Notes
    -----
    The guarantee of 4 holds offline, for one resource and a program solved to the optimum. What follows the program
    takes some hundredths of a second for 10,000 tasks on 200 machines.
    """
    inst = usable(instance)
    refuse_choice_of_machines(inst, "synchpack3")
    options = parameters.recorded()
    if parameters.online:
        lengths = parameters.lengths(inst)
        options = parameters.recorded_with(lengths)
        run = order_in_epochs(inst, parameters, lengths)
        return task_result(
            "synchpack3", instance, run.pieces, stats=run.stats, lower_bound=run.lower_bound, options=options
        )

    refuse_release_times(inst, "synchpack3")
    if parameters.lp_solution is None:
        solution = solve_order_program(inst, **parameters.for_kernel())
        lower_bound = solution.bound
    else:
        solution = _given(inst, parameters.lp_solution)
        lower_bound = None
    stats: dict[str, Any] = {"lp_status": solution.status, "lp": solution.details}
    if solution.completion is None:
        return task_result(
            "synchpack3", instance, None, stats=stats, lower_bound=lower_bound, options=options
        )
    order = completion_order(solution.completion)
    stats |= {"order": order, "lp_completion": solution.completion}
    everything = np.arange(inst.n_tasks, dtype=np.int64)
    pieces = OrderSchedule(inst).run(everything, order, 0, EXACT_BOUND, parameters.progress)
    is_proven = solution.status == "optimal" and inst.n_resources == 1
    return task_result(
        "synchpack3",
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
