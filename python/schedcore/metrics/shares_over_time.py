"""What accounts were promised of a cluster, and what they used of it over time, of which older use counts less.

The use is that of the fair share of `Multifactor`: it has halved for every `half_life` that has passed since.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from schedcore.errors import InvalidInstanceError
from schedcore.metrics.cluster_share import cluster_share
from schedcore.metrics.known_result import runs_of_jobs
from schedcore.metrics.submitter_classes import named_classes
from schedcore.model import Instance, Result, Site
from schedcore.model.arrays import unmasked
from schedcore.model.real_numbers import finite_number
from schedcore.model.site_checks import check_site

_Column = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class SharesOverTime:
    """What each account, or whatever tells jobs apart, had used at some instants, a column each.

    Attributes
    ----------
    column : str
        By which jobs are told apart.
    names : tuple of str
        In alphabetical order; last "(none)", of the jobs without a name.
    half_life : float
        Time in which past use comes to count half; may be infinite.
    time : (n_instants,) float64
    used : (n_instants, n_names) float64
        Size times time of all runs up to the instant, of which older use counts less. The size of a job is the largest
        part of a resource of all machines that it takes.
    promised : (n_names,) float64 or None
        The part of all shares of the site. None where jobs are told apart by something else than accounts, and of
        results without a site.
    """

    column: str
    names: tuple[str, ...]
    half_life: float
    time: _Column
    used: npt.NDArray[np.float64]
    promised: _Column | None

    @property
    def share_used(self) -> npt.NDArray[np.float64]:
        """(n_instants, n_names) The part of all use; 0 as long as nothing was used."""
        total = self.used.sum(axis=1, keepdims=True)
        share = np.zeros_like(self.used)
        np.divide(self.used, total, out=share, where=total > 0)
        return share


def shares_over_time(
    result: Result, instants: npt.ArrayLike, column: str = "account", half_life: float | None = None
) -> SharesOverTime:
    """What accounts had used at some instants, and what they were promised.

    Parameters
    ----------
    result : Result
        Of `solve`.
    instants : (n_instants,) array_like of float
        In any order.
    column : {"account", "user", "partition", "service_class"}, default "account"
    half_life : float, optional
        Time in which past use comes to count half, above 0; may be infinite, then all use counts alike. By default that
        of the `Multifactor` of the site.

    Raises
    ------
    InvalidInstanceError
        Without a half-life where the result has no site, or one whose order is no `Multifactor`; for instants that are
        not finite; for another column, one that no job has a name in, and an account without a share.
    UnsupportedError
        For a result that does not know its instance of jobs, or has no runs.
    TypeError
        For what is no result.

    Notes
    -----
    O(n_runs log n_instants + n_instants * n_names), exact but for the rounding of sums. The fair share of a policy
    looks at multiples of `Multifactor.interval`.
    """
    inst, runs = runs_of_jobs(result, "shares_over_time")
    classes = named_classes(inst, column)
    half = _half_life(result.site, half_life)
    time = np.atleast_1d(np.asarray(unmasked(instants, "instants"), dtype=np.float64))
    if time.ndim != 1 or not np.isfinite(time).all():
        raise InvalidInstanceError("instants must be one column of finite times")
    ascending, place = np.unique(time, return_inverse=True)
    used = _used(
        ascending,
        half,
        classes.of_job[runs.job],
        classes.n_classes,
        cluster_share(inst)[runs.job],
        runs.start_time,
        runs.end_time,
    )
    promised = promised_shares(inst, result.site) if column == "account" and result.site is not None else None
    return SharesOverTime(column, classes.names, half, time, used[place], promised)


def promised_shares(inst: Instance, site: Site) -> _Column:
    """(n_accounts,) The part of all shares that each account of the jobs has, in the order of `submitter_classes`.

    Without shares all accounts that occur have the same. An account without a share is an `InvalidInstanceError`.
    """
    check_site(site, inst.jobs, inst.machines, inst.job_name)
    coded = inst.jobs.coded("account")
    accounts: list[str | None] = [*sorted(coded.names), *([None] if (coded.codes < 0).any() else [])]
    if site.shares is None:
        return np.full(len(accounts), 1 / max(len(accounts), 1))
    total = sum(site.shares.values())
    return np.array([site.shares[account] / total for account in accounts], dtype=np.float64)


def _half_life(site: Site | None, given: float | None) -> float:
    if given is not None:
        return math.inf if given == math.inf else finite_number("half_life", given, above_0=True)
    if site is None:
        raise InvalidInstanceError("the result has no site that says in which half_life use is forgotten")
    if site.multifactor is None:
        raise InvalidInstanceError(
            "the order of the site is no Multifactor that says in which half_life use is forgotten"
        )
    return site.multifactor.half_life


def _used(
    instants: _Column,
    half_life: float,
    owner: npt.NDArray[np.int64],
    n_owners: int,
    size: _Column,
    start: _Column,
    end: _Column,
) -> npt.NDArray[np.float64]:
    """(n_instants, n_owners) Use up to each of the ascending instants.

    Between two instants a run either goes on all the time, or begins or ends; each run begins and ends once.
    """
    n_instants = len(instants)
    within = np.zeros((n_instants, n_owners))  # use since the instant before, as it counts at the instant
    if n_instants == 0 or len(owner) == 0:
        return within
    first, last = np.searchsorted(instants, start), np.searchsorted(instants, end)

    def add(
        rows: npt.NDArray[np.bool_], stretch: npt.NDArray[np.intp], begin: _Column, until: _Column
    ) -> None:
        at = stretch[rows]
        weight = _counted(instants[at] - begin[rows], half_life) - _counted(
            instants[at] - until[rows], half_life
        )
        np.add.at(within, (at, owner[rows]), size[rows] * weight)

    inside = (first == last) & (first < n_instants)
    add(inside, first, start, end)
    begins = (first < last) & (first < n_instants)
    add(begins, first, start, instants[np.minimum(first, n_instants - 1)])
    ends = (first < last) & (last < n_instants)
    add(ends, last, instants[np.maximum(last, 1) - 1], end)

    rate = np.zeros((n_instants + 1, n_owners))  # of the runs that go on from instant to instant
    through = last > first + 1
    np.add.at(rate, (first[through] + 1, owner[through]), size[through])
    np.add.at(rate, (last[through], owner[through]), -size[through])
    length = np.diff(instants, prepend=instants[0])
    within += np.maximum(np.cumsum(rate, axis=0)[:-1], 0.0) * _counted(length, half_life)[:, np.newaxis]

    kept = np.exp2(-length / half_life)
    for index in range(1, n_instants):
        within[index] += within[index - 1] * kept[index]
    return within


def _counted(duration: _Column, half_life: float) -> _Column:
    """Integral of 2**(-x / half_life) over the first `duration` of x."""
    if half_life == math.inf:
        return duration
    rate = math.log(2.0) / half_life
    return np.asarray(-np.expm1(-rate * duration) / rate, dtype=np.float64)
