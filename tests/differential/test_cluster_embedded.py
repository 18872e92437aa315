"""The embedded cluster reference where simulations do not reach: holds, late jobs, outages that come as a surprise."""

from math import inf
from random import Random

import pytest

from differential.cluster_cases import ALL_SETTINGS, GANG_SETTINGS, Setting, instances_for, name_of
from example_shares import n_cases, n_or_more
from reference.cluster_embedded import EmbeddedCluster
from reference.cluster_instance import ClusterInstance, ClusterJob, ClusterMachine, Down
from reference.cluster_placement import amounts, can_ever_run
from reference.cluster_policy_names import KnownAhead
from reference.mris_opportunistic import mris_opportunistic
from reference.plain_instance import PlainInstance

PAIR = (ClusterMachine((2,)), ClusterMachine((2,)))


def job(demand: int, length: float, estimate: float | None = None, *, n_tasks: int = 1) -> ClusterJob:
    return ClusterJob(0, length, (demand,), length if estimate is None else estimate, n_tasks=n_tasks)


def conservative(**options: str) -> EmbeddedCluster:
    """Two jobs fill both machines until 5 and 8; one of both waits for 8, one for 5."""
    scheduler = EmbeddedCluster("conservative", PAIR, **options)
    scheduler.submit({0: job(2, 5), 1: job(2, 8), 2: job(1, 4, n_tasks=4), 3: job(2, 3)}, 0)
    decision = scheduler.advance(0)
    assert decision.starts == [(0, 0, ((0, 1),)), (1, 0, ((1, 1),))]
    assert decision.plan == [(3, 5, ((0, 1),)), (2, 8, ((0, 2), (1, 2)))]
    assert decision.next_wakeup == 5
    return scheduler


def test_a_hold_gives_the_reservation_back_and_a_release_makes_a_new_one() -> None:
    scheduler = conservative()
    scheduler.hold([3], 1)
    assert scheduler.advance(1).plan == [(2, 8, ((0, 2), (1, 2)))]
    scheduler.submit({4: job(1, 3)}, 2)
    assert scheduler.advance(2).plan == [(4, 5, ((0, 1),)), (2, 8, ((0, 2), (1, 2)))]
    scheduler.release([3], 3)
    # beside what the other has been promised since
    assert scheduler.advance(3).plan == [(4, 5, ((0, 1),)), (2, 8, ((0, 2), (1, 2))), (3, 12, ((0, 1),))]


def test_a_released_job_comes_before_those_that_arrived_later() -> None:
    scheduler = EmbeddedCluster("fcfs", PAIR[:1])
    scheduler.submit({0: job(2, 5), 1: job(2, 1)}, 0)
    scheduler.hold([1], 0)
    scheduler.advance(0)
    scheduler.submit({2: job(2, 1)}, 1)
    scheduler.release([1], 5)
    scheduler.complete([0], 5)
    assert scheduler.advance(5).starts == [(1, 5, ((0, 1),))]


def test_an_announced_outage_voids_the_reservations_that_it_meets() -> None:
    scheduler = conservative()
    scheduler.announce_outage(1, 9, 12, 2)
    decision = scheduler.advance(2)
    assert decision.plan == [(3, 5, ((0, 1),)), (2, 12, ((0, 2), (1, 2)))]
    assert decision.next_wakeup == 5


def test_a_job_that_runs_into_an_announced_outage_goes_on_and_leaves_nothing_free() -> None:
    scheduler = EmbeddedCluster("first_fit", PAIR[:1])
    scheduler.submit({0: job(1, 5)}, 0)
    scheduler.advance(0)
    scheduler.announce_outage(0, 2, 9, 1)
    scheduler.submit({1: job(1, 1), 2: job(1, 2)}, 1)
    decision = scheduler.advance(1)
    assert decision.starts == [(1, 1, ((0, 1),))]
    assert decision.next_wakeup == 9
    scheduler.complete([1], 2)
    scheduler.complete([0], 7)
    assert scheduler.advance(7).starts == []
    assert scheduler.advance(9).starts == [(2, 9, ((0, 1),))]


def test_a_late_job_voids_nothing_and_the_due_start_waits_with_its_allocation() -> None:
    scheduler = conservative()
    decision = scheduler.advance(5)  # job 0 runs on: by its estimate once more, until 10
    assert decision.starts == []
    assert decision.plan == [(3, 10, ((0, 1),)), (2, 13, ((0, 2), (1, 2)))]
    assert decision.next_wakeup == 8
    scheduler.complete([0], 6)
    assert scheduler.advance(6).starts == [(3, 6, ((0, 1),))]


def test_a_late_start_that_would_run_into_an_outage_waits_for_its_end() -> None:
    scheduler = conservative()
    scheduler.announce_outage(0, 20, 30, 1)
    scheduler.advance(1)
    scheduler.advance(5)
    scheduler.complete([1], 8)
    scheduler.complete([0], 18)
    decision = scheduler.advance(18)
    # job 3 would run [18, 21); it keeps its machine, although the other one is idle, until something is released
    assert decision.starts == []
    assert decision.plan == [(3, 30, ((0, 1),)), (2, 33, ((0, 2), (1, 2)))]
    assert decision.next_wakeup == 30
    assert scheduler.advance(30).starts == [(3, 30, ((0, 1),))]


def test_a_job_is_completed_before_its_machine_fails_whatever_the_order_of_the_calls() -> None:
    scheduler = conservative()
    assert scheduler.fail_machines([0, 1], 5) == [0, 1]
    scheduler.complete([0], 5)
    scheduler.advance(5)
    outcomes = {r.job: r.outcome for r in scheduler.state.runs}
    assert outcomes == {0: "completed", 1: "killed"}


@pytest.mark.parametrize(("killed", "waits"), [("requeue", {1, 2, 3}), ("drop", {2, 3})])
def test_a_requeued_job_is_treated_as_killed(killed: str, waits: set[int]) -> None:
    scheduler = conservative(killed=killed)
    scheduler.requeue([1], 2)
    scheduler.advance(2)
    # job 3 has the room that job 1 leaves: it holds a reservation, job 1 does not
    assert scheduler.state.waiting | {3} == waits
    assert 3 in scheduler.state.running


@pytest.mark.parametrize("setting", ALL_SETTINGS, ids=name_of)
def test_whatever_happens_nothing_starts_where_it_must_not(setting: Setting) -> None:
    policy, options = setting
    n_late = 0
    for seed, instance in enumerate(
        instances_for(setting, n_or_more(15), first=15000, incidents=True, outages=False)
    ):
        rows = {j: row for j, row in enumerate(instance.jobs) if can_ever_run(row, instance.machines)}
        known = KnownAhead(10, min((r.processing_time for r in rows.values()), default=1))
        scheduler = EmbeddedCluster(policy, instance.machines, killed=instance.killed, known=known, **options)
        play(scheduler, instance, rows, Random(seed))
        n_late += scheduler.state.n_overruns
    assert n_late > 0


def play(
    scheduler: EmbeddedCluster, instance: ClusterInstance, rows: dict[int, ClusterJob], random: Random
) -> None:
    """Something happens at every unit of time; starts are checked by an accounting of its own."""
    announced: list[Down] = []
    down: set[int] = set()
    on_hold: set[int] = set()
    machines = range(len(instance.machines))
    for now in range(40):
        state = scheduler.state
        running, waiting = sorted(state.running), sorted(state.waiting)
        scheduler.submit({j: r for j, r in rows.items() if min(r.release_time, 10) == now}, now)
        ended = [j for j in running if random.random() < (0.2 if now < 30 else 1)]
        scheduler.complete(ended, now)
        for m in machines:
            if m in down and random.random() < 0.3:
                scheduler.repair_machines([m], now)
                down.remove(m)
            elif random.random() < 0.05:
                scheduler.fail_machines([m], now)
                down.add(m)
        if random.random() < 0.1:
            start = now + random.randint(0, 5)
            end = inf if random.random() < 0.1 else start + random.randint(1, 6)
            announced.append(Down(random.choice(machines), start, end))
            scheduler.announce_outage(announced[-1].machine, start, end, now)
        others = [j for j in running if j not in ended]
        if others and random.random() < 0.15:
            scheduler.requeue([random.choice(others)], now)
        if running + waiting and random.random() < 0.1:
            scheduler.cancel([random.choice(running + waiting)], now)
        if waiting and random.random() < 0.2:
            on_hold.add(held := random.choice(waiting))
            scheduler.hold([held], now)
        elif on_hold and random.random() < 0.4:
            scheduler.release(on_hold, now)
            on_hold.clear()
        decision = scheduler.advance(now)
        for started, time, allocation in decision.starts:
            assert time == now
            assert started not in on_hold
            end = state.end_if_started(started, now)
            for m, _ in allocation:
                assert m not in down
                assert not any(o.machine == m and o.start < end and now < o.end for o in announced)
        for m in machines:
            taken = [
                amounts(rows[j], run.allocation, instance.machines).get(m) for j, run in state.running.items()
            ]
            held_there = [vector for vector in taken if vector is not None]
            for k, capacity in enumerate(instance.machines[m].capacity):
                assert sum(vector[k] for vector in held_there) <= capacity
        assert decision.next_wakeup > now
        assert all(start >= now for _, start, _ in decision.plan)


@pytest.mark.parametrize("setting", [s for s in GANG_SETTINGS if s[0] in ("fcfs", "easy", "pq")], ids=name_of)
def test_records_decided_in_one_call_are_decided_one_after_the_other(setting: Setting) -> None:
    policy, options = setting
    for instance in instances_for(setting, n_cases(18), first=16000, incidents=False, outages=False):
        rows = {j: row for j, row in enumerate(instance.jobs) if can_ever_run(row, instance.machines)}
        at_once = EmbeddedCluster(policy, instance.machines, **options)
        in_turn = EmbeddedCluster(policy, instance.machines, **options)
        starts = []
        for now in sorted({row.release_time for row in rows.values()}):
            arriving = {j: row for j, row in rows.items() if row.release_time == now}
            at_once.submit(arriving, now)
            in_turn.submit(arriving, now)
            starts += in_turn.advance(now).starts
        assert at_once.advance(20).starts == starts + in_turn.advance(20).starts


@pytest.mark.parametrize("patience", [0.0, 2.0])
@pytest.mark.parametrize("replan", [False, True])
def test_mris_of_jobs_that_end_early_is_that_of_the_reference(patience: float, replan: bool) -> None:
    setting: Setting = ("mris", {})
    off = {"labels": False, "weights": False, "outages": False, "incidents": False, "estimates": False}
    n_early = 0
    for seed, instance in enumerate(instances_for(setting, n_or_more(45), first=17000, **off)):
        random = Random(seed)
        jobs = instance.jobs
        duration = [float(max(1, j.processing_time - random.choice([0, 0, 1, 3]))) for j in jobs]
        plain = PlainInstance(
            [float(j.processing_time) for j in jobs],
            [float(j.weight) for j in jobs],
            [float(j.release_time) for j in jobs],
            [list(j.demand) for j in jobs],
            [list(m.capacity) for m in instance.machines],
        )
        expected, _ = mris_opportunistic(plain, patience=patience, replan=replan, duration=duration)
        scheduler = EmbeddedCluster(
            "mris",
            instance.machines,
            gamma0=min(plain.processing_time),
            opportunistic=patience > 0,
            replan=replan,
        )
        started = {}
        now: float = 0
        while now < inf:
            running = scheduler.state.running
            scheduler.submit({j: r for j, r in enumerate(jobs) if r.release_time == now}, now)
            scheduler.complete([j for j, run in running.items() if run.start + duration[j] == now], now)
            decision = scheduler.advance(now)
            started.update({j: (s, a[0][0]) for j, s, a in decision.starts})
            ends = [run.start + duration[j] for j, run in running.items()]
            arrivals = [j.release_time for j in jobs]
            now = min(x for x in [*ends, *arrivals, decision.next_wakeup, inf] if x > now)
        n_early += scheduler.state.ended_early
        assert started == dict(enumerate(zip(expected.start_time, expected.machine, strict=True)))
    assert n_early > 20
