"""What callers of an embedded scheduler report of its machines."""

from collections.abc import Callable
from typing import SupportsFloat, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from schedcore import _core
from schedcore.errors import InvalidInstanceError
from schedcore.model.choices import check_choice

from .call_arguments import id_array, instant_of
from .machine_numbers import MachineNumbers

__all__ = ["MachineRecords"]

#: What becomes of jobs that run on a machine that is closed or removed.
RUNNING = ("finish", "requeue", "drop")


class MachineRecords:
    """The part of `OnlineScheduler` that reports failures, repairs and outages, and closes and opens machines.

    Everything here only records, in order of time, as `submit` and `complete` do. The records of one instant are
    applied together, whatever the order of the calls. A call that is refused records nothing.
    """

    _core: _core.engine.OnlineScheduler
    _numbers: MachineNumbers

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
        killed: NDArray[np.int64] = self._core.fail_machines(self._of_core(machines), instant_of(now))
        return killed

    def repair_machines(self, machines: ArrayLike, now: SupportsFloat) -> None:
        """Record that machines are back; one that is up already is no error and changes nothing."""
        self._core.repair_machines(self._of_core(machines), instant_of(now))

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
        self._core.open_machines(self._of_core(machines), instant_of(now))

    def remove_machines(
        self, machines: ArrayLike, now: SupportsFloat, running: str = "finish"
    ) -> NDArray[np.int64]:
        """Record that machines are gone for good, as `close` without an end; their indices are never used again."""
        return self._stop(self._core.remove_machines, machines, now, running)

    def _stop(
        self,
        record: Callable[[NDArray[np.int64], str, float], NDArray[np.int64]],
        machines: ArrayLike,
        now: SupportsFloat,
        running: str,
    ) -> NDArray[np.int64]:
        check_choice("running", running, RUNNING)
        return record(self._of_core(machines), running, instant_of(now))

    def _of_core(self, machines: ArrayLike) -> NDArray[np.int64]:
        return self._numbers.of_core(id_array(machines, called="machines"))

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
