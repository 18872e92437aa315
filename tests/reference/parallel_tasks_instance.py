"""What the references of the parallel-task jobs compute on: jobs, tasks and machines as plain Python values.

Weights, release times and the remote penalty are ``Fraction`` (of the doubles of the library), amounts and processing
times integers. A task is its row; rows ascend with (job, number within the job), so that ordering by row is ordering by
(job, number). Machines that are too small for a task are no machines of the task.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

Time = Fraction | int


class ReferenceInfeasible(Exception):
    """A task is larger than all its machines."""


@dataclass(frozen=True)
class PlainTask:
    """``time[machine]`` is the processing time there; ``local`` are the machines without remote penalty."""

    job: int
    demand: tuple[int, ...]
    time: dict[int, int]
    local: frozenset[int]


class Piece(NamedTuple):
    """A stretch of a task on a machine, ``[start, end)``; pieces sort by (start, job, number, machine)."""

    start: Time
    task: int
    machine: int
    end: Time


@dataclass(frozen=True)
class PlainTasks:
    """Jobs in input order, tasks by row, machines with one capacity a resource."""

    weight: list[Fraction]
    release_time: list[Fraction]
    tasks: list[PlainTask]
    capacity: list[tuple[int, ...]]
    remote_penalty: Fraction = Fraction(1)

    @classmethod
    def from_instance(cls, instance: Any) -> PlainTasks:
        """The same jobs and machines as a ``schedcore.ParallelTaskInstance``."""
        capacity = [tuple(row) for row in instance.machines.capacity.tolist()]
        machine = instance.placement_machine.tolist()
        time = instance.placement_time.tolist()
        local = instance.placement_local.tolist()
        start = instance.placement_start.tolist()
        tasks = []
        for row, (job, demand) in enumerate(
            zip(instance.task_job.tolist(), instance.demand.tolist(), strict=True)
        ):
            fitting = [
                p
                for p in range(start[row], start[row + 1])
                if all(d <= c for d, c in zip(demand, capacity[machine[p]], strict=True))
            ]
            if not fitting:
                raise ReferenceInfeasible(row)
            tasks.append(
                PlainTask(
                    job=job,
                    demand=tuple(demand),
                    time={machine[p]: time[p] for p in fitting},
                    local=frozenset(machine[p] for p in fitting if local[p]),
                )
            )
        return cls(
            weight=[Fraction(w) for w in instance.weight.tolist()],
            release_time=[Fraction(r) for r in instance.release_time.tolist()],
            tasks=tasks,
            capacity=capacity,
            remote_penalty=Fraction(instance.remote_penalty),
        )

    @property
    def n_jobs(self) -> int:
        return len(self.weight)

    @property
    def n_machines(self) -> int:
        return len(self.capacity)

    def tasks_of(self, job: int) -> list[int]:
        return [t for t, task in enumerate(self.tasks) if task.job == job]

    def release_of(self, task: int) -> Fraction:
        return self.release_time[self.tasks[task].job]

    def fits(self, machine: int, tasks: Iterable[int]) -> bool:
        """Whether the machine can run all these tasks at the same time."""
        chosen = list(tasks)
        return all(
            sum(self.tasks[t].demand[r] for t in chosen) <= capacity
            for r, capacity in enumerate(self.capacity[machine])
        )

    def share(self, task: int, machine: int) -> Fraction:
        """Demand by capacity, summed over the resources."""
        pairs = zip(self.tasks[task].demand, self.capacity[machine], strict=True)
        return sum((Fraction(d, c) for d, c in pairs if d), Fraction(0))

    def volume(self, task: int, machine: int) -> Fraction:
        """Processing time by demand in units of the machine; with one resource ``a p / m``."""
        return self.tasks[task].time[machine] * self.share(task, machine)

    def horizon(self) -> int:
        """The largest total processing time of the tasks that a machine may run."""
        loads = [sum(task.time.get(i, 0) for task in self.tasks) for i in range(self.n_machines)]
        return max(loads, default=0)

    def completion_times(self, pieces: Iterable[Piece]) -> list[Time]:
        """The largest end of each job."""
        completion: list[Time] = [0] * self.n_jobs
        for piece in pieces:
            job = self.tasks[piece.task].job
            completion[job] = max(completion[job], piece.end)
        return completion

    def weighted_completion_time(self, pieces: Iterable[Piece]) -> Fraction:
        completion = self.completion_times(pieces)
        return sum((w * c for w, c in zip(self.weight, completion, strict=True)), Fraction(0))


def merged(pieces: Iterable[Piece]) -> list[Piece]:
    """Touching pieces of one task on one machine are one piece."""
    joined: list[Piece] = []
    for piece in sorted(pieces, key=lambda q: (q.task, q.machine, q.start)):
        last = joined[-1] if joined else None
        if last and last[1:] == (piece.task, piece.machine, piece.start):
            joined[-1] = last._replace(end=piece.end)
        else:
            joined.append(piece)
    return sorted(joined)
