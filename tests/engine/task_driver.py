"""A program around an embedded scheduler of tasks: it submits jobs as they arrive and reports tasks as they end.

Every start is checked against the placements and against its own accounting of free amounts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

import schedcore

Between = Callable[[schedcore.OnlineScheduler], schedcore.OnlineScheduler]


@dataclass
class TaskDriver:
    """One run; `start_time`, `machine` and `end_time` of every task, whose id is its row.

    `between` is what happens to the scheduler between two events, and `late` by how much tasks outlive their times.
    """

    scheduler: schedcore.OnlineScheduler
    instance: schedcore.ParallelTaskInstance
    between: Between = lambda scheduler: scheduler
    late: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        n_tasks = self.instance.n_tasks
        self.start_time = [-1.0] * n_tasks
        self.end_time = [float("inf")] * n_tasks
        self.machine = [-1] * n_tasks
        self.late = self.late or [0] * n_tasks
        self._free = self.instance.machines.capacity.astype(object)
        self._running: set[int] = set()

    def run(self) -> TaskDriver:
        release_time = self.instance.release_time
        to_come = sorted(range(self.instance.n_jobs), key=lambda job: (release_time[job], job))
        while to_come or self._running:
            instants = [self.end_time[task] for task in self._running]
            now = min(instants + [float(release_time[job]) for job in to_come[:1]])
            ended = [task for task in self._running if self.end_time[task] == now]
            arrived = [job for job in to_come if release_time[job] == now]
            to_come = to_come[len(arrived) :]
            self.event(now, ended, arrived)
            self.scheduler = self.between(self.scheduler)
        assert min(self.start_time, default=0) >= 0
        return self

    def event(self, now: float, ended: list[int], arrived: list[int]) -> None:
        for task in ended:
            self._running.remove(task)
            self._free[self.machine[task]] += self.instance.demand[task]
        if arrived:
            jobs = np.array(sorted(arrived))
            starts = self.instance.task_start
            rows = np.concatenate([np.arange(starts[job], starts[job + 1]) for job in jobs])
            self.scheduler.submit(self.instance.take_jobs(jobs), now, ids=rows)
        if ended:
            self.scheduler.complete(ended, now)
        decision = self.scheduler.advance(now)
        for task, machine, start in zip(
            decision.starts.id.tolist(),
            decision.starts.machine.tolist(),
            decision.starts.start_time.tolist(),
            strict=True,
        ):
            self.start(task, machine, start)

    def start(self, task: int, machine: int, now: float) -> None:
        places = slice(*self.instance.placement_start[task : task + 2])
        time = dict(
            zip(
                self.instance.placement_machine[places].tolist(),
                self.instance.placement_time[places].tolist(),
                strict=True,
            )
        )
        assert self.machine[task] == -1, f"task {task} was started twice"
        assert machine in time, f"task {task} was started on machine {machine}, which it may not use"
        self._free[machine] -= self.instance.demand[task]
        assert (self._free[machine] >= 0).all(), f"task {task} was started where it does not fit"
        self.start_time[task], self.machine[task] = now, machine
        self.end_time[task] = now + time[machine] + self.late[task]
        self._running.add(task)
