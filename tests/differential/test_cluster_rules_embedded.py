"""The embedded cluster reference under the rules of a site: as simulated, and where simulations do not reach."""

from math import inf
from typing import Any

import pytest

from differential.cluster_cases import RULED_SETTINGS, SELECTING_SETTINGS, Setting, name_of, sites_for
from differential.cluster_replay import Replay
from example_shares import n_or_more
from reference.cluster_embedded import Decision, EmbeddedCluster
from reference.cluster_explanations import Why, explain
from reference.cluster_instance import ClusterInstance, ClusterJob, ClusterMachine, Down
from reference.cluster_simulation import run
from reference.cluster_site import Limit, Multifactor, Partition, ServiceClass, Site
from reference.cluster_site_random import without_absent
from reference.cluster_state import RunRecord

ONE = (ClusterMachine((4,)),)
HERE = ((0, 1),)
CLASSES = (ServiceClass("urgent", level=1), ServiceClass("scavenger", preemptible=True))


def job(demand: int, length: float, **columns: Any) -> ClusterJob:
    return ClusterJob(0, length, (demand,), length, **columns)


def every(settings: list[Setting]) -> Any:
    return pytest.mark.parametrize("setting", settings, ids=name_of)


# As simulated


@every(RULED_SETTINGS)
def test_embedded_decisions_are_the_simulated_ones(setting: Setting) -> None:
    policy, options = setting
    n_instances = 25 if setting in SELECTING_SETTINGS else 40
    for drawn, site in sites_for(setting, n_instances, first=20000, forward=False):
        instance = without_absent(drawn, site)
        simulated = run(instance, policy, site=site, infeasible="drop", **options)
        replay = Replay(instance, setting, site=site)
        assert replay.run() == simulated.runs
        assert all(replay.plans.get(p.time, p.plan) == p.plan for p in simulated.passes)
        state = replay.scheduler.state
        ended = {j: o for j, o in enumerate(simulated.outcome) if j in state.jobs}
        assert {j: state.outcome.get(j, "waiting") for j in ended} == ended
        assert sorted(replay.left) == [j for j, outcome in ended.items() if outcome == "never"]
        assert sorted(replay.preempted) == sorted(
            (r.job, r.end)
            for r in simulated.runs
            if r.outcome == "killed" and not is_failure(instance, r.end, {m for m, _ in r.allocation})
        )


def is_failure(instance: ClusterInstance, time: float, machines: set[int]) -> bool:
    return any(f.start == time and f.machine in machines for f in instance.failures)


class Questioned(Replay):
    """Asks after every decision why jobs wait, and until when."""

    def run(self) -> list[RunRecord]:
        self.told: list[Why] = []
        self.advance = self.scheduler.advance
        self.scheduler.advance = self.decide  # type: ignore[method-assign]
        return super().run()

    def decide(self, now: float) -> Decision:
        decision = self.advance(now)
        told, starts = explain(self.scheduler), self.scheduler.estimate_start()
        assert set(told) == set(starts) == self.scheduler.state.waiting
        assert all(start > now for start in starts.values())
        assert all((why.before is None) or (why.before > 0) == bool(why.jobs) for why in told.values())
        self.told += told.values()
        return decision


@every([s for s in RULED_SETTINGS if s not in SELECTING_SETTINGS])
def test_every_waiting_job_is_told_a_reason_and_a_start(setting: Setting) -> None:
    reasons = set()
    for drawn, site in sites_for(setting, n_or_more(9), first=21000, forward=False):
        replay = Questioned(without_absent(drawn, site), setting, site=site)
        replay.run()
        reasons |= {why.reason for why in replay.told}
    assert {"dependency", "limit", "resources"} <= reasons


# Dependencies


def test_jobs_wait_for_such_as_were_submitted_before_or_with_them() -> None:
    scheduler = EmbeddedCluster("first_fit", ONE)
    scheduler.submit({0: job(4, 2), 1: job(1, 1, after_ok=(0,))}, 0)
    assert scheduler.advance(0).starts == [(0, 0, HERE)]
    assert explain(scheduler) == {1: Why("dependency", jobs=[0])}
    scheduler.complete([0], 2)
    scheduler.submit({2: job(1, 1, after_any=(0, 1)), 3: job(1, 1, after_not_ok=(0,))}, 2)
    decision = scheduler.advance(2)
    assert decision.starts == [(1, 2, HERE)]
    assert decision.left == [3]
    assert explain(scheduler) == {2: Why("dependency", jobs=[1])}
    scheduler.complete([1], 3)
    assert scheduler.advance(3).starts == [(2, 3, HERE)]


@pytest.mark.parametrize(
    "jobs",
    [
        {1: job(1, 1, after_ok=(2,))},
        {1: job(1, 1, after_ok=(1,))},
        {1: job(1, 1, after_any=(2,)), 2: job(1, 1, after_not_ok=(1,))},
    ],
)
def test_unknown_jobs_and_circles_are_refused(jobs: dict[int, ClusterJob]) -> None:
    scheduler = EmbeddedCluster("fcfs", ONE)
    with pytest.raises(ValueError, match="job"):
        scheduler.submit(jobs, 0)


def test_a_requeued_job_has_not_ended_and_one_that_leaves_takes_others_with_it() -> None:
    scheduler = EmbeddedCluster("easy", ONE)
    scheduler.submit({0: job(4, 9), 1: job(1, 1, after_any=(0,))}, 0)
    scheduler.advance(0)
    scheduler.submit(
        {2: job(1, 1, after_ok=(1,)), 3: job(1, 1, after_ok=(2,)), 4: job(1, 1, after_any=(3,))}, 1
    )
    scheduler.requeue([0], 1)
    assert scheduler.advance(1).starts == [(0, 1, HERE)]
    scheduler.hold([2], 2)
    scheduler.cancel([1], 2)
    decision = scheduler.advance(2)
    assert decision.left == [2, 3]
    assert decision.starts == []
    assert set(explain(scheduler)) == {4}
    scheduler.complete([0], 10)
    assert scheduler.advance(10).starts == [(4, 10, HERE)]


def test_a_job_that_is_cancelled_when_it_is_submitted_never_arrives_and_has_ended() -> None:
    scheduler = EmbeddedCluster("fcfs", ONE)
    scheduler.submit({0: job(4, 2), 1: job(1, 1, after_not_ok=(0,)), 2: job(1, 1, after_ok=(0,))}, 0)
    scheduler.cancel([0], 0)
    decision = scheduler.advance(0)
    assert decision.starts == [(1, 0, HERE)]
    assert decision.left == [2]


def test_a_hold_is_told_before_a_dependency_and_nobody_is_woken_for_either() -> None:
    scheduler = EmbeddedCluster("conservative", ONE)
    scheduler.announce_outage(0, 20, 25, 0)
    scheduler.submit({0: job(4, 2), 1: job(1, 1, after_ok=(0,))}, 0)
    scheduler.hold([1], 0)
    assert scheduler.advance(0).next_wakeup == inf
    assert explain(scheduler) == {1: Why("held")}
    scheduler.release([1], 1)
    assert scheduler.advance(1).next_wakeup == inf
    assert explain(scheduler) == {1: Why("dependency", jobs=[0])}
    assert scheduler.estimate_start() == {1: 2}


# Limits


def test_the_first_limit_that_holds_is_told_and_others_come_before_only_if_none_holds_them() -> None:
    limits = (Limit("account", "jobs", 9), Limit("user=ann", 0, 2), Limit("user", "jobs", 1))
    scheduler = EmbeddedCluster("fcfs", ONE, site=Site(limits=limits))
    scheduler.submit(
        {0: job(2, 9, user="ann"), 1: job(1, 1, user="ann"), 2: job(3, 1), 3: job(1, 1), 4: job(1, 1)}, 0
    )
    assert scheduler.advance(0).starts == [(0, 0, HERE)]
    told = explain(scheduler)
    assert told[1] == Why("limit", limit=1)
    assert told[2].reason == "resources"
    assert told[3] == Why("order", jobs=[2], before=1)
    assert told[4] == Why("order", jobs=[2], before=2)


def test_a_reservation_of_whom_a_limit_holds_stays_until_it_is_due() -> None:
    scheduler = EmbeddedCluster("conservative", ONE, site=Site(limits=(Limit("user", "jobs", 1),)))
    scheduler.submit({0: job(3, 6), 1: job(4, 2, user="ann")}, 0)
    assert scheduler.advance(0).plan == [(1, 6, HERE)]
    scheduler.submit({2: job(1, 4, user="ann")}, 1)
    assert scheduler.advance(1).starts == [(2, 1, HERE)]
    # 0 ends early, and compression does not touch 1, which would fit at 5 when 2 has ended
    scheduler.complete([0], 3)
    assert scheduler.advance(3).plan == [(1, 6, HERE)]
    assert explain(scheduler) == {1: Why("limit", limit=0)}
    # 2 is late: the reservation is due at 6, and given up
    decision = scheduler.advance(6)
    assert decision.plan == []
    assert decision.starts == []
    scheduler.complete([2], 7)
    assert scheduler.advance(7).starts == [(1, 7, HERE)]


# Preemption


@pytest.mark.parametrize("policy", ["fcfs", "first_fit", "easy", "pq"])
def test_who_is_preempted_is_told_and_waits_again(policy: str) -> None:
    scheduler = EmbeddedCluster(policy, ONE, site=Site(service_classes=CLASSES, preempt="requeue"))
    scheduler.submit({0: job(1, 9, service_class="scavenger"), 1: job(3, 9, service_class="scavenger")}, 0)
    scheduler.advance(0)
    scheduler.submit({2: job(2, 3, service_class="urgent")}, 4)
    decision = scheduler.advance(4)
    assert decision.preempted == [1]
    assert decision.starts == [(2, 4, HERE)]
    told = explain(scheduler)[1]
    assert (told.reason, told.time, told.shortage) == ("resources", 7, [2])
    assert scheduler.estimate_start() == {1: 7}
    scheduler.complete([2], 7)
    decision = scheduler.advance(7)
    assert decision.preempted == []
    assert decision.starts == [(1, 7, HERE)]


def test_what_a_preemption_drops_counts_for_others_from_the_next_event_on() -> None:
    scheduler = EmbeddedCluster("first_fit", ONE, site=Site(service_classes=CLASSES, preempt="drop"))
    scheduler.submit({0: job(4, 9, service_class="scavenger"), 1: job(1, 1, after_not_ok=(0,))}, 0)
    scheduler.advance(0)
    scheduler.submit({2: job(3, 5, service_class="urgent")}, 2)
    decision = scheduler.advance(2)
    assert decision.preempted == [0]
    assert decision.starts == [(2, 2, HERE)]
    assert explain(scheduler) == {1: Why("dependency", jobs=[0])}
    assert scheduler.advance(3).starts == [(1, 3, HERE)]


def test_the_protected_head_keeps_its_reservation_when_others_preempt() -> None:
    site = Site(service_classes=CLASSES, preempt="requeue")
    scheduler = EmbeddedCluster("easy", ONE, site=site)
    scheduler.submit({0: job(3, 10, service_class="scavenger"), 1: job(1, 20)}, 0)
    scheduler.advance(0)
    scheduler.submit(
        {2: job(2, 4), 3: job(3, 8, service_class="urgent"), 4: job(3, 7, service_class="urgent")}, 2
    )
    decision = scheduler.advance(2)
    # 3 would end at 10, when the head starts, and so would the one that it preempts
    assert decision.preempted == [0]
    assert decision.starts == [(3, 2, HERE)]
    assert decision.plan == [(2, 10, HERE)]


# Order


def test_priorities_stand_still_between_two_instants_of_the_grid() -> None:
    factors = Multifactor(fair_share=10, job=1, half_life=inf, interval=10)
    scheduler = EmbeddedCluster("fcfs", ONE, site=Site(order=factors))
    scheduler.submit({0: job(4, 5, account="art")}, 0)
    scheduler.advance(0)
    scheduler.submit({1: job(4, 3, account="art", priority=1), 2: job(4, 4, account="physics")}, 4)
    scheduler.advance(4)
    scheduler.complete([0], 5)
    # what has been used counts from 10 on
    assert scheduler.advance(5).starts == [(1, 5, HERE)]
    scheduler.submit({3: job(4, 1, account="art", priority=1), 4: job(4, 2, account="physics")}, 6)
    scheduler.complete([1], 11)
    assert scheduler.advance(11).starts == [(2, 11, HERE)]


def test_tiers_come_before_keys_also_for_the_priority_queue() -> None:
    site = Site(partitions=(Partition("fast", tier=1), Partition("slow", tier=-1)))
    scheduler = EmbeddedCluster("pq", ONE, site=site, heuristic="sjf")
    scheduler.submit({0: job(4, 1, partition="slow"), 1: job(4, 3), 2: job(4, 5, partition="fast")}, 0)
    assert scheduler.advance(0).starts == [(2, 0, HERE)]
    told = explain(scheduler)
    assert (told[1].reason, told[0].reason) == ("resources", "resources")
    scheduler.complete([2], 5)
    assert scheduler.advance(5).starts == [(1, 5, HERE)]


@pytest.mark.parametrize(
    "row",
    [
        job(1, 6, partition="short"),
        job(1, 1, partition="short", n_tasks=3),
        job(1, 1, user="ann", n_tasks=4),
        job(1, 1, partition="long"),
    ],
)
def test_what_a_rule_forbids_is_refused_also_where_jobs_may_wait_for_machines(row: ClusterJob) -> None:
    site = Site(
        partitions=(Partition("short", max_time=5, max_tasks=2),), limits=(Limit("user", "tasks", 3),)
    )
    for infeasible in ("refuse", "wait"):
        scheduler = EmbeddedCluster("fcfs", ONE, site=site, infeasible=infeasible)
        with pytest.raises(ValueError, match=r"never|partition"):
            scheduler.submit({0: row}, 0)


def test_an_outage_is_told_of_the_machines_of_the_partition() -> None:
    machines = (ClusterMachine((1,), labels=frozenset({"a"})), ClusterMachine((1,)))
    scheduler = EmbeddedCluster("fcfs", machines, site=Site(partitions=(Partition("p", constraint="a"),)))
    for outage in (Down(0, 0, 5), Down(1, 0, 3)):
        scheduler.announce_outage(outage.machine, outage.start, outage.end, 0)
    scheduler.submit({0: job(1, 1, partition="p")}, 0)
    assert scheduler.advance(0).starts == []
    assert explain(scheduler) == {0: Why("outage", machines=[0])}
