"""Overtaking and figures by class equal their definitions, and the laws of the policies show in them."""

import dataclasses
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import schedcore
from reference import overtaking as reference
from schedcore import metrics


def instance(
    processing_time: Any, demand: Any, capacity: Any, release_time: Any = 0, **columns: Any
) -> schedcore.Instance:
    jobs = schedcore.Jobs(processing_time, demand, release_time, **columns)
    return schedcore.Instance(
        jobs, schedcore.Machines(capacity, ["processors", "memory"][: len(capacity[0])])
    )


def on_one_machine(start_time: Any) -> schedcore.Schedule:
    return schedcore.Schedule(start_time, np.zeros(len(start_time), dtype=np.int64))


@st.composite
def scheduled(draw: st.DrawFn) -> tuple[schedcore.Instance, schedcore.Schedule]:
    """Any starts not before the releases, with many ties of both."""
    n_jobs, last = draw(st.integers(1, 12)), draw(st.sampled_from([1, 6, 100]))

    def column(values: st.SearchStrategy[int]) -> Any:
        return np.array(draw(st.lists(values, min_size=n_jobs, max_size=n_jobs)), dtype=np.int64)

    release = column(st.integers(0, last))
    demand = np.stack([column(st.integers(0, 40)), column(st.integers(0, 9))], axis=1)
    inst = instance(column(st.integers(1, 5000)), demand, [[40, 9], [17, 3]], release)
    return inst, on_one_machine((release + column(st.integers(0, last))).astype(np.float64))


@given(scheduled())
def test_times_overtaken_equal_the_brute_force_and_their_summary(case: tuple[Any, Any]) -> None:
    inst, plan = case
    expected = reference.times_overtaken(inst, plan)
    assert metrics.times_overtaken(inst, plan).tolist() == expected
    figures = metrics.overtaking_summary(inst, plan)
    assert (figures.total, figures.max) == (sum(expected), max(expected))
    assert figures.mean == sum(expected) / inst.n_jobs
    assert figures.overtaken_share == sum(count > 0 for count in expected) / inst.n_jobs
    order = sorted(range(inst.n_jobs), key=lambda job: (inst.jobs.release_time[job], job))
    wait = metrics.queuing_delay(inst, plan).tolist()
    assert figures.longest_wait == max(wait)
    for values, job in ((expected, figures.max_job), (wait, figures.longest_wait_job)):
        assert job == (next(j for j in order if values[j] == max(values)) if max(values) else None)


@given(scheduled())
def test_overtaking_counts_every_pair_once_from_either_side(case: tuple[Any, Any]) -> None:
    inst, plan = case
    # Seen backwards in time, who overtook becomes who was overtaken.
    backwards = instance(
        inst.jobs.processing_time[::-1], inst.jobs.demand[::-1], inst.machines.capacity,
        100 - inst.jobs.release_time[::-1],
    )  # fmt: skip
    mirrored = on_one_machine(1000.0 - plan.start_time[::-1])
    assert metrics.times_overtaken(backwards, mirrored).sum() == metrics.times_overtaken(inst, plan).sum()


def random_workload(seed: int, n_machines: int = 1) -> schedcore.Instance:
    random = np.random.default_rng(seed)
    release = np.sort(random.integers(0, 400, 150))
    demand = random.integers(1, 11, (150, 2))
    return instance(random.integers(1, 30, 150), demand, [[10, 10]] * n_machines, release)


@pytest.mark.parametrize("n_machines", [1, 3])
def test_first_come_first_served_overtakes_nobody_and_backfilling_does(n_machines: int) -> None:
    inst = random_workload(5, n_machines)
    assert metrics.overtaking_summary(inst, schedcore.fcfs(inst).schedule).total == 0
    assert metrics.overtaking_summary(inst, schedcore.first_fit(inst).schedule).total > 0


def test_the_eight_job_example_of_backfilling() -> None:
    # First fit starts jobs 0..7 at 0, 4, 8, 15, 2, 20, 4, 5. Job 1 waits until 4 and is passed by 4; job 2 until 8, by
    # 4, 6 and 7; job 3 until 15, by the same; job 5 until 20, by 6 and 7. Job 5 waits longest, from 3 to 20.
    release = [0, 0, 1, 2, 2, 3, 3, 3]
    demand = [(3, 7), (1, 5), (8, 1), (8, 3), (2, 3), (9, 2), (1, 2), (1, 4)]
    inst = instance([4, 1, 7, 5, 6, 5, 6, 4], demand, [[10, 10]], release)
    plan = schedcore.first_fit(inst).schedule
    assert plan.start_time.tolist() == [0, 4, 8, 15, 2, 20, 4, 5]
    assert metrics.times_overtaken(inst, plan).tolist() == [0, 1, 3, 3, 0, 2, 0, 0]
    assert metrics.overtaking_summary(inst, plan) == metrics.OvertakingSummary(
        total=9, mean=9 / 8, max=3, max_job=2, overtaken_share=0.5, longest_wait=17, longest_wait_job=5
    )


@given(scheduled(), st.integers(0, 1))
def test_size_classes_are_powers_of_two_of_one_resource(case: tuple[Any, Any], resource: int) -> None:
    inst, _ = case
    classes = metrics.size_classes(inst, resource)
    assert classes.measures == (inst.machines.resource_names[resource],)
    for job, amount in enumerate(inst.jobs.demand[:, resource].tolist()):
        own = classes.of_job[job]
        bounds = (classes.lower[own, 0], classes.upper[own, 0])
        assert bounds == (
            (-np.inf, 0)
            if amount == 0
            else (0, 1)
            if amount == 1
            else reference.doubling_bounds(Fraction(amount))
        )


@given(scheduled())
def test_share_classes_are_powers_of_two_of_the_largest_share(case: tuple[Any, Any]) -> None:
    inst, _ = case
    classes = metrics.share_classes(inst)
    for job in range(inst.n_jobs):
        share, own = reference.largest_share(inst, job), classes.of_job[job]
        expected = reference.doubling_bounds(share) if share else (-np.inf, 0)
        assert (classes.lower[own, 0], classes.upper[own, 0]) == expected


@given(scheduled(), st.sampled_from(["size", "share", "length", "shape"]))
def test_figures_by_class_are_those_of_the_jobs_within_its_bounds(case: tuple[Any, Any], kind: str) -> None:
    inst, plan = case
    classes = getattr(metrics, f"{kind}_classes")(inst)
    figures = metrics.fairness_by_class(inst, plan, classes)
    wait = metrics.queuing_delay(inst, plan).tolist()
    columns = {
        "mean_wait": wait,
        "mean_response": metrics.flow_time(inst, plan).tolist(),
        "mean_slowdown": metrics.slowdown(inst, plan).tolist(),
        "mean_bounded_slowdown": metrics.bounded_slowdown(inst, plan).tolist(),
        "mean_times_overtaken": reference.times_overtaken(inst, plan),
    }
    for figure, values in columns.items():
        expected = reference.mean_by_class(lambda job: int(classes.of_job[job]), values)
        assert sorted(expected) == list(range(classes.n_classes))
        for own, (n_jobs, mean) in expected.items():
            assert figures.n_jobs[own] == n_jobs
            assert getattr(figures, figure)[own] == pytest.approx(float(mean), rel=1e-14)
    for own in range(classes.n_classes):
        members = classes.of_job == own
        assert figures.max_wait[own] == max(np.array(wait)[members])
        own_waits = np.sort(np.array(wait)[members])
        assert figures.wait_p95[own] == own_waits[-(-95 * len(own_waits) // 100) - 1]
    values_of = {
        "processors": inst.jobs.demand[:, 0],
        "processing_time": inst.jobs.processing_time,
    }
    for index, measure in enumerate(classes.measures):
        if measure in values_of:
            value = values_of[measure]
            assert (classes.lower[classes.of_job, index] < value).all()
            assert (value <= classes.upper[classes.of_job, index]).all()


def test_names_and_rows_of_classes() -> None:
    inst = instance([30, 60, 3600, 3601, 10**6], [[1], [2], [5], [8], [40]], [[40]])
    assert metrics.size_classes(inst, "processors").names == ("1", "2", "5-8", "33-64")
    assert metrics.share_classes(inst).names == (
        "1/64 to 1/32", "1/32 to 1/16", "1/16 to 1/8", "1/8 to 1/4", "1/2 to 1",
    )  # fmt: skip
    assert metrics.length_classes(inst).names == ("0 to 60", "600 to 3600", "3600 to 21600", "over 86400")
    assert metrics.shape_classes(inst).names == ("narrow short", "narrow long", "wide long")
    rows = metrics.fairness_by_class(inst, on_one_machine([5.0] * 5), metrics.shape_classes(inst)).rows()
    assert rows[0] == {
        "class": "narrow short", "processors_above": -np.inf, "processors_at_most": 8,
        "processing_time_above": 0, "processing_time_at_most": 3600, "n_jobs": 3, "mean_wait": 5, "wait_p95": 5,
        "max_wait": 5, "mean_response": 1235, "mean_slowdown": pytest.approx((35 / 30 + 65 / 60 + 3605 / 3600) / 3),
        "mean_bounded_slowdown": pytest.approx((35 / 30 + 65 / 60 + 3605 / 3600) / 3), "mean_times_overtaken": 0,
    }  # fmt: skip


def test_jobs_without_demand_and_amounts_near_2_to_53_have_exact_classes() -> None:
    most = 2**53
    inst = instance([1] * 4, [[0], [most], [most // 2], [most // 2 + 1]], [[most]])
    classes = metrics.size_classes(inst)
    assert classes.of_job.tolist() == [0, 2, 1, 2]
    assert classes.upper[:, 0].tolist() == [0, most // 2, most]
    shares = metrics.share_classes(inst)
    assert shares.names == ("0", "1/4 to 1/2", "1/2 to 1")
    assert shares.of_job.tolist() == [0, 2, 1, 2]


def test_without_jobs_there_are_no_classes_and_no_overtaking() -> None:
    inst, plan = instance([], np.zeros((0, 2), dtype=np.int64), [[10, 10]]), on_one_machine([])
    for kind in ("size", "share", "length", "shape"):
        assert metrics.fairness_by_class(inst, plan, getattr(metrics, f"{kind}_classes")(inst)).rows() == []
    summary = dataclasses.asdict(metrics.overtaking_summary(inst, plan))
    assert set(summary.values()) == {0, None}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda inst: metrics.size_classes(inst, 2), "resource 2 must lie in"),
        (lambda inst: metrics.size_classes(inst, "procesors"), "did you mean 'processors'"),
        (lambda inst: metrics.shape_classes(inst, narrow=-1), "narrow = -1"),
        (lambda inst: metrics.shape_classes(inst, short=float("nan")), "short = nan"),
        (lambda inst: metrics.length_classes(inst, [60, 60]), "strictly ascending"),
        (lambda inst: metrics.length_classes(inst, [0, 60]), "positive"),
        (lambda inst: metrics.times_overtaken(inst, on_one_machine([0.0, 1.0])), "the schedule has 2 jobs"),
    ],
)
def test_wrong_classes_are_refused(call: Any, message: str) -> None:
    inst = instance([1.0], [[1, 1]], [[1, 1]])
    with pytest.raises(schedcore.InvalidInstanceError, match=message):
        call(inst)


def test_classes_of_other_jobs_are_refused() -> None:
    one, two = (instance([1.0] * n, [[1]] * n, [[1]]) for n in (1, 2))
    with pytest.raises(schedcore.InvalidInstanceError, match="classes are of 2 jobs, the instance has 1"):
        metrics.fairness_by_class(one, on_one_machine([0.0]), metrics.size_classes(two))
