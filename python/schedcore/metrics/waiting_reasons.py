"""Why jobs of a simulation waited, and for how long."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from schedcore.errors import InvalidInstanceError, UnsupportedError
from schedcore.metrics.job_amounts import work_of_jobs
from schedcore.metrics.known_result import jobs_of
from schedcore.metrics.resource_choice import resource_index
from schedcore.metrics.step_function import StepFunction
from schedcore.model import Instance, Result

#: Why a job waits, in the order in which they are tried: the first that holds is the reason.
REASONS = ("held", "down", "outage", "resources", "reserved", "planned", "order")

_Rows = list[tuple[int, str, float, float]]
_source: Callable[[Result, Any], _Rows] | None = None


def set_waiting_reasons_source(source: Callable[[Result, Any], _Rows]) -> None:
    """Make `source` what `waiting_reasons` asks: the engine registers here, because metrics know none."""
    global _source
    _source = source


@dataclass(frozen=True, eq=False)
class WaitingReasons:
    """Stretches of time in which a job waited for one reason, a row each, by job, then by time.

    Attributes
    ----------
    n_jobs : int
    job : (n,) int64
        Rows of the instance.
    reason : (n,) str
        Of `REASONS`, as `OnlineScheduler.explain` says them.
    start_time, end_time : (n,) float64
    """

    n_jobs: int
    job: npt.NDArray[np.int64]
    reason: npt.NDArray[np.str_]
    start_time: npt.NDArray[np.float64]
    end_time: npt.NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.job)

    def time_of_jobs(self) -> npt.NDArray[np.float64]:
        """(n_jobs, n_reasons) How long each job waited for each of `REASONS`; its row adds up to all its waiting."""
        total = np.zeros((self.n_jobs, len(REASONS)))
        np.add.at(total, (self.job, self._number()), self.end_time - self.start_time)
        return total

    def total_time(self) -> dict[str, float]:
        """Return how long all jobs together waited for each reason, those that occur."""
        time = self.time_of_jobs().sum(axis=0)
        occur = np.unique(self._number())
        return {REASONS[number]: float(time[number]) for number in occur}

    def waiting_work(self, inst: Instance, resource: int | str = 0) -> dict[str, StepFunction]:
        """Return the work that waits at every instant, by reason.

        Parameters
        ----------
        inst : Instance
            That the jobs are of.
        resource : int or str, default 0
            Index or name.

        Returns
        -------
        dict of str to StepFunction
            Units of the resource times units of time, rounded to whole ones for each job: the demand of all its tasks
            times its processing time.

        Raises
        ------
        InvalidInstanceError
            If there is no such resource, or the instance has another number of jobs.
        UnsupportedError
            If the work of all jobs reaches 2**63.
        """
        if inst.n_jobs != self.n_jobs:
            raise InvalidInstanceError(
                f"the reasons are of {self.n_jobs} jobs, the instance has {inst.n_jobs}"
            )
        work = work_of_jobs(inst, resource_index(inst, resource))[self.job]
        found = {}
        for number in np.unique(self._number()):
            chosen = self._number() == number
            times = np.concatenate([self.start_time[chosen], self.end_time[chosen]])
            found[REASONS[number]] = StepFunction.from_changes(
                times, np.concatenate([work[chosen], -work[chosen]])
            )
        return found

    def _number(self) -> npt.NDArray[np.int64]:
        order = np.argsort(REASONS)
        return np.asarray(order[np.searchsorted(np.array(REASONS)[order], self.reason)], dtype=np.int64)


def waiting_reasons(result: Result, *, policy: Any = None) -> WaitingReasons:
    """Find out why each job of a simulation waited, from event to event.

    Parameters
    ----------
    result : Result
        Of `solve`, of a policy that has an embedded form.
    policy : Policy, optional
        The policy of your own that it is a result of; those of the library need not be given.

    Returns
    -------
    WaitingReasons

    Raises
    ------
    UnsupportedError
        For a result that does not know its instance, of a policy without embedded form, or of one whose key is an
        array.
    InvalidInstanceError
        Where the policy, asked again, starts other jobs, and where one of your own is not given.
    TypeError
        For what is no result, and a `policy` that is no object of `schedcore.Policy`.

    Notes
    -----
    Of "order" it does not say who comes first. Policies that start jobs at instants of their own, "mris" and "ca_pq",
    make a job that would fit wait for these, though nobody may be before it.

    The simulation is told to an embedded scheduler once more, which is asked at every event about all jobs that wait:
    some ten microseconds for each of them.
    """
    if _source is None:
        raise UnsupportedError("nothing is there that could replay a simulation; import schedcore")
    inst = jobs_of(result, "waiting_reasons")
    rows = sorted(_source(result, policy), key=lambda row: (row[0], row[2]))
    columns = list(zip(*rows, strict=True)) if rows else [(), (), (), ()]
    return WaitingReasons(
        inst.n_jobs,
        np.array(columns[0], dtype=np.int64),
        np.array(columns[1], dtype=np.str_),
        np.array(columns[2], dtype=np.float64),
        np.array(columns[3], dtype=np.float64),
    )
