"""What callers of an embedded scheduler report of jobs beside arrivals and completions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import SupportsFloat

import numpy as np
from numpy.typing import ArrayLike, NDArray

from schedcore import _core
from schedcore.errors import InfeasibleError, InvalidInstanceError
from schedcore.model import Site
from schedcore.model.coded_texts import CodedTexts
from schedcore.model.columns import float_column
from schedcore.model.constraints import parsed
from schedcore.model.site_checks import check_priorities
from schedcore.model.site_columns import narrowed
from schedcore.model.site_parts import named

from .call_arguments import id_array, instant_of
from .embedded_columns import jobs_with_constraints

__all__ = ["JobRecords"]


class JobRecords:
    """The part of `OnlineScheduler` that reports cancellations, holds, kills and what else is said of jobs.

    Everything here only records, in order of time, as `submit` and `complete` do. The records of one instant are
    applied together, whatever the order of the calls. A call that is refused records nothing.
    """

    _core: _core.engine.OnlineScheduler
    _site: Site | None

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

    def update(
        self,
        ids: ArrayLike,
        now: SupportsFloat,
        *,
        remaining_time: ArrayLike | None = None,
        weight: ArrayLike | None = None,
        priority: ArrayLike | None = None,
        constraint: str | Sequence[str | None] | None = None,
    ) -> None:
        """Record that something else is said of jobs that wait, are held or run; what is not given stays as it is.

        Parameters
        ----------
        ids : (n,) array_like of int
        now : float
        remaining_time : float or (n,) array_like of float, optional
            How long they still take: a running one from `now` on, another one from its start on. Of a running job a
            later end voids no reservation, and an earlier one gives room back. A waiting job gives its reservation
            back, and may not take longer than ``max_time`` of its partition; a running one may.
        weight : float or (n,) array_like of float, optional
            Above 0. Keys that count weights change; what was promised stays. A callable heuristic is not asked again.
        priority : float or (n,) array_like of float, optional
            Of the column of `Jobs`; counts where the site orders by it. What was promised stays.
        constraint : str or (n,) sequence of str, optional
            On which machines they may run; "" for all, or all of their partition. A waiting job gives its reservation
            back; for a running job it counts when it is to run again.

        Raises
        ------
        InvalidInstanceError
            For an id that is unknown or has ended, and values out of bounds; names the job. Under "mris" a waiting job
            may not become shorter than `gamma0`.
        InfeasibleError
            For a job that could never run.
        UnsupportedError
            For a task of a parallel job.

        Notes
        -----
        Of several updates of one instant, the last one counts for each thing.
        """
        jobs = id_array(ids)
        times = None if remaining_time is None else _numbers(remaining_time, "remaining_time", jobs)
        if times is not None:
            self._check_max_times(times, jobs)
        machines = None
        if constraint is not None:
            machines = jobs_with_constraints(self._within_partitions(_constraints(constraint, jobs), jobs))
        self._core.update(
            jobs,
            instant_of(now),
            times,
            None if weight is None else _numbers(weight, "weight", jobs),
            machines,
            None if priority is None else self._priorities(priority, jobs),
        )

    def _check_max_times(self, times: NDArray[np.float64], jobs: NDArray[np.int64]) -> None:
        """Raise an `InfeasibleError` for a job that does not run and takes longer than its partition allows."""
        most = {
            part.name: part.max_time
            for part in (self._site or Site()).partitions
            if part.max_time is not None
        }
        if not most:
            return
        partitions = self._core.partitions_of(jobs)
        bounds = np.array([most.get(name, np.inf) for name in partitions])
        for row in np.flatnonzero((times > bounds) & ~self._core.are_running(jobs))[:1]:
            raise InfeasibleError(
                f"job {jobs[row]} can never run: its remaining_time {times[row]:g} is above "
                f"max_time {bounds[row]:g} of partition {named(partitions[row])}"
            )

    def _priorities(self, given: ArrayLike, jobs: NDArray[np.int64]) -> NDArray[np.float64]:
        priorities = _numbers(given, "priority", jobs, positive=False)
        if self._site is not None:
            check_priorities(self._site, priorities, lambda row: f"job {jobs[row]}")
        return priorities

    def _within_partitions(self, constraints: CodedTexts, jobs: NDArray[np.int64]) -> CodedTexts:
        if self._site is None or not any(part.constraint for part in self._site.partitions):
            return constraints
        return narrowed(self._site, constraints, CodedTexts.of(self._core.partitions_of(jobs), "partition"))


def _numbers(
    values: ArrayLike, name: str, jobs: NDArray[np.int64], *, positive: bool = True
) -> NDArray[np.float64]:
    """One finite number a job, or an error that names the first job without."""
    column = float_column(values, name, len(jobs))
    valid = np.isfinite(column) & ((column > 0) | (not positive))
    for row in np.flatnonzero(~valid)[:1]:
        bound = "finite and above 0" if positive else "finite"
        raise InvalidInstanceError(f"{name} of job {jobs[row]} is {column[row]:g}; it must be {bound}")
    return column


def _constraints(texts: str | Sequence[str | None], jobs: NDArray[np.int64]) -> CodedTexts:
    coded = CodedTexts.of(texts, "constraint", len(jobs))
    for code, text in enumerate(coded.names):
        try:
            parsed(text)
        except InvalidInstanceError as error:
            raise InvalidInstanceError(f"constraint of job {jobs[coded.first_with(code)]}: {error}") from None
    return coded
