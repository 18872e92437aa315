"""When the waiting jobs of an embedded scheduler are going to start: by estimates, and as history lets expect."""

from __future__ import annotations

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from schedcore import _core
from schedcore.errors import InvalidInstanceError
from schedcore.model import Jobs
from schedcore.model.choices import checked_flag
from schedcore.model.integers import checked_integer

from .call_arguments import id_array
from .embedded_columns import cluster_jobs
from .submissions import Submissions

__all__ = ["Forecast", "Forecasts"]

#: So many jobs of a user are enough to draw from them alone.
ENOUGH_JOBS = 20
_QUANTILES = (0.5, 0.9, 0.95)
_MOST_SAMPLES = 10**7


@dataclass(frozen=True, slots=True, eq=False)
class Forecast:
    """When jobs start, as far as history tells; a row for each job, in the order in which they were asked about.

    Attributes
    ----------
    id : (n,) int64
    q50, q90, q95 : (n,) float64
        The instant by which the job has started in half of the samples, in 90 and in 95 per cent; inf where it has not.
    n_samples : int
    """

    id: NDArray[np.int64]
    q50: NDArray[np.float64]
    q90: NDArray[np.float64]
    q95: NDArray[np.float64]
    n_samples: int

    def __len__(self) -> int:
        return len(self.id)


class Forecasts(Submissions):
    """The part of `OnlineScheduler` that looks ahead: questions as of the last `advance`, which change nothing."""

    def estimate_start(self, ids: ArrayLike | None = None, *, releases: bool = False) -> NDArray[np.float64]:
        """Return when waiting jobs start if every run takes what it says, and nothing else happens.

        No job arrives or is cancelled, no machine fails, comes back or is closed, no hold ends; announced outages end.
        A job that is late takes its estimate once more, from the first decision on that showed it.

        Parameters
        ----------
        ids : (n,) array_like of int, optional
            Jobs that wait or are held. Default: all of them, ascending.
        releases : bool
            Whether holds end as `release` has recorded for later instants.

        Returns
        -------
        (n,) float64
            Instants; inf for a job that does not start.

        Raises
        ------
        InvalidInstanceError
            For a job that does not wait.
        PolicyError
            For a policy of one's own that is woken a million times in a row while nothing happens or starts. Where
            nothing is to come either, as no job runs and no outage ends, jobs that are left do not start.

        Notes
        -----
        Costs what the decisions cost until all of these have started, and a copy of the state. The scheduler is free
        for others meanwhile.
        """
        asked, continuation = self._outlook(ids, releases)
        return continuation.first_starts(asked)

    def forecast(
        self,
        ids: ArrayLike | None,
        history: Jobs,
        n_samples: SupportsIndex = 1000,
        seed: SupportsIndex = 0,
        arrivals: bool = False,
        *,
        releases: bool = False,
    ) -> Forecast:
        """Return by when waiting jobs will probably have started, from how runs of the past kept to their estimates.

        In each sample every run takes its estimate times a share that is drawn from the history: processing time
        divided by estimate, of the jobs of the same user where these are at least 20, otherwise of all. Of a run under
        way, only shares count that it has not outlived. Nothing else happens, but for arrivals if they are asked for.

        Parameters
        ----------
        ids : (n,) array_like of int, or None
            Jobs that wait or are held; None for all of them, ascending.
        history : Jobs
            With `estimated_processing_time`, and `user` where users are to be told apart.
        n_samples : int
        seed : int
            The same one gives the same answer, however many processors there are.
        arrivals : bool
            Whether jobs arrive: each is one of the history, drawn anew, after a gap between two of its releases. At
            most as many arrive as the history has; jobs that no machine here can run are left out.
        releases : bool
            As of `estimate_start`.

        Returns
        -------
        Forecast
            Quantiles of the start.

        Raises
        ------
        InvalidInstanceError
            For a job that does not wait, a history without jobs, and flags that are not True or False.
        PolicyError
            For a policy of one's own that is woken a million times in a row while nothing happens or starts.

        Notes
        -----
        A sample costs what `estimate_start` costs. Samples are computed in parallel, without the GIL; for a policy with
        a `decide` of Python, which needs the GIL, one after the other.
        """
        if not isinstance(history, Jobs):
            raise TypeError(f"history must be schedcore.Jobs, not {type(history).__name__}")
        n = checked_integer("n_samples", n_samples, 1, _MOST_SAMPLES)
        number = checked_integer("seed", seed, 0, 2**64 - 1)
        has_arrivals = checked_flag("arrivals", arrivals)
        if history.n_jobs == 0:
            raise InvalidInstanceError("history has no jobs to draw from")
        asked, continuation = self._outlook(ids, releases)
        drawn_from = self._history(history, has_arrivals)
        starts = _sampled(continuation, asked, drawn_from, number, n, self._n_workers())
        starts.sort(axis=0)
        q50, q90, q95 = (starts[int(np.ceil(q * n)) - 1] for q in _QUANTILES)
        return Forecast(asked, q50, q90, q95, n)

    def _n_workers(self) -> int:
        if self._decides_in_python and _has_gil():
            return 1  # several would hand the GIL to each other at every decision
        return min(
            len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1, 64
        )

    def _outlook(
        self, ids: ArrayLike | None, releases: object
    ) -> tuple[NDArray[np.int64], _core.engine.Continuation]:
        continuation = _core.engine.Continuation(self._core, checked_flag("releases", releases))
        asked = continuation.waiting() if ids is None else id_array(ids)
        return asked, continuation

    def _history(self, history: Jobs, arrivals: bool) -> _core.engine.History:
        with np.errstate(over="ignore"):
            share = history.processing_time / history.estimated_processing_time
        for job in np.flatnonzero(~np.isfinite(share))[:1]:
            raise InvalidInstanceError(
                f"of the history, processing_time[{job}] = {history.processing_time[job]:g} is too many times "
                f"estimated_processing_time[{job}] = {history.estimated_processing_time[job]:g}"
            )
        group, names = _groups(history)
        order = np.lexsort((share, group))
        parts = [np.sort(share), share[order][group[order] > 0]]
        sizes = np.bincount(group, minlength=len(names) + 1)[1:]
        first = np.concatenate(([0, len(share)], len(share) + np.cumsum(sizes))).astype(np.int64)
        number_of = {name: number for number, name in enumerate(names, start=1)}
        known = {job: number_of[user] for job, user in self._users_of_jobs().items() if user in number_of}
        return _core.engine.History(
            np.concatenate(parts),
            first,
            np.fromiter(known.keys(), dtype=np.int64, count=len(known)),
            np.fromiter(known.values(), dtype=np.int64, count=len(known)),
            self._arrivals(history, group) if arrivals else None,
        )

    def _arrivals(self, history: Jobs, group: NDArray[np.int64]) -> tuple[Any, ...] | None:
        releases = np.sort(history.release_time)
        gaps = np.diff(releases) if len(releases) > 1 else np.array([np.inf])
        if history.n_resources != self._machines.n_resources:
            raise InvalidInstanceError(
                f"the history demands {history.n_resources} resources, the machines have {self._machines.n_resources}"
            )
        room = self._core.tasks_with_room(history.demand, cluster_jobs(history, self._site))
        can_run = np.flatnonzero(room >= history.n_tasks)
        if len(can_run) == 0 or not np.isfinite(gaps).all():
            return None
        # Whoever they waited for is gone.
        jobs = history[can_run].replace(after_ok=None, after_any=None, after_not_ok=None)
        with self._submission(jobs, np.arange(len(can_run)), 0.0) as (columns, _tasks, _ids):
            assert columns is not None
            return (*columns, gaps, group[can_run], can_run.astype(np.int64))


def _has_gil() -> bool:
    ask = getattr(sys, "_is_gil_enabled", None)  # from Python 3.13 on
    return ask is None or bool(ask())


def _groups(history: Jobs) -> tuple[NDArray[np.int64], list[str]]:
    """The group of each job, from 1 on for users with enough of them, and their names; 0 for all others."""
    if not history.uses("user"):
        return np.zeros(history.n_jobs, dtype=np.int64), []
    coded = history.coded("user")
    has_user = coded.codes >= 0
    counts = np.bincount(coded.codes[has_user], minlength=len(coded.names))
    number = np.zeros(len(coded.names), dtype=np.int64)
    enough = np.flatnonzero(counts >= ENOUGH_JOBS)
    number[enough] = np.arange(1, len(enough) + 1)
    group = np.zeros(history.n_jobs, dtype=np.int64)
    group[has_user] = number[coded.codes[has_user]]
    return group, [coded.names[code] for code in enough]


def _sampled(
    continuation: _core.engine.Continuation,
    ids: NDArray[np.int64],
    history: _core.engine.History,
    seed: int,
    n_samples: int,
    n_workers: int,
) -> NDArray[np.float64]:
    """The first starts, a row for each sample."""
    # A few parts a worker, so that none waits long for the last one.
    bounds = np.linspace(0, n_samples, min(n_samples, 8 * n_workers) + 1).astype(int).tolist()
    with ThreadPoolExecutor(n_workers) as pool:
        try:
            parts = pool.map(
                lambda part: continuation.sample_starts(ids, history, seed, *part),
                pairwise(bounds),
            )
            return np.concatenate(list(parts))
        except BaseException:  # an interrupt: the workers end after the event that they are at
            continuation.stop()
            raise
