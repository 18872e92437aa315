"""Backfilling policies inside somebody else's program: the decisions of `solve`, and what overruns do to the plan.

`Driver` calls the scheduler at every arrival, completion and wake-up, and checks free amounts by its own accounting.
Where durations surprise, `replay` of the reference implementation says what has to happen.
"""

import copy
import math
import pickle
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import schedcore
from engine.event_driver import Driver, drive
from example_shares import examples
from properties.backfilling_instances import ALGORITHMS, Options, backfill_instances, crowd, settings_drawn
from reference.backfilling import ReferenceBackfill, replay
from reference.backfilling_instance import BackfillInstance

KNOBBED = [name for name in ALGORITHMS if name != "fcfs"]
PLANNING = ["easy", "conservative", "backfill"]
factors = st.sampled_from([0.5, 1.0, 1.0, 1.5, 2.0, 4.0])
ONE_POOL = schedcore.Machines.identical(1, [4])


def assert_same_decisions(name: str, instance: schedcore.Instance, options: Options) -> None:
    driver = drive(name, instance, options)
    schedule = schedcore.solve(name, instance, **options).schedule
    assert driver.start_time == schedule.start_time.tolist()
    assert driver.machine == schedule.machine.tolist()
    assert driver.scheduler.n_overruns == 0


def assert_replays(
    name: str, instance: schedcore.Instance, options: Options, factor: list[float]
) -> ReferenceBackfill:
    """Every job runs for a multiple of what it was announced to run."""
    duration = [p * factor[j % len(factor)] for j, p in enumerate(instance.jobs.processing_time.tolist())]
    driver = drive(name, instance, options, duration=duration)
    reference = replay(BackfillInstance.from_instance(instance), name, duration, **options)
    assert driver.start_time == reference.start_time
    assert driver.machine == reference.machine
    if name in PLANNING:
        assert driver.scheduler.n_overruns == reference.n_overruns
    assert plans_of(driver) == reference.plans
    return reference


def plans_of(driver: Driver) -> list[tuple[float, list[tuple[int, int, float]]]]:
    index = {job_id: job for job, job_id in enumerate(driver.ids)}
    return [(now, [(index[row.id], row.machine, row.start_time) for row in decision.plan])
            for now, decision in driver.decisions]  # fmt: skip


@pytest.mark.parametrize("name", ALGORITHMS)
@given(data=st.data(), instance=backfill_instances())
def test_embedded_decisions_are_those_of_solve(
    name: str, data: st.DataObject, instance: schedcore.Instance
) -> None:
    assert_same_decisions(name, instance, data.draw(settings_drawn(name)))


@pytest.mark.parametrize("name", KNOBBED)
@given(data=st.data(), instance=backfill_instances())
def test_embedded_decisions_with_knobs_are_those_of_solve(
    name: str, data: st.DataObject, instance: schedcore.Instance
) -> None:
    assert_same_decisions(name, instance, data.draw(settings_drawn(name, with_knobs=True)))


@pytest.mark.parametrize("name", ALGORITHMS)
@given(data=st.data(), instance=backfill_instances(), factor=st.lists(factors, min_size=1, max_size=7))
def test_jobs_that_outlive_their_estimates_are_taken_as_the_reference_takes_them(
    name: str, data: st.DataObject, instance: schedcore.Instance, factor: list[float]
) -> None:
    assert_replays(name, instance, data.draw(settings_drawn(name)), factor)


@pytest.mark.parametrize("name", KNOBBED)
@given(data=st.data(), instance=backfill_instances(), factor=st.lists(factors, min_size=1, max_size=7))
def test_overruns_with_knobs_are_taken_as_the_reference_takes_them(
    name: str, data: st.DataObject, instance: schedcore.Instance, factor: list[float]
) -> None:
    assert_replays(name, instance, data.draw(settings_drawn(name, with_knobs=True)), factor)


@pytest.mark.parametrize("name", PLANNING)
@pytest.mark.parametrize("n_machines", [1, 2])
def test_overruns_under_load_are_taken_as_the_reference_takes_them(name: str, n_machines: int) -> None:
    n_overruns = 0
    for seed, factor in enumerate([[1.0, 2.0], [3.0, 0.5, 1.0], [1.0, 1.0, 1.5], [2.5], [0.5, 4.0]]):
        options: Options = {"selection": ["ff", "bb", "bl!"][seed % 3]}
        if name == "backfill":
            options["protected"] = 3
        instance = crowd(seed, n_jobs=40, n_machines=n_machines)
        n_overruns += assert_replays(name, instance, options, factor).n_overruns
    assert n_overruns > 0


@pytest.mark.parametrize("n_machines", [1, 2])
@pytest.mark.parametrize("knobs", [{}, {"resolution": 3.0}, {"window": 6.0, "queue_depth": 9}])
def test_overruns_under_plans_made_anew_are_taken_as_the_reference_takes_them(
    knobs: Options, n_machines: int
) -> None:
    n_overruns = 0
    for seed, factor in enumerate([[1.0, 2.0], [3.0, 0.5, 1.0], [1.0, 1.0, 1.5], [2.5], [0.5, 4.0]]):
        instance = crowd(seed, n_jobs=40, n_machines=n_machines)
        options: Options = {"mode": "rebuild", **knobs}
        n_overruns += assert_replays("conservative", instance, options, factor).n_overruns
    assert n_overruns > 0


@pytest.mark.parametrize("name", KNOBBED)
@examples(30)
@given(data=st.data(), instance=backfill_instances(), seed=st.integers(0, 10**6))
def test_copies_and_pickles_decide_alike(
    name: str, data: st.DataObject, instance: schedcore.Instance, seed: int
) -> None:
    rng = random.Random(seed)
    ways = [lambda s: s, lambda s: pickle.loads(pickle.dumps(s)), copy.copy, lambda s: s.copy()]

    def replaced(scheduler: schedcore.OnlineScheduler) -> schedcore.OnlineScheduler:
        return rng.choice(ways)(scheduler)

    options = data.draw(settings_drawn(name, with_knobs=True))
    duration = [2 * p if j % 3 else p for j, p in enumerate(instance.jobs.processing_time.tolist())]
    straight = drive(name, instance, options, duration=duration)
    broken = drive(name, instance, options, duration=duration, between=replaced)
    assert broken.decisions == straight.decisions


@pytest.mark.parametrize("name", ["conservative", "backfill"])
@given(instance=backfill_instances(), data=st.data())
def test_the_start_of_every_reservation_is_a_wake_up(
    name: str, data: st.DataObject, instance: schedcore.Instance
) -> None:
    driver = drive(name, instance, data.draw(settings_drawn(name)))
    for _, decision in driver.decisions:
        assert all(decision.next_wakeup <= start for _, _, start in decision.plan)


# One pool of 4 units. J0 (3 units) is expected to end at 4 and does so at 9; J1 (4 units) is reserved for 4.
# At 4 J0 overruns: it is expected at 8 now, and J1 is overdue.


def overrunning(name: str, **options: object) -> schedcore.OnlineScheduler:
    scheduler = schedcore.OnlineScheduler(name, ONE_POOL, **options)
    jobs = schedcore.Jobs([4.0, 2.0], [[3], [4]], estimated_processing_time=[4.0, 2.0])
    scheduler.submit(jobs, 0)
    assert [tuple(row) for row in scheduler.advance(0).starts] == [(0, 0, 0.0)]
    return scheduler


def test_an_overdue_reservation_waits_for_room_and_moves_with_the_present() -> None:
    scheduler = overrunning("conservative")
    assert len(scheduler.advance(4).starts) == 0
    assert scheduler.n_overruns == 1
    # J2 (1 unit) fits beside J0, but not beside J1, whose rectangle is [5, 7) now: it is reserved for 7. At 7 that
    # rectangle is [7, 9); J1, due since 4, is tried first and does not fit; J2 is due and does.
    scheduler.submit(schedcore.Jobs([1.0], [[1]]), 5, ids=[2])
    decision = scheduler.advance(5)
    assert len(decision.starts) == 0
    assert decision.next_wakeup == 7
    assert [tuple(row) for row in scheduler.advance(7).starts] == [(2, 0, 7.0)]
    # At 8 J0 has overrun again.
    scheduler.complete([2], 8)
    assert len(scheduler.advance(8).starts) == 0
    assert scheduler.n_overruns == 2
    scheduler.complete([0], 9)
    assert [tuple(row) for row in scheduler.advance(9).starts] == [(1, 0, 9.0)]


def rows(placements: schedcore.Placements) -> list[tuple[int, int, float]]:
    return [(row.id, row.machine, row.start_time) for row in placements]


@pytest.mark.parametrize(("name", "options"), [("conservative", {}), ("backfill", {"protected": 3})])
def test_a_reservation_that_cannot_be_kept_shows_when_it_can_start_by_what_is_known(
    name: str, options: dict[str, object]
) -> None:
    scheduler = overrunning(name, **options)
    # J2 (1 unit) cannot run beside J1, reserved for [4, 6), and ends too late to run before: it is reserved for 6.
    scheduler.submit(schedcore.Jobs([5.0], [[1]]), 1, ids=[2])
    assert rows(scheduler.advance(1).plan) == [(1, 0, 4.0), (2, 0, 6.0)]
    # At 4 J0 overruns and counts as ending at 8: J1 waits until then. J2 fits beside J0, but not beside J1 at 8.
    decision = scheduler.advance(4)
    assert rows(decision.plan) == [(1, 0, 8.0), (2, 0, 10.0)]
    assert decision.next_wakeup == 6
    # At 6 J2 is due and fits, although J1, before it in the plan, does not; J1 has to wait for its end, at 11.
    decision = scheduler.advance(6)
    assert rows(decision.starts) == [(2, 0, 6.0)]
    assert rows(decision.plan) == [(1, 0, 11.0)]
    # What is known changes: J0 has overrun again, and at 12 both are behind.
    assert rows(scheduler.advance(9).plan) == [(1, 0, 13.0)]
    scheduler.complete([2], 11)
    assert rows(scheduler.advance(11).plan) == [(1, 0, 13.0)]
    scheduler.complete([0], 12)
    decision = scheduler.advance(12)
    assert (rows(decision.starts), rows(decision.plan)) == ([(1, 0, 12.0)], [])


def test_where_plans_are_made_anew_a_start_that_only_late_jobs_hold_up_is_no_wake_up() -> None:
    scheduler = overrunning("conservative", mode="rebuild")
    # At 4 J0 overruns and counts as ending at 8. J2 (1 unit) runs beside it until 7, when J3 (1 unit) can.
    scheduler.submit(schedcore.Jobs([3.0, 1.0], [[1], [1]]), 4, ids=[2, 3])
    decision = scheduler.advance(4)
    assert rows(decision.starts) == [(2, 0, 4.0)]
    assert rows(decision.plan) == [(3, 0, 7.0), (1, 0, 8.0)]
    assert decision.next_wakeup == 7
    # At 7 J2 overruns, too, and counts as ending at 10: what waits, waits for one of the two.
    decision = scheduler.advance(7)
    assert rows(decision.plan) == [(3, 0, 8.0), (1, 0, 10.0)]
    assert decision.next_wakeup == float("inf")
    assert scheduler.n_overruns == 2
    scheduler.complete([0, 2], 20)
    decision = scheduler.advance(20)
    assert rows(decision.starts) == [(1, 0, 20.0)]
    assert decision.next_wakeup == 22
    # J1 is seen to overrun at 22, and again by the caller, who comes late.
    loaded = schedcore.OnlineScheduler.load(scheduler.save())
    for each in (scheduler, loaded):
        each.submit(schedcore.Jobs([1.0], [[1]]), 21)
        assert each.advance(1e9).next_wakeup == float("inf")
        assert each.n_overruns == 4


def test_a_rounded_end_is_later_than_the_start_where_the_clock_loses_the_estimate() -> None:
    # At 1e14 doubles are 1/64 apart: J0, which is late, still takes the pool, and J1 does not fit beside it.
    scheduler = schedcore.OnlineScheduler("conservative", ONE_POOL, mode="rebuild", resolution=0.001)
    scheduler.submit(schedcore.Jobs([0.001, 0.001], [[4], [4]]), 0)
    scheduler.advance(0)
    decision = scheduler.advance(1e14)
    assert (rows(decision.starts), len(decision.plan)) == ([], 1)


def test_easy_finds_a_new_shadow_time_behind_an_overrun() -> None:
    scheduler = overrunning("easy")
    # At 5 J0 is expected at 9, so that J2, which ends at 9, may start beside it and J3, which ends at 10, may not.
    scheduler.submit(schedcore.Jobs([5.0, 4.0], [[1], [1]]), 5, ids=[3, 2])
    assert [start.id for start in scheduler.advance(5).starts] == [2]
    assert scheduler.n_overruns == 1


def test_a_job_that_ends_before_anybody_looks_has_not_overrun() -> None:
    scheduler = schedcore.OnlineScheduler("easy", ONE_POOL)
    scheduler.submit(schedcore.Jobs([4.0], [[3]]), 0)
    scheduler.advance(0)
    scheduler.complete([0], 9)
    scheduler.advance(9)
    assert scheduler.n_overruns == 0


def test_a_driver_with_durations_as_announced_sees_no_overrun() -> None:
    driver = Driver(
        schedcore.OnlineScheduler("conservative", ONE_POOL),
        schedcore.Instance(schedcore.Jobs([4.0, 2.0, 1.0], [[3], [4], [1]]), ONE_POOL),
    ).run()
    assert driver.start_time == [0, 4, 0]
    assert driver.scheduler.n_overruns == 0


def test_no_job_starts_where_it_does_not_fit_because_the_clock_loses_its_estimate() -> None:
    scheduler = schedcore.OnlineScheduler("conservative", ONE_POOL, mode="rebuild", resolution=1.5)
    scheduler.submit(schedcore.Jobs([1.0, 1.0], [[4], [4]]), 0)
    scheduler.advance(0)
    # So late a job that starts now ends now, rounded, while the other still runs.
    decision = scheduler.advance(1e20)
    assert (len(decision.starts), scheduler.n_running, scheduler.n_waiting) == (0, 1, 1)
    assert decision.plan.start_time.tolist() == [math.nextafter(1e20, math.inf)]


@pytest.mark.parametrize("on_clusters", [False, True])
def test_easy_tells_the_shadow_of_its_head_and_asks_for_no_wakeup(on_clusters: bool) -> None:
    scheduler = schedcore.OnlineScheduler("easy", schedcore.Machines.identical(2, [4]))
    if on_clusters:
        scheduler.repair_machines([0], 0)
    scheduler.submit(schedcore.Jobs([9.0, 7.0, 5.0, 2.0, 9.0], [[3], [3], [4], [1], [1]]), 0)
    decision = scheduler.advance(0)
    assert decision.starts.id.tolist() == [0, 1, 3]  # job 4 would take what job 2 needs at 7
    assert [tuple(row) for row in decision.plan] == [(2, 1, 7.0)]
    assert decision.next_wakeup == math.inf
    for each in (scheduler, scheduler.copy(), schedcore.OnlineScheduler.load(scheduler.save())):
        each.complete([1], 3)
        decision = each.advance(3)
        assert [tuple(row) for row in decision.starts] == [(2, 1, 3.0)]
        assert [tuple(row) for row in decision.plan] == [(4, 0, 5.0)]  # job 3 is late: until 5
