"""What callers of an embedded scheduler report of jobs beside arrivals and completions."""

from typing import SupportsFloat

from numpy.typing import ArrayLike

from schedcore import _core

from .call_arguments import id_array, instant_of

__all__ = ["JobRecords"]


class JobRecords:
    """The part of `OnlineScheduler` that reports cancellations, holds and kills.

    Everything here only records, in order of time, as `submit` and `complete` do. The records of one instant are
    applied together, whatever the order of the calls. A call that is refused records nothing.
    """

    _core: _core.engine.OnlineScheduler

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
