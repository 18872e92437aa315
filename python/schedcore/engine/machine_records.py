"""What callers of an embedded scheduler report of its machines."""

from __future__ import annotations

from collections.abc import Callable
from typing import SupportsFloat, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from schedcore import _core
from schedcore.errors import InvalidInstanceError
from schedcore.model import Machines
from schedcore.model.amounts import amount_units
from schedcore.model.choices import check_choice
from schedcore.model.machines import default_resource_names

from .call_arguments import id_array, instant_of, machine_number, time_of
from .embedded_columns import described_machines

__all__ = ["MachineRecords"]

#: What becomes of jobs that run on a machine that is closed or removed.
RUNNING = ("finish", "requeue", "drop")


class MachineRecords:
    """The part of `OnlineScheduler` that reports failures, repairs and outages, and closes and opens machines.

    Everything here only records, in order of time, as `submit` and `complete` do. The records of one instant are
    applied together, whatever the order of the calls. A call that is refused records nothing.
    """

    _core: _core.engine.OnlineScheduler
    _machines: Machines

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
        killed: NDArray[np.int64] = self._core.fail_machines(_numbers(machines), instant_of(now))
        return killed

    def repair_machines(self, machines: ArrayLike, now: SupportsFloat) -> None:
        """Record that machines are back; one that is up already is no error and changes nothing."""
        self._core.repair_machines(_numbers(machines), instant_of(now))

    def close(self, machines: ArrayLike, now: SupportsFloat, running: str = "finish") -> NDArray[np.int64]:
        """Record that machines are closed: nothing starts there until they are opened; reservations there are void.

        Parameters
        ----------
        machines : int or (n,) array_like of int
            Indices. One that is closed already can be closed again, which may stop what still runs there.
        now : float
        running : {"finish", "requeue", "drop"}
            What becomes of jobs with a task there: they go on to their ends, are killed and wait again, or are killed
            for good. Where the scheduler's `killed` is "checkpoint", those that wait again keep what was saved.

        Returns
        -------
        (n_killed,) int64
            The ids of the jobs that are killed, as of `fail_machines`.

        Raises
        ------
        InvalidInstanceError
            Here and in every call below: for a machine that is not there, or was removed.
        """
        return self._stop(self._core.close_machines, machines, now, running)

    def open(self, machines: ArrayLike, now: SupportsFloat) -> None:
        """Record that closed machines are open again; one that is open is no error. A failure has to be repaired apart.

        Machines that are opened and closed at one instant are closed.
        """
        self._core.open_machines(_numbers(machines), instant_of(now))

    def remove_machines(
        self, machines: ArrayLike, now: SupportsFloat, running: str = "finish"
    ) -> NDArray[np.int64]:
        """Record that machines are gone for good, as `close` without an end; their indices are never used again."""
        return self._stop(self._core.remove_machines, machines, now, running)

    def add_machines(self, machines: Machines, now: SupportsFloat) -> NDArray[np.int64]:
        """Record that machines join; jobs that wait may start there.

        Parameters
        ----------
        machines : Machines
            With the resources of those that are there, in the same order, and with labels and weights of their own.
        now : float

        Returns
        -------
        (n_machines,) int64
            Their indices, which count on from the largest that there ever was. They can be named in records at once.

        Raises
        ------
        InvalidInstanceError
            For machines with other resources.
        UnsupportedError
            While tasks of parallel jobs are there, which say how long they take on the machines that they know.

        Notes
        -----
        Costs as much as saving and loading where there is no seat for them: with each such call seats are made for an
        eighth as many machines again as there are of their weight, which others with the same labels take later.
        """
        if not isinstance(machines, Machines):
            raise TypeError(f"machines must be schedcore.Machines, not {type(machines).__name__}")
        names = self._machines.resource_names
        if machines.resource_names not in (names, default_resource_names(len(names))):
            raise InvalidInstanceError(
                f"the machines that join have the resources {machines.resource_names}, the scheduler has {names}"
            )
        return self._core.add_machines(described_machines(machines), instant_of(now))

    def set_capacity(
        self,
        machine: SupportsIndex,
        capacity: ArrayLike,
        now: SupportsFloat,
        resolution: SupportsIndex | None = None,
    ) -> None:
        """Record that a machine has other amounts of its resources from now on.

        What is more is free for jobs that wait, like that of a machine that comes back. Where it is less than jobs
        hold, these run on, and nothing new starts on the machine while any resource is short, whatever it asks for;
        promised starts that meet an instant at which more would be taken than there is are void. A job that is alone on
        the machine has all of it, always.

        Parameters
        ----------
        machine : int
            Index.
        capacity : (n_resources,) array_like
            As of `Machines`.
        now : float
        resolution : int, optional
            As of `Machines`.

        Raises
        ------
        InvalidInstanceError
            Here and in `announce_outage` also for a machine that is no integer.
        """
        amounts = amount_units(capacity, resolution, name="capacity", row="resource", n_dims=1)
        self._core.set_capacity(machine_number(machine), amounts, instant_of(now))

    def _stop(
        self,
        record: Callable[[NDArray[np.int64], str, float], NDArray[np.int64]],
        machines: ArrayLike,
        now: SupportsFloat,
        running: str,
    ) -> NDArray[np.int64]:
        check_choice("running", running, RUNNING)
        return record(_numbers(machines), running, instant_of(now))

    def announce_outage(
        self, machine: SupportsIndex, start: SupportsFloat, end: SupportsFloat, now: SupportsFloat
    ) -> None:
        """Record that a machine will be out of service on [start, end); `end` may be infinite.

        Nothing starts that would meet the outage, and reservations that do are void. Nobody is killed by it: a job that
        runs into it goes on until the caller says otherwise. An outage that ends before it begins, or is over at `now`,
        is an `InvalidInstanceError`.
        """
        number = machine_number(machine)
        begin, until = time_of(start, "start"), time_of(end, "end")
        self._core.announce_outage(number, begin, until, instant_of(now))


def _numbers(machines: ArrayLike) -> NDArray[np.int64]:
    return id_array(machines, called="machines")
