"""Tasks spread over machines: who got what, when the last machine is done, and how much sooner it could be."""

from __future__ import annotations

import operator
from typing import ClassVar, SupportsIndex

import numpy as np

from .arrays import FloatArray, IntArray
from .certificate import ratio_to_bound
from .identity import Record

__all__ = ["TaskPartition"]


class TaskPartition(Record):
    """What `schedcore.partition` returns; immutable.

    Attributes
    ----------
    machine : (n_tasks,) int64
        The machine of each task, 0 to n_machines - 1.
    load : (n_machines,) float64
        Sum of the processing times of the tasks of each machine.
    completion_time : (n_machines,) float64
        ``load / speed``: when each machine is done.
    makespan : float
        When the last machine is done: the largest completion time.
    lower_bound : float
        Proven: no assignment has a smaller makespan.
    is_optimal : bool
        Whether makespan and bound are equal as exact numbers, which proves the assignment optimal.
    work : int
        Steps that the improvement took.

    Notes
    -----
    Loads, times and bound are computed exactly and rounded once each, the bound down, so they agree with each other and
    do not depend on the order of the tasks.
    """

    __slots__ = ("completion_time", "is_optimal", "load", "lower_bound", "machine", "makespan", "work")
    _fields: ClassVar[tuple[str, ...]] = (
        "machine",
        "load",
        "completion_time",
        "makespan",
        "lower_bound",
        "is_optimal",
        "work",
    )

    machine: IntArray
    load: FloatArray
    completion_time: FloatArray
    makespan: float
    lower_bound: float
    is_optimal: bool
    work: int

    def __init__(
        self,
        machine: IntArray,
        load: FloatArray,
        completion_time: FloatArray,
        makespan: float,
        lower_bound: float,
        is_optimal: bool,
        work: int = 0,
    ) -> None:
        self._assign(
            machine=machine,
            load=load,
            completion_time=completion_time,
            makespan=makespan,
            lower_bound=lower_bound,
            is_optimal=is_optimal,
            work=work,
        )

    @property
    def n_tasks(self) -> int:
        """Number of tasks."""
        return len(self.machine)

    @property
    def n_machines(self) -> int:
        """Number of machines."""
        return len(self.load)

    def tasks_of(self, machine: SupportsIndex) -> IntArray:
        """Return the indices of the tasks of one machine, ascending; O(n_tasks).

        Raises
        ------
        IndexError
            For a machine outside 0 to n_machines - 1.
        """
        wanted = operator.index(machine)
        if not 0 <= wanted < self.n_machines:
            raise IndexError(f"machine {wanted} is outside 0..{self.n_machines - 1}")
        return np.flatnonzero(self.machine == wanted).astype(np.int64, copy=False)

    def groups(self) -> list[IntArray]:
        """Return the indices of the tasks of every machine, each ascending; O(n_tasks log n_tasks)."""
        order = np.argsort(self.machine, kind="stable").astype(np.int64, copy=False)
        ends = np.cumsum(np.bincount(self.machine, minlength=self.n_machines))
        return list(np.split(order, ends[:-1]))

    def ratio(self) -> float:
        """Return makespan / lower_bound, at least 1; 1 where both are zero or differ by no more than their rounding."""
        return ratio_to_bound(self.makespan, self.lower_bound)

    def gap(self) -> float:
        """Return ratio - 1: 0.01 says that no assignment is better by more than 1 %."""
        return self.ratio() - 1.0

    def __repr__(self) -> str:
        proof = "optimal" if self.is_optimal else f"lower bound {self.lower_bound:.6g}"
        return (
            f"TaskPartition({self.n_tasks} tasks on {self.n_machines} machines, "
            f"makespan {self.makespan:.6g}, {proof})"
        )
