"""How jobs and tasks come to an embedded scheduler: checked, with their keys and ids, in the columns of the core."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple, SupportsFloat, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from schedcore import _core
from schedcore.errors import InvalidInstanceError, UnsupportedError
from schedcore.model import Jobs, Machines, ParallelTaskInstance, Site, usable
from schedcore.model.columns import float_column
from schedcore.model.dependencies import AFTER
from schedcore.model.features import features_of_jobs
from schedcore.model.kernel_columns import kernel_columns
from schedcore.model.site_checks import check_allowed
from schedcore.model.small_columns import plain_job
from schedcore.model.submitted_jobs import submitted_job, submitted_jobs

from .call_arguments import (
    check_same_machines,
    id_array,
    instant_of,
    reservation_number,
    task_places,
)
from .embedded_columns import cluster_jobs

__all__ = ["Submission", "Submissions"]


class Submission(NamedTuple):
    """What the core is to submit: the columns of jobs, or tasks; nothing where both are None."""

    jobs: tuple[Any, ...] | None = None
    tasks: _core.model.ParallelTasks | None = None
    ids: NDArray[np.int64] | None = None


class Submissions:
    """The part of `OnlineScheduler` that takes jobs."""

    _core: _core.engine.OnlineScheduler
    _policy: str
    _machines: Machines
    _options: dict[str, Any]
    _custom_key: Callable[..., NDArray[np.float64]] | None
    _takes_tasks: bool
    _decides_in_python: bool
    _uses_estimates: bool
    _site: Site | None
    _users: dict[int, str]
    _most_users: int
    _check_features: Callable[..., None]
    _check_features_with_options: Callable[..., None] | None

    def submit(
        self,
        jobs: Jobs | ParallelTaskInstance,
        now: SupportsFloat,
        ids: ArrayLike | None = None,
        *,
        reservation: SupportsIndex | None = None,
    ) -> NDArray[np.int64]:
        """Record that jobs arrive at `now`; their release time is `now`, whatever the column says.

        Parameters
        ----------
        jobs : Jobs or ParallelTaskInstance
            Of an instance, which must be on these machines, every task is a job here, with an id of its own: it may use
            the machines of its placements that can hold it, and takes as long as it does there. Tasks of one job are
            submitted together. Policies whose `solve` takes tasks take them, and so do "pq", "ca_pq", "tetris" and
            "bf_exec", to which the processing time is then the shortest one.
        now : float
            The instant; never before the last `advance`, nor before another record.
        ids : (n_jobs,) or (n_tasks,) int64, optional
            Unique non-negative integers that take the place of the job index in every tie. Default: the ids given to
            `Jobs` (``jobs.has_ids``), and a running number, counting on from the largest so far, where none were. Where
            there are ids, ``after_ok``, ``after_any`` and ``after_not_ok`` name ids of jobs that were submitted before
            or with the job. Where none were given, here or to `Jobs`, they name rows of these jobs, as in `solve`.
        reservation : int, optional
            What `reserve` returned: the jobs run inside it, in order of arrival, whoever fits first. From its end on
            they are jobs like all others. Jobs that do not fit it are refused.

        Returns
        -------
        (n_jobs,) or (n_tasks,) int64
            The ids.

        Raises
        ------
        InvalidInstanceError, InfeasibleError
            A job that the policy cannot take, an id in use, an instant that has passed; nothing was recorded. The id of
            a completed job is free once an `advance` has applied the completion.
        UnsupportedError
            Tasks for a policy that does not heed where they may run, or that has a callable heuristic; jobs that use
            features of a cluster, such as several tasks, which the policy does not heed.
        """
        instant = instant_of(now)
        number = None if reservation is None else reservation_number(reservation)
        with self._submission(jobs, ids, instant) as (columns, tasks, given):
            if tasks is not None:
                if number is not None:
                    raise UnsupportedError("tasks of parallel jobs cannot name a reservation")
                return self._core.submit_tasks(tasks, given, instant)
            assert columns is not None
            told, weight, demand, key, others = columns
            assigned = self._core.submit(told, weight, demand, key, given, instant, others, number)
        self._note_users(jobs, assigned)
        return assigned

    def submit_one(
        self,
        processing_time: float,
        demand: ArrayLike,
        now: SupportsFloat,
        *,
        weight: float = 1.0,
        estimated_processing_time: float | None = None,
        id: int | None = None,
        resolution: SupportsIndex | None = None,
    ) -> int:
        """Record that one job arrives at `now`: `submit` of a `Jobs` with one row, in a fraction of its time.

        Parameters
        ----------
        processing_time, weight, estimated_processing_time, resolution
            One value each of the columns of `Jobs`.
        demand : (n_resources,) array_like
            The job's amount of each resource; a list of int is the fastest.
        now : float
            The instant, as in `submit`.
        id : int, optional
            Takes the place of the job index in every tie. Default: a running number.

        Returns
        -------
        int
            The id.

        Raises
        ------
        InvalidInstanceError, InfeasibleError, TypeError
            What `Jobs` and `submit` raise, with the same messages; nothing was recorded.
        """
        instant = instant_of(now)
        amounts = plain_job(
            processing_time, demand, weight, estimated_processing_time, id, self._machines.n_resources
        )
        if amounts is None or resolution is not None or self._site is not None:
            one: Any = [demand]
            estimates = None if estimated_processing_time is None else [estimated_processing_time]
            ids = None if id is None else [id]
            jobs = Jobs([processing_time], one, 0, [weight], estimates, ids, resolution)
            return int(self.submit(jobs, instant)[0])
        if self._users and id is not None:
            self._users.pop(id, None)
        core, told = self._core, processing_time
        if self._uses_estimates and estimated_processing_time is not None:
            told = estimated_processing_time
        if self._custom_key is None:
            return core.submit_one(told, weight, amounts, None, id, instant)
        number = core.reserve_ids(1) if id is None else id
        try:
            job = submitted_job(processing_time, amounts, instant, weight, estimated_processing_time, number)
            key = self._custom_key(job, (number,)).item()
            return core.submit_one(told, weight, amounts, key, number, instant)
        except BaseException:
            if id is None:
                core.release_ids(number, 1)
            raise

    def adopt(
        self,
        jobs: Jobs,
        machine: ArrayLike | Sequence[Sequence[tuple[int, int]]],
        start_time: ArrayLike,
        now: SupportsFloat,
        ids: ArrayLike | None = None,
    ) -> NDArray[np.int64]:
        """Record that jobs run already, as when a scheduler begins on a cluster that is in use.

        They hold what they demand, and count as started; complete them as any other job, once an `advance` has seen
        them. Reservations that they meet stand. Machines may be closed.

        Parameters
        ----------
        jobs : Jobs
            Their release times count where they are killed and wait again; not after the starts.
        machine : (n_jobs,) array_like of int, or sequence of lists of (int, int)
            The index of the machine of each job; of jobs of several tasks the pairs (machine, number of tasks).
        start_time : float or (n_jobs,) array_like of float
            Since when they run, at most `now`. By their estimates they end one estimate later.
        now : float
        ids : (n_jobs,) int64, optional
            As in `submit`.

        Returns
        -------
        (n_jobs,) int64
            The ids.

        Raises
        ------
        InvalidInstanceError
            For a start or a place that cannot be: another number of tasks than the job has, a machine that has failed,
            and more on a machine than it has, beside the jobs that are known to run there.
        InfeasibleError
            For a job that could never run again if it were killed, as in `submit`; its constraint does not count where
            it runs.
        """
        instant = instant_of(now)
        if not isinstance(jobs, Jobs):
            raise TypeError(f"jobs must be schedcore.Jobs, not {type(jobs).__name__}")
        starts = float_column(start_time, "start_time", jobs.n_jobs)
        places = task_places(machine, jobs.n_jobs)
        with self._submission(jobs, ids, instant) as (columns, _tasks, given):
            assert columns is not None
            told, weight, demand, key, others = columns
            assigned = self._core.adopt(
                told,
                weight,
                demand,
                key,
                given,
                instant,
                jobs.release_time,
                starts,
                places,
                others,
            )
        self._note_users(jobs, assigned)
        return assigned

    def _note_users(self, jobs: Jobs | ParallelTaskInstance, ids: NDArray[np.int64]) -> None:
        """Remember who submitted jobs, for forecasts, until they have ended."""
        is_told = isinstance(jobs, Jobs) and jobs.uses("user")
        if not is_told and not self._users:
            return
        users = jobs.user.tolist() if isinstance(jobs, Jobs) and is_told else [None] * len(ids)
        for job, user in zip(ids.tolist(), users, strict=True):
            if user:
                self._users[job] = user
            else:
                self._users.pop(job, None)  # of one that had the id before
        if len(self._users) > self._most_users:
            alive = self._users_of_jobs()
            for job in [job for job in list(self._users) if job not in alive]:
                self._users.pop(job, None)
            self._most_users = 2 * len(alive) + 1024

    def _users_of_jobs(self) -> dict[int, str]:
        """The users of the jobs that are alive, as far as they were told."""
        known = dict(self._users)
        ids = np.fromiter(known, dtype=np.int64, count=len(known))
        alive = self._core.are_alive(ids)
        return {job: known[job] for job in ids[alive].tolist()}

    @contextmanager
    def _submission(
        self, jobs: Jobs | ParallelTaskInstance, ids: ArrayLike | None, instant: float
    ) -> Iterator[Submission]:
        """What the core is to submit; ids that keys are computed from are given back where it is not."""
        if not isinstance(jobs, Jobs):
            yield self._submission_of_tasks(jobs, ids)
            return
        if jobs.n_jobs > 0 and jobs.n_resources != self._machines.n_resources:
            raise InvalidInstanceError(
                f"the jobs demand {jobs.n_resources} resources, the machines have {self._machines.n_resources}"
            )
        used = features_of_jobs(jobs)
        self._check_features(used, embedded=True)
        if self._check_features_with_options is not None:
            self._check_features_with_options(used)
        given = id_array(ids, jobs.n_jobs) if ids is not None else jobs.id if jobs.has_ids else None
        if self._site is not None:
            check_allowed(self._site, jobs, self._machines, given)
        waits_by_row = given is None and any(jobs.uses(name) for name in AFTER)
        if given is None and (waits_by_row or self._custom_key is not None):
            with self._running_numbers(jobs.n_jobs) as numbers:
                id_of_row = numbers if waits_by_row else None
                yield self._submission_of_jobs(jobs, self._key(jobs, numbers, instant), numbers, id_of_row)
        else:
            key = None if given is None else self._key(jobs, given, instant)
            yield self._submission_of_jobs(jobs, key, given)

    def _submission_of_jobs(
        self,
        jobs: Jobs,
        key: NDArray[np.float64] | None,
        ids: NDArray[np.int64] | None,
        id_of_row: NDArray[np.int64] | None = None,
    ) -> Submission:
        others = cluster_jobs(jobs, self._site, id_of_row)
        told = jobs.estimated_processing_time if self._uses_estimates else jobs.processing_time
        return Submission((told, jobs.weight, jobs.demand, key, others), None, ids)

    def _submission_of_tasks(self, tasks: ParallelTaskInstance, ids: ArrayLike | None) -> Submission:
        """What the core is to submit, or the error of what this scheduler cannot do with the tasks."""
        if not isinstance(tasks, ParallelTaskInstance):
            raise TypeError(
                f"jobs must be schedcore.Jobs or ParallelTaskInstance, not {type(tasks).__name__}"
            )
        given = None if ids is None else id_array(ids, tasks.n_tasks)
        if not self._takes_tasks:
            raise UnsupportedError(
                f"{self._policy!r} takes Jobs: it does not heed on which machines tasks may run"
            )
        if self._custom_key is not None:
            raise UnsupportedError("a callable heuristic orders Jobs, not tasks")
        check_same_machines(tasks.machines, self._machines)
        penalty = float(self._options.get("remote_penalty", tasks.remote_penalty))
        if tasks.remote_penalty != penalty:
            raise InvalidInstanceError(
                f"the tasks have remote_penalty = {tasks.remote_penalty!r}, the scheduler has {penalty!r}"
            )
        return Submission(None, kernel_columns(usable(tasks)), given)

    def _key(self, jobs: Jobs, ids: NDArray[np.int64], instant: float) -> NDArray[np.float64] | None:
        """The caller's key of jobs as the scheduler takes them, if there is one."""
        if self._custom_key is None:
            return None
        return self._custom_key(submitted_jobs(jobs, instant, ids), ids)

    @contextmanager
    def _running_numbers(self, n_jobs: int) -> Iterator[NDArray[np.int64]]:
        """Ids that no other thread gets while the key is computed from them; given back if they are not used."""
        first = self._core.reserve_ids(n_jobs)
        try:
            yield np.arange(first, first + n_jobs)
        except BaseException:
            self._core.release_ids(first, n_jobs)
            raise
