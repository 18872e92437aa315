"""What happens to a cluster unannounced: machines fail, and users cancel jobs."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, ClassVar, Self

import numpy as np

from schedcore.errors import InvalidInstanceError

from .arrays import FloatArray, IntArray
from .choices import check_choice
from .identity import Record
from .instance import Instance
from .integers import checked_integer
from .job_rows import RowsOfIds
from .outages import Outages
from .real_numbers import finite_number

__all__ = ["KILLED", "Incidents"]

#: What becomes of a job whose machine fails.
KILLED = ("requeue", "drop", "checkpoint")


class Incidents(Record):
    """Failures and cancellations, each known at its time and not before; immutable.

    Parameters
    ----------
    failures : Outages, optional
        Every job that has a task on the machine when an outage begins is killed. No failures at all are None.
    cancellations : mapping of int to float, optional
        The id of a job -> when it is cancelled; finite, at least 0. A job that waits leaves, one that runs ends.
    killed : {"requeue", "drop", "checkpoint"}
        What becomes of a killed job: it waits again and starts from nothing, it is gone, or it waits again and goes on
        from its last checkpoint.

    Raises
    ------
    InvalidInstanceError
        For an id or a time outside its bounds, and for another rule (with the close matches).
    TypeError
        For other kinds of objects.

    Notes
    -----
    Whether there are such machines and jobs depends on the instance: `check_for`.
    """

    __slots__ = ("cancellations", "failures", "killed")
    _fields: ClassVar[tuple[str, ...]] = ("failures", "cancellations", "killed")

    failures: Outages | None
    cancellations: Mapping[int, float]
    killed: str

    def __init__(
        self,
        failures: Outages | None = None,
        cancellations: Mapping[int, float] | None = None,
        killed: str = "requeue",
    ) -> None:
        if failures is not None and not isinstance(failures, Outages):
            raise TypeError(f"failures must be an Outages, not {type(failures).__name__}")
        given = {} if cancellations is None else cancellations
        if not isinstance(given, Mapping):
            raise TypeError(f"cancellations must map ids of jobs to times, not be a {type(given).__name__}")
        times = {
            checked_integer("cancellations: id", job, 0): _time(job, time) for job, time in given.items()
        }
        check_choice("killed", killed, KILLED)
        self._assign(
            failures=failures if failures is not None and len(failures) else None,
            cancellations=MappingProxyType(dict(sorted(times.items()))),
            killed=str(killed),
        )

    def cancellation_columns(self) -> tuple[IntArray, FloatArray]:
        """Return the ids of the jobs that are cancelled, ascending, and when; O(n_cancellations)."""
        n = len(self.cancellations)
        ids = np.fromiter(self.cancellations.keys(), dtype=np.int64, count=n)
        return ids, np.fromiter(self.cancellations.values(), dtype=np.float64, count=n)

    def cancellation_times(self, instance: Instance) -> FloatArray:
        """(n_jobs,) Return when each job is cancelled, infinite for never; `check_for` has passed the instance."""
        times = np.full(instance.n_jobs, np.inf)
        if self.cancellations:
            ids, given = self.cancellation_columns()
            times[RowsOfIds(instance.jobs.id)(ids)[0]] = given
        return times

    def check_for(self, instance: Instance) -> None:
        """Raise an `InvalidInstanceError` that names a machine or a job that the instance does not have."""
        if self.failures is not None:
            self.failures.check_machines(instance.n_machines)
        ids, _ = self.cancellation_columns()
        unknown = ~np.isin(ids, instance.jobs.id)
        if unknown.any():
            raise InvalidInstanceError(f"cancellations name id {ids[np.argmax(unknown)]}, which no job has")

    def of_jobs(self, instance: Instance) -> Self:
        """Return the same about the jobs of an instance alone: cancellations of others are left out."""
        ids, times = self.cancellation_columns()
        known = np.isin(ids, instance.jobs.id)
        kept = dict(zip(ids[known].tolist(), times[known].tolist(), strict=True))
        return type(self)(self.failures, kept, self.killed)

    def __repr__(self) -> str:
        failures = 0 if self.failures is None else len(self.failures)
        return (
            f"Incidents({failures} failures, {len(self.cancellations)} cancellations, killed={self.killed!r})"
        )

    def _contents(self) -> dict[str, object]:
        return {**super()._contents(), "cancellations": dict(self.cancellations)}

    @classmethod
    def _restore(cls, values: dict[str, Any]) -> Self:
        return super()._restore({**values, "cancellations": MappingProxyType(values["cancellations"])})


def _time(job: object, time: object) -> float:
    return finite_number(f"cancellations[{job!r}]", time, above_0=False) + 0.0  # not -0.0
