"""The event loop of clusters: what happens at an instant, in the order of the specification, then one pass.

``run`` is the specification as it stands. Every run of every job is recorded, and what became of each job.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from math import inf
from typing import Any

from reference.backfilling_cluster import PlaceRow, ShadowRow
from reference.cluster_dependencies import check_dependencies, named_by
from reference.cluster_instance import ClusterInstance, united
from reference.cluster_mris import Mris
from reference.cluster_policy_names import PLANS_WITH_LENGTHS, WITH_RULES, KnownAhead, Policy, policy_of
from reference.cluster_queue_policies import Easy
from reference.cluster_reservations import Reserving
from reference.cluster_site import NO_RULES, Site
from reference.cluster_state import CANCELLED, NEVER, WAITING, ClusterState, PlannedStart, RunRecord
from reference.mris import Iteration


@dataclass(frozen=True)
class Pass:
    """What held after a pass: who started, who waits, what is planned, when the policy wants to wake up."""

    time: float
    started: list[int]
    waiting: list[int]
    plan: list[PlannedStart]
    wakeup: float


@dataclass(frozen=True)
class ClusterRun:
    """All runs by (start, job); by job what became of it; the logs of policies that have them."""

    runs: list[RunRecord]
    outcome: list[str]
    shadow: list[ShadowRow] = field(default_factory=list)
    reservations: dict[int, list[PlaceRow]] = field(default_factory=dict)
    passes: list[Pass] = field(default_factory=list)
    iterations: list[Iteration] = field(default_factory=list)

    def last_run(self, job: int) -> RunRecord | None:
        return max((r for r in self.runs if r.job == job), key=lambda r: r.attempt, default=None)

    def last_runs(self) -> list[RunRecord | None]:
        return [self.last_run(job) for job in range(len(self.outcome))]

    def starts(self) -> list[float | None]:
        """By job the start of its last run."""
        return [None if run is None else run.start for run in self.last_runs()]

    def first_machines(self) -> list[int | None]:
        return [None if run is None else run.allocation[0][0] for run in self.last_runs()]


def run(
    instance: ClusterInstance,
    policy: str,
    *,
    site: Site = NO_RULES,
    infeasible: str = "refuse",
    **options: Any,
) -> ClusterRun:
    """Simulate; ``infeasible="drop"`` leaves out jobs that can never run, otherwise they are a ValueError."""
    return Simulation(instance, policy, infeasible, options, site).run()


class Simulation:
    """The events that are to come beside the state of the cluster."""

    def __init__(
        self,
        instance: ClusterInstance,
        policy: str,
        infeasible: str,
        options: dict[str, Any],
        site: Site = NO_RULES,
    ) -> None:
        instance = replace(instance, jobs=tuple(site.seen(row) for row in instance.jobs))
        self.instance = instance
        jobs = range(len(instance.jobs))
        check_dependencies(dict(enumerate(instance.jobs)))
        assert policy in WITH_RULES or not any(named_by(row) for row in instance.jobs)
        never = [j for j in jobs if not site.lets_run(instance.jobs[j], instance.machines)]
        if never and infeasible != "drop":
            raise ValueError(f"job {never[0]} can never run")
        self.state = ClusterState(
            instance.machines,
            instance.killed,
            site=site,
            knows_lengths=policy in PLANS_WITH_LENGTHS,
            resolution=options.get("resolution"),
        )
        self.state.outages = united(instance.outages)
        self.failures = united(instance.failures)
        self.state.outcome = dict.fromkeys(never, NEVER)
        self.to_come = {j for j in jobs if j not in never}
        # a scheduler knows the instance but not that somebody will cancel
        known = [instance.jobs[j] for j in sorted(self.to_come)]
        ahead = KnownAhead(
            max((job.release_time for job in known), default=0),
            min((job.processing_time for job in known), default=1),
        )
        self.policy: Policy = policy_of(policy, self.state, ahead, **options)
        for job, time in instance.cancellations.items():
            if job in self.to_come and time <= instance.jobs[job].release_time:
                self.to_come.remove(job)
                self.state.outcome[job] = CANCELLED
        self.passes: list[Pass] = []

    def run(self) -> ClusterRun:
        while (now := self.next_instant()) < inf:
            self.step(now)
        state = self.state
        for job in state.waiting:
            state.outcome[job] = WAITING
        return ClusterRun(
            runs=sorted(state.runs, key=lambda r: (r.start, r.job)),
            outcome=[state.outcome[j] for j in range(len(self.instance.jobs))],
            shadow=self.policy.shadows if isinstance(self.policy, Easy) else [],
            reservations=self.policy.log if isinstance(self.policy, Reserving) else {},
            passes=self.passes,
            iterations=self.policy.iterations if isinstance(self.policy, Mris) else [],
        )

    def next_instant(self) -> float:
        """The first instant after the last one at which something happens."""
        state = self.state
        instants = [
            *(self.instance.jobs[j].release_time for j in self.to_come),
            *(self.end_of(j) for j in state.running),
            *(x for failure in self.failures for x in (failure.start, failure.end)),
            *(outage.end for outage in state.outages),
            *self.cancellations(),
            self.policy.wakeup(),
        ]
        return min((x for x in instants if x > state.now), default=inf)

    def end_of(self, job: int) -> float:
        return self.state.running[job].start + self.state.length(job)

    def cancellations(self) -> Iterable[float]:
        """Of jobs that have arrived and not ended."""
        there = self.state.waiting | set(self.state.running)
        return (time for job, time in self.instance.cancellations.items() if job in there)

    def step(self, now: float) -> None:
        state = self.state
        state.begin(now)
        for failure in self.failures:  # 1: repaired machines; outages are over by themselves
            if failure.end == now:
                state.repair(failure.machine)
        for job in [j for j in state.running if self.end_of(j) == now]:  # 2
            state.complete(job)
        state.fail(failure.machine for failure in self.failures if failure.start == now)  # 3
        for job, time in self.instance.cancellations.items():  # 4
            if time == now:
                state.cancel(job)
        for job in sorted(j for j in self.to_come if self.instance.jobs[j].release_time == now):  # 5
            self.to_come.remove(job)
            state.submit(job, self.instance.jobs[job])
        state.settle()
        waiting = set(state.queue())
        self.policy.run_pass()  # 6
        assert all(run.planned_end >= self.end_of(j) > now for j, run in state.running.items())
        self.passes.append(
            Pass(
                now,
                sorted(waiting - state.waiting),
                state.queue(),
                self.policy.plan(),
                self.policy.wakeup(),
            )
        )
