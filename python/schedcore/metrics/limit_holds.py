"""Which limits of a site held whom, and for how long: told from the runs alone, whatever the policy.

A job that has arrived and waits for no other job is held by the first limit that it would exceed beside what runs at
that instant.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from schedcore.errors import InvalidInstanceError
from schedcore.metrics.candidacy import candidate_times
from schedcore.metrics.exact_sums import exact_sum
from schedcore.metrics.held_stretches import LimitUse, held_times
from schedcore.metrics.known_result import runs_of_jobs
from schedcore.model import Limit, Result
from schedcore.model.site_checks import check_site

_Column = npt.NDArray[np.float64]
_Codes = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class LimitHolds:
    """How long limits held the jobs of each user, account and so on; a row for each limit and value.

    Attributes
    ----------
    limits : tuple of Limit
        Those of the site, in its order.
    limit : (n_rows,) int64
        Index into `limits`, ascending.
    value : tuple of str
        Whose jobs, such as "ann"; in alphabetical order, of arrays by number. Every value that a job has is there.
    n_jobs : (n_rows,) int64
        How many jobs the limit held.
    total_time, longest_time : (n_rows,) float64
        How long it held all of them together, and the one that it held longest.
    time_of_jobs : (n_jobs, n_limits) float64
        How long each limit held each job.
    """

    limits: tuple[Limit, ...]
    limit: _Codes
    value: tuple[str, ...]
    n_jobs: _Codes
    total_time: _Column
    longest_time: _Column
    time_of_jobs: npt.NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.limit)

    def rows(self) -> list[dict[str, Any]]:
        """One dictionary a row: what the limit says, whom it held, and for how long."""
        columns = (self.limit, self.n_jobs, self.total_time, self.longest_time)
        return [
            {
                "limit": number,
                "who": self.limits[number].who,
                "what": self.limits[number].what,
                "most": self.limits[number].most,
                "value": value,
                "n_jobs": n_jobs,
                "total_time": total,
                "longest_time": longest,
            }
            for value, number, n_jobs, total, longest in zip(
                self.value, *(column.tolist() for column in columns), strict=True
            )
        ]


def limit_holds(result: Result) -> LimitHolds:
    """Find out which limits kept jobs waiting, and for how long.

    Parameters
    ----------
    result : Result
        Of ``solve(..., site=)``.

    Returns
    -------
    LimitHolds

    Raises
    ------
    InvalidInstanceError
        For a result without a site, a limit of a resource that the machines do not have, and a job that was cancelled
        before it ran where the result does not say when.
    UnsupportedError
        For a result that does not know its instance of jobs, or has no runs.
    TypeError
        For what is no result.

    Notes
    -----
    A job counts from its release, or from the end of the last job that it waited for, up to its first start or its
    cancellation. At each instant it is held by the first limit of the site, in their order, that its start would
    exceed; runs hold what they take during [start, end). A job that no limit holds may wait for machines.

    O(n_runs log n_runs) a limit, and, for jobs of equal values and amounts together, O(log) for each start and end of
    their users, accounts and so on while they wait. Exact for whole times; for others up to the rounding of sums.
    """
    inst, runs = runs_of_jobs(result, "limit_holds")
    site = result.site
    if site is None:
        raise InvalidInstanceError("the result has no site, so no limits; solve(..., site=) gives it one")
    check_site(site, inst.jobs, inst.machines, inst.job_name)
    since, until = candidate_times(result, inst, runs)
    # When nothing runs any more, no limit holds a job that it lets run at all.
    until = np.minimum(until, runs.end_time.max(initial=-np.inf))
    uses = [LimitUse.of(limit, inst, runs) for limit in site.limits]
    held = np.zeros((inst.n_jobs, len(uses)))
    waited = np.flatnonzero(since < until)
    if uses and len(waited):
        held[waited] = held_times(uses, waited, since[waited], until[waited])
    return _by_value(site.limits, uses, held)


def _by_value(limits: tuple[Limit, ...], uses: list[LimitUse], held: npt.NDArray[np.float64]) -> LimitHolds:
    limit: list[int] = []
    value: list[str] = []
    n_jobs: list[int] = []
    total: list[float] = []
    longest: list[float] = []
    for index, use in enumerate(uses):
        time = held[:, index]
        counts = np.bincount(use.of_job[use.of_job >= 0], minlength=len(use.values))
        rows = np.flatnonzero((time > 0) & (use.of_job >= 0))
        rows = rows[np.argsort(use.of_job[rows], kind="stable")]
        first = np.searchsorted(use.of_job[rows], np.arange(len(use.values) + 1))
        codes = np.flatnonzero(counts).tolist()  # of arrays they ascend by number
        if limits[index].party != "array":
            codes.sort(key=use.values.__getitem__)
        for code in codes:
            times = time[rows[first[code] : first[code + 1]]]
            limit.append(index)
            value.append(use.values[code])
            n_jobs.append(len(times))
            total.append(exact_sum(times))
            longest.append(float(times.max(initial=0.0)))
    return LimitHolds(
        limits,
        np.array(limit, dtype=np.int64),
        tuple(value),
        np.array(n_jobs, dtype=np.int64),
        np.array(total, dtype=np.float64),
        np.array(longest, dtype=np.float64),
        held,
    )
