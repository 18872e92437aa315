"""Plan annealing decides exactly as its reference: starts, machines, and what the searches cost.

With few exchanges, as the reference plans everything anew for each of them.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import schedcore
from engine.event_driver import drive
from example_shares import examples
from properties.backfilling_instances import Options, backfill_instances, crowd
from reference.backfilling_instance import BackfillInstance
from reference.plan_annealing import replay_plans, simulate_plans

annealings = st.fixed_dictionaries(
    {"steps": st.integers(0, 3), "swaps": st.integers(0, 3), "exhaustive": st.sampled_from([0, 0, 2, 3])},
    optional={
        "seed": st.sampled_from([0, 1, 7, 2**64 - 1]),
        "cooling": st.sampled_from([0.1, 0.5, 1.0]),
        "work_limit": st.sampled_from([1, 7, 30, 60, 100]),
    },
)
factors = st.lists(st.sampled_from([0.5, 1.0, 1.0, 1.5, 2.0, 4.0]), min_size=1, max_size=7)


def assert_equals_reference(instance: schedcore.Instance, options: Options) -> None:
    result = schedcore.solve("plan_annealing", instance, **options)
    reference, policy = simulate_plans(BackfillInstance.from_instance(instance), **options)
    assert result.schedule.start_time.tolist() == reference.start_time
    assert result.schedule.machine.tolist() == reference.machine
    assert result.stats["searches"] == policy.searches
    assert result.stats["placements"] == policy.placements
    assert result.stats["searches_cut"] == policy.searches_cut


@given(instance=backfill_instances(), options=annealings)
def test_every_setting_equals_the_reference(instance: schedcore.Instance, options: Options) -> None:
    assert_equals_reference(instance, options)


@given(instance=backfill_instances(integer_times=False), options=annealings)
def test_real_times_equal_the_reference(instance: schedcore.Instance, options: Options) -> None:
    assert_equals_reference(instance, options)


@pytest.mark.parametrize(("n_machines", "n_resources"), [(1, 1), (1, 2), (3, 2)])
def test_long_queues_equal_the_reference(n_machines: int, n_resources: int) -> None:
    for seed in range(2):
        instance = crowd(seed, n_jobs=14, n_machines=n_machines, n_resources=n_resources)
        assert_equals_reference(instance, {"steps": 4, "swaps": 3, "seed": seed})


@examples(40)
@given(instance=backfill_instances(), options=annealings, factor=factors)
def test_embedded_jobs_may_outlive_their_estimates(
    instance: schedcore.Instance, options: Options, factor: list[float]
) -> None:
    duration = [p * factor[j % len(factor)] for j, p in enumerate(instance.jobs.processing_time.tolist())]
    driver = drive("plan_annealing", instance, options, duration=duration)
    reference, _ = replay_plans(BackfillInstance.from_instance(instance), duration, **options)
    assert driver.start_time == reference.start_time
    assert driver.machine == reference.machine
    assert driver.scheduler.n_overruns == reference.n_overruns
    index = {job_id: job for job, job_id in enumerate(driver.ids)}
    plans = [
        (now, [(index[row.id], row.machine, row.start_time) for row in decision.plan])
        for now, decision in driver.decisions
    ]
    assert plans == reference.plans
