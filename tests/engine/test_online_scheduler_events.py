"""What the embedded engine does when the world does not keep to the processing times, and when its caller is late.

Jobs that end early free their resources at once, and the plan stays as long as anything runs; jobs that overrun keep
theirs, and a planned start that no longer fits waits, in plan order, for the first instant at which it fits. `Driver`
checks after every event, by its own accounting, that no machine is overfull, no start lies in the past, and no due
planned job waits while it fits.
"""

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import schedcore
from engine.event_driver import Driver, drive
from engine.policy_cases import CASES, PLANNING_ONCE, any_instances, crowded, named
from example_shares import examples

Options = dict[str, Any]
factors = st.sampled_from([0.25, 0.5, 1.0, 1.0, 1.5, 3.0])
MACHINE = schedcore.Machines.identical(1, [2])


def rows(placements: schedcore.Placements) -> list[tuple[int, int, float]]:
    return [tuple(row) for row in placements]


def durations(instance: schedcore.Instance, factor: list[float]) -> list[float]:
    return [p * factor[j % len(factor)] for j, p in enumerate(instance.jobs.processing_time.tolist())]


@pytest.mark.parametrize(("name", "options"), named(CASES))
@examples(11)
@given(
    instance=any_instances,
    factor=st.lists(factors, min_size=1, max_size=7),
    lag=st.sampled_from([0.0, 0.0, 0.5, 1.0, 7.25]),
    instants=st.lists(st.floats(0, 40), max_size=10),
)
def test_every_job_starts_once_within_capacity_whatever_happens(
    name: str,
    options: Options,
    instance: schedcore.Instance,
    factor: list[float],
    lag: float,
    instants: list[float],
) -> None:
    drive(name, instance, options, duration=durations(instance, factor), lag=lag, extra_instants=instants)


@pytest.mark.parametrize(("name", "options"), named(CASES))
@examples(20)
@given(
    instance=crowded(),
    factor=st.lists(factors, min_size=1, max_size=7),
    instants=st.lists(st.floats(0, 40), max_size=15),
)
def test_unneeded_wakeups_change_nothing_when_durations_surprise(
    name: str, options: Options, instance: schedcore.Instance, factor: list[float], instants: list[float]
) -> None:
    duration = durations(instance, factor)
    plain = drive(name, instance, options, duration=duration)
    visited = drive(name, instance, options, duration=duration, extra_instants=instants)
    assert (visited.start_time, visited.machine) == (plain.start_time, plain.machine)


@pytest.mark.parametrize(("name", "options"), named(PLANNING_ONCE))
@examples(30)
@given(instance=crowded(), factor=st.lists(st.sampled_from([0.25, 0.5, 1.0]), min_size=1, max_size=7))
def test_the_plan_stays_while_anything_runs_when_jobs_end_early(
    name: str, options: Options, instance: schedcore.Instance, factor: list[float]
) -> None:
    driver = drive(name, instance, options, duration=durations(instance, factor))
    promised: dict[int, tuple[int, float]] = {}
    for _, decision in driver.decisions:
        for job, machine, start in decision.plan:
            assert promised.setdefault(job, (machine, start)) == (machine, start)
    for job, (machine, start) in promised.items():
        assert driver.machine[job] == machine
        assert driver.start_time[job] == start or starts_on_idle_machines(driver, job, before=start)


def starts_on_idle_machines(driver: Driver, job: int, before: float) -> bool:
    """Whether the job starts before that instant, when nothing else ran."""
    now = driver.start_time[job]
    ran = [s < now < s + duration for s, duration in zip(driver.start_time, driver.duration, strict=True)]
    return now < before and not any(ran)


@pytest.mark.parametrize(("name", "options"), named(PLANNING_ONCE))
@examples(30)
@given(instance=crowded(), factor=st.lists(factors, min_size=1, max_size=7), lag=st.sampled_from([0.0, 1.0]))
def test_overruns_delay_planned_starts_but_move_no_job(
    name: str, options: Options, instance: schedcore.Instance, factor: list[float], lag: float
) -> None:
    driver = drive(name, instance, options, duration=durations(instance, factor), lag=lag)
    promised: dict[int, tuple[int, float]] = {}
    for now, decision in driver.decisions:
        for job, machine, start in decision.plan:
            first_machine, first_start = promised.setdefault(job, (machine, start))
            assert (machine, start) == (first_machine, max(first_start, now))
    for job, (machine, start) in promised.items():
        assert driver.machine[job] == machine
        assert driver.start_time[job] >= start or starts_on_idle_machines(driver, job, before=start)


@examples(30)
@given(instance=crowded(), seed=st.integers(0, 10**6), lag=st.sampled_from([0.25, 1.0, 5.0]))
def test_late_answers_to_wakeups_keep_the_order_of_the_plan(
    instance: schedcore.Instance, seed: int, lag: float
) -> None:
    driver = drive("mris", instance, {}, lag=lag, shuffle=random.Random(seed))
    for (_, before), (now, after) in zip(driver.decisions, driver.decisions[1:], strict=False):
        due = [job for job, _, start in before.plan if start <= now]
        started = [job for job, _, _ in after.starts if job in due]
        assert started == [job for job in due if job in started]


def test_resources_of_a_job_that_ends_early_are_free_at_once() -> None:
    scheduler = schedcore.OnlineScheduler("pq", MACHINE)
    scheduler.submit(schedcore.Jobs([10.0, 10.0], [[2], [2]]), 0)
    assert rows(scheduler.advance(0).starts) == [(0, 0, 0.0)]
    scheduler.complete([0], 3)
    assert rows(scheduler.advance(3).starts) == [(1, 0, 3.0)]


def test_a_job_may_end_at_the_instant_of_its_start() -> None:
    scheduler = schedcore.OnlineScheduler("mris", MACHINE, gamma0=1)
    scheduler.submit(schedcore.Jobs([1.0, 1.0], [[2], [2]], weight=[2, 1]), 0)
    assert scheduler.advance(0).next_wakeup == 1.0
    decision = scheduler.advance(1)
    # zeta_0 = 1 takes one job; the other would wait for gamma_1 = 2 if the first one did not end early
    assert rows(decision.starts) == [(0, 0, 1.0)]
    on_time = scheduler.copy()
    scheduler.complete([0], 1)
    assert rows(scheduler.advance(1).starts) == [(1, 0, 1.0)]
    on_time.complete([0], 2)
    assert rows(on_time.advance(2).starts) == [(1, 0, 2.0)]


def planned_pair() -> schedcore.OnlineScheduler:
    """J0 (4 long, everything) runs during [4, 8), then J1 and J2 (4 long, half each) are planned for 8."""
    scheduler = schedcore.OnlineScheduler("mris", MACHINE, gamma0=4, knapsack="greedy", heuristic="wsjf")
    scheduler.submit(schedcore.Jobs([4.0, 4.0, 4.0], [[2], [1], [1]], weight=[9, 2, 1]), 0)
    assert scheduler.advance(0).next_wakeup == 4.0
    decision = scheduler.advance(4)
    assert rows(decision.starts) == [(0, 0, 4.0)]
    assert rows(decision.plan) == [(1, 0, 8.0), (2, 0, 8.0)]
    assert decision.next_wakeup == 8.0
    return scheduler


def test_planned_jobs_start_in_plan_order_when_an_early_end_leaves_nothing_running() -> None:
    scheduler = planned_pair()
    scheduler.complete([0], 5)
    decision = scheduler.advance(5)
    assert rows(decision.starts) == [(1, 0, 5.0), (2, 0, 5.0)]
    assert rows(decision.plan) == []


def test_the_plan_waits_for_its_instants_while_another_machine_runs() -> None:
    # J0 and J1 (4 long, a machine each) run from 4 on, J2 is planned behind one of them.
    scheduler = schedcore.OnlineScheduler(
        "mris", schedcore.Machines.identical(2, [2]), gamma0=4, knapsack="greedy"
    )
    scheduler.submit(schedcore.Jobs([4.0] * 3, [[2]] * 3, weight=[9, 8, 1]), 0)
    scheduler.advance(0)
    assert rows(scheduler.advance(4).plan) == [(2, 0, 8.0)]
    scheduler.complete([0], 5)
    decision = scheduler.advance(5)
    assert rows(decision.starts) == []
    assert rows(decision.plan) == [(2, 0, 8.0)]
    scheduler.complete([1], 6)
    assert rows(scheduler.advance(6).starts) == [(2, 0, 6.0)]


def test_an_overrun_keeps_planned_jobs_waiting_until_they_fit() -> None:
    scheduler = planned_pair()
    decision = scheduler.advance(8)
    assert rows(decision.starts) == []
    assert rows(decision.plan) == [(1, 0, 8.0), (2, 0, 8.0)]
    assert decision.next_wakeup == float("inf")
    assert rows(scheduler.advance(9).plan) == [(1, 0, 9.0), (2, 0, 9.0)]
    scheduler.complete([0], 9.5)
    decision = scheduler.advance(9.5)
    assert rows(decision.starts) == [(1, 0, 9.5), (2, 0, 9.5)]
    assert rows(decision.plan) == []


def test_room_that_an_overdue_plan_leaves_goes_to_the_first_job_in_key_order() -> None:
    # One machine of 10. At 64, J0 (6 units) starts and J1 (10 units) is planned for 68. J2 (4 units, 5 long) arrives at
    # 65 and would run into J1. J0 overruns, so J1 is overdue and its reservation, 68 to 72, runs out without an event
    # on the machine. At 73 J2 is startable and comes before J3, which arrives then.
    scheduler = schedcore.OnlineScheduler(
        "mris",
        schedcore.Machines.identical(1, [10]),
        gamma0=1.0,
        origin=0,
        opportunistic=True,
        patience=2.0,
        knapsack="exact",
        heuristic="sjf",
    )
    scheduler.submit(schedcore.Jobs([4.0, 4.0], [[6], [10]], weight=[5, 1]), 64, ids=[0, 1])
    decision = scheduler.advance(64)
    assert rows(decision.starts) == [(0, 0, 64.0)]
    assert rows(decision.plan) == [(1, 0, 68.0)]
    scheduler.submit(schedcore.Jobs([5.0], [[4]]), 65, ids=[2])
    assert rows(scheduler.advance(65).starts) == []
    assert rows(scheduler.advance(68).starts) == []
    scheduler.submit(schedcore.Jobs([6.0], [[4]]), 73, ids=[3])
    decision = scheduler.advance(73)
    assert rows(decision.starts) == [(2, 0, 73.0)]
    assert rows(decision.plan) == [(1, 0, 73.0)]


def test_overdue_jobs_start_in_plan_order_each_as_soon_as_it_fits() -> None:
    # One machine of 4. J0 (3 units) and J1 (1 unit) run from 4 on; planned for 8: J2 (3 units), then J3 (1 unit).
    # J0 overruns, J1 does not: at 8 J3 fits beside J0 although J2, before it in the plan, does not.
    scheduler = schedcore.OnlineScheduler(
        "mris", schedcore.Machines.identical(1, [4]), gamma0=4, knapsack="greedy"
    )
    scheduler.submit(schedcore.Jobs([4.0] * 4, [[3], [1], [3], [1]], weight=[9, 8, 7, 6]), 0)
    scheduler.advance(0)
    decision = scheduler.advance(4)
    assert rows(decision.starts) == [(0, 0, 4.0), (1, 0, 4.0)]
    assert rows(decision.plan) == [(2, 0, 8.0), (3, 0, 8.0)]
    scheduler.complete([1], 8)
    decision = scheduler.advance(8)
    assert rows(decision.starts) == [(3, 0, 8.0)]
    assert rows(decision.plan) == [(2, 0, 8.0)]
    scheduler.complete([0], 10)
    assert rows(scheduler.advance(10).starts) == [(2, 0, 10.0)]


def test_a_late_caller_is_served_at_the_present_instant() -> None:
    scheduler = planned_pair()
    scheduler.complete([0], 8.5)
    decision = scheduler.advance(8.5)
    assert rows(decision.starts) == [(1, 0, 8.5), (2, 0, 8.5)]


def test_a_caller_who_misses_several_gammas_gets_their_batches_at_once() -> None:
    scheduler = schedcore.OnlineScheduler("mris", MACHINE, gamma0=1)
    scheduler.submit(schedcore.Jobs([1.0, 2.0, 4.0], [[1], [1], [1]]), 0)
    scheduler.advance(0)
    # gamma = 1, 2 and 4 are over at 5: J0 and J1 at once, J2 behind the shorter one
    decision = scheduler.advance(5)
    assert rows(decision.starts) == [(0, 0, 5.0), (1, 0, 5.0)]
    assert rows(decision.plan) == [(2, 0, 6.0)]
    assert decision.next_wakeup == 6.0


def test_ca_pq_starts_nothing_before_the_last_release_even_if_called() -> None:
    scheduler = schedcore.OnlineScheduler("ca_pq", MACHINE, last_release_time=3)
    scheduler.submit(schedcore.Jobs([1.0], [[1]]), 0)
    assert scheduler.advance(0).next_wakeup == 3.0
    assert rows(scheduler.advance(2).starts) == []
    late = scheduler.copy()
    assert rows(scheduler.advance(3).starts) == [(0, 0, 3.0)]
    assert rows(late.advance(4).starts) == [(0, 0, 4.0)]


def test_completions_free_room_before_the_arrivals_of_the_same_instant_are_served() -> None:
    scheduler = schedcore.OnlineScheduler("bf_exec", MACHINE)
    scheduler.submit(schedcore.Jobs([5.0, 3.0], [[2], [2]]), 0)
    assert rows(scheduler.advance(0).starts) == [(0, 0, 0.0)]
    scheduler.submit(schedcore.Jobs([1.0], [[2]]), 4)
    scheduler.complete([0], 4)
    # the machine with the completion serves its queue first
    assert rows(scheduler.advance(4).starts) == [(1, 0, 4.0)]
