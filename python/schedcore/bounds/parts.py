"""Parts of an instance that can be bounded by themselves: jobs, and all machines that they can use.

Jobs that fit only some of the machines compete for these alone. So no schedule of the whole is better than one of such
jobs on such machines, and where jobs are split into several parts, their completion times add up. A part is columns, as
the kernels take them: what a job holds over all machines, and what the machines have.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from schedcore.model import Instance, features_of
from schedcore.model.arrays import BoolArray, FloatArray, IntArray

from .usable_machines import UsableMachines, earliest_starts, held_amounts

__all__ = ["Part", "Parts"]

_MOST_SETS = 24  # of machines that are tried; each costs as much as a bound


@dataclass(frozen=True, eq=False)
class Part:
    """Some jobs, and machines that no schedule of them leaves."""

    release_time: FloatArray
    processing_time: FloatArray
    weight: FloatArray
    amounts: IntArray
    capacity: IntArray


class Parts:
    """The parts of an instance.

    Parameters
    ----------
    inst : Instance
        Where it uses features of a cluster, its release times are raised to where outages let a job start, its demands
        are those of all tasks, and jobs may be confined to some machines; otherwise it is one part as it stands.
    """

    def __init__(self, inst: Instance) -> None:
        self._inst = inst
        self._usable: UsableMachines | None = None
        self._release_time, self._amounts = inst.jobs.release_time, inst.jobs.demand
        if features_of(inst):
            self._usable = UsableMachines.of(inst)
            self._release_time = earliest_starts(inst, self._usable)
            self._amounts = held_amounts(inst, self._usable)

    def whole(self) -> Part:
        """Return all jobs, and the machines that any of them can use."""
        if self._usable is None:
            return self._part(np.arange(self._inst.n_jobs), self._inst.machines.capacity)
        anywhere = np.asarray(self._usable.kinds.any(axis=0))
        used = self._usable.machines(anywhere)
        capacity = self._inst.machines.capacity
        return self._part(np.arange(self._inst.n_jobs), capacity if len(used) == 0 else capacity[used])

    def splits(self) -> Iterator[list[Part]]:
        """Yield ways to split the jobs: those that are confined to some machines, and the others on all; or each group.

        Nothing where all jobs can use the same machines. At most the 24 sets of machines are tried whose jobs load them
        most.
        """
        if self._usable is None or len(self._usable.kinds) < 2:
            return
        usable, everything = self._usable, self.whole().capacity
        for members, kinds in self._confined():
            inside = self._part(np.flatnonzero(members), self._capacity(kinds))
            yield [inside, self._part(np.flatnonzero(~members), everything)]
        if len(usable.kinds) <= _MOST_SETS:
            rows = [np.flatnonzero(usable.group == group) for group in range(len(usable.kinds))]
            yield [
                self._part(row, self._capacity(kinds)) for row, kinds in zip(rows, usable.kinds, strict=True)
            ]

    def confined(self) -> Iterator[Part]:
        """Yield each set of jobs that are confined to fewer machines than all jobs together, and these machines."""
        if self._usable is not None and len(self._usable.kinds) > 1:
            for members, kinds in self._confined():
                yield self._part(np.flatnonzero(members), self._capacity(kinds))

    def _confined(self) -> Iterator[tuple[BoolArray, BoolArray]]:
        usable = self._usable
        assert usable is not None
        found = []
        for kinds in usable.kinds:
            within = ~(usable.kinds & ~kinds).any(axis=1)
            if kinds.any() and not within.all():
                found.append((within[usable.group], kinds))
        if len(found) > _MOST_SETS:
            found.sort(key=lambda entry: -self._load(*entry))
        yield from found[:_MOST_SETS]

    def _load(self, members: BoolArray, kinds: BoolArray) -> float:
        capacity = self._capacity(kinds).sum(axis=0, dtype=np.float64)
        work = self._inst.jobs.processing_time[members] @ self._amounts[members].astype(np.float64)
        share: FloatArray = np.divide(work, capacity, out=np.zeros_like(work), where=capacity > 0)
        return float(share.max(initial=0.0))

    def _capacity(self, kinds: BoolArray) -> IntArray:
        assert self._usable is not None
        capacity: IntArray = self._inst.machines.capacity[self._usable.machines(kinds)]
        return capacity if len(capacity) else np.zeros((1, self._inst.n_resources), dtype=np.int64)

    def _part(self, rows: NDArray[np.intp], capacity: IntArray) -> Part:
        jobs = self._inst.jobs
        if len(rows) == self._inst.n_jobs:
            return Part(self._release_time, jobs.processing_time, jobs.weight, self._amounts, capacity)
        return Part(
            np.ascontiguousarray(self._release_time[rows]),
            np.ascontiguousarray(jobs.processing_time[rows]),
            np.ascontiguousarray(jobs.weight[rows]),
            np.ascontiguousarray(self._amounts[rows]),
            np.ascontiguousarray(capacity),
        )
