"""Rules hold for the embedded reference whatever is recorded: late and early ends, failures, holds, outages."""

from random import Random
from typing import Any

import pytest

from differential.cluster_cases import GANG_SETTINGS, KNOBBED_SETTINGS, Setting, name_of, sites_for
from example_shares import n_or_more
from reference.cluster_dependencies import named_by
from reference.cluster_embedded import Decision, EmbeddedCluster
from reference.cluster_explanations import explain
from reference.cluster_instance import ClusterInstance
from reference.cluster_site import Site


class Disturbed:
    """Random records about random jobs and machines, and what has to hold after every decision."""

    def __init__(self, seed: int, instance: ClusterInstance, site: Site, setting: Setting) -> None:
        policy, options = setting
        self.draw = Random(seed)
        self.site = site
        self.scheduler = EmbeddedCluster(
            policy, instance.machines, site=site, killed=instance.killed, **options
        )
        self.rows = {j: row for j, row in enumerate(instance.jobs) if self.scheduler.may_wait(row)}
        self.to_come = sorted(self.rows, key=lambda j: (instance.jobs[j].release_time, j))
        self.now = 0.0
        self.n_preempted = 0
        self.n_left = 0

    def run(self, n_steps: int) -> None:
        for _ in range(n_steps):
            self.now += self.draw.choice([0, 1, 1, 2, 3])
            self.submit(self.draw.randint(0, 3))
            self.record()
            if self.draw.random() < 0.8:
                self.check(self.scheduler.advance(self.now))

    def submit(self, n: int) -> None:
        """Of the next jobs those that name only such as are submitted before or with them."""
        batch, self.to_come = self.to_come[:n], self.to_come[n:]
        before = {*self.scheduler.state.jobs}
        before |= {j for records in self.scheduler.pending.values() for j in records.submitted}
        while unknown := [j for j in batch if not named_by(self.rows[j]) <= {*before, *batch}]:
            batch = [j for j in batch if j not in unknown]
        self.scheduler.submit({j: self.rows[j] for j in batch}, self.now)

    def record(self) -> None:
        scheduler, state, now = self.scheduler, self.scheduler.state, self.now
        scheduler.complete(self.some(state.running, 0.3), now)
        scheduler.requeue(self.some(state.running, 0.04), now)
        scheduler.cancel(self.some({*state.running, *state.waiting}, 0.04), now)
        scheduler.hold(self.some(state.waiting, 0.06), now)
        scheduler.release(self.some(state.on_hold, 0.4), now)
        scheduler.fail_machines(self.some(range(len(state.machines)), 0.04), now)
        scheduler.repair_machines(self.some(range(len(state.machines)), 0.3), now)
        for job in self.some(state.running, 0.05):
            scheduler.update([job], now, remaining_time=self.draw.randint(3, 9))
        if self.draw.random() < 0.05:
            scheduler.announce_outage(0, now + 2, now + self.draw.randint(3, 9), now)

    def some(self, of: Any, share: float) -> list[int]:
        return [each for each in sorted(of) if self.draw.random() < share]

    def check(self, decision: Decision) -> None:
        state, site = self.scheduler.state, self.site
        running = [state.jobs[j] for j in state.running]
        for limit in site.limits:
            for whose in {limit.whose(row) for row in running} - {None}:
                assert sum(limit.amount(row) for row in running if limit.whose(row) == whose) <= limit.most
        for job in state.running:
            row = state.jobs[job]
            assert all(state.outcome[other] == "completed" for other in row.after_ok)
            assert all(state.outcome[other] != "completed" for other in row.after_not_ok)
            assert named_by(row) <= set(state.outcome)
        assert not set(state.reservations) & (state.kept_back | state.on_hold)
        assert all(state.outcome[job] == "never" for job in decision.left)
        assert all(site.class_of(state.jobs[job]).preemptible for job in decision.preempted)
        assert decision.next_wakeup > self.now
        assert set(explain(self.scheduler)) == set(self.scheduler.estimate_start()) == state.waiting
        self.n_preempted += len(decision.preempted)
        self.n_left += len(decision.left)


@pytest.mark.parametrize("setting", GANG_SETTINGS + KNOBBED_SETTINGS, ids=name_of)
def test_rules_hold_whatever_is_recorded(setting: Setting) -> None:
    n_left = n_preempted = 0
    for seed, (instance, site) in enumerate(sites_for(setting, n_or_more(15), first=30000, forward=False)):
        disturbed = Disturbed(seed, instance, site, setting)
        disturbed.run(25)
        n_left += disturbed.n_left
        n_preempted += disturbed.n_preempted
    assert n_left > 0
    assert (n_preempted > 0) == (site.preempt is not None)
