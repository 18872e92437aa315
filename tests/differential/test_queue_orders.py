"""Queues in an order of keys or formulas: every policy decides as its reference, and an option says what a site says.

The reference of backfilling sorts the queue at every event by keys that are computed anew. Policies that promise starts
to several jobs have the reference of clusters (``test_site_policies``), and are compared with themselves here.
"""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import schedcore
from engine.event_driver import drive
from example_shares import examples
from properties.backfilling_instances import SELECTIONS, Options, backfill_instances, crowd
from reference.backfilling import replay, simulate
from reference.backfilling_instance import BackfillInstance
from reference.queue_formulas import FORMULAS
from schedcore.algorithms.queue_order import OPTION_ORDERS

#: Those that the reference knows; weighted keys are ordered as those of a site are.
ORDERS = ("sjf", "svf", "sdf", *FORMULAS)
ONE_PROTECTED = ["fcfs", "first_fit", "easy"]
SETTINGS: list[tuple[str, Options]] = [
    ("fcfs", {}),
    ("first_fit", {}),
    ("first_fit", {"selection": "bb"}),
    ("easy", {}),
    ("easy", {"selection": "sjbf"}),
    ("easy", {"queue_depth": 3, "interval": 2.0}),
    ("backfill", {"protected": 3}),
    ("backfill", {"protected": 2, "selection": "bl"}),
    ("conservative", {}),
    ("conservative", {"selection": "bb!"}),
    ("conservative", {"mode": "rebuild"}),
]


@st.composite
def settings_in_order(draw: st.DrawFn, name: str) -> Options:
    """An order, and what else the policy takes."""
    options: Options = {"order": draw(st.sampled_from(ORDERS))}
    if name != "fcfs":
        options["selection"] = draw(st.sampled_from(SELECTIONS))
        options |= draw(
            st.fixed_dictionaries(
                {},
                optional={"queue_depth": st.integers(1, 4), "interval": st.sampled_from([1.0, 2.5])},
            )
        )
    if name == "easy":
        options |= draw(
            st.fixed_dictionaries(
                {}, optional={"window": st.integers(0, 9), "resolution": st.sampled_from([2, 5])}
            )
        )
    return options


def assert_equals_reference(name: str, instance: schedcore.Instance, options: Options) -> None:
    record = {"record": True} if name == "easy" else {}
    result = schedcore.solve(name, instance, **options, **record)
    reference = simulate(BackfillInstance.from_instance(instance), name, **options)
    assert result.schedule.start_time.tolist() == reference.start_time
    assert result.schedule.machine.tolist() == reference.machine
    assert [tuple(row) for row in result.stats.get("shadow", [])] == reference.shadow


@pytest.mark.parametrize("name", ONE_PROTECTED)
@given(data=st.data(), instance=backfill_instances() | backfill_instances(integer_times=False))
def test_every_order_equals_the_reference(
    name: str, data: st.DataObject, instance: schedcore.Instance
) -> None:
    assert_equals_reference(name, instance, data.draw(settings_in_order(name)))


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(("n_machines", "n_resources"), [(1, 1), (1, 3), (3, 2)])
def test_long_queues_equal_the_reference(order: str, n_machines: int, n_resources: int) -> None:
    for seed, name in enumerate(["easy", "easy", "first_fit", "fcfs"]):
        instance = crowd(seed, n_jobs=40, n_machines=n_machines, n_resources=n_resources)
        others: Options = {"selection": "sjbf"} if seed == 1 else {}
        assert_equals_reference(name, instance, {"order": order, **others})


@pytest.mark.parametrize("name", ONE_PROTECTED)
@given(
    data=st.data(),
    instance=backfill_instances(),
    factor=st.lists(st.sampled_from([0.5, 1.0, 1.0, 2.0, 4.0]), min_size=1, max_size=7),
)
def test_embedded_ones_that_outlive_their_estimates_equal_the_reference(
    name: str, data: st.DataObject, instance: schedcore.Instance, factor: list[float]
) -> None:
    options = data.draw(settings_in_order(name))
    duration = [p * factor[j % len(factor)] for j, p in enumerate(instance.jobs.processing_time.tolist())]
    driver = drive(name, instance, options, duration=duration)
    reference = replay(BackfillInstance.from_instance(instance), name, duration, **options)
    assert driver.start_time == reference.start_time
    assert driver.machine == reference.machine
    if name == "easy":
        assert driver.scheduler.n_overruns == reference.n_overruns
        index = {job_id: job for job, job_id in enumerate(driver.ids)}
        plans = [
            (now, [(index[row.id], row.machine, row.start_time) for row in decision.plan])
            for now, decision in driver.decisions
        ]
        assert plans == reference.plans


def places_of(result: schedcore.Result) -> list[list[float]]:
    return [result.schedule.start_time.tolist(), result.schedule.machine.tolist()]


@pytest.mark.parametrize("order", OPTION_ORDERS)
@examples(15)
@given(instance=backfill_instances(), setting=st.sampled_from(SETTINGS))
def test_the_option_is_the_order_of_a_site(
    order: str, instance: schedcore.Instance, setting: tuple[str, Options]
) -> None:
    name, options = setting
    by_option = schedcore.solve(name, instance, order=order, **options)
    by_site = schedcore.solve(name, instance, site=schedcore.Site(order=order), **options)
    assert places_of(by_option) == places_of(by_site)
    assert drive(name, instance, {**options, "order": order}).start_time == places_of(by_site)[0]


@pytest.mark.parametrize("order", ORDERS)
def test_more_machines_than_one_word_of_them_decide_as_under_a_site(order: str) -> None:
    instance = crowd(7, n_jobs=300, n_machines=70)
    for name, options in SETTINGS[:5]:
        by_site = schedcore.solve(name, instance, site=schedcore.Site(order=order), **options)
        assert places_of(schedcore.solve(name, instance, order=order, **options)) == places_of(by_site)


@pytest.mark.parametrize("order", ["f1", "f2", "f3", "f4"])
@given(instance=backfill_instances(min_jobs=2), later=st.sampled_from([3.0, 1000.0]))
def test_the_first_release_counts_and_not_the_beginning_of_the_clock(
    order: str, instance: schedcore.Instance, later: float
) -> None:
    moved = instance.jobs.replace(release_time=instance.jobs.release_time + later)
    for name in ONE_PROTECTED:
        before = schedcore.solve(name, instance, order=order).schedule.start_time
        after = schedcore.solve(name, schedcore.Instance(moved, instance.machines), order=order)
        assert (after.schedule.start_time - later).tolist() == before.tolist()


def kept(scheduler: schedcore.OnlineScheduler) -> schedcore.OnlineScheduler:
    return schedcore.OnlineScheduler.load(scheduler.save())


@pytest.mark.parametrize(
    "embedded", [{"order": "f1"}, {"site": schedcore.Site(order="f1")}], ids=["option", "site"]
)
@pytest.mark.parametrize("name", ["easy", "conservative"])
def test_a_saved_scheduler_remembers_the_first_release(name: str, embedded: dict[str, Any]) -> None:
    # s counts from 0, when a job came that is long gone: log10(s) is 3 for the job of 999 and 3.15 for that of 1,409.
    # F1 is 3 * 100 + 2610 = 2910 and 0 * 100 + 2740. Counted from 999 it would be 300 and 2274, the other way round.
    machines = schedcore.Machines([[100]])
    whole = schedcore.OnlineScheduler(name, machines, **embedded)

    def submit(scheduler: schedcore.OnlineScheduler, now: float, length: float, id: int) -> None:
        scheduler.submit(schedcore.Jobs([length], [[100]]), now, ids=[id])
        scheduler.advance(now)

    submit(whole, 0.0, 1.0, 0)
    whole.complete([0], 1.0)
    submit(whole, 500.0, 2000.0, 1)  # would run until 2,500
    later = kept(whole)
    for scheduler in (whole, later):
        submit(scheduler, 999.0, 1000.0, 2)
        submit(scheduler, 1409.0, 1.0, 3)
        scheduler.complete([1], 2400.0)
    assert whole.advance(2400.0).starts.id.tolist() == later.advance(2400.0).starts.id.tolist() == [3]
