"""Jobs of parallel tasks that may run on some machines only: an instance of the problem of [Shafiee2020]_.

A job completes when the last of its tasks does. A task holds its demand on the machine where it runs, may run on the
machines of its placement set only, and takes as long as its processing time there; sum w C is to be small.

.. [Shafiee2020] M. Shafiee, J. Ghaderi, "Scheduling parallel-task jobs subject to packing and placement constraints",
   arXiv:2004.00518; Operations Research 70(6), 2022.
"""

from __future__ import annotations

from typing import Any, ClassVar, Self, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from schedcore.errors import InvalidInstanceError

from .arrays import BoolArray, FloatArray, IntArray, frozen, selection, summed_products
from .arrow import Columnar, Columns, Metadata
from .columns import flag_column, integer_column, measure_column
from .integer_lists import rows_of_groups
from .machines import Machines
from .parallel_task_columns import (
    check_jobs,
    check_placements,
    check_sums,
    checked_penalty,
    demand_of_tasks,
    fastest_placements,
    fitting_placements,
    processing_times,
)
from .parallel_task_table import demand_columns, task_columns
from .preemptive_schedule import PreemptiveSchedule

__all__ = ["ParallelTaskInstance"]


class ParallelTaskInstance(Columnar):
    """Jobs, their tasks, and the machines on which each task may run; immutable.

    Parameters
    ----------
    weight, release_time : (n_jobs,) array_like
        Weight of each job, above 0, and the instant from which its tasks may run, at least 0.
    task_job : (n_tasks,) array_like of int
        The job of each task, never decreasing; every job has at least one task. Task k of job j is its k-th row.
    demand : (n_tasks, n_resources) array_like
        Units that a task holds on its machine while it runs; above 0 in some resource. Floats need a `resolution`.
    placement_start : (n_tasks + 1,) array_like of int
        The placements of task t are the rows ``placement_start[t]`` to ``placement_start[t + 1] - 1``.
    placement_machine : (n_placements,) array_like of int
        A machine on which the task may run; ascending within a task.
    placement_time : (n_placements,) array_like of int
        Processing time of the task on that machine: a whole number of at least 1.
    placement_local : (n_placements,) array_like of bool, optional
        Whether the machine is local to the task (some policies prefer those); by default the machines on which it
        fits and runs fastest.
    machines : Machines
        They may differ.
    remote_penalty : float
        By how much a policy that knows local machines discounts the others, at least 1.
    resolution : int, optional
        Units per 1.0 for demands that are floats.

    Raises
    ------
    InvalidInstanceError
        For any value outside its bounds; names the job, task or placement, the value and the bound. Refused as well
        are times that could add up beyond 2**53, where float64 would round them, and weights with which sum w C could
        exceed 1e300.
    TypeError
        For indices that are no integers.

    See Also
    --------
    usable : the instance without the placements on which a task does not fit.

    Notes
    -----
    O(n_jobs + n_tasks + n_placements). A table of it (`to_arrow`, `to_parquet`) has a row a placement, with the
    columns of its task and job repeated.
    """

    __slots__ = (
        "demand",
        "machines",
        "placement_local",
        "placement_machine",
        "placement_start",
        "placement_time",
        "release_time",
        "remote_penalty",
        "task_job",
        "weight",
    )
    _fields: ClassVar[tuple[str, ...]] = (
        "weight",
        "release_time",
        "task_job",
        "demand",
        "placement_start",
        "placement_machine",
        "placement_time",
        "placement_local",
        "machines",
        "remote_penalty",
    )

    weight: FloatArray
    release_time: FloatArray
    task_job: IntArray
    demand: IntArray
    placement_start: IntArray
    placement_machine: IntArray
    placement_time: IntArray
    placement_local: BoolArray
    machines: Machines
    remote_penalty: float

    def __init__(
        self,
        *,
        weight: ArrayLike,
        release_time: ArrayLike,
        task_job: ArrayLike,
        demand: ArrayLike,
        placement_start: ArrayLike,
        placement_machine: ArrayLike,
        placement_time: ArrayLike,
        placement_local: ArrayLike | None = None,
        machines: Machines,
        remote_penalty: float = 1.0,
        resolution: SupportsIndex | None = None,
    ) -> None:
        if not isinstance(machines, Machines):
            raise TypeError(f"machines must be Machines, not {type(machines).__name__}")
        weights = measure_column(weight, "weight", positive=True)
        releases = measure_column(release_time, "release_time", len(weights), positive=False)
        jobs = integer_column(task_job, "task_job", row="task")
        check_jobs(jobs, len(weights))
        demands = demand_of_tasks(demand, len(jobs), machines.n_resources, resolution)
        starts = integer_column(placement_start, "placement_start", row="placement boundary")
        where = integer_column(placement_machine, "placement_machine", row="placement")
        check_placements(starts, where, len(jobs), machines.n_machines)
        times = processing_times(placement_time, starts, len(where))
        check_sums(times, starts, releases, weights)
        penalty = checked_penalty(remote_penalty)
        if placement_local is None:
            local = fastest_placements(
                fitting_placements(demands, machines.capacity, starts, where), times, starts
            )
        else:
            local = flag_column(placement_local, "placement_local", len(where), row="placement")
        self._assign(
            weight=weights,
            release_time=releases,
            task_job=jobs,
            demand=demands,
            placement_start=starts,
            placement_machine=where,
            placement_time=times,
            placement_local=local,
            machines=machines,
            remote_penalty=penalty,
        )

    @property
    def n_jobs(self) -> int:
        """Number of jobs."""
        return len(self.weight)

    @property
    def n_tasks(self) -> int:
        """Number of tasks of all jobs."""
        return len(self.task_job)

    @property
    def n_placements(self) -> int:
        """Number of pairs of a task and a machine on which it may run."""
        return len(self.placement_machine)

    @property
    def n_machines(self) -> int:
        """Number of machines."""
        return self.machines.n_machines

    @property
    def n_resources(self) -> int:
        """Number of resources."""
        return self.machines.n_resources

    @property
    def task_start(self) -> IntArray:
        """(n_jobs + 1,) The tasks of job j are the rows ``task_start[j]`` to ``task_start[j + 1] - 1``."""
        return np.searchsorted(self.task_job, np.arange(self.n_jobs + 1)).astype(np.int64)

    @property
    def task_number(self) -> IntArray:
        """(n_tasks,) Number of each task within its job."""
        return np.arange(self.n_tasks, dtype=np.int64) - self.task_start[self.task_job]

    @property
    def placement_task(self) -> IntArray:
        """(n_placements,) The task of each placement."""
        return np.repeat(np.arange(self.n_tasks, dtype=np.int64), np.diff(self.placement_start))

    @property
    def single_machine(self) -> bool:
        """Whether each task may run on one machine only."""
        return self.n_placements == self.n_tasks

    def work(self) -> FloatArray:
        """(n_resources,) Return shortest processing time times demand, summed over the tasks."""
        shortest = np.minimum.reduceat(self.placement_time, self.placement_start[:-1])
        return summed_products(shortest.astype(np.float64), self.demand)

    def held_amounts(self, schedule: PreemptiveSchedule, resource: int) -> IntArray:
        """(n_pieces,) Units of a resource that each piece of a schedule holds: the demand of its task."""
        held: IntArray = self.demand[self.task_start[schedule.job] + schedule.task, resource]
        return held

    def replace(self, **changes: Any) -> Self:
        """Return the instance with some constructor arguments changed, as in ``inst.replace(weight=weights)``."""
        return type(self)(**{name: getattr(self, name) for name in self._fields} | changes)

    def take_tasks(self, tasks: ArrayLike, placement_time: ArrayLike | None = None) -> tuple[Self, IntArray]:
        """Return the instance of some tasks, with release times 0, and which job each of its jobs was.

        Parameters
        ----------
        tasks : array_like of int
            Rows of the tasks to keep, ascending. Jobs without a task are left out, the others renumbered.
        placement_time : array_like of int, optional
            New processing times, one for each placement of the kept tasks.
        """
        kept = integer_column(tasks, "tasks", row="task")
        if kept.size and not (kept[0] >= 0 and kept[-1] < self.n_tasks and (np.diff(kept) > 0).all()):
            raise InvalidInstanceError(f"tasks must ascend from 0 to at most {self.n_tasks - 1}")
        jobs, task_job = np.unique(self.task_job[kept], return_inverse=True)
        rows, starts = rows_of_groups(self.placement_start, kept)
        part = self.replace(
            weight=self.weight[jobs],
            release_time=np.zeros(len(jobs)),
            task_job=task_job.astype(np.int64),
            demand=self.demand[kept],
            placement_start=starts,
            placement_machine=self.placement_machine[rows],
            placement_time=self.placement_time[rows] if placement_time is None else placement_time,
            placement_local=self.placement_local[rows],
        )
        return part, frozen(jobs, np.int64)

    def take_jobs(self, key: slice | ArrayLike) -> Self:
        """Return the instance with the selected jobs, in the order of `key`: a slice, indices or a mask.

        A job that is selected twice is there twice.

        Raises
        ------
        InvalidInstanceError
            For a masked entry.
        TypeError, IndexError
            For any other selection, and for an index that no job has.
        """
        jobs = np.arange(self.n_jobs)[selection(key)]
        tasks, task_start = rows_of_groups(self.task_start, jobs)
        rows, placement_start = rows_of_groups(self.placement_start, tasks)
        return self.replace(
            weight=self.weight[jobs],
            release_time=self.release_time[jobs],
            task_job=np.repeat(np.arange(len(jobs)), np.diff(task_start)),
            demand=self.demand[tasks],
            placement_start=placement_start,
            placement_machine=self.placement_machine[rows],
            placement_time=self.placement_time[rows],
            placement_local=self.placement_local[rows],
        )

    def task_name(self, task: int) -> str:
        """What messages call a task: its number and its job's."""
        job = int(self.task_job[task])
        number = int(task - np.searchsorted(self.task_job, job))
        return f"task {number} of job {job}"

    def __len__(self) -> int:
        return self.n_jobs

    def __repr__(self) -> str:
        return (
            f"ParallelTaskInstance({self.n_jobs} jobs of {self.n_tasks} tasks, {self.n_machines} machines, "
            f"{self.n_placements} placements)"
        )

    def _columns(self) -> Columns:
        task = self.placement_task
        job = self.task_job[task]
        return {
            "job": job,
            "task": self.task_number[task],
            "machine": self.placement_machine,
            "processing_time": self.placement_time,
            "is_local": self.placement_local,
            "weight": self.weight[job],
            "release_time": self.release_time[job],
            **demand_columns(self.demand[task], self.machines.resource_names),
        }

    def _metadata(self) -> Metadata:
        return {**self.machines.as_json(), "remote_penalty": self.remote_penalty}

    @classmethod
    def _from_columns(cls, columns: Columns, metadata: Metadata | None) -> Self:
        if metadata is None or not {"capacity", "resource_names", "remote_penalty"} <= metadata.keys():
            raise InvalidInstanceError("the table carries no machines for its tasks")
        machines = Machines.from_json(metadata)
        return cls(
            **task_columns(columns, machines.resource_names),
            machines=machines,
            remote_penalty=metadata["remote_penalty"],
        )
