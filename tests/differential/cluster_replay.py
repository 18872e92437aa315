"""A simulation told to the embedded reference: what happens, in shuffled calls, and a return when that wants one."""

from math import inf
from random import Random
from typing import Any

from differential.cluster_cases import Setting
from reference.cluster_embedded import EmbeddedCluster
from reference.cluster_instance import ClusterInstance, ClusterJob, united
from reference.cluster_placement import Allocation
from reference.cluster_policy_names import KnownAhead
from reference.cluster_site import NO_RULES, Site
from reference.cluster_state import RunRecord


class Replay:
    def __init__(
        self,
        instance: ClusterInstance,
        setting: Setting,
        duration: list[float] | None = None,
        *,
        site: Site = NO_RULES,
    ) -> None:
        policy, options = setting
        self.instance = instance
        self.duration = duration
        self.rows: dict[int, ClusterJob] = {
            j: row for j, row in enumerate(instance.jobs) if site.lets_run(site.seen(row), instance.machines)
        }
        known = KnownAhead(
            max((row.release_time for row in self.rows.values()), default=0),
            min((row.processing_time for row in self.rows.values()), default=1),
        )
        self.failures = united(instance.failures)
        self.scheduler = EmbeddedCluster(
            policy, instance.machines, site=site, killed=instance.killed, known=known, **options
        )
        self.to_come = {
            j for j, row in self.rows.items() if instance.cancellations.get(j, inf) > row.release_time
        }
        self.starts: list[tuple[int, float, Allocation]] = []
        self.plans: dict[float, Any] = {}
        self.preempted: list[tuple[int, float]] = []
        self.left: list[int] = []
        self.random = Random(len(self.rows))

    def run(self) -> list[RunRecord]:
        for outage in self.instance.outages:
            self.scheduler.announce_outage(outage.machine, outage.start, outage.end, 0)
        now, wakeup = 0.0, inf
        while now < inf:
            self.tell(now)
            decision = self.scheduler.advance(now)
            self.starts += decision.starts
            self.plans[now] = decision.plan
            self.preempted += [(job, now) for job in decision.preempted]
            self.left += decision.left
            wakeup = decision.next_wakeup
            assert wakeup > now
            now = min([wakeup, *(x for x in self.instants() if x > now)])
        return sorted(self.scheduler.state.runs, key=lambda r: (r.start, r.job))

    def end_of(self, job: int) -> float:
        state = self.scheduler.state
        length = state.length(job) if self.duration is None else self.duration[job]
        return state.running[job].start + length

    def instants(self) -> list[float]:
        state = self.scheduler.state
        there = state.waiting | set(state.running)
        return [
            *(self.rows[j].release_time for j in self.to_come),
            *(self.end_of(j) for j in state.running),
            *(x for failure in self.failures for x in (failure.start, failure.end)),
            *(t for j, t in self.instance.cancellations.items() if j in there),
        ]

    def tell(self, now: float) -> None:
        scheduler, state = self.scheduler, self.scheduler.state
        there = state.waiting | set(state.running)
        arriving = {j: self.rows[j] for j in self.to_come if self.rows[j].release_time == now}
        self.to_come -= set(arriving)
        completed = [j for j in state.running if self.end_of(j) == now]
        cancelled = [j for j, t in self.instance.cancellations.items() if t == now and j in there]
        calls = [
            lambda: scheduler.repair_machines([f.machine for f in self.failures if f.end == now], now),
            lambda: scheduler.fail_machines([f.machine for f in self.failures if f.start == now], now),
            lambda: scheduler.complete(completed, now),
            lambda: scheduler.cancel(cancelled, now),
            lambda: scheduler.submit(arriving, now),
        ]
        self.random.shuffle(calls)
        for call in calls:
            call()
