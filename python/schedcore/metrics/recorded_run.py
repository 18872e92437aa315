"""What a log tells of how its jobs ran, as a schedule that every metric takes, and where that cannot have been so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from schedcore.errors import UnsupportedError
from schedcore.metrics.exact_sums import exact_dot
from schedcore.metrics.over_time import horizon, resource_usage, total_capacity
from schedcore.metrics.submitter_classes import SUBMITTER_COLUMNS
from schedcore.model import Instance, Jobs, Machines, Schedule
from schedcore.model.arrays import EXACT_BOUND

__all__ = ["CapacityExcess", "RecordedRun", "recorded_run"]


@dataclass(frozen=True)
class CapacityExcess:
    """How far the recorded jobs took more of a resource than there is.

    Attributes
    ----------
    resource : str
    capacity, most : int
        What all machines have together, and what was in use at one time at most.
    share_of_time : float
        Share of the time between the first submission and the last completion in which more was in use than there is.
    share_of_use : float
        Share of all use that was above the capacity.
    """

    resource: str
    capacity: int
    most: int
    share_of_time: float
    share_of_use: float


@dataclass(frozen=True, eq=False)
class RecordedRun:
    """The jobs of which a start is recorded, as they ran.

    Logs seldom say where jobs ran, so all machines are one here: waits, slowdowns and use do not depend on it.

    Attributes
    ----------
    inst : Instance
        These jobs, each with what all its tasks take, on one machine that has what all machines have together.
    schedule : Schedule
        When they started, never before their release.
    jobs : (n_recorded,) int64
        Their rows in the whole instance.
    n_without_start : int
        Jobs of which no start is recorded.
    n_early : int
        Jobs that are recorded to have started before their release; they count as started at it.
    """

    inst: Instance
    schedule: Schedule
    jobs: npt.NDArray[np.int64]
    n_without_start: int
    n_early: int

    def excess(self) -> tuple[CapacityExcess, ...]:
        """The resources of which more was in use than there is, in the order of the instance; O(n log n)."""
        usage = resource_usage(self.inst, self.schedule)
        lasted = np.diff(usage.times)
        first, last = horizon(self.inst, self.schedule)
        found = []
        for index, name in enumerate(self.inst.machines.resource_names):
            capacity = int(self.inst.machines.capacity[0, index])
            used = usage.values[:, index]
            most = int(used.max(initial=0))
            if most <= capacity:
                continue
            above = np.maximum(used[:-1] - capacity, 0)
            found.append(
                CapacityExcess(
                    name,
                    capacity,
                    most,
                    float(lasted[above > 0].sum() / (last - first)),
                    exact_dot(above, lasted) / exact_dot(used[:-1], lasted),
                )
            )
        return tuple(found)


def recorded_run(inst: Instance) -> RecordedRun | None:
    """Return how the jobs ran according to the log that they come from; None where it tells of no job when it started.

    Raises
    ------
    UnsupportedError
        If a job, or all machines together, have more than 2**53 units of a resource.

    Notes
    -----
    O(n_jobs * n_resources). Jobs that ran according to another release, length or size have no recorded start any more
    (`Jobs.replace`).
    """
    if not inst.jobs.uses("recorded_start_time"):
        return None
    recorded = inst.jobs.recorded_start_time
    rows = np.flatnonzero(~np.isnan(recorded)).astype(np.int64)
    demand, capacity = inst.demand_of_all_tasks()[rows], total_capacity(inst)
    if (capacity > EXACT_BOUND).any():
        raise UnsupportedError(
            "all machines together have more than 2**53 units of a resource; use a coarser unit"
        )
    jobs, release = inst.jobs, inst.jobs.release_time[rows]
    columns: dict[str, Any] = {
        name: jobs.coded(name).take(rows) for name in (*SUBMITTER_COLUMNS, "name") if jobs.uses(name)
    }
    pooled = Jobs(
        jobs.processing_time[rows],
        demand,
        release,
        jobs.weight[rows],
        estimated_processing_time=jobs.estimated_processing_time[rows] if jobs.has_estimates else None,
        id=jobs.id[rows],
        notes={name: jobs.coded(name).take(rows) for name in jobs.note_names},
        **columns,
    )
    whole = Machines.identical(1, capacity.astype(np.int64).tolist(), list(inst.machines.resource_names))
    return RecordedRun(
        Instance(pooled, whole),
        Schedule(np.maximum(recorded[rows], release), np.zeros(len(rows), dtype=np.int64)),
        rows,
        inst.n_jobs - len(rows),
        int(np.count_nonzero(recorded[rows] < release)),
    )
