"""What callers of an embedded scheduler report of a cluster beside arrivals and completions."""

from typing import SupportsFloat, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from schedcore import _core
from schedcore.errors import InvalidInstanceError
from schedcore.model import Jobs, Machines
from schedcore.model.constraints import machines_that_satisfy
from schedcore.model.kernel_columns import cluster_columns

from .call_arguments import id_array, instant_of

__all__ = ["ClusterRecords", "MachineNumbers"]


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
            coded = jobs.coded("constraint")
            masks = [self._mask(text) for text in coded.names]
            columns["allowed"] = np.array(masks, dtype=np.bool_).reshape(len(masks), self.machines.n_machines)
            columns["eligibility"] = coded.codes.astype(np.int64)
        return _core.engine.ClusterJobs(jobs.n_jobs, self.machines.n_machines, **columns) if columns else None

    def _mask(self, constraint: str) -> NDArray[np.bool_]:
        mask = self._masks.get(constraint)
        if mask is None:
            mask = machines_that_satisfy(constraint, self.machines)
            mask = mask if self._order is None else mask[self._order]
            if len(self._masks) >= 1024:  # a caller with ever new constraints
                self._masks.clear()
            self._masks[constraint] = mask
        return mask


class ClusterRecords:
    """The part of `OnlineScheduler` that reports failures, outages, cancellations and holds.

    Everything here only records, in order of time, as `submit` and `complete` do. The records of one instant are
    applied together, whatever the order of the calls: machines come back, jobs complete, machines fail and outages are
    announced, running jobs are requeued, jobs are cancelled, jobs arrive, waiting jobs are held or released. A call
    that is refused records nothing.
    """

    _core: _core.engine.OnlineScheduler
    _numbers: MachineNumbers

    def cancel(self, ids: ArrayLike, now: SupportsFloat) -> None:
        """Record that jobs are cancelled: waiting ones leave, running ones end.

        Raises
        ------
        InvalidInstanceError
            For an id that is unknown or has ended, and an instant that has passed.
        UnsupportedError
            Here and below: for a policy that does not heed it.
        """
        self._core.cancel(id_array(ids), instant_of(now))

    def hold(self, ids: ArrayLike, now: SupportsFloat) -> None:
        """Record that waiting jobs are held: they have no place in the queue and give their reservations back.

        An id that does not wait is an `InvalidInstanceError`.
        """
        self._core.hold(id_array(ids), instant_of(now))

    def release(self, ids: ArrayLike, now: SupportsFloat) -> None:
        """Record that held jobs wait again, at their old place in the queue.

        An id that is not held is an `InvalidInstanceError`.
        """
        self._core.release(id_array(ids), instant_of(now))

    def requeue(self, ids: ArrayLike, now: SupportsFloat) -> None:
        """Record that running jobs are killed; what becomes of them is the scheduler's `killed`.

        An id that does not run is an `InvalidInstanceError`.
        """
        self._core.requeue(id_array(ids), instant_of(now))

    def fail_machines(self, machines: ArrayLike, now: SupportsFloat) -> NDArray[np.int64]:
        """Record that machines fail: jobs with a task there are killed, reservations there are void.

        Parameters
        ----------
        machines : int or (n,) array_like of int
            Indices. One that is down already is no error and changes nothing.
        now : float

        Returns
        -------
        (n_killed,) int64
            The ids of the jobs that are killed, ascending: of those that run as of the last `advance`, and are not
            recorded to end before. One that is recorded to complete at this very instant completes.
        """
        failed = self._numbers.of_core(id_array(machines, called="machines"))
        killed: NDArray[np.int64] = self._core.fail_machines(failed, instant_of(now))
        return killed

    def repair_machines(self, machines: ArrayLike, now: SupportsFloat) -> None:
        """Record that machines are back; one that is up already is no error and changes nothing."""
        self._core.repair_machines(
            self._numbers.of_core(id_array(machines, called="machines")), instant_of(now)
        )

    def announce_outage(
        self, machine: SupportsIndex, start: SupportsFloat, end: SupportsFloat, now: SupportsFloat
    ) -> None:
        """Record that a machine will be out of service on [start, end); `end` may be infinite.

        Nothing starts that would meet the outage, and reservations that do are void. Nobody is killed by it: a job that
        runs into it goes on until the caller says otherwise. An outage that ends before it begins, or is over at `now`,
        is an `InvalidInstanceError`.
        """
        number = int(self._numbers.of_core(id_array([machine.__index__()]))[0])
        begin, until = (_time(name, value) for name, value in (("start", start), ("end", end)))
        self._core.announce_outage(number, begin, until, instant_of(now))


def _time(name: str, value: SupportsFloat) -> float:
    if isinstance(value, (str, bytes, bytearray, bool)):
        raise TypeError(f"{name} must be a number, not {value!r}")
    number = float(value) + 0.0
    if not number >= 0:
        raise InvalidInstanceError(f"{name} = {number} is no time: it must be at least 0")
    return number
