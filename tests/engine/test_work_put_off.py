"""Conservative backfilling under a limit on the work of a decision: looks and searches are put off, promises are kept.

What is put off is asked for at once: the wake-up is now, and the next decision goes on where the last one stopped.
"""

import math
import pickle
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import schedcore
from engine.event_driver import Driver
from example_shares import examples
from schedcore import Decision, Instance, Jobs, Machines, OnlineScheduler
from strategies import instances

FORMS: dict[str, tuple[str, dict[str, Any]]] = {
    "conservative": ("conservative", {}),
    "fixpoint": ("conservative", {"compression": "fixpoint"}),
    "no compression": ("conservative", {"compression": "none"}),
    "resolution": ("conservative", {"resolution": 4}),
    "tenths": ("conservative", {"resolution": 0.1}),
    "window": ("conservative", {"window": 9}),
    "interval": ("conservative", {"interval": 3}),
    "depth": ("conservative", {"queue_depth": 5}),
    "selection": ("conservative", {"selection": "sb"}),
    "three protected": ("backfill", {"protected": 3}),
}
PUT_OFF = re.compile(r"(compression: \d+ reservations|reservations: \d+ jobs) put off")
#: Every decision makes one look, or one search.
LEAST = 1


def crowded(n_jobs: int = 60, n_machines: int = 3, seed: int = 0) -> Instance:
    rng = np.random.default_rng(seed)
    return Instance(
        jobs=Jobs(
            rng.integers(2, 30, n_jobs).astype(float),
            rng.integers(1, 40, (n_jobs, 2)),
            release_time=np.sort(rng.integers(0, 40, n_jobs)),
        ),
        machines=Machines.identical(n_machines, [64, 64]),
    )


def early(instance: Instance, seed: int = 1) -> list[float]:
    """Ends of runs, most of them before their estimates."""
    share = np.random.default_rng(seed).choice([0.25, 0.5, 0.75, 1.0], instance.n_jobs)
    return np.maximum(1.0, np.floor(instance.jobs.processing_time * share)).tolist()


def loaded(scheduler: OnlineScheduler) -> OnlineScheduler:
    return pickle.loads(pickle.dumps(scheduler))


def scheduler_of(form: str, machines: Machines, on_a_cluster: bool = False) -> OnlineScheduler:
    name, options = FORMS[form]
    scheduler = OnlineScheduler(name, machines, **options)
    if on_a_cluster:  # nothing has failed, but from then on the policy is that of clusters
        scheduler.repair_machines([0], 0)
    return scheduler


def drive(
    form: str,
    instance: Instance,
    work_limit: int | None,
    between: Any = lambda scheduler: scheduler,
    on_a_cluster: bool = False,
    lag: float = 0.0,
) -> Driver:
    scheduler = scheduler_of(form, instance.machines, on_a_cluster)
    return Driver(
        scheduler, instance, duration=early(instance), work_limit=work_limit, between=between, lag=lag
    ).run()


def put_off(driver: Driver) -> list[str]:
    return [text for _, decision in driver.decisions for text in decision.shortened]


def rows(decision: Decision) -> dict[int, tuple[float, int]]:
    return {int(row.id): (float(row.start_time), int(row.machine)) for row in decision.plan}


clusters = pytest.mark.parametrize("on_a_cluster", [False, True], ids=["", "cluster"])


@clusters
@pytest.mark.parametrize("form", FORMS)
def test_a_limit_that_suffices_changes_nothing(form: str, on_a_cluster: bool) -> None:
    instance = crowded()
    free = drive(form, instance, None, on_a_cluster=on_a_cluster)
    limited = drive(form, instance, 10**9, on_a_cluster=on_a_cluster)
    assert (limited.start_time, limited.machine) == (free.start_time, free.machine)
    assert put_off(free) == put_off(limited) == []


@clusters
@pytest.mark.parametrize("form", FORMS)
def test_decisions_with_the_least_limit_come_to_an_end_and_say_what_they_put_off(
    form: str, on_a_cluster: bool
) -> None:
    driver = drive(form, crowded(), LEAST, on_a_cluster=on_a_cluster)  # checks every start
    texts = put_off(driver)
    assert len(texts) > 20
    assert all(PUT_OFF.fullmatch(text) for text in texts)
    for now, decision in driver.decisions:
        assert (decision.next_wakeup == now) == bool(decision.shortened)
        assert len(decision.shortened) <= 1


@clusters
@pytest.mark.parametrize("form", ["conservative", "fixpoint", "resolution"])
@examples(11)
@given(instance=instances(max_jobs=14, max_machines=3), limit=st.integers(1, 3000))
def test_no_reservation_moves_later(form: str, on_a_cluster: bool, instance: Instance, limit: int) -> None:
    driver = drive(form, instance, limit, on_a_cluster=on_a_cluster)
    schedcore.validate(instance.replace(processing_time=np.array(driver.duration)), schedule_of(driver))
    promised: dict[int, float] = {}
    for now, decision in driver.decisions:
        assert len(decision.broken.id) == 0
        for job, (start, _) in rows(decision).items():
            assert start <= promised.get(job, math.inf)
            promised[job] = start
        for row in decision.starts:
            assert now <= promised.pop(int(row.id), math.inf)


def schedule_of(driver: Driver) -> schedcore.Schedule:
    return schedcore.Schedule(np.array(driver.start_time), np.array(driver.machine))


@clusters
@pytest.mark.parametrize("limit", [1, 2_000, 20_000])
@pytest.mark.parametrize("form", ["conservative", "fixpoint", "window", "resolution", "three protected"])
def test_asked_again_at_once_it_decides_as_without_a_limit(form: str, limit: int, on_a_cluster: bool) -> None:
    """On one machine, where a job that is due has nowhere to move before it starts."""
    instance = crowded(80, 1, seed=4)
    free = drive(form, instance, None, on_a_cluster=on_a_cluster)
    limited = drive(form, instance, limit, on_a_cluster=on_a_cluster)
    assert put_off(limited) or limit > 1
    assert limited.start_time == free.start_time
    last = dict(limited.decisions)
    assert [(now, rows(each)) for now, each in last.items()] == [
        (now, rows(each)) for now, each in free.decisions
    ]


@clusters
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "between",
    [OnlineScheduler.copy, loaded],
    ids=["copied", "saved"],
)
def test_work_that_is_put_off_is_saved(form: str, between: Any, on_a_cluster: bool) -> None:
    instance = crowded(seed=2)
    plain = drive(form, instance, 700, on_a_cluster=on_a_cluster)
    again = drive(form, instance, 700, between, on_a_cluster)
    assert put_off(again) == put_off(plain) != []
    assert (again.start_time, again.machine) == (plain.start_time, plain.machine)
    assert [rows(decision) for _, decision in again.decisions] == [rows(each) for _, each in plain.decisions]
    assert pickle.dumps(again.scheduler) == pickle.dumps(plain.scheduler)


def full(n_waiting: int, on_a_cluster: bool) -> OnlineScheduler:
    """One machine with two jobs, of which one may end early, and others that hold reservations behind them."""
    scheduler = scheduler_of("conservative", Machines.identical(1, [4]), on_a_cluster)
    scheduler.submit(Jobs([100.0, 100.0], [[1], [3]]), 0)
    scheduler.submit(Jobs(10.0 + np.arange(n_waiting), np.full((n_waiting, 1), 3)), 0)
    assert len(scheduler.advance(0).plan) == n_waiting
    return scheduler


@clusters
def test_a_pass_goes_on_where_it_stopped_and_others_wait_for_it(on_a_cluster: bool) -> None:
    scheduler = full(5, on_a_cluster)
    scheduler.complete([1], 20)
    scheduler.submit(Jobs([7.0], [[3]]), 20)
    first = scheduler.advance(20, LEAST)
    assert first.starts.id.tolist() == [2]  # the first reservation moves to now
    assert first.shortened == ("compression: 4 reservations put off",)
    assert first.next_wakeup == 20
    assert first.plan.start_time.tolist() == [110, 121, 133, 146]  # where they were
    texts = []
    while (decision := scheduler.advance(20, LEAST)).next_wakeup == 20:
        texts += decision.shortened
    assert texts == [
        *(f"compression: {left} reservations put off" for left in (3, 2, 1)),
        "reservations: 1 jobs put off",
    ]
    assert decision.plan.start_time.tolist() == [30, 41, 53, 66, 80]
    assert decision.shortened == ()


@clusters
def test_reservations_that_are_due_start_although_nobody_looked_at_them(on_a_cluster: bool) -> None:
    scheduler = full(3, on_a_cluster)
    (last,) = scheduler.submit(Jobs([5.0], [[1]]), 0)
    assert rows(scheduler.advance(0))[last] == (100, 0)
    scheduler.complete([0], 99)
    assert scheduler.advance(99, LEAST).shortened == ("compression: 3 reservations put off",)
    scheduler.complete([1], 100)
    decision = scheduler.advance(100, LEAST)
    assert decision.starts.id.tolist() == [2, last]
    assert decision.shortened == ("compression: 1 reservations put off",)


@clusters
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("limit", [None, 3_000])
@pytest.mark.parametrize("form", ["conservative", "fixpoint", "resolution", "tenths"])
def test_a_caller_that_comes_late_sees_the_same_after_a_load(
    form: str, limit: int | None, seed: int, on_a_cluster: bool
) -> None:
    """Jobs that start late may reach into what others hold, and room behind them is no room then."""
    instance = crowded(50, 1 + seed % 3, seed)
    plain = drive(form, instance, limit, on_a_cluster=on_a_cluster, lag=0.5)
    again = drive(form, instance, limit, loaded, on_a_cluster, lag=0.5)
    assert (again.start_time, again.machine) == (plain.start_time, plain.machine)
    assert [rows(decision) for _, decision in again.decisions] == [rows(each) for _, each in plain.decisions]


def test_room_up_to_a_start_that_somebody_else_has_taken_is_of_no_use() -> None:
    scheduler = scheduler_of("conservative", Machines.identical(1, [4]))
    scheduler.submit(Jobs([10.0, 20.0, 10.0, 10.0, 10.0], [[2]] * 5), 0)
    assert rows(scheduler.advance(0)) == {2: (10, 0), 3: (20, 0), 4: (20, 0)}
    scheduler.complete([0], 10.5)
    assert scheduler.advance(10.5).starts.id.tolist() == [2]  # until 20.5, as nobody came at 10
    restored = loaded(scheduler)
    for each in (scheduler, restored):
        each.complete([1], 12)
        decision = each.advance(12)
        assert decision.starts.id.tolist() == []
        assert rows(decision) == {3: (20, 0), 4: (20, 0)}


def test_a_job_that_comes_back_before_those_that_were_put_off_is_searched_for() -> None:
    scheduler = scheduler_of("conservative", Machines.identical(2, [1]), on_a_cluster=True)
    scheduler.submit(Jobs([5.0, 5.0], [[1], [1]]), 0)
    assert scheduler.advance(0, LEAST).shortened == ("reservations: 1 jobs put off",)
    assert scheduler.fail_machines([0], 1).tolist() == [0]
    scheduler.cancel([1], 1)
    assert scheduler.advance(1).starts.id.tolist() == [0]


@clusters
def test_searches_begin_anew_when_time_has_passed(on_a_cluster: bool) -> None:
    """The first job was searched for, and its place was beyond the window."""
    scheduler = scheduler_of("window", Machines.identical(1, [1]), on_a_cluster)
    scheduler.submit(Jobs([100.0], [[1]]), 0)
    scheduler.advance(0)
    scheduler.submit(Jobs([3.0, 3.0], [[1], [1]]), 0)
    assert scheduler.advance(0, LEAST).shortened == ("reservations: 1 jobs put off",)
    scheduler.complete([0], 1)
    assert scheduler.advance(1).starts.id.tolist() == [1]


@clusters
def test_work_that_is_put_off_is_handed_over(on_a_cluster: bool) -> None:
    """To the policy of clusters, within the interval between two runs."""
    scheduler = scheduler_of("interval", Machines.identical(2, [1]), on_a_cluster)
    scheduler.submit(Jobs([9.0] * 3, [[1]] * 3), 0)
    assert scheduler.advance(0, LEAST).shortened == ("reservations: 2 jobs put off",)
    scheduler.fail_machines([1], 1)
    scheduler.repair_machines([1], 1.5)
    assert len(scheduler.advance(1.5).plan) == 1
