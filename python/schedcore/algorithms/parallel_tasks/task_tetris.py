"""Tetris for parallel tasks: at every arrival and completion, machine by machine, the tasks of the best score that fit.

The score of task k of job j on machine i is w_j (a / m_i + f / R_j): a task that fills much of the machine, or whose
job has little volume R_j left, goes first. Off its local machines the score is lower.
The header ``schedcore/parallel_tasks/task_tetris_scores.hpp`` has the formula to the letter.

Source: R. Grandl and others, "Multi-resource packing for cluster schedulers", SIGCOMM 2014, in the two forms in which
Shafiee and Ghaderi compare with it: "tetris_p" stops and chooses anew at every event, "tetris_np" never interrupts.
They leave the factor f open: docs/papers.md.
"""

from typing import Literal

from schedcore import _core
from schedcore.bounds.parallel_tasks import relaxation_bound
from schedcore.model import Machines, ParallelTaskInstance, ParallelTaskResult, usable
from schedcore.model.choices import check_choice
from schedcore.model.kernel_columns import kernel_columns
from schedcore.model.real_numbers import finite_number
from schedcore.parameters import Parameters, option
from schedcore.registry import OnlinePolicy, registered

from .family import PARALLEL_TASKS
from .task_result import task_result
from .task_simulation import RemotePenalty, run_task_policy

__all__ = ["tetris_np", "tetris_p"]

_SOURCE = "Grandl et al., SIGCOMM 2014"


def _checked_scale(name: str, scale: object) -> float | None:
    """Return the number; None for "balanced"."""
    if isinstance(scale, str):
        check_choice(name, scale, ("balanced",))
        return None
    return finite_number(name, scale, above_0=True, kind='"balanced" or a number')


class TaskTetrisParameters(Parameters, kw_only=True):
    """What counts in a score beside the fit."""

    scale: float | Literal["balanced"] = option(
        'weight of the volume that a job has left: "balanced" with the fit, or 1 / scale for a number above 0',
        '"balanced" is the mean of a / m over the unfinished tasks times the mean of R_j over their jobs, m the largest'
        " capacity, which gives both terms one scale.",
        default="balanced",
        check=_checked_scale,
        early=True,
        examples=("balanced",),
    )
    remote: Literal["divide", "ten_percent"] = option(
        "off its local machines, a task's score is divided by the remote penalty or lowered by 10 percent",
        "The penalty is that of the instance.",
        default="divide",
    )


class NonpreemptiveTetrisParameters(TaskTetrisParameters, RemotePenalty, kw_only=True):
    """The same; an embedded policy is told the penalty as well."""


def _policy(
    parameters: NonpreemptiveTetrisParameters, remote_penalty: float
) -> _core.parallel_tasks.TaskTetrisPolicy:
    scoring = parameters.part(TaskTetrisParameters).for_kernel()
    return _core.parallel_tasks.TaskTetrisPolicy(**scoring, remote_penalty=remote_penalty)


def _embedded(_machines: Machines, parameters: NonpreemptiveTetrisParameters) -> OnlinePolicy:
    return OnlinePolicy(_policy(parameters, parameters.checked("remote_penalty")))


@registered(
    TaskTetrisParameters,
    "Tetris for tasks, preemptive: best scores that fit, at every event anew",
    PARALLEL_TASKS,
    source=_SOURCE,
    schedule_class="preempt",
)
def tetris_p(instance: ParallelTaskInstance, parameters: TaskTetrisParameters) -> ParallelTaskResult:
    """Schedule with preemption: at every event all tasks stop, and the best scores that fit run.

    A task stays on the machine where it first ran.

    Parameters
    ----------
    instance : ParallelTaskInstance
        Release times are allowed.
    progress : callable, optional
        ``progress(tasks finished, n_tasks)``.

    Returns
    -------
    ParallelTaskResult
        Without a guarantee. `lower_bound` is computed when asked for.

    Raises
    ------
    InfeasibleError
        If a task fits none of its machines.
    InvalidInstanceError
        For a `scale` that is no number above 0, and unknown words.
    TypeError
        For a `scale` that is neither a number nor a word.

    Notes
    -----
    With several resources, a / m is the sum over them, and so is R_j. Scores are doubles; R_j and the means are exact
    sums, divided once, where release times are integers; others are rounded to a fine grid first. Ties go to the lower
    job, then the lower task. An event costs O(N) as a rule for N unfinished tasks, each counted on all machines that it
    may use until it has started.
    """
    inst = usable(instance)
    pieces = _core.parallel_tasks.task_tetris_preemptive(
        kernel_columns(inst), **parameters.for_kernel(), progress=parameters.progress
    )
    return task_result(
        "tetris_p",
        instance,
        pieces,
        lower_bound=lambda: relaxation_bound(inst),
        options=parameters.recorded(),
    )


@registered(
    NonpreemptiveTetrisParameters,
    "Tetris for tasks: best scores that fit, never interrupted",
    PARALLEL_TASKS,
    source=_SOURCE,
    schedule_class="nonpreempt",
    embed=_embedded,
)
def tetris_np(
    instance: ParallelTaskInstance, parameters: NonpreemptiveTetrisParameters
) -> ParallelTaskResult:
    """Schedule without preemption: at every event the tasks with the best scores that fit start.

    Parameters
    ----------
    instance : ParallelTaskInstance
        Release times are allowed.
    progress : callable, optional
        ``progress(tasks started, n_tasks)``.

    Returns
    -------
    ParallelTaskResult
        Without a guarantee. `lower_bound` is computed when asked for.

    Raises
    ------
    InfeasibleError, InvalidInstanceError, TypeError
        As in `tetris_p`.

    Notes
    -----
    Scores as in `tetris_p`. Each machine on which something completed, or where an arrival fits, costs a search of the
    waiting tasks by distinct demand vectors and a score for each task that fits; if there is one, O(unfinished jobs)
    besides. Sorting the tasks that fit adds a logarithm.
    """
    return run_task_policy("tetris_np", instance, _policy(parameters, instance.remote_penalty), parameters)
