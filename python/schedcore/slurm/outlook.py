"""What comes from the present state of a cluster on: a scheduler that goes on from it."""

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from schedcore import registry
from schedcore.engine.forecasts import Forecast
from schedcore.engine.online import OnlineScheduler
from schedcore.errors import UnsupportedError
from schedcore.model import Jobs, Partition, Site
from schedcore.model.arrays import BoolArray, FloatArray, IntArray

from .state import SlurmState

__all__ = [
    "ForecastPolicy",
    "Outlook",
    "above_limits",
    "begins_later",
    "forecast_policy",
    "inside_reservations",
]

#: What `easy` understands of the settings of a site.
_SETTINGS = ("queue_depth", "window", "resolution")


@dataclasses.dataclass(frozen=True)
class ForecastPolicy:
    """The policy that forecasts play.

    Parameters
    ----------
    name : str
    options : mapping of str
    """

    name: str
    options: Mapping[str, Any]

    @property
    def called(self) -> str:
        """As the command line writes it."""
        return self.name + "".join(
            f"{',' if index else ':'}{option}={value}"
            for index, (option, value) in enumerate(self.options.items())
        )


def forecast_policy(
    state: SlurmState, policy: str | None = None, options: Mapping[str, Any] | None = None
) -> ForecastPolicy:
    """Return the policy of forecasts: the one that is asked for, or the one that stands for the site.

    Depth, window and resolution are those of the site unless options say something else.

    Notes
    -----
    A plan of whole nodes that is made anew every few seconds is what Slurm shows, and rarely what happens: whoever fits
    beside it starts. Played for thousands of jobs it takes minutes. ``easy`` in the order of the site stands for it,
    with its `queue_depth`, `window` and `resolution`.
    """
    site = state.site
    if policy is not None:
        known = {option.name for option in registry.get(policy).options}
        own = {name: site.options[name] for name in _SETTINGS if name in site.options and name in known}
        return ForecastPolicy(policy, own | dict(options or {}))
    if options:
        raise UnsupportedError(f"options are given without a policy: {', '.join(options)}")
    if site.policy == "fcfs":
        return ForecastPolicy("fcfs", {})
    return ForecastPolicy("easy", {name: site.options[name] for name in _SETTINGS if name in site.options})


class Outlook:
    """What comes from the present state on, under a policy.

    The jobs that run hold what they hold, node by node. Who waits in Slurm waits here. Jobs that are held there, or
    name a reservation, are held; jobs that are to begin later are held until then. Nodes of reservations are out of
    service for as long as these last.

    Parameters
    ----------
    state : SlurmState
    policy : ForecastPolicy
    change : callable, optional
        Records what is otherwise than in the state, before anything is decided.
    held : (n_jobs,) bool, optional
        Which waiting jobs are held. Default: as in the state.
    """

    def __init__(
        self,
        state: SlurmState,
        policy: ForecastPolicy,
        change: Callable[[OnlineScheduler], None] | None = None,
        held: BoolArray | None = None,
    ) -> None:
        registry.get(policy.name)
        scheduler = OnlineScheduler(
            policy.name, state.machines, site=_rules(state, policy), infeasible="wait", **policy.options
        )
        now, running, waiting = state.now, state.occupancy, state.waiting
        if len(state.down):
            scheduler.fail_machines(state.down, now)
        if len(state.closed):
            scheduler.close(state.closed, now)
        for machine, start, end in _out_of_service(state):
            scheduler.announce_outage(machine, start, end, now)
        scheduler.adopt(running.jobs, running.machine, running.start_time, now)
        scheduler.submit(waiting.jobs, now)
        held = waiting.held if held is None else held
        never = held | inside_reservations(state) | above_limits(state) | depends_otherwise(state)
        scheduler.hold(waiting.jobs.id[never | begins_later(state)], now)
        if change is not None:
            change(scheduler)
        self._now = now
        self._begun = scheduler.advance(now).starts.id
        self.scheduler = scheduler.copy()
        _record_begins(scheduler, state, begins_later(state) & ~never)
        self._with_begins = scheduler

    #: As it stands now; it has decided at the instant of the state.
    scheduler: OnlineScheduler

    def stays(self, ids: IntArray) -> BoolArray:
        """Whether each job waits on; others fit at once, though Slurm has not started them yet."""
        return ~np.isin(ids, self._begun)

    def expected(self, ids: IntArray) -> FloatArray:
        """Return the starts of waiting jobs if every run takes its limit, and nobody comes or goes; inf for never."""
        stays = self.stays(ids)
        return self._filled(stays, self._with_begins.estimate_start(ids[stays], releases=True))

    def forecast(
        self, ids: IntArray, history: Jobs, n_samples: int, seed: int, *, arrivals: bool
    ) -> Forecast:
        """Return by when they start as history lets expect."""
        stays = self.stays(ids)
        found = self._with_begins.forecast(ids[stays], history, n_samples, seed, arrivals, releases=True)
        q50, q90, q95 = (self._filled(stays, column) for column in (found.q50, found.q90, found.q95))
        return Forecast(ids, q50, q90, q95, found.n_samples)

    def _filled(self, stays: BoolArray, instants: FloatArray) -> FloatArray:
        filled = np.full(len(stays), self._now)
        filled[stays] = instants
        return filled


def _record_begins(scheduler: OnlineScheduler, state: SlurmState, which: BoolArray) -> None:
    """Record that jobs are released when they are to begin; the scheduler takes no other records before these."""
    known = set(scheduler.jobs("held").id.tolist())
    jobs = state.waiting.jobs
    rows = np.array(
        [row for row in np.flatnonzero(which).tolist() if int(jobs.id[row]) in known], dtype=np.int64
    )
    for instant in np.unique(jobs.release_time[rows]).tolist():
        scheduler.release(jobs.id[rows[jobs.release_time[rows] == instant]], instant)


def begins_later(state: SlurmState) -> BoolArray:
    """Which waiting jobs are to begin after the instant of the state."""
    later: BoolArray = state.waiting.jobs.release_time > state.now
    return later


def inside_reservations(state: SlurmState) -> BoolArray:
    """Which waiting jobs name a reservation."""
    return np.array([bool(name) for name in state.waiting.reservation], dtype=np.bool_)


def depends_otherwise(state: SlurmState) -> BoolArray:
    """Which waiting jobs depend on something that is not modelled and that Slurm does not see fulfilled."""
    jobs = state.waiting.jobs
    awaits = np.zeros(jobs.n_jobs, dtype=np.bool_)
    for lists in (jobs.after_ok, jobs.after_any, jobs.after_not_ok):
        awaits |= np.array([len(each) > 0 for each in lists], dtype=np.bool_)
    told = np.array([reason.startswith("Dependency") for reason in state.waiting.reason], dtype=np.bool_)
    depends: BoolArray = told & ~awaits
    return depends


def above_limits(state: SlurmState) -> BoolArray:
    """Which waiting jobs ask for more time or nodes than their partition allows; Slurm lets them wait in vain."""
    jobs = state.waiting.jobs
    above = np.zeros(jobs.n_jobs, dtype=np.bool_)
    for partition in state.rules.partitions:
        own = jobs.partition == partition.name
        if partition.max_time is not None:
            above |= own & (jobs.estimated_processing_time > partition.max_time)
        if partition.max_tasks is not None:
            above |= own & (jobs.n_tasks > partition.max_tasks)
    return above


def _rules(state: SlurmState, policy: ForecastPolicy) -> Site:
    """Return the rules of the state, but for what holds at submission alone: running jobs may be above it."""
    rules = state.rules
    partitions = [
        Partition(each.name, each.constraint, tier=each.tier, factor=each.factor) for each in rules.partitions
    ]
    order = "arrival" if policy.name == "pq" else rules.order  # pq has an order of its own
    return Site(order, partitions, rules.service_classes, rules.limits, preempt=rules.preempt)


def _out_of_service(state: SlurmState) -> list[tuple[int, float, float]]:
    nodes = {node.name: (machine, node) for machine, node in enumerate(state.site.nodes)}
    rows = []
    for each in state.reservations:
        own = [nodes[host] for host in each.nodes]
        n_cores = sum(node.cpus // node.threads_per_core for _, node in own)
        is_of_whole_nodes = each.is_maintenance or each.cores is None or each.cores >= n_cores
        if each.end_time > state.now and is_of_whole_nodes:
            rows += [(machine, max(each.start_time, state.now), each.end_time) for machine, _ in own]
    return rows
