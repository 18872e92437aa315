"""The embedded engine decides exactly as `solve` does, whatever way the same events are reported.

`Driver` feeds the events of a workload to `OnlineScheduler`; starts and machines are compared with those of `solve`,
bit for bit.
"""

import copy
import pickle
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import schedcore
from engine.event_driver import Driver, drive
from engine.policy_cases import CASES, PLANLESS, PLANNING_ONCE, WORK_CONSERVING, any_instances, crowded, named
from example_shares import examples
from strategies import instances

Options = dict[str, Any]
seeds = st.integers(0, 10**6)


def assert_same_schedule(driver: Driver, name: str, instance: schedcore.Instance, options: Options) -> None:
    result = schedcore.solve(name, instance, **options)
    assert driver.start_time == result.schedule.start_time.tolist()
    assert driver.machine == result.schedule.machine.tolist()


@pytest.mark.parametrize(("name", "options"), named(CASES))
@examples(16)
@given(instance=any_instances, seed=seeds)
def test_embedded_and_solve_decide_alike(
    name: str, options: Options, instance: schedcore.Instance, seed: int
) -> None:
    driver = drive(name, instance, options, shuffle=random.Random(seed))
    assert_same_schedule(driver, name, instance, options)


@pytest.mark.parametrize(("name", "options"), named(CASES))
@examples(11)
@given(instance=instances(max_jobs=10, max_resources=3, integer_times=False), seed=seeds)
def test_embedded_and_solve_decide_alike_on_real_times(
    name: str, options: Options, instance: schedcore.Instance, seed: int
) -> None:
    driver = drive(name, instance, options, shuffle=random.Random(seed))
    assert_same_schedule(driver, name, instance, options)


@pytest.mark.parametrize(("name", "options"), named(CASES))
@examples(11)
@given(instance=crowded(), seed=seeds, shift=st.integers(0, 2**62))
def test_ids_take_the_place_of_the_job_index_in_every_tie(
    name: str, options: Options, instance: schedcore.Instance, seed: int, shift: int
) -> None:
    # Any ids in the order of the indices change nothing ...
    rng = random.Random(seed)
    n = instance.n_jobs
    ids = sorted(rng.sample(range(10 * n), n))
    ids = [shift + number for number in ids]
    driver = drive(name, instance, options, ids=ids, shuffle=rng)
    assert_same_schedule(driver, name, instance, options)
    # ... and ids in another order do what reordering the jobs does.
    order = rng.sample(range(n), n)
    renamed = [0] * n
    for new, old in enumerate(order):
        renamed[old] = ids[new]
    driver = drive(name, instance, options, ids=renamed, shuffle=rng)
    reordered = schedcore.solve(name, schedcore.Instance(instance.jobs[order], instance.machines), **options)
    assert [driver.start_time[old] for old in order] == reordered.schedule.start_time.tolist()
    assert [driver.machine[old] for old in order] == reordered.schedule.machine.tolist()


@pytest.mark.parametrize(("name", "options"), named(CASES))
@examples(11)
@given(
    instance=any_instances, instants=st.lists(st.floats(0, 40) | st.integers(0, 40).map(float), max_size=20)
)
def test_unneeded_wakeups_change_nothing(
    name: str, options: Options, instance: schedcore.Instance, instants: list[float]
) -> None:
    driver = drive(name, instance, options, extra_instants=instants)
    assert_same_schedule(driver, name, instance, options)


@pytest.mark.parametrize(
    ("name", "options"), named([case for case in CASES if not callable(case[1].get("heuristic"))])
)
@examples(20)
@given(instance=any_instances, seed=seeds, durations=st.randoms(use_true_random=False))
def test_copies_and_pickles_go_on_identically(
    name: str, options: Options, instance: schedcore.Instance, seed: int, durations: random.Random
) -> None:
    duration = [p * durations.choice([0.25, 0.5, 1, 1, 1.5]) for p in instance.jobs.processing_time.tolist()]
    rng = random.Random(seed)
    ways = [
        lambda s: s,
        lambda s: pickle.loads(pickle.dumps(s)),
        copy.copy,
        copy.deepcopy,
        lambda s: s.copy(),
    ]

    def replaced(scheduler: schedcore.OnlineScheduler) -> schedcore.OnlineScheduler:
        return rng.choice(ways)(scheduler)

    straight = drive(name, instance, options, duration=duration)
    broken = drive(name, instance, options, duration=duration, between=replaced)
    assert broken.decisions == straight.decisions


def test_a_copy_does_not_share_state_with_its_original() -> None:
    scheduler = schedcore.OnlineScheduler("pq", schedcore.Machines.identical(1, [4]))
    scheduler.submit(schedcore.Jobs([2.0], [[3]]), 0)
    other = copy.copy(scheduler)
    assert [start.id for start in scheduler.advance(0).starts] == [0]
    assert other.n_running == 0
    other.submit(schedcore.Jobs([1.0], [[4]], weight=5), 0)
    assert [start.id for start in other.advance(0).starts] == [1]
    assert scheduler.n_running == 1
    assert scheduler.n_waiting == 0


def test_records_that_are_not_applied_yet_survive_pickling() -> None:
    scheduler = schedcore.OnlineScheduler("pq", schedcore.Machines.identical(1, [4]))
    scheduler.submit(schedcore.Jobs([2.0, 2.0], [[3], [3]]), 0)
    scheduler.advance(0)
    scheduler.complete([0], 1.5)
    scheduler.submit(schedcore.Jobs([1.0], [[1]]), 1.5, ids=[9])
    other = pickle.loads(pickle.dumps(scheduler))
    assert other.advance(1.5) == scheduler.advance(1.5)
    with pytest.raises(schedcore.InvalidInstanceError, match="job 0"):
        other.complete([0], 2)


@pytest.mark.parametrize(("name", "options"), named(CASES))
def test_an_empty_scheduler_has_nothing_to_do(name: str, options: Options) -> None:
    machines = schedcore.Machines.identical(2, [4])
    given_options = {"gamma0": 1.0, **options} if name == "mris" else options
    if name == "ca_pq":
        given_options = {**options, "last_release_time": 7.0}
    scheduler = schedcore.OnlineScheduler(name, machines, **given_options)
    for now in (0.0, 3.0, 3.0, 100.0):
        decision = scheduler.advance(now)
        assert len(decision.starts) == 0
        assert len(decision.plan) == 0
        assert decision.next_wakeup == float("inf")


@pytest.mark.parametrize(("name", "options"), named(WORK_CONSERVING + PLANLESS))
@examples(15)
@given(instance=crowded())
def test_policies_that_do_not_plan_show_no_plan(
    name: str, options: Options, instance: schedcore.Instance
) -> None:
    driver = drive(name, instance, options)
    assert all(len(decision.plan) == 0 for _, decision in driver.decisions)


@pytest.mark.parametrize(("name", "options"), named(PLANNING_ONCE))
@examples(25)
@given(instance=crowded())
def test_the_plan_is_in_order_and_kept_when_jobs_run_as_announced(
    name: str, options: Options, instance: schedcore.Instance
) -> None:
    driver = drive(name, instance, options)
    promised: dict[int, tuple[int, float]] = {}
    for now, decision in driver.decisions:
        starts = [start for _, _, start in decision.plan]
        assert starts == sorted(starts)
        if starts:
            assert decision.next_wakeup <= starts[0]
        assert all(start > now for start in starts)
        for job, machine, start in decision.plan:
            assert promised.setdefault(job, (machine, start)) == (machine, start)
    for job, (machine, start) in promised.items():
        assert (driver.machine[job], driver.start_time[job]) == (machine, start)
