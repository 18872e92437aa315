"""The machines of an embedded scheduler as its core numbers them, and on which of them jobs may run."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from schedcore import _core
from schedcore.errors import InvalidInstanceError
from schedcore.model import Jobs, Machines
from schedcore.model.coded_texts import CodedTexts
from schedcore.model.constraints import machines_that_satisfy
from schedcore.model.kernel_columns import cluster_columns

__all__ = ["MachineNumbers"]


class MachineNumbers:
    """The machines in the order of the core, by preference, and back; both the same where none is preferred."""

    def __init__(self, machines: Machines) -> None:
        self.machines = machines
        order = machines.preference if machines.has_weights else None
        self._order = None if order is None or bool((np.diff(order) == 1).all()) else order
        self._rank = None if self._order is None else np.argsort(self._order)
        self._masks: dict[str, NDArray[np.bool_]] = {}

    @property
    def capacity(self) -> NDArray[np.int64]:
        """(n_machines, n_resources) The capacities in the order of the core."""
        capacity = self.machines.capacity
        return capacity if self._order is None else np.ascontiguousarray(capacity[self._order])

    def name(self, core: _core.engine.OnlineScheduler) -> None:
        """Have messages call machines by their indices."""
        if self._order is not None:
            core.name_machines(self._order.astype(np.int64))

    def of_caller(self, machines: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return indices of machines for numbers of the core."""
        return machines if self._order is None else self._order[machines]

    def of_core(self, machines: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return numbers of the core for indices, or raise an `InvalidInstanceError` that names one out of range."""
        n_machines = self.machines.n_machines
        for machine in machines[(machines < 0) | (machines >= n_machines)][:1]:
            raise InvalidInstanceError(f"machine {machine} is not there; there are {n_machines} machines")
        return machines if self._rank is None else self._rank[machines]

    def cluster_jobs(self, jobs: Jobs) -> _core.engine.ClusterJobs | None:
        """Return what jobs say beside their usual columns, None for nothing; constraints are evaluated once each."""
        columns = cluster_columns(jobs)
        if jobs.uses("constraint"):
            columns.update(self._eligibility(jobs.coded("constraint")))
        return _core.engine.ClusterJobs(jobs.n_jobs, self.machines.n_machines, **columns) if columns else None

    def eligibilities(self, constraints: CodedTexts) -> _core.engine.ClusterJobs:
        """Return on which machines jobs with these constraints may run."""
        n_jobs = len(constraints.codes)
        return _core.engine.ClusterJobs(n_jobs, self.machines.n_machines, **self._eligibility(constraints))

    def _eligibility(self, constraints: CodedTexts) -> dict[str, Any]:
        masks = [self._mask(text) for text in constraints.names]
        return {
            "allowed": np.array(masks, dtype=np.bool_).reshape(len(masks), self.machines.n_machines),
            "eligibility": constraints.codes.astype(np.int64),
        }

    def _mask(self, constraint: str) -> NDArray[np.bool_]:
        mask = self._masks.get(constraint)
        if mask is None:
            mask = machines_that_satisfy(constraint, self.machines)
            mask = mask if self._order is None else mask[self._order]
            if len(self._masks) >= 1024:  # a caller with ever new constraints
                self._masks.clear()
            self._masks[constraint] = mask
        return mask
