"""SynchPack-2 for jobs that arrive: a new plan at every epoch, carried over to machines that are not empty.

At the start of an epoch LP2 is solved for the tasks of released jobs that have not started, as if time began there and
all machines were empty. Planned tasks are put, in the order of the plan, on their machines at the earliest time at
which they fit beside what runs and what was put before; those that would start within the epoch do, and run to their
end. The paper has the idea; how the plan meets what runs is ours (docs/papers.md).
"""

from fractions import Fraction
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from schedcore import _core
from schedcore.bounds.parallel_tasks import (
    WHOLE_TASK,
    Intervals,
    given_fractions,
    horizon,
    relaxation_bound,
    solve_interval_program,
)
from schedcore.model import ParallelTaskInstance
from schedcore.model.arrays import EXACT_BOUND
from schedcore.model.kernel_columns import kernel_columns
from schedcore.parameters import Parameters, option

from .batch_plan import batch_plan
from .epoch_solutions import NOTHING, GivenSolutions, OnlineRun, joined, worst_status
from .epochs import EpochCursor, EpochLengths, EpochOptions, check_exact, check_number
from .family import GivenSolution, ProgramSolver, ProgramStart
from .slow_motion import SlowMotion
from .task_result import Pieces

__all__ = ["Synchpack2Parameters", "schedule_in_epochs"]


class _BatchOrder(Parameters, kw_only=True):
    order: Literal["index", "lp"] = option(
        "which task of a batch goes first: by index, or by its job's completion in the linear program",
        default="index",
        for_kernel=False,
    )


class Synchpack2Parameters(
    ProgramStart, ProgramSolver, EpochOptions, GivenSolution, _BatchOrder, SlowMotion, kw_only=True
):
    """The program of SynchPack-2 and what follows it, at once or in epochs."""

    @property
    def lambda_units(self) -> int | None:
        """Lambda in units of 1e-9; None for the best one."""
        speed = self.speed
        return None if speed is None else round(speed * WHOLE_TASK)


class _Plan(NamedTuple):
    """What is planned for some tasks; the pieces are in rows of the whole instance, None if there is no plan."""

    pieces: Pieces | None
    bound: float | None
    status: str


def _planned(
    instance: ParallelTaskInstance,
    parameters: Synchpack2Parameters,
    tasks: NDArray[np.int64],
    given: ArrayLike | None,
) -> _Plan:
    """Plan these task rows from time 0 on, on empty machines."""
    part, _ = instance.take_tasks(tasks)
    if given is None:
        fractions, bound, status, intervals, _ = solve_interval_program(
            part, doubling=True, **parameters.for_kernel()
        )
        if fractions is None:
            return _Plan(None, bound, status)
    else:
        intervals = Intervals(Fraction(1), horizon(part))
        fractions = given_fractions(instance, given, intervals, doubling=True, part=tasks)
        bound, status = None, "given"
    made = batch_plan(
        part,
        fractions,
        intervals,
        lambda_units=parameters.lambda_units,
        cap=parameters.cap,
        order=parameters.order,
    )
    task, machine, start, end = made.pieces
    return _Plan((tasks[task], machine, start, end), bound, status)


def schedule_in_epochs(
    instance: ParallelTaskInstance, parameters: Synchpack2Parameters, lengths: EpochLengths
) -> OnlineRun:
    """Run epoch after epoch until all tasks have started, on usable placements; idle epochs are passed over.

    Raises
    ------
    UnsupportedError
        If more than `MOST_EPOCHS` epochs have jobs to plan, as soon as that is certain, or times could exceed 2**53.

    Notes
    -----
    A program for each epoch whose tasks are not those of the epoch before, and O(n_tasks log n_tasks) for each epoch
    with jobs to plan. Their number is about the length of the schedule / tau0 where jobs always wait.
    """
    given = GivenSolutions(parameters.lp_solution, "jobs to plan")
    columns = kernel_columns(instance)
    release = instance.release_time[instance.task_job]
    longest = np.zeros(instance.n_tasks, dtype=np.int64)
    np.maximum.at(longest, instance.placement_task, instance.placement_time)
    waits = np.ones(instance.n_tasks, dtype=np.bool_)
    running = NOTHING
    started: list[Pieces] = [NOTHING]
    epochs: list[dict[str, Any]] = []
    statuses = {"given" if given.are_given else "optimal"}
    planned, plan = np.zeros(0, dtype=np.int64), _Plan(NOTHING, None, "given")
    cursor = EpochCursor(lengths)
    while waits.any():
        cursor.skip_to(float(release[waits].min()))
        active = np.flatnonzero(waits & (release <= cursor.start))
        check_exact(max(cursor.start, running[3].max(initial=0)), int(longest[active].sum()))
        check_number(len(epochs) + 1, lengths)
        if given.are_given:
            plan = _planned(instance, parameters, active, given.entry(len(epochs), cursor.start))
        elif not np.array_equal(active, planned):
            plan, planned = _planned(instance, parameters, active, None), active
        statuses.add(plan.status)
        epoch = {"start": cursor.start, "end": cursor.end, "lower_bound": plan.bound, "n_started": 0}
        epochs.append(epoch)
        if plan.pieces is None:
            break
        placed = _core.parallel_tasks.place_plan(columns, running, plan.pieces, float(cursor.start))
        now = _chosen(placed, placed[2] < min(cursor.end, EXACT_BOUND))
        started.append(now)
        waits[now[0]] = False
        epoch["n_started"] = len(now[0])
        if not given.are_given and len(now[0]) == 0:
            # nothing changes before a planned task starts or another is released: until then, epochs like this one
            later = release[waits & (release > cursor.start)]
            change = int(min(placed[2].min(), later.min(initial=np.inf)))
            check_number(len(epochs) - 1 + (change - cursor.start) // lengths.longest, lengths)
        running = joined([_chosen(running, running[3] > cursor.start), now])
        if parameters.progress is not None:
            parameters.progress(instance.n_tasks - int(waits.sum()), instance.n_tasks)
        cursor.advance()
    given.check_all_used(len(epochs))
    return OnlineRun(
        None if waits.any() else joined(started),
        {"lp_status": worst_status(statuses), "epochs": epochs},
        None if given.are_given else (lambda: relaxation_bound(instance)),
    )


def _chosen(pieces: Pieces, among: NDArray[np.bool_]) -> Pieces:
    task, machine, start, end = pieces
    return task[among], machine[among], start[among], end[among]
