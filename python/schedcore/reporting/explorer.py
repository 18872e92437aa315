"""What the scripts of a page get to see: the jobs of a comparison and its plans, as packed columns.

A page of hundreds of thousands of jobs would be slow to open and to pass on, so beyond a limit it holds those of the
stretch in which jobs wait most.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schedcore.model import Instance
from schedcore.plotting import most_demanded
from schedcore.reporting.clock_dates import clock_date, clock_zone
from schedcore.reporting.packed_columns import PackedColumns
from schedcore.reporting.plans import Plan
from schedcore.workloads.reading.report import DataReport

__all__ = ["MOST_JOBS", "Explorer"]

MOST_JOBS = 100_000
_MOST_RESOURCES = 3  # that a reader chooses from


@dataclass(frozen=True)
class Explorer:
    """The jobs that a page shows one by one.

    Attributes
    ----------
    inst : Instance
        With all jobs.
    plans : sequence of Plan
    rows : (n_shown,) int64
        The jobs that are shown, in order of their release.
    second : int
        The plan that stands beside the first one to begin with.
    """

    inst: Instance
    plans: Sequence[Plan]
    rows: NDArray[np.int64]
    second: int = 0

    @classmethod
    def of(
        cls, inst: Instance, plans: Sequence[Plan], best: str | None = None, most_jobs: int = MOST_JOBS
    ) -> "Explorer":
        """Choose the jobs: all, or the consecutive `most_jobs` that wait longest in sum under the first plan.

        The second plan is the `best`, if that is not the first. O(n_jobs log n_jobs + n_runs).
        """
        order = np.argsort(inst.release_time, kind="stable")
        if len(order) > most_jobs:
            waited = np.nan_to_num(plans[0].start[order] - inst.release_time[order])
            total = np.concatenate([[0.0], np.cumsum(waited)])
            first = int(np.argmax(total[most_jobs:] - total[:-most_jobs]))
            order = order[first : first + most_jobs]
        labels = [plan.label for plan in plans]
        second = labels.index(best) if best in labels[1:] else min(1, len(plans) - 1)
        return cls(inst, [_of_jobs(plan, order, inst.n_jobs) for plan in plans], order, second)

    @property
    def is_whole(self) -> bool:
        """Whether all jobs are shown."""
        return len(self.rows) == self.inst.n_jobs

    def _origin(self, report: DataReport) -> str | None:
        """The date of time 0, where the calendar holds all dates that are shown."""
        last = max((float(plan.run_end.max(initial=0.0)) for plan in self.plans), default=0.0)
        first, end = clock_date(report, 0.0), clock_date(report, last)
        return None if first is None or end is None else first.isoformat()

    def document(self, report: DataReport) -> dict[str, Any]:
        """Numbers and texts, ready for JSON."""
        inst, rows, packed = self.inst, self.rows, PackedColumns()
        resources = most_demanded(inst, _MOST_RESOURCES)
        user, name = (inst.jobs.coded(column).take(rows) for column in ("user", "name"))
        jobs = {
            "id": packed.add(inst.jobs.id[rows]),
            "release": packed.add(inst.release_time[rows]),
            "length": packed.add(inst.processing_time[rows]),
            **{
                column: packed.add(np.where(texts.codes < 0, np.nan, texts.codes)) if texts.names else None
                for column, texts in (("user", user), ("name", name))
            },
        }
        plans = [_document(plan, resources, rows, packed) for plan in self.plans]
        return {
            "unit": report.units.get("time", "s"),
            "origin": self._origin(report),
            "zone": clock_zone(report) if self._origin(report) else "",
            "resources": [inst.machines.resource_names[index] for index in resources],
            "jobs": jobs,
            "users": list(user.names),
            "names": list(name.names),
            "plans": plans,
            "second": self.second,
            **packed.packed(),
        }


def _of_jobs(plan: Plan, rows: NDArray[np.int64], n_jobs: int) -> Plan:
    """The part of a plan with some jobs, which are then called by their places in `rows`."""
    place = np.full(n_jobs, -1, dtype=np.int64)
    place[rows] = np.arange(len(rows))
    is_shown = place[plan.run_job] >= 0
    run = np.cumsum(is_shown) - 1
    stays = is_shown[plan.place_run]
    return replace(
        plan,
        start=plan.start[rows],
        run_job=place[plan.run_job[is_shown]],
        run_start=plan.run_start[is_shown],
        run_end=plan.run_end[is_shown],
        place_run=run[plan.place_run[stays]],
        place_machine=plan.place_machine[stays],
        place_n_tasks=plan.place_n_tasks[stays],
        demand=plan.demand[rows],
    )


def _document(
    plan: Plan, resources: Sequence[int], rows: NDArray[np.int64], packed: PackedColumns
) -> dict[str, Any]:
    return {
        "label": plan.label,
        "start": packed.add(plan.start),
        "runJob": packed.add(plan.run_job),
        "runStart": packed.add(plan.run_start),
        "runEnd": packed.add(plan.run_end),
        "placeRun": packed.add(plan.place_run),
        "placeMachine": packed.add(plan.place_machine),
        "placeTasks": packed.add(plan.place_n_tasks),
        "demand": [packed.add(plan.demand[:, index]) for index in resources],
        "capacity": [packed.add(plan.machines.capacity[:, index]) for index in resources],
        "machines": list(plan.machines.names) if plan.machines.n_machines > 1 else [],
    }
