"""What an embedded scheduler answers: which jobs to start, what it plans, and when it wants to be asked again."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from schedcore.model.html_text import MOST_ROWS, Html, counted, facts, panel
from schedcore.model.readable import readable_time

from .html_of_decisions import first_ids, table_of_places

__all__ = ["BrokenPromises", "Decision", "Placement", "Placements", "TaskPlacements", "no_ids"]


def no_ids() -> NDArray[np.int64]:
    """Return an array without ids."""
    return np.empty(0, dtype=np.int64)


class Placement(NamedTuple):
    """A job, its machine and its start time."""

    id: int
    machine: int
    start_time: float


@dataclass(frozen=True, slots=True, eq=False)
class TaskPlacements:
    """Where the tasks of jobs are, a row for each machine of a job, by job and then in the order of placement.

    Attributes
    ----------
    id, machine, n_tasks : (n_rows,) int64
    """

    id: NDArray[np.int64]
    machine: NDArray[np.int64]
    n_tasks: NDArray[np.int64]

    def of(self, job: int) -> list[tuple[int, int]]:
        """Return (machine, number of tasks) of the job with this id; O(n_rows)."""
        rows = self.id == job
        return list(zip(self.machine[rows].tolist(), self.n_tasks[rows].tolist(), strict=True))

    def __len__(self) -> int:
        return len(self.id)


class Placements(Sequence[Placement]):
    """A sequence of `Placement` with its columns as arrays: `id`, `machine` (int64) and `start_time` (float64).

    Of a job of several tasks the machine is the first one; `allocation` says where all of its tasks are.
    """

    __slots__ = ("_allocation", "id", "machine", "start_time")

    def __init__(
        self,
        id: NDArray[np.int64],
        machine: NDArray[np.int64],
        start_time: NDArray[np.float64],
        allocation: TaskPlacements | None = None,
    ) -> None:
        self.id = id
        self.machine = machine
        self.start_time = start_time
        self._allocation = allocation

    @property
    def allocation(self) -> TaskPlacements:
        """Where the tasks are: columns id, machine and n_tasks."""
        if self._allocation is None:
            return TaskPlacements(self.id, self.machine, np.ones(len(self.id), dtype=np.int64))
        return self._allocation

    def __len__(self) -> int:
        return len(self.id)

    @overload
    def __getitem__(self, index: int) -> Placement: ...
    @overload
    def __getitem__(self, index: slice) -> Placements: ...
    def __getitem__(self, index: int | slice) -> Placement | Placements:
        if isinstance(index, slice):
            return Placements(
                self.id[index], self.machine[index], self.start_time[index], self._part(self.id[index])
            )
        return Placement(int(self.id[index]), int(self.machine[index]), float(self.start_time[index]))

    def __iter__(self) -> Iterator[Placement]:
        return map(
            Placement._make,
            zip(self.id.tolist(), self.machine.tolist(), self.start_time.tolist(), strict=True),
        )

    def _part(self, ids: NDArray[np.int64]) -> TaskPlacements | None:
        if self._allocation is None:
            return None
        rows = np.isin(self._allocation.id, ids)
        return TaskPlacements(
            *(getattr(self._allocation, name)[rows] for name in ("id", "machine", "n_tasks"))
        )

    def __eq__(self, other: object) -> bool:
        return list(self) == list(other) if isinstance(other, Sequence) else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        shown = ", ".join(f"({job}, {machine}, {start:g})" for job, machine, start in self[:5])
        return f"Placements([{shown}{', ...' if len(self) > 5 else ''}], n={len(self)})"


@dataclass(frozen=True, slots=True, eq=False)
class BrokenPromises:
    """Starts that were told in the plan and have moved later, though the caller said nothing else of the job.

    Attributes
    ----------
    id : (n,) int64
        In the order of the plan in which they stood.
    promised : (n,) float64
        The start as the last `advance` told it.
    expected : (n,) float64
        As it is told now, or when the job has started; inf if nothing is told of it any more.
    cause : (n,) str
        "failure", "closed", "capacity", "outage" or "reservation" of a machine of its place; "late" where running jobs
        take longer than they said; "adopted" where jobs run that nobody knew of; "order" where others come first now.
    """

    id: NDArray[np.int64]
    promised: NDArray[np.float64]
    expected: NDArray[np.float64]
    cause: NDArray[np.str_]

    def __len__(self) -> int:
        return len(self.id)


def no_broken_promises() -> BrokenPromises:
    """Return none."""
    return BrokenPromises(no_ids(), np.empty(0), np.empty(0), np.empty(0, dtype=str))


@dataclass(frozen=True, slots=True)
class Decision:
    """What a scheduler answers to one `advance`.

    Attributes
    ----------
    starts : Placements
        Jobs to start, in the order of the decisions, each with the instant of its decision: the present one, or an
        earlier one that `advance` made up for.
    plan : Placements
        Planned starts for later, in order of start; empty for policies that do not plan. Where others outlive their
        estimates, a reservation of `conservative` or `backfill` that cannot be kept stands here with the earliest start
        that is possible by what is known now; an overdue job of a policy that knows no estimates, such as `mris`,
        with the present instant. Under `easy` it is the protected head, with the earliest start that others leave it;
        no wake-up is set for that.
    next_wakeup : float
        The next instant at which the policy wants `advance` to be called even if nothing happens; inf for none. It is
        that of the decision itself where a `work_limit` has put work off.
    killed : (n_killed,) int64
        Ids of the jobs that were killed by what was recorded, instant by instant and ascending in each: they wait
        again, and may be among the starts, or are gone.
    submitted : (n_jobs,) int64
        Ids of the jobs that `event` has submitted.
    broken : BrokenPromises
        Planned starts of the last decision that have moved later, and why.
    shortened : tuple of str
        What was decided in a cheaper way, or put off, because the `work_limit` of a decision did not suffice, or that
        of a policy that has one of its own; empty without limits.
    preempted, left : (n,) int64
        Ids of running jobs to end now for others, which wait again or are gone by the rule of the site, and of jobs
        that left because what they wait for cannot be any more; instant by instant and ascending in each.
    """

    starts: Placements
    plan: Placements
    next_wakeup: float
    killed: NDArray[np.int64] = field(default_factory=no_ids, compare=False)
    submitted: NDArray[np.int64] = field(default_factory=no_ids, compare=False)
    broken: BrokenPromises = field(default_factory=no_broken_promises, compare=False)
    preempted: NDArray[np.int64] = field(default_factory=no_ids, compare=False)
    left: NDArray[np.int64] = field(default_factory=no_ids, compare=False)
    shortened: tuple[str, ...] = ()

    def _repr_html_(self) -> str:
        """What a notebook shows: the first starts and planned starts, who was ended, and the next wake-up."""
        wakeup = "none" if math.isinf(self.next_wakeup) else readable_time(self.next_wakeup)
        pairs = [
            ("next wake-up", wakeup),
            ("submitted", first_ids(self.submitted)),
            ("killed", first_ids(self.killed)),
            ("preempted", first_ids(self.preempted)),
            ("left", first_ids(self.left)),
            ("planned starts that moved later", first_ids(self.broken.id)),
            ("shortened", ", ".join(self.shortened)),
        ]
        plan = _in_html("planned for later", self.plan)
        title = f"Decision: {counted(len(self.starts), 'job')} to start"
        return panel(title, _in_html("to start", self.starts), facts(pairs), plan)


def _in_html(title: str, placements: Placements) -> Html:
    """The first of the placements; a job that starts twice has no number of tasks."""
    first = placements[:MOST_ROWS]
    if len(np.unique(placements.id)) < len(placements):
        return table_of_places(title, list(first), [], len(placements))
    tasks = first.allocation
    n_tasks = [int(tasks.n_tasks[tasks.id == job].sum()) for job in first.id]
    return table_of_places(title, list(first), n_tasks, len(placements))
