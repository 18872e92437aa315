"""What an embedded scheduler knows of its jobs and machines, in columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .decision import TaskPlacements

__all__ = ["JOB_STATES", "JobStates", "MachineStates", "job_states", "machine_states"]

#: What a job of an embedded scheduler does.
JOB_STATES = ("waiting", "held", "running")
# By the numbers of the core.
_OF_JOBS = np.array(["", "waiting", "waiting", "running", "held"])
_OF_MACHINES = np.array(["up", "outage", "failed", "closed"])


@dataclass(frozen=True, slots=True, eq=False)
class JobStates:
    """The jobs that a scheduler knows as of the last `advance`, a row each, by id.

    Attributes
    ----------
    id : (n,) int64
    state : (n,) str
        "waiting", "held" or "running"; a job that is planned for later waits.
    release_time : (n,) float64
        When it was submitted; of an adopted job as it was told.
    processing_time : (n,) float64
        What the policy reckons with for the run under way or the next one: the estimate where it decides with
        estimates, less by the work that was saved.
    reservation : (n,) int64
        The one that it names; -1 for none, and after its end.
    weight : (n,) float64
    n_tasks : (n,) int64
    demand : (n, n_resources) int64
        Of one task.
    machine : (n,) int64
        Of a running job, its first one; otherwise -1.
    start_time, estimated_end : (n,) float64
        Of a running job; the end by what was said of it, of a late one by as much once more. Otherwise NaN.
    allocation : TaskPlacements
        Where the tasks of the running jobs are.
    """

    id: NDArray[np.int64]
    state: NDArray[np.str_]
    release_time: NDArray[np.float64]
    processing_time: NDArray[np.float64]
    reservation: NDArray[np.int64]
    weight: NDArray[np.float64]
    n_tasks: NDArray[np.int64]
    demand: NDArray[np.int64]
    machine: NDArray[np.int64]
    start_time: NDArray[np.float64]
    estimated_end: NDArray[np.float64]
    allocation: TaskPlacements

    def __len__(self) -> int:
        return len(self.id)


@dataclass(frozen=True, slots=True, eq=False)
class MachineStates:
    """The machines that are not removed as of the last `advance`, a row each, by index.

    Attributes
    ----------
    machine : (n,) int64
        Indices.
    state : (n,) str
        "closed", or else "failed", or else "outage" during an announced one, or else "up".
    capacity : (n, n_resources) int64
        What the machine has, down or not.
    used : (n, n_resources) int64
        By running jobs. One that is alone on its machines uses all of them.
    reserved : (n, n_resources) int64
        By reservations that have begun, for the jobs that name them.
    free : (n, n_resources) int64
        What other jobs may use now: nothing unless the machine is up.
    n_jobs : (n,) int64
        Running jobs with a task there.
    """

    machine: NDArray[np.int64]
    state: NDArray[np.str_]
    capacity: NDArray[np.int64]
    used: NDArray[np.int64]
    reserved: NDArray[np.int64]
    free: NDArray[np.int64]
    n_jobs: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.machine)


def job_states(columns: dict[str, Any]) -> JobStates:
    """Return the columns of the core as callers know them."""
    tasks = TaskPlacements(*columns.pop("tasks"))
    columns.update(state=_OF_JOBS[columns["state"]])
    return JobStates(**columns, allocation=tasks)


def machine_states(columns: dict[str, Any]) -> MachineStates:
    """Return the columns of the core as callers know them."""
    columns.update(state=_OF_MACHINES[columns["state"]])
    order = np.argsort(columns["machine"])
    return MachineStates(**{name: column[order] for name, column in columns.items()})
