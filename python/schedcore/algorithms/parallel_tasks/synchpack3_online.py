"""SynchPack-3 for jobs that arrive: at the start of every epoch a new order of what is left.

At the boundary everything is stopped, LP3 is solved for the unfinished tasks of released jobs with what remains of
their processing times, and the lists of its order run until the next boundary. Epochs without such tasks are passed
over.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from schedcore.bounds.parallel_tasks import relaxation_bound, solve_order_program
from schedcore.errors import InvalidInstanceError, UnsupportedError
from schedcore.model import ParallelTaskInstance
from schedcore.model.arrays import EXACT_BOUND, numeric_array

from .epochs import EpochCursor, EpochLengths
from .order_schedule import OrderSchedule, completion_order
from .task_result import Pieces, Progress

__all__ = ["OrderPlanning", "OrderRun", "order_in_epochs"]

_STATUSES = ("given", "optimal", "time_limit", "failed")  # from good to bad


class OrderRun(NamedTuple):
    """Pieces of all tasks, or None if the program of the last epoch gave no usable solution."""

    pieces: Pieces | None
    stats: dict[str, Any]
    lower_bound: Callable[[], float | None] | None


class _Order(NamedTuple):
    """Jobs of the whole instance in the order that a program gave, None if it gave none."""

    jobs: NDArray[np.int64] | None
    bound: float | None
    status: str


@dataclass(frozen=True)
class OrderPlanning:
    """How the jobs of an epoch are ordered; the options of `synchpack3`, and an instance of usable placements."""

    instance: ParallelTaskInstance
    all_machines: bool
    lp_solution: Any
    solver: str
    time_limit: float | None

    def given_entries(self) -> Sequence[ArrayLike] | None:
        """Return the given solutions, one for each epoch with unfinished tasks."""
        if self.lp_solution is None:
            return None
        try:
            return list(self.lp_solution)
        except TypeError:
            raise TypeError("lp_solution must be a sequence with an array for each epoch") from None

    def order(
        self, tasks: NDArray[np.int64], remaining: NDArray[np.int64], given: ArrayLike | None, epoch: int
    ) -> _Order:
        """Order the jobs of these task rows, of which `remaining` is left."""
        if given is not None:
            jobs = np.unique(self.instance.task_job[tasks])
            return _Order(jobs[completion_order(self._entry(given, jobs, epoch))], None, "given")
        part, jobs = self.instance.take_tasks(tasks, placement_time=remaining)
        solution = solve_order_program(
            part, all_machines=self.all_machines, solver=self.solver, time_limit=self.time_limit
        )
        if solution.completion is None:
            return _Order(None, solution.bound, solution.status)
        return _Order(jobs[completion_order(solution.completion)], solution.bound, solution.status)

    def _entry(self, given: ArrayLike, jobs: NDArray[np.int64], epoch: int) -> NDArray[np.float64]:
        """Return what one entry says of these jobs; it may hold anything for others."""
        values = numeric_array(given, f"lp_solution[{epoch}]").astype(np.float64)
        if values.shape != (self.instance.n_jobs,):
            raise InvalidInstanceError(
                f"lp_solution[{epoch}] has shape {values.shape}; {self.instance.n_jobs} jobs need one time "
                f"each"
            )
        wrong = ~(np.isfinite(values[jobs]) & (values[jobs] >= 0))
        if wrong.any():
            job = jobs[int(np.argmax(wrong))]
            raise InvalidInstanceError(
                f"lp_solution[{epoch}][{job}] = {values[job]} must be finite and at least 0: job {job} is unfinished"
            )
        return values[jobs]


def order_in_epochs(planning: OrderPlanning, lengths: EpochLengths, progress: Progress) -> OrderRun:
    """Run epoch after epoch until all tasks are finished.

    Notes
    -----
    One program for each epoch with unfinished tasks; O(n_tasks) beside it and the scans of the lists.
    """
    instance = planning.instance
    given = planning.given_entries()
    release = instance.release_time[instance.task_job]
    schedule = OrderSchedule(instance)
    parts: list[Pieces] = []
    epochs: list[dict[str, Any]] = []
    statuses = {"optimal" if given is None else "given"}
    cursor = EpochCursor(lengths)
    while (unfinished := schedule.remaining > 0).any():
        cursor.skip_to(float(release[unfinished].min()))
        active = np.flatnonzero(unfinished & (release <= cursor.start))
        _check_exact(cursor.start, schedule.remaining[active])
        if given is not None and len(epochs) == len(given):
            raise InvalidInstanceError(
                f"lp_solution has {len(given)} entries; the epoch from {cursor.start} on has unfinished tasks, too"
            )
        entry = None if given is None else given[len(epochs)]
        found = planning.order(active, schedule.remaining[active], entry, len(epochs))
        statuses.add(found.status)
        epoch = {"start": cursor.start, "end": cursor.end, "lower_bound": found.bound, "order": found.jobs}
        epochs.append(epoch)
        if found.jobs is None:
            break
        parts.append(
            schedule.run(active, found.jobs, cursor.start, min(cursor.end, EXACT_BOUND), progress=None)
        )
        if progress is not None:
            progress(int((schedule.remaining == 0).sum()), instance.n_tasks)
        cursor.advance()
    if given is not None and len(given) > len(epochs):
        raise InvalidInstanceError(
            f"lp_solution has {len(given)} entries; only {len(epochs)} epochs have unfinished tasks"
        )
    return OrderRun(
        None if (schedule.remaining > 0).any() else _joined(parts),
        {"lp_status": max(statuses, key=_STATUSES.index), "epochs": epochs},
        (lambda: relaxation_bound(instance)) if given is None else None,
    )


def _check_exact(start: int, remaining: NDArray[np.int64]) -> None:
    last = start + int(remaining.sum())
    if last > EXACT_BOUND:
        raise UnsupportedError(
            f"the epoch from {start} on could last until {last}, above 2**53, where float64 would round times"
        )


def _joined(parts: Sequence[Pieces]) -> Pieces:
    none = np.zeros(0, dtype=np.int64)
    columns = zip((none, none, np.zeros(0), np.zeros(0)), *parts, strict=True)
    task, machine, start, end = (np.concatenate(column) for column in columns)
    return task, machine, start, end
