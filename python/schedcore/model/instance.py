"""An instance: the jobs, and the machines they may run on."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from schedcore.errors import InvalidInstanceError, UnsupportedError

from .amounts import exact_total
from .arrays import EXACT_BOUND, FloatArray, IntArray, summed_products
from .arrow import Columnar, Columns, Metadata
from .dependencies import check_dependencies
from .html_of_jobs import first_rows, job_facts, picture_of_arrivals, table_of_demands
from .html_of_machines import table_of_kinds
from .html_text import counted, facts, folded, panel
from .job_tables import DEMAND_PREFIX, may_be_null
from .jobs import Jobs
from .machines import Machines
from .offered_load import load_per_resource
from .outages import Outages
from .preemptive_schedule import PreemptiveSchedule, cores_of_pieces
from .readable import significant

__all__ = ["Instance"]


class Instance(Columnar):
    """Jobs and machines with the same resources, immutable.

    Parameters
    ----------
    jobs : Jobs
    machines : Machines
    outages : Outages, optional
        Announced outages: known in advance, no job runs into one. No outages at all are None.

    Raises
    ------
    InvalidInstanceError
        If jobs and machines differ in the number of resources. No jobs at all agree with any machines; their
        demand then has shape ``(0, machines.n_resources)``. If an outage is of a machine that there is not. If a job
        waits for an id that no job has, or, directly or through others, for itself.
    TypeError
        For other kinds of objects.

    Notes
    -----
    A demand above every capacity is accepted here: what one machine cannot hold, a preemptive algorithm may
    split. The algorithms that cannot raise `InfeasibleError`.

    As a table (`to_arrow`, `to_parquet`), the columns are those of the jobs, with the demand in resource
    ``cpu`` as ``demand_cpu``; machines and outages travel in the schema metadata.
    """

    __slots__ = ("jobs", "machines", "outages")
    _fields: ClassVar[tuple[str, ...]] = ("jobs", "machines", "outages")

    jobs: Jobs
    machines: Machines
    outages: Outages | None

    def __init__(self, jobs: Jobs, machines: Machines, outages: Outages | None = None) -> None:
        if not isinstance(jobs, Jobs):
            raise TypeError(f"jobs must be a Jobs, not {type(jobs).__name__}")
        if not isinstance(machines, Machines):
            raise TypeError(f"machines must be a Machines, not {type(machines).__name__}")
        if jobs.n_resources != machines.n_resources:
            if jobs.n_jobs > 0:
                raise InvalidInstanceError(
                    f"jobs have {jobs.n_resources} resources, machines have {machines.n_resources}"
                )
            none = jobs.demand.reshape(0, machines.n_resources)
            jobs = jobs.replace(demand=none, estimated_demand=none if jobs.has_demand_estimates else None)
        if outages is not None:
            if not isinstance(outages, Outages):
                raise TypeError(f"outages must be an Outages, not {type(outages).__name__}")
            outages.check_machines(machines.n_machines)
            outages = outages if len(outages) else None
        self._assign(jobs=jobs, machines=machines, outages=outages)
        check_dependencies(jobs, self.job_name)

    @property
    def n_jobs(self) -> int:
        """Number of jobs."""
        return self.jobs.n_jobs

    @property
    def n_machines(self) -> int:
        """Number of machines."""
        return self.machines.n_machines

    @property
    def n_resources(self) -> int:
        """Number of resources."""
        return self.machines.n_resources

    @property
    def release_time(self) -> FloatArray:
        """(n_jobs,) The instant from which each job may run."""
        return self.jobs.release_time

    @property
    def processing_time(self) -> FloatArray:
        """(n_jobs,) How long each job runs once started."""
        return self.jobs.processing_time

    @property
    def weight(self) -> FloatArray:
        """(n_jobs,) How much each job counts."""
        return self.jobs.weight

    @property
    def demand(self) -> IntArray:
        """(n_jobs, n_resources) What one task of each job holds while it runs."""
        return self.jobs.demand

    def demand_of_all_tasks(self) -> IntArray:
        """(n_jobs, n_resources) Return what all tasks of each job hold together; the demand for jobs of one task.

        Raises
        ------
        UnsupportedError
            If that is more than 2**53 units, which sums in doubles would round; names the job.

        Notes
        -----
        An exclusive job counts with what its tasks take, not with the machines that it keeps others from.
        """
        if not self.jobs.uses("n_tasks"):
            return self.demand
        n_tasks = self.jobs.n_tasks[:, np.newaxis]
        too_much = self.demand > EXACT_BOUND // n_tasks  # as the product, which could overflow
        if too_much.any():
            job, resource = (int(index) for index in np.argwhere(too_much)[0])
            total = int(n_tasks[job, 0]) * int(self.demand[job, resource])
            raise UnsupportedError(
                f"{self.job_name(job)} takes {total} of {self.machines.resource_names[resource]}, more than 2**53; "
                "use a coarser unit"
            )
        return self.demand * n_tasks

    def work(self) -> FloatArray:
        """(n_resources,) Return processing time times demand, summed over the tasks of all jobs."""
        time = self.processing_time
        return summed_products(time * self.jobs.n_tasks if self.jobs.uses("n_tasks") else time, self.demand)

    def job_name(self, job: int) -> str:
        """What messages call a job: its index, and its identifier where that is another."""
        has_own_id = 0 <= job < self.n_jobs and self.jobs.id[job] != job
        return f"job {job} (id {self.jobs.id[job]})" if has_own_id else f"job {job}"

    def held_amounts(self, schedule: PreemptiveSchedule, resource: int) -> IntArray:
        """(n_pieces,) Units of a resource that each piece of a schedule in slots holds: the cores that it got.

        Of other resources, what the job is believed to need, on every machine that it runs on.
        """
        cores: IntArray = cores_of_pieces(schedule)
        return cores if resource == 0 else self.jobs.estimated_demand[schedule.job, resource]

    def replace(self, *, machines: Machines | None = None, **changes: Any) -> Self:
        """Return the instance with other machines, other `outages` (or None), or columns of its jobs changed.

        Columns are changed as `Jobs.replace` does it.
        """
        outages = changes.pop("outages", self.outages)
        jobs = self.jobs.replace(**changes) if changes else self.jobs
        return type(self)(jobs, self.machines if machines is None else machines, outages)

    def take_jobs(self, key: slice | ArrayLike) -> Self:
        """Return the instance with the selected jobs, in the order of `key`: a slice, indices or a mask.

        Raises
        ------
        InvalidInstanceError
            For a job that is selected twice, as jobs have identifiers; for a masked entry; and for a job that waits
            for one that is not selected.
        TypeError, IndexError
            For any other selection, and for an index that no job has.
        """
        return type(self)(self.jobs[key], self.machines, self.outages)

    def __repr__(self) -> str:
        outages = "" if self.outages is None else f", {self.outages!r}"
        return f"Instance({self.n_jobs} jobs, {self.machines!r}{outages})"

    def _repr_html_(self) -> str:
        """What a notebook shows: the offered load of each resource, the work that arrives, and the machines.

        O(n_jobs * n_resources).
        """
        jobs, names = self.jobs, self.machines.resource_names
        with np.errstate(all="ignore"):
            load = load_per_resource(self.release_time, self.work(), self.machines.capacity)
        columns = {
            "capacity": map(exact_total, self.machines.capacity.T),
            "offered load": ["-" if np.isnan(each) else significant(each) for each in load.tolist()],
        }
        pairs = [
            *job_facts(jobs, jobs._told_columns()),
            ("outages", "" if self.outages is None else len(self.outages)),
        ]
        parts = [facts(pairs), table_of_demands(jobs, names, columns)]
        if self.n_jobs:
            parts += [picture_of_arrivals(jobs, int(np.argmax(load)), names), first_rows(jobs, names)]
        n_machines = counted(self.n_machines, "machine")
        parts.append(folded(n_machines, table_of_kinds(self.machines.capacity, names)))
        return panel(f"{counted(self.n_jobs, 'job')} on {n_machines}", *parts)

    def _columns(self) -> Columns:
        return self.jobs.named_columns(self.machines.resource_names)

    def _metadata(self) -> Metadata:
        outages = {} if self.outages is None else {"outages": self.outages.as_json()}
        return {**(self.jobs._metadata() or {}), **self.machines.as_json(), **outages}

    def _contents(self) -> dict[str, object]:
        """No outages where there are none: the hash of such an instance is what it was before there were any."""
        contents = super()._contents()
        if self.outages is None:
            del contents["outages"]
        return contents

    @classmethod
    def _restore(cls, values: dict[str, Any]) -> Self:
        return super()._restore({"outages": None, **values})

    @classmethod
    def _may_be_null(cls, column: str) -> bool:
        return may_be_null(column)

    @classmethod
    def _from_columns(cls, columns: Columns, metadata: Metadata | None) -> Self:
        if metadata is None or not {"capacity", "resource_names"} <= metadata.keys():
            raise InvalidInstanceError(
                "the table carries no machines; read it with Jobs.from_arrow or Jobs.from_parquet"
            )
        machines = Machines.from_json(metadata)
        expected = [DEMAND_PREFIX + name for name in machines.resource_names]
        found = [name for name in columns if name.startswith(DEMAND_PREFIX)]
        if sorted(found) != sorted(expected):
            raise InvalidInstanceError(f"the table has demand columns {found}, its machines need {expected}")
        others = {name: column for name, column in columns.items() if not name.startswith(DEMAND_PREFIX)}
        jobs = Jobs._from_columns({**others, **{name: columns[name] for name in expected}}, metadata)
        outages = Outages.from_json(metadata["outages"]) if "outages" in metadata else None
        return cls(jobs, machines, outages)
