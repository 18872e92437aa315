"""The engine as the decision maker of another program: report what happened, get back what to start.

It is the same engine, and the same policy, that `solve` runs; both give identical decisions on identical events.
"""

from __future__ import annotations

from typing import Any, SupportsFloat, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from schedcore import _core
from schedcore.errors import (
    InvalidInstanceError,
)
from schedcore.model import Jobs, Machines, ParallelTaskInstance, Site
from schedcore.model.choices import check_choice
from schedcore.model.html_text import facts, panel
from schedcore.model.incidents import KILLED
from schedcore.model.integers import checked_limit
from schedcore.model.readable import readable_time

from .call_arguments import id_array, instant_of
from .decision import BrokenPromises, Decision, Placements, TaskPlacements
from .embedded_columns import described_machines
from .explanations import Explanations
from .forecasts import Forecasts
from .html_of_decisions import table_of_amounts
from .job_records import JobRecords
from .machine_records import MachineRecords
from .own_policy import Policy
from .persistence import Persistence
from .reservations import Reservations
from .scheduler_views import JOB_STATES, JobStates, MachineStates, job_states, machine_states
from .submissions import Submission

__all__ = ["OnlineScheduler"]

#: What becomes of a job that no machine could ever take.
INFEASIBLE = ("refuse", "wait")

_Tasks = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]
_Broken = tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]
# By the numbers of the core.
_CAUSES = np.array(["failure", "closed", "capacity", "outage", "reservation", "late", "adopted", "order"])
_Columns = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64], _Tasks | None]


class OnlineScheduler(Persistence, Forecasts, Explanations, Reservations, JobRecords, MachineRecords):
    """A policy embedded in another program.

    Parameters
    ----------
    policy : str or Policy
        Name of an embeddable algorithm ("pq", "ca_pq", "tetris", "bf_exec", "mris", "fcfs", "first_fit", "easy",
        "conservative", "backfill", "bbsched", "plan_annealing", "tetris_np", "jsq_mw"), or an object of a class
        derived from `schedcore.Policy`.
    machines : Machines
    site : Site, optional
        The rules of the site, for policies with one queue; an order by numbers is for `solve` alone.
    killed : {"requeue", "drop", "checkpoint"}
        What becomes of a job that is killed, by a machine that fails or by `requeue`: as of `Incidents`.
    infeasible : {"refuse", "wait"}
        What becomes of a job that can never run, judged by the largest capacity that each machine, unless removed, has
        had, as if all were up, open and without outages: it is refused, or waits for machines that may join.
    **options
        The algorithm's options. "mris" needs `gamma0` (a later job with a shorter processing time is refused), and
        its intervals count from the beginning of the busy period unless `origin` is a time. "ca_pq" needs
        `last_release_time`; "tetris_np" and "jsq_mw" need `remote_penalty`. A `heuristic` may be a callable, evaluated
        on the submitted columns. Backfilling policies read `estimated_processing_time` of the submitted jobs in place
        of the processing time.

    Notes
    -----
    `submit` and `complete` only record, in order of time. ``advance(now)`` applies every recorded instant up to `now`,
    each as one event (completions, then arrivals in increasing id) with one decision, and last decides at `now`;
    wake-ups that fall due in between are decided at their own times. Resources of a job are free from its recorded
    completion on, early or late.

    A call that raises changes nothing, whatever raised: a refused record, a decision that failed, Ctrl-C while it waits
    for another thread or decides. An interrupt that arrives as a call returns can keep its answer from the caller:
    `last_decision` has that of `advance`, and a record that is made again is refused by its id. `save`, pickling and
    `copy` keep everything; what is loaded or copied goes on identically. Several threads may share a scheduler; their
    calls take turns.
    """

    def __init__(
        self,
        policy: str | Policy,
        machines: Machines,
        *,
        site: Site | None = None,
        killed: str = "requeue",
        infeasible: str = "refuse",
        **options: Any,
    ) -> None:
        check_choice("killed", killed, KILLED)
        check_choice("infeasible", infeasible, INFEASIBLE)
        prototype = self._prepare(policy, machines, options, killed, infeasible, site)
        self._core = _core.engine.OnlineScheduler(
            prototype,
            described_machines(machines),
            for_clusters=self._for_clusters,
            killed=killed,
            infeasible=infeasible,
            site=self._rules,
        )

    @property
    def policy(self) -> str:
        """Name of the policy."""
        return self._policy

    @property
    def machines(self) -> Machines:
        """The machines that it was made for; `machine_state` tells of those that are there now."""
        return self._machines

    @property
    def site(self) -> Site | None:
        """The rules that it obeys."""
        return self._site

    @property
    def now(self) -> float:
        """The instant of the last `advance`; 0.0 before the first."""
        return self._core.now

    @property
    def recorded_instant(self) -> float | None:
        """The earliest instant with records that no `advance` has applied; None where nothing is pending."""
        return self._core.recorded_instant

    @property
    def last_decision(self) -> Decision | None:
        """What the last `advance` decided, also where an interrupt kept it from returning; None before the first.

        A pickle does not hold it: None after loading. After an interrupt, `n_advances` tells whether it is the answer
        to the interrupted call.
        """
        answer = self._core.last_decision
        return None if answer is None else self._decision(*answer)

    @property
    def n_advances(self) -> int:
        """How many calls of `advance` have decided, here and in what this is a copy of; 0 after loading."""
        return self._core.n_advances

    @property
    def n_running(self) -> int:
        """Jobs that were started and whose completion has not been applied, as of the last `advance`."""
        return self._core.n_running

    @property
    def n_waiting(self) -> int:
        """Jobs that have arrived and not started, planned ones included, as of the last `advance`."""
        return self._core.n_waiting

    @property
    def n_overruns(self) -> int:
        """How often a job was still running when its estimate was over, under policies that decide with estimates."""
        return self._core.n_overruns

    def complete(self, ids: ArrayLike, now: SupportsFloat) -> None:
        """Record that running jobs ended at `now`.

        Every job must run at the time of the call: an `advance` has returned its start. An unknown id, a job that has
        not started, a second completion, or an instant that has passed is an `InvalidInstanceError`, and nothing is
        recorded. Costs the same however many completions are pending.
        """
        self._core.complete(id_array(ids), instant_of(now))

    def advance(self, now: SupportsFloat, work_limit: SupportsIndex | None = None) -> Decision:
        """Apply the records up to `now`, instant by instant, and decide at `now`.

        Parameters
        ----------
        now : float
            Never before the last `advance`. Records at later instants stay pending.
        work_limit : int, optional
            At most so many elementary steps in the expensive part of each decision, of policies that count them: a
            decision that would take more is found in a cheaper way, or puts the rest off until the next one, for which
            `next_wakeup` is `now` then. `Decision.shortened` says so. Steps are counted, not timed, so the same calls
            decide the same on every machine. None: no limit.

        Returns
        -------
        Decision
            All starts, each with its own time, which precedes `now` where an earlier instant was applied; the plan and
            the next wake-up as of `now`. It is what calls at every recorded instant, at every wake-up that these would
            name, and at `now` would have decided. Wake-ups that earlier decisions named and that were let pass are
            served late: at the first recorded instant, or at `now`.

        Raises
        ------
        InvalidInstanceError
            `now` has passed.
        SchedcoreError, KeyboardInterrupt
            The decision failed or was interrupted. The scheduler is as it was before the call, records pending; the
            same call decides what it would have decided. Only where `n_advances` has grown, the interrupt came after
            the decision, and `last_decision` is the answer.
        """
        return self._decision(*self._core.advance(instant_of(now), checked_limit("work_limit", work_limit)))

    def event(
        self,
        now: SupportsFloat,
        *,
        completed: ArrayLike = (),
        failed: ArrayLike = (),
        repaired: ArrayLike = (),
        cancelled: ArrayLike = (),
        submitted: Jobs | ParallelTaskInstance | None = None,
        ids: ArrayLike | None = None,
        work_limit: SupportsIndex | None = None,
    ) -> Decision:
        """Record what happened at `now` and decide, as one call: where anything is refused or raises, nothing happened.

        It is `repair_machines`, `complete`, `fail_machines`, `cancel`, `submit` and `advance`, with what they say of
        errors and of records that are pending from before.

        Parameters
        ----------
        now : float
        completed, cancelled : (n,) array_like of int
            Ids of jobs.
        failed, repaired : (n,) array_like of int
            Indices of machines.
        submitted : Jobs or ParallelTaskInstance, optional
            What arrives.
        ids : (n_jobs,) or (n_tasks,) int64, optional
            Of what arrives, as in `submit`.
        work_limit : int, optional
            As of `advance`.

        Returns
        -------
        Decision
            Of `advance`; ``submitted`` are the ids of what arrived.
        """
        instant = instant_of(now)
        limit = checked_limit("work_limit", work_limit)
        if submitted is None:
            if ids is not None:
                raise InvalidInstanceError("ids are given, but nothing is submitted")
            return self._event(instant, completed, failed, repaired, cancelled, Submission(), limit)
        with self._submission(submitted, ids, instant) as submission:
            decision = self._event(instant, completed, failed, repaired, cancelled, submission, limit)
        self._note_users(submitted, decision.submitted)
        return decision

    def _event(
        self,
        instant: float,
        completed: ArrayLike,
        failed: ArrayLike,
        repaired: ArrayLike,
        cancelled: ArrayLike,
        submission: Submission,
        work_limit: int,
    ) -> Decision:
        answer = self._core.event(
            id_array(completed, called="completed"),
            id_array(failed, called="failed"),
            id_array(repaired, called="repaired"),
            id_array(cancelled, called="cancelled"),
            instant,
            jobs=submission.jobs,
            tasks=submission.tasks,
            ids=submission.ids,
            work_limit=work_limit,
        )
        return self._decision(*answer)

    def jobs(self, state: str | None = None) -> JobStates:
        """Return the jobs that are "waiting", "held" or "running" as of the last `advance`, or all of them; by id.

        Costs a look at every job that is alive, and sorting.
        """
        if state is not None:
            check_choice("state", state, JOB_STATES)
        return job_states(self._core.jobs(state))

    def machine_state(self) -> MachineStates:
        """Return how the machines stand as of the last `advance`: what is used and free, what is up; by index.

        Costs a look at every machine and every job that is alive.
        """
        return machine_states(self._core.machine_state())

    def _repr_html_(self) -> str:
        """What a notebook shows: time, jobs, and how much of each resource is free, as of the last `advance`.

        A question like `machine_state`, and as expensive: it changes nothing.
        """
        states = self.machine_state()
        kinds, counts = np.unique(states.state, return_counts=True)
        machines = ", ".join(f"{count:,} {kind}" for kind, count in zip(kinds, counts, strict=True))
        recorded = self.recorded_instant
        pairs = [
            ("now", readable_time(self.now)),
            ("recorded, not applied", "" if recorded is None else f"from {readable_time(recorded)} on"),
            ("jobs", f"{self.n_running:,} running, {self.n_waiting:,} waiting"),
            ("machines", machines or "none"),
        ]
        names = self._machines.resource_names
        amounts = table_of_amounts(names, states.free, states.used, states.reserved, states.capacity)
        return panel(f"OnlineScheduler with {self._policy}", facts(pairs), amounts)

    def _decision(
        self,
        starts: _Columns,
        plan: _Columns,
        next_wakeup: float,
        killed: NDArray[np.int64],
        broken: _Broken,
        submitted: NDArray[np.int64],
        shortened: tuple[str, ...],
        preempted: NDArray[np.int64],
        left: NDArray[np.int64],
    ) -> Decision:
        return Decision(
            self._placements(*starts),
            self._placements(*plan),
            next_wakeup,
            killed=killed,
            broken=BrokenPromises(*broken[:3], _CAUSES[broken[3]]),
            submitted=submitted,
            shortened=shortened,
            preempted=preempted,
            left=left,
        )

    def _placements(
        self,
        ids: NDArray[np.int64],
        machines: NDArray[np.int64],
        start_times: NDArray[np.float64],
        tasks: _Tasks | None,
    ) -> Placements:
        allocation = None
        if tasks is not None:
            allocation = TaskPlacements(*tasks)
        return Placements(ids, machines, start_times, allocation)

    def __repr__(self) -> str:
        return (
            f"OnlineScheduler({self._policy!r}, now={self.now:g}, {self.n_running} running, {self.n_waiting} waiting, "
            f"{self._machines!r})"
        )
