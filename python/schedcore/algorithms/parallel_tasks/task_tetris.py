"""Tetris for parallel tasks: at every arrival and completion, machine by machine, the tasks of the best score that fit.

The score of task k of job j on machine i is w_j (a / m_i + f / R_j): a task that fills much of the machine, or whose
job has little volume R_j left, goes first. Off its local machines the score is lower.
The header ``schedcore/parallel_tasks/task_tetris.hpp`` has the formula to the letter, ``src/cpp/parallel_tasks``
the event loops.

Source: R. Grandl and others, "Multi-resource packing for cluster schedulers", SIGCOMM 2014, in the two forms in which
Shafiee and Ghaderi compare with it: "tetris_p" stops and chooses anew at every event, "tetris_np" never interrupts.
They leave the factor f open: docs/papers.md.
"""

from collections.abc import Callable
from typing import Literal

from schedcore import _core
from schedcore.bounds.parallel_tasks import relaxation_bound
from schedcore.model import ParallelTaskInstance, ParallelTaskResult, usable
from schedcore.model.choices import check_choice
from schedcore.model.kernel_columns import kernel_columns
from schedcore.model.real_numbers import finite_number
from schedcore.parameters import Parameters, option
from schedcore.registry import registered

from .family import PARALLEL_TASKS
from .task_result import Pieces, task_result

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
    return _run("tetris_p", _core.parallel_tasks.task_tetris_preemptive, instance, parameters)


@registered(
    TaskTetrisParameters,
    "Tetris for tasks: best scores that fit, never interrupted",
    PARALLEL_TASKS,
    source=_SOURCE,
    schedule_class="nonpreempt",
)
def tetris_np(instance: ParallelTaskInstance, parameters: TaskTetrisParameters) -> ParallelTaskResult:
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
    Scores as in `tetris_p`. A completion costs O(N) for N waiting tasks, an arrival O(tasks of the job x machines), and
    if something fits, both O(unfinished jobs) besides. Sorting the tasks that fit adds a logarithm.
    """
    return _run("tetris_np", _core.parallel_tasks.task_tetris_nonpreemptive, instance, parameters)


def _run(
    name: str,
    kernel: Callable[..., Pieces],
    instance: ParallelTaskInstance,
    parameters: TaskTetrisParameters,
) -> ParallelTaskResult:
    inst = usable(instance)
    pieces = kernel(kernel_columns(inst), **parameters.for_kernel(), progress=parameters.progress)
    return task_result(
        name,
        instance,
        pieces,
        lower_bound=lambda: relaxation_bound(inst),
        options=parameters.recorded(),
    )
