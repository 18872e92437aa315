"""What the algorithms of this family have in common: the paper, the options of linear programs, and checks.

An algorithm derives from the groups of options that it has, and lists them from the last to the first: the groups stand
in the order of the documentation that way. Kernels are the linear programs here.
"""

from collections.abc import Sequence
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from schedcore.errors import UnsupportedError
from schedcore.model import ParallelTaskInstance
from schedcore.model.integers import checked_integer
from schedcore.model.real_numbers import finite_number
from schedcore.parameters import Parameters, option, optional
from schedcore.registry import Family

__all__ = [
    "PARALLEL_TASKS",
    "GivenSolution",
    "ProgramSolver",
    "ProgramStart",
    "refuse_choice_of_machines",
    "refuse_release_times",
]

PARALLEL_TASKS = Family(
    "parallel tasks",
    {
        "source": "Shafiee and Ghaderi, Operations Research 2022",
        "objective": "weighted_completion_time",
        "instance_kind": ParallelTaskInstance,
        "reads": frozenset({"weight"}),
        "machines_may_differ": True,
    },
)


class GivenSolution(Parameters, kw_only=True):
    """What takes the place of solving."""

    lp_solution: ArrayLike | Sequence[ArrayLike] | None = option(
        "solution to use instead of solving the linear program",
        default=None,
        takes="array_like or sequence of array_like, optional",
        recorded=False,
        for_kernel=False,
    )


class ProgramSolver(Parameters, kw_only=True):
    """How linear programs are solved."""

    solver: Literal["auto", "simplex", "ipm", "pdlp"] = option(
        "how HiGHS solves the linear program; auto takes the interior point method for large ones",
        default="auto",
    )
    time_limit: float | None = option(
        "seconds for the linear program (each, if there are several)",
        default=None,
        check=optional(partial(finite_number, above_0=True, kind="a number of seconds")),
    )


class ProgramStart(Parameters, kw_only=True):
    """With what columns a linear program begins."""

    machines_per_task: int | None = option(
        "machines of each task that the linear program begins with; others join where they can lower it",
        "See `schedcore.bounds.parallel_tasks.solve_interval_program`.",
        default=None,
        check=optional(partial(checked_integer, least=1)),
    )


def refuse_release_times(instance: ParallelTaskInstance, algorithm: str) -> None:
    """Raise an `UnsupportedError` that names the first job with a release time above 0."""
    late = instance.release_time > 0
    if late.any():
        job = int(np.argmax(late))
        raise UnsupportedError(
            f"{algorithm} takes all jobs at time 0: job {job} has the release time "
            f"{float(instance.release_time[job])!r}"
        )


def refuse_choice_of_machines(instance: ParallelTaskInstance, algorithm: str) -> None:
    """Raise an `UnsupportedError` that names the first task that may run on several machines."""
    if instance.single_machine:
        return
    counts = np.diff(instance.placement_start)
    task = int(np.argmax(counts > 1))
    raise UnsupportedError(
        f"{algorithm} needs one machine for each task: {instance.task_name(task)} may run on {counts[task]}"
    )
