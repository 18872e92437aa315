"""What the search for an order keeps: no sorted order predicts less, few jobs are ordered at best, work has a limit."""

import logging
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import schedcore
from engine.event_driver import drive
from example_shares import examples
from properties.backfilling_instances import backfill_instances, crowd
from reference.backfilling_cluster import Cluster
from reference.backfilling_instance import BackfillInstance
from reference.plan_annealing import PlanAnnealing


def at_once(instance: schedcore.Instance) -> schedcore.Instance:
    """The same jobs, all there from the beginning: the first search is of all of them."""
    jobs = instance.jobs
    return schedcore.Instance(schedcore.Jobs(jobs.processing_time, jobs.demand), instance.machines)


def predicted(instance: schedcore.Instance, **options: float) -> float:
    """The sum of the starts that the first plan has."""
    scheduler = schedcore.OnlineScheduler("plan_annealing", instance.machines, **options)
    scheduler.submit(instance.jobs, 0.0)
    return float(sum(row.start_time for row in scheduler.advance(0.0).plan))


def scored(instance: schedcore.Instance) -> PlanAnnealing:
    cluster = Cluster(BackfillInstance.from_instance(instance), None)
    for job in range(instance.n_jobs):
        cluster.submit(job)
    return PlanAnnealing(cluster)


@examples(30)
@given(instance=backfill_instances(max_jobs=8).map(at_once), seed=st.integers(0, 3))
def test_no_sorted_order_predicts_less(instance: schedcore.Instance, seed: int) -> None:
    reference = scored(instance)
    queue = list(range(instance.n_jobs))
    orders = [queue]
    for key in (reference.estimate, reference.size, lambda j: reference.estimate(j) * reference.size(j)):
        orders += [sorted(queue, key=key, reverse=descends) for descends in (False, True)]
    least = min(reference.score(order, 0.0) for order in orders)
    assert predicted(instance, steps=0, exhaustive=0) == least
    assert predicted(instance, steps=5, exhaustive=0, seed=seed) <= least


@examples(20)
@given(instance=backfill_instances(max_jobs=5, max_machines=2).map(at_once))
def test_no_order_of_five_jobs_predicts_less(instance: schedcore.Instance) -> None:
    reference = scored(instance)
    least = min(reference.score(order, 0.0) for order in permutations(range(instance.n_jobs)))
    assert predicted(instance) == least


def test_longer_annealing_finds_what_sorting_does_not() -> None:
    gains = []
    for seed in range(6):
        instance = at_once(crowd(seed, n_jobs=30, n_machines=2))
        gains.append(predicted(instance, steps=0) - predicted(instance, steps=60, swaps=20))
    assert min(gains) >= 0
    assert sum(gain > 0 for gain in gains) >= 5


def test_the_seed_decides_and_the_same_seed_decides_alike() -> None:
    instance = crowd(3, n_jobs=60)
    runs = {
        seed: schedcore.solve("plan_annealing", instance, seed=seed).schedule.start_time.tolist()
        for seed in (0, 1)
    }
    assert runs[0] != runs[1]
    assert schedcore.solve("plan_annealing", instance, seed=1).schedule.start_time.tolist() == runs[1]


def test_work_ends_the_search_and_is_told(caplog: pytest.LogCaptureFixture) -> None:
    instance = crowd(1, n_jobs=60)
    with caplog.at_level(logging.WARNING, "schedcore"):
        result = schedcore.solve("plan_annealing", instance, work_limit=200)
        assert result.stats["searches_cut"] > 0
        assert [record.args[0] for record in caplog.records] == [result.stats["searches_cut"]]
        caplog.clear()
        enough = schedcore.solve("plan_annealing", instance)
        assert enough.stats["searches_cut"] == 0
        assert not caplog.records


def test_the_first_plan_is_that_of_the_queue_and_always_made() -> None:
    instance = crowd(1, n_jobs=60, n_machines=2)
    least = schedcore.solve("plan_annealing", instance, work_limit=1)
    assert least.schedule == schedcore.solve("conservative", instance, mode="rebuild").schedule


@examples(30)
@given(
    instance=backfill_instances(),
    extra=st.lists(st.sampled_from([0.5, 1.0, 2.25, 3.0, 7.5, 11.0]), max_size=5),
    exhaustive=st.sampled_from([0, 3]),
)
def test_asking_more_often_changes_nothing(
    instance: schedcore.Instance, extra: list[float], exhaustive: int
) -> None:
    options = {"exhaustive": exhaustive, "steps": 4}
    asked = drive("plan_annealing", instance, options, extra_instants=extra)
    schedule = schedcore.solve("plan_annealing", instance, **options).schedule
    assert asked.start_time == schedule.start_time.tolist()
    assert asked.machine == schedule.machine.tolist()


def test_a_scheduler_that_was_saved_draws_on_where_it_was() -> None:
    instance = crowd(2, n_jobs=50)
    options = {"seed": 5}

    def saved(scheduler: schedcore.OnlineScheduler) -> schedcore.OnlineScheduler:
        return schedcore.OnlineScheduler.load(scheduler.save())

    resumed = drive("plan_annealing", instance, options, between=saved)
    assert (
        resumed.start_time
        == schedcore.solve("plan_annealing", instance, **options).schedule.start_time.tolist()
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"work_limit": 0}, "work_limit = 0 must be at least 1"),
        ({"seed": -1}, "seed = -1 must be at least 0"),
        ({"cooling": 0}, "cooling = 0 must be finite and above 0"),
        ({"cooling": 1.5}, "cooling = 1.5 must be at most 1"),
        ({"cooling": float("nan")}, "cooling = nan must be finite and above 0"),
        ({"cooling": 10**400}, "must be finite and above 0"),
        ({"steps": -1}, "steps = -1 must be at least 0"),
        ({"swaps": 2**31}, "swaps = 2147483648 must be"),
        ({"exhaustive": 11}, "exhaustive = 11 must be at least 0 and at most 10"),
    ],
)
def test_options_that_make_no_sense_are_refused(options: dict[str, float], message: str) -> None:
    with pytest.raises(schedcore.InvalidInstanceError, match=message):
        schedcore.solve("plan_annealing", crowd(0, n_jobs=3), **options)
