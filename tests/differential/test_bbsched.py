"""BBSched decides exactly as its reference, which forms every subset of the window: starts, machines and shadow times.

Also embedded, between copies and pickles, with calls at which nothing happened, and where jobs outlive their estimates.
"""

import math
import pickle
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import schedcore
from engine.event_driver import drive
from example_shares import examples
from properties.backfilling_instances import Options, backfill_instances, crowd, huge_capacities
from reference.backfilling import replay, simulate
from reference.backfilling_instance import BackfillInstance

TRADES: list[Any] = [0, 0.25, 1, 2.0, Fraction(5, 3), 4, math.inf]


def options_for(instance: schedcore.Instance) -> st.SearchStrategy[Options]:
    return st.fixed_dictionaries(
        {
            "window_size": st.integers(1, 7),
            "max_passes": st.sampled_from([0, 1, 2, 3, 50]),
            "primary": st.integers(0, instance.n_resources - 1),
            "trade": st.sampled_from(TRADES),
        }
    )


def assert_equals_reference(instance: schedcore.Instance, options: Options) -> schedcore.Result:
    result = schedcore.solve("bbsched", instance, record=True, **options)
    reference = simulate(BackfillInstance.from_instance(instance), "bbsched", sets=options)
    assert result.schedule.start_time.tolist() == reference.start_time
    assert result.schedule.machine.tolist() == reference.machine
    assert [tuple(row) for row in result.stats["shadow"]] == reference.shadow
    assert result.stats["window_searches_cut"] == 0
    return result


@given(data=st.data(), instance=backfill_instances())
def test_every_setting_equals_the_reference(data: st.DataObject, instance: schedcore.Instance) -> None:
    for options in data.draw(st.lists(options_for(instance), min_size=1, max_size=3)):
        assert_equals_reference(instance, options)


@examples(40)
@given(
    data=st.data(), instance=backfill_instances(max_resources=8, max_machines=2, capacities=huge_capacities)
)
def test_huge_and_unequal_capacities_equal_the_reference(
    data: st.DataObject, instance: schedcore.Instance
) -> None:
    assert_equals_reference(instance, data.draw(options_for(instance)))


@examples(60)
@given(data=st.data(), instance=backfill_instances())
def test_searches_that_end_at_once_start_the_first_fit(
    data: st.DataObject, instance: schedcore.Instance
) -> None:
    options = data.draw(options_for(instance))
    result = schedcore.solve("bbsched", instance, **options, work_limit=1)
    reference = simulate(
        BackfillInstance.from_instance(instance), "bbsched", sets={**options, "is_cut": True}
    )
    assert result.schedule.start_time.tolist() == reference.start_time
    assert result.schedule.machine.tolist() == reference.machine


@pytest.mark.parametrize(("n_machines", "n_resources"), [(1, 1), (1, 2), (1, 3), (2, 2)])
def test_long_queues_equal_the_reference(n_machines: int, n_resources: int) -> None:
    chosen = forced = 0
    for seed, (window_size, max_passes, trade) in enumerate(
        [(8, 50, 2), (7, 3, 1), (6, 1, 0), (5, 2, math.inf)]
    ):
        instance = crowd(seed, n_jobs=30, n_machines=n_machines, n_resources=n_resources)
        options = {
            "window_size": window_size,
            "max_passes": max_passes,
            "trade": trade,
            "primary": n_resources - 1,
        }
        stats = assert_equals_reference(instance, options).stats
        chosen += stats["window_choices"]
        forced += stats["window_forced_starts"]
    assert chosen > 0
    assert forced > 0


factors = st.lists(st.sampled_from([0.5, 1.0, 1.0, 1.5, 2.0, 4.0]), min_size=1, max_size=7)


@given(data=st.data(), instance=backfill_instances(), factor=factors)
def test_jobs_that_outlive_their_estimates_are_taken_as_the_reference_takes_them(
    data: st.DataObject, instance: schedcore.Instance, factor: list[float]
) -> None:
    options = data.draw(options_for(instance))
    duration = [p * factor[j % len(factor)] for j, p in enumerate(instance.jobs.processing_time.tolist())]
    driver = drive("bbsched", instance, options, duration=duration)
    reference = replay(BackfillInstance.from_instance(instance), "bbsched", duration, sets=options)
    assert driver.start_time == reference.start_time
    assert driver.machine == reference.machine
    assert driver.scheduler.n_overruns == reference.n_overruns
    index = {job_id: job for job, job_id in enumerate(driver.ids)}
    plans = [
        (now, [(index[row.id], row.machine, row.start_time) for row in decision.plan])
        for now, decision in driver.decisions
    ]
    assert plans == reference.plans


@examples(40)
@given(data=st.data(), instance=backfill_instances())
def test_embedded_decisions_are_those_of_solve_whatever_happens_in_between(
    data: st.DataObject, instance: schedcore.Instance
) -> None:
    options = data.draw(options_for(instance))
    extra = data.draw(st.lists(st.integers(0, 60).map(lambda half: half / 2), max_size=6))
    between = data.draw(
        st.sampled_from(
            [
                lambda scheduler: scheduler,
                lambda scheduler: pickle.loads(pickle.dumps(scheduler)),
                lambda scheduler: scheduler.copy(),
            ]
        )
    )
    driver = drive("bbsched", instance, options, extra_instants=extra, between=between)
    schedule = schedcore.solve("bbsched", instance, **options).schedule
    assert driver.start_time == schedule.start_time.tolist()
    assert driver.machine == schedule.machine.tolist()
