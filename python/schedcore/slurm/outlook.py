"""What comes from the present state of a cluster on: a scheduler that goes on from it."""

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from schedcore import registry
from schedcore.engine.forecasts import Forecast
from schedcore.engine.online import OnlineScheduler
from schedcore.errors import UnsupportedError
from schedcore.model import Jobs, Machines, Partition, Site
from schedcore.model.arrays import BoolArray, FloatArray, IntArray
from schedcore.model.site_checks import forbidden_by

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
    with its `queue_depth`, `window` and `resolution`. Another policy has these of the site, too, as far as it takes
    them and they are not given.
    """
    site = state.site
    if policy is not None:
        known = {option.name for option in registry.get(policy).options}
        of_site = {name: site.options[name] for name in _SETTINGS if name in known and name in site.options}
        return ForecastPolicy(policy, {**of_site, **(options or {})})
    if options:
        raise UnsupportedError(f"options are given without a policy: {', '.join(options)}")
    if site.policy == "fcfs":
        return ForecastPolicy("fcfs", {})
    return ForecastPolicy("easy", {name: site.options[name] for name in _SETTINGS if name in site.options})


class Outlook:
    """What comes from the present state on, under a policy.

    The jobs that run hold what they hold, node by node, also those above a limit of their partition. Who waits in Slurm
    waits here. Jobs that are held there, name a reservation, are above a limit by themselves, or are kept back by what
    has no counterpart are held; jobs that are to begin later are held until then. Nodes of reservations are out of
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
        # The order of "pq" is its own.
        rules = _without_bounds(state.rules, "arrival" if policy.name == "pq" else "priority")
        scheduler = OnlineScheduler(
            policy.name, state.machines, site=rules, infeasible="wait", **policy.options
        )
        now, running, waiting = state.now, state.occupancy, state.waiting
        if len(state.down):
            scheduler.fail_machines(state.down, now)
        if len(state.closed):
            scheduler.close(state.closed, now)
        for machine, start, end in _out_of_service(state):
            scheduler.announce_outage(machine, start, end, now)
        adopted = _belonging_to_nobody(running.jobs, _forbidden(rules, running.jobs, state.machines))
        scheduler.adopt(adopted, running.machine, running.start_time, now)
        above = above_limits(state)
        scheduler.submit(_belonging_to_nobody(waiting.jobs, above), now)
        kept_back = (waiting.held if held is None else held) | inside_reservations(state) | above
        kept_back |= np.array([each is not None for each in waiting.kept_back], dtype=np.bool_)
        scheduler.hold(waiting.jobs.id[kept_back | begins_later(state)], now)
        if change is not None:
            change(scheduler)
        self._now = now
        self._begun = scheduler.advance(now).starts.id
        self.scheduler = scheduler.copy()
        _record_begins(scheduler, state, begins_later(state) & ~kept_back)
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


def _record_begins(scheduler: OnlineScheduler, state: SlurmState, begin: BoolArray) -> None:
    """Record that jobs are released when they are to begin; the scheduler takes no other records before these."""
    known = set(scheduler.jobs("held").id.tolist())
    jobs = state.waiting.jobs
    rows = np.flatnonzero(begin)
    rows = rows[[job in known for job in jobs.id[rows].tolist()]]
    for instant in np.unique(jobs.release_time[rows]).tolist():
        scheduler.release(jobs.id[rows[jobs.release_time[rows] == instant]], instant)


def above_limits(state: SlurmState) -> BoolArray:
    """Which waiting jobs are above a limit by themselves; unless EnforcePartLimits is set, Slurm lets them wait."""
    return _forbidden(state.rules, state.waiting.jobs, state.machines)


def _forbidden(rules: Site, jobs: Jobs, machines: Machines) -> BoolArray:
    forbidden = np.zeros(jobs.n_jobs, dtype=np.bool_)
    for mask, _ in forbidden_by(rules, jobs, machines):
        forbidden |= mask
    return forbidden


def _without_bounds(rules: Site, order: str) -> Site:
    """Return the rules without what partitions ask of a single job: a scheduler refuses whoever breaks that."""
    partitions = [
        Partition(each.name, each.constraint, tier=each.tier, factor=each.factor) for each in rules.partitions
    ]
    return Site(order, partitions, rules.service_classes, rules.limits, preempt=rules.preempt)


def _belonging_to_nobody(jobs: Jobs, which: BoolArray) -> Jobs:
    """Return the jobs, some of them outside all partitions and limits.

    A scheduler refuses jobs that are above a limit by themselves. Those that run hold their nodes all the same, and
    those that wait are held.
    """
    if not which.any():
        return jobs
    texts = {
        name: [None if gone else text for gone, text in zip(which, getattr(jobs, name), strict=True)]
        for name in ("user", "account", "partition", "service_class")
    }
    return jobs.replace(array=np.where(which, -1, jobs.array), **texts)


def begins_later(state: SlurmState) -> BoolArray:
    """Which waiting jobs are to begin after the instant of the state."""
    later: BoolArray = state.waiting.jobs.release_time > state.now
    return later


def inside_reservations(state: SlurmState) -> BoolArray:
    """Which waiting jobs name a reservation."""
    return np.array([bool(name) for name in state.waiting.reservation], dtype=np.bool_)


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
