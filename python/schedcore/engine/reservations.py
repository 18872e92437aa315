"""Advance reservations of an embedded scheduler: amounts of machines that are set aside for a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import SupportsFloat, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from schedcore import _core
from schedcore.errors import InvalidInstanceError
from schedcore.model import Machines
from schedcore.model.amounts import amount_units

from .call_arguments import id_array, instant_of, reservation_number

__all__ = ["ReservationStates", "Reservations"]


@dataclass(frozen=True, slots=True, eq=False)
class ReservationStates:
    """The reservations that are not over as of the last `advance`, a row for each machine of each of them.

    Attributes
    ----------
    reservation : (n,) int64
        Ascending.
    start, end : (n,) float64
    machine : (n,) int64
        Indices.
    amounts : (n, n_resources) int64
        What is set aside there.
    free : (n, n_resources) int64
        What of it the jobs inside leave.
    """

    reservation: NDArray[np.int64]
    start: NDArray[np.float64]
    end: NDArray[np.float64]
    machine: NDArray[np.int64]
    amounts: NDArray[np.int64]
    free: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.reservation)


class Reservations:
    """The part of `OnlineScheduler` that sets amounts of machines aside."""

    _core: _core.engine.OnlineScheduler
    _machines: Machines

    def reserve(
        self,
        demand: ArrayLike,
        start: SupportsFloat,
        end: SupportsFloat,
        now: SupportsFloat,
        machines: ArrayLike | None = None,
        *,
        resolution: SupportsIndex | None = None,
    ) -> int:
        """Record that amounts are set aside on [start, end) for jobs that name the reservation.

        Jobs that do not name it start only where they leave it alone, by their estimates. What runs there goes on, and
        nothing inside the reservation waits for it: the caller decides whether to requeue. Starts that were promised on
        its machines are void where more would be taken at an instant than there is. From its end on, or once it is
        cancelled, the jobs that still run or wait inside are jobs like all others.

        Parameters
        ----------
        demand : (n_resources,) or (n_tasks, n_resources) array_like
            As of `Jobs`: of one task, or a row for each of several.
        start, end : float
            ``now <= start < end``, finite.
        now : float
        machines : int or (n,) array_like of int, optional
            Indices. One task is set aside on each of them, of several tasks each on its own. Default: each task goes to
            the first machine in order of preference that has room for it all the time, by what is known of the jobs
            that run, of outages and of other reservations.
        resolution : int, optional
            As of `Jobs`.

        Returns
        -------
        int
            The number of the reservation, for `submit` and `cancel_reservation`.

        Raises
        ------
        InvalidInstanceError
            An instant that has passed, a reservation that ends before it starts, amounts that cannot be, and machines
            that are not there or as many as tasks.
        InfeasibleError
            A machine has less than that beside other reservations, or none has room.

        Notes
        -----
        Costs a look at every reservation, and where no machines are named at every machine and every job that runs.
        From then on until it starts an event costs a look at every job that runs, and at what is reserved on machines
        with reservations to come, for each of these that begins there.
        """
        rows = np.asarray(demand)
        n_dims = 1 if rows.ndim == 1 else 2
        amounts = amount_units(
            demand, resolution, name="demand", row="resource" if n_dims == 1 else "task", n_dims=n_dims
        )
        amounts = np.atleast_2d(amounts)
        if amounts.shape[1] != self._machines.n_resources:
            raise InvalidInstanceError(
                f"a reservation of {amounts.shape[1]} resources; the machines have {self._machines.n_resources}"
            )
        named = None if machines is None else id_array(machines, called="machines")
        if named is not None and len(named) == 0:
            raise InvalidInstanceError("machines names none; leave it out to have them chosen")
        if named is not None and n_dims == 1:
            amounts = np.repeat(amounts, len(named), axis=0)
        if named is not None and len(named) != len(amounts):
            raise InvalidInstanceError(f"{len(named)} machines for {len(amounts)} tasks")
        begin, until = instant_of(start, "start"), instant_of(end, "end")
        return self._core.reserve(amounts, named, begin, until, instant_of(now))

    def cancel_reservation(self, reservation: SupportsIndex, now: SupportsFloat) -> None:
        """Record that a reservation ends now; one that is over or unknown is an `InvalidInstanceError`."""
        self._core.cancel_reservation(reservation_number(reservation), instant_of(now))

    def reservations(self) -> ReservationStates:
        """Return the reservations that are not over as of the last `advance`."""
        return ReservationStates(**self._core.reservations())
