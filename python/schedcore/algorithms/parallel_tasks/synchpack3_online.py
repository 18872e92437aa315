"""SynchPack-3 for jobs that arrive: at the start of every epoch a new order of what is left.

At the boundary everything is stopped, LP3 is solved for the unfinished tasks of released jobs with what remains of
their processing times, and the lists of its order run until the next boundary. Epochs without such tasks are passed
over.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from schedcore.bounds.parallel_tasks import relaxation_bound, solve_order_program
from schedcore.errors import InvalidInstanceError
from schedcore.model import ParallelTaskInstance
from schedcore.model.arrays import EXACT_BOUND, numeric_array
from schedcore.parameters import Parameters, option

from .epoch_solutions import GivenSolutions, OnlineRun, joined, worst_status
from .epochs import EpochCursor, EpochLengths, EpochOptions, check_exact, check_number
from .family import GivenSolution, ProgramSolver
from .order_schedule import OrderSchedule, completion_order
from .task_result import Pieces

__all__ = ["Synchpack3Parameters", "order_in_epochs", "ordered"]


class _OrderProgram(Parameters, kw_only=True):
    all_machines: bool = option(
        "let jobs wait for each other on every machine in the program",
        "That is tighter, and far larger, than where a job waits on the machines of its own tasks.",
        default=False,
    )


class Synchpack3Parameters(ProgramSolver, EpochOptions, GivenSolution, _OrderProgram, kw_only=True):
    """The program of SynchPack-3, solved once or in epochs."""


class _Order(NamedTuple):
    """Jobs of the whole instance in the order that a program gave, None if it gave none."""

    jobs: NDArray[np.int64] | None
    bound: float | None
    status: str


def ordered(
    instance: ParallelTaskInstance,
    parameters: Synchpack3Parameters,
    tasks: NDArray[np.int64],
    remaining: NDArray[np.int64],
    given: ArrayLike | None,
    epoch: int,
) -> _Order:
    """Order the jobs of these task rows, of which `remaining` is left; all placements are usable."""
    if given is not None:
        jobs = np.unique(instance.task_job[tasks])
        return _Order(jobs[completion_order(_entry(instance, given, jobs, epoch))], None, "given")
    job = instance.task_job[tasks[0]]
    if job == instance.task_job[tasks[-1]]:  # LP3 of one job: no program
        value = float(instance.weight[job]) * _busy_time(instance, tasks, remaining)
        return _Order(np.array([job]), value, "optimal")
    part, jobs = instance.take_tasks(tasks, placement_time=remaining)
    solution = solve_order_program(part, **parameters.for_kernel())
    if solution.completion is None:
        return _Order(None, solution.bound, solution.status)
    return _Order(jobs[completion_order(solution.completion)], solution.bound, solution.status)


def _entry(
    instance: ParallelTaskInstance, given: ArrayLike, jobs: NDArray[np.int64], epoch: int
) -> NDArray[np.float64]:
    """Return what one entry says of these jobs; it may hold anything for others."""
    values = numeric_array(given, f"lp_solution[{epoch}]").astype(np.float64)
    if values.shape != (instance.n_jobs,):
        raise InvalidInstanceError(
            f"lp_solution[{epoch}] has shape {values.shape}; {instance.n_jobs} jobs need one time each"
        )
    wrong = ~(np.isfinite(values[jobs]) & (values[jobs] >= 0))
    if wrong.any():
        job = jobs[int(np.argmax(wrong))]
        raise InvalidInstanceError(
            f"lp_solution[{epoch}][{job}] = {values[job]} must be finite and at least 0: job {job} is unfinished"
        )
    return values[jobs]


def order_in_epochs(
    instance: ParallelTaskInstance, parameters: Synchpack3Parameters, lengths: EpochLengths
) -> OnlineRun:
    """Run epoch after epoch until all tasks are finished, on usable placements.

    Raises
    ------
    UnsupportedError
        If more than `MOST_EPOCHS` epochs have unfinished tasks, at once where the work of the instance shows it, or
        times could exceed 2**53.

    Notes
    -----
    One program for each epoch with unfinished tasks of several jobs; O(n_tasks) beside it and the scans of the lists.
    The number of epochs with work is about the length of the schedule / tau0.
    """
    given = GivenSolutions(parameters.lp_solution, "unfinished tasks")
    release = instance.release_time[instance.task_job]
    schedule = OrderSchedule(instance)
    parts: list[Pieces] = []
    epochs: list[dict[str, Any]] = []
    statuses = {"given" if given.are_given else "optimal"}
    cursor = EpochCursor(lengths)
    everything = np.arange(instance.n_tasks)
    check_number(int(_busy_time(instance, everything, schedule.remaining)) // lengths.longest, lengths)
    while (unfinished := schedule.remaining > 0).any():
        cursor.skip_to(float(release[unfinished].min()))
        active = np.flatnonzero(unfinished & (release <= cursor.start))
        check_exact(cursor.start, int(schedule.remaining[active].sum()))
        check_number(len(epochs) + 1, lengths)
        entry = given.entry(len(epochs), cursor.start)
        found = ordered(instance, parameters, active, schedule.remaining[active], entry, len(epochs))
        statuses.add(found.status)
        epoch = {"start": cursor.start, "end": cursor.end, "lower_bound": found.bound, "order": found.jobs}
        epochs.append(epoch)
        if found.jobs is None:
            break
        parts.append(
            schedule.run(active, found.jobs, cursor.start, min(cursor.end, EXACT_BOUND), progress=None)
        )
        if parameters.progress is not None:
            parameters.progress(int((schedule.remaining == 0).sum()), instance.n_tasks)
        cursor.advance()
    given.check_all_used(len(epochs))
    return OnlineRun(
        None if (schedule.remaining > 0).any() else joined(parts),
        {"lp_status": worst_status(statuses), "epochs": epochs},
        None if given.are_given else (lambda: relaxation_bound(instance)),
    )


def _busy_time(
    instance: ParallelTaskInstance, tasks: NDArray[np.int64], remaining: NDArray[np.int64]
) -> float:
    """Return how long some machine is busy with these tasks at least, of which `remaining` is left.

    The longest task, or the work (demand x time / capacity) of a resource of a machine: what LP3 says if they are all
    of one job. Sums are lowered by their rounding, so that it stays a bound.
    """
    machine = instance.placement_machine[tasks]  # the placements are the tasks
    demand = instance.demand[tasks]
    share = np.divide(
        demand, instance.machines.capacity[machine], out=np.zeros(demand.shape), where=demand > 0
    )
    work = [np.bincount(machine, own * remaining).max(initial=0.0) for own in share.T]
    return float(max(remaining.max(initial=0), max(work) * (1 - (len(tasks) + 2) * 2.0**-52)))
