"""Metrics equal their definitions (reference), the worked examples, and each other where a law says so."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import schedcore
from reference import metrics as reference
from schedcore import metrics
from scheduled_jobs import instance, schedule, scheduled_jobs


def close(actual: Any, expected: Any) -> None:
    assert actual == pytest.approx(float(expected), rel=1e-12, abs=1e-12)


@given(scheduled_jobs())
def test_summary_of_integer_data_equals_the_definitions(case: tuple[Any, Any]) -> None:
    inst, plan = case
    actual, expected = metrics.summary(inst, plan), reference.summary(inst, plan)
    assert list(actual) == list(expected)
    for name, value in expected.items():
        if name == "utilisation":
            for share, exact in zip(actual[name], value, strict=True):
                close(share, exact)
        else:
            close(actual[name], value)


@given(scheduled_jobs())
def test_counts_and_delays_of_integer_data_are_exact(case: tuple[Any, Any]) -> None:
    inst, plan = case
    actual, expected = metrics.summary(inst, plan), reference.summary(inst, plan)
    for name in ("makespan", "max_wait", "wait_p50", "wait_p90", "wait_p95", "wait_p99", "max_queue"):
        assert actual[name] == expected[name], name


@given(scheduled_jobs(integral=False))
def test_weighted_completion_is_the_exact_sum_rounded_once(case: tuple[Any, Any]) -> None:
    inst, plan = case
    exact = reference.weighted_completion(inst, plan)
    assert metrics.weighted_completion(inst, plan) == reference.correctly_rounded(exact)


def test_weighted_completion_keeps_the_last_bit_where_products_do_not_fit_a_double() -> None:
    # (2**27 + 1)**2 = 2**54 + 2**28 + 1 needs 55 bits; 2**53 + 1 completions of weight 1 would lose theirs.
    inst = instance([2**27 + 1, 2.0], [[1], [1]], [[2]], weight=[2**27 + 1, 1.5])
    exact = (2**27 + 1) ** 2 + 3
    assert metrics.weighted_completion(inst, schedule([0, 0])) == float(exact)
    assert metrics.weighted_completion(inst, schedule([0, 0])) == 2**54 + 2**28 + 4


def test_long_columns_are_summed_as_exactly_as_short_ones() -> None:
    n_jobs = 70_000  # more than one chunk of the exact summation
    lengths = 0.1 + np.arange(n_jobs) % 7
    inst = instance(lengths, np.ones((n_jobs, 1), dtype=np.int64), [[n_jobs]], weight=lengths / 3)
    exact = sum(
        (Fraction(w) * Fraction(c) for w, c in zip((lengths / 3).tolist(), lengths.tolist(), strict=True)),
        Fraction(0),
    )
    plan = schedule(np.zeros(n_jobs))
    assert metrics.weighted_completion(inst, plan) == reference.correctly_rounded(exact)
    total = sum(map(Fraction, lengths.tolist()), Fraction(0))
    assert metrics.summary(inst, plan)["avg_response"] == reference.correctly_rounded(total) / n_jobs


def test_weighted_completion_beyond_the_doubles_is_infinite_and_tiny_factors_keep_their_sum() -> None:
    huge = instance([1e300, 1.0], [[1], [1]], [[2]], weight=[1e300, 1])
    assert metrics.weighted_completion(huge, schedule([0, 0])) == np.inf
    mixed = instance([1e300, 1.0], [[1], [1]], [[2]], weight=[1e-300, 1])
    assert metrics.weighted_completion(mixed, schedule([0, 0])) == pytest.approx(2.0)


@given(scheduled_jobs(integral=False), st.randoms(use_true_random=False))
def test_the_order_of_the_jobs_does_not_matter(case: tuple[Any, Any], random: Any) -> None:
    inst, plan = case
    order = list(range(inst.n_jobs))
    random.shuffle(order)
    jobs = inst.jobs
    shuffled = instance(
        jobs.processing_time[order], jobs.demand[order], inst.machines.capacity,
        jobs.release_time[order], jobs.weight[order],
    )  # fmt: skip
    reordered = schedule(plan.start_time[order], plan.machine[order])
    assert metrics.summary(shuffled, reordered) == metrics.summary(inst, plan)


@given(scheduled_jobs(integral=False))
def test_use_and_queue_at_any_instant_are_those_of_the_jobs_active_then(case: tuple[Any, Any]) -> None:
    inst, plan = case
    completion = metrics.completion_time(inst, plan)
    instants = np.unique(np.concatenate((inst.jobs.release_time, plan.start_time, completion)))
    instants = np.concatenate(([-1.0], instants, (instants[1:] + instants[:-1]) / 2, [instants[-1] + 1]))
    usage, queue = metrics.resource_usage(inst, plan), metrics.queue_length(inst, plan)
    waiting = [metrics.waiting_work(inst, plan, resource) for resource in range(inst.n_resources)]
    for instant in instants.tolist():
        assert usage.at(instant).tolist() == reference.usage_at(inst, plan, instant)
        assert queue.at(instant) == reference.queue_at(inst, plan, instant)
        for resource, work in enumerate(waiting):
            assert work.at(instant) == reference.waiting_work_at(inst, plan, instant, resource)
    by_machine = [metrics.resource_usage(inst, plan, m).at(instants) for m in range(inst.n_machines)]
    assert np.array_equal(sum(by_machine), usage.at(instants))


@given(scheduled_jobs(), st.integers(0, 60), st.integers(0, 60))
def test_utilisation_between_two_instants_counts_what_overlaps(
    case: tuple[Any, Any], one: int, other: int
) -> None:
    inst, plan = case
    between = (float(min(one, other)), float(max(one, other)))
    expected = reference.utilisation(inst, plan, between)
    for share, exact in zip(metrics.utilisation(inst, plan, between), expected, strict=True):
        close(share, exact)


@given(scheduled_jobs(), st.integers(1, 7))
def test_bins_of_equal_width_average_to_the_utilisation(case: tuple[Any, Any], n_bins: int) -> None:
    inst, plan = case
    edges, share = metrics.binned_utilisation(inst, plan, n_bins)
    assert edges.shape == (n_bins + 1,)
    assert share.shape == (n_bins, inst.n_resources)
    np.testing.assert_allclose(share.mean(axis=0), metrics.utilisation(inst, plan), rtol=1e-9, atol=1e-12)


def test_work_beyond_64_bits_is_refused() -> None:
    inst = instance([2.0**40, 2.0**40], [[2**22], [2**22]], [[2**22]])
    with pytest.raises(schedcore.UnsupportedError, match="work of all jobs for resource 0"):
        metrics.waiting_work(inst, schedule([0, 2.0**40], [0, 0]))


@given(scheduled_jobs())
def test_the_integral_of_the_queue_is_the_sum_of_the_delays(case: tuple[Any, Any]) -> None:
    inst, plan = case
    first, last = metrics.horizon(inst, plan)
    mean = metrics.queue_length(inst, plan).binned_mean([first, last])[0]
    np.testing.assert_allclose(mean * (last - first), metrics.queuing_delay(inst, plan).sum(), rtol=1e-9)


@given(scheduled_jobs(integral=False))
def test_slowdowns_are_at_least_one(case: tuple[Any, Any]) -> None:
    inst, plan = case
    assert (metrics.slowdown(inst, plan) >= 1).all()
    assert (metrics.bounded_slowdown(inst, plan) >= 1).all()


@given(scheduled_jobs(), st.fractions(0, 1, max_denominator=1000))
def test_quantiles_are_delays_that_occurred(case: tuple[Any, Any], q: Fraction) -> None:
    inst, plan = case
    delay = metrics.delay_quantile(inst, plan, float(q))
    assert delay == reference.quantile(inst, plan, q)
    assert metrics.queuing_delay_share(inst, plan, [delay])[0] >= float(q) - 1e-12


@pytest.mark.parametrize("n", [1, 3, 10, 1000])
@pytest.mark.parametrize("n_jobs", [0, 1, 7, 100])
def test_equally_spaced_quantiles_are_those_of_their_shares(n: int, n_jobs: int) -> None:
    inst = instance([1.0] * n_jobs, [[1]] * n_jobs, [[100]])
    plan = schedule([(31 * job) % 101 for job in range(n_jobs)])
    expected = (
        [reference.quantile(inst, plan, Fraction(rank, n)) for rank in range(1, n + 1)] if n_jobs else []
    )
    assert metrics.delay_quantiles(inst, plan, n).tolist() == expected


def test_less_than_one_quantile_is_refused() -> None:
    with pytest.raises(schedcore.InvalidInstanceError, match="n = 0 quantiles"):
        metrics.delay_quantiles(instance([1.0], [[1]], [[1]]), schedule([0.0]), 0)


def test_a_quantile_at_a_written_decimal_does_not_skip_a_job() -> None:
    # 0.55 * 100 is 55.00000000000001 in doubles; the 55th smallest of the delays 0..99 is 54.
    inst = instance([1.0] * 100, [[1]] * 100, [[100]])
    assert metrics.delay_quantile(inst, schedule(range(100)), 0.55) == 54


def test_without_jobs_every_figure_is_zero() -> None:
    inst, plan = instance([], np.zeros((0, 2), dtype=np.int64), [[10, 10]]), schedule([])
    figures = metrics.summary(inst, plan)
    assert figures.pop("utilisation") == (0.0, 0.0)
    assert set(figures.values()) == {0}
    assert metrics.awct(inst, plan) == metrics.makespan(inst, plan) == 0.0
    assert metrics.queue_length(inst, plan).maximum() == 0
    assert metrics.resource_usage(inst, plan).at([0.0, 1.0]).tolist() == [[0, 0], [0, 0]]
    assert metrics.queuing_delay_summary(inst, plan).zero_share == 0.0
    assert metrics.binned_utilisation(inst, plan, 3)[1].tolist() == [[0.0, 0.0]] * 3


def test_a_resource_that_no_machine_has_counts_as_unused() -> None:
    inst = instance([2.0], [[3, 0]], [[6, 0]])
    assert metrics.utilisation(inst, schedule([0.0])).tolist() == [0.5, 0.0]
    assert metrics.summary(inst, schedule([0.0]))["weighted_avg_response"] == 2.0


def test_amounts_near_2_to_53_add_up_exactly() -> None:
    most = 2**53
    inst = instance([2.0, 2.0], [[most], [most - 1]], [[most], [most]])
    usage = metrics.resource_usage(inst, schedule([0, 1], np.array([0, 1])))
    assert usage.values.tolist() == [[most], [2 * most - 1], [most - 1], [0]]


def test_use_that_may_not_fit_64_bits_is_refused() -> None:
    most = 2**53
    inst = instance([1.0] * 1024, np.full((1024, 1), most), np.full((1024, 1), most))
    with pytest.raises(schedcore.UnsupportedError, match="resource 0"):
        metrics.resource_usage(inst, schedule([0.0] * 1024))


def test_a_schedule_of_other_jobs_is_refused() -> None:
    inst = instance([1.0], [[1]], [[1]])
    for figure in (metrics.awct, metrics.summary, metrics.queue_length, metrics.utilisation):
        with pytest.raises(schedcore.InvalidInstanceError, match="the schedule has 2 jobs, the instance 1"):
            figure(inst, schedule([0.0, 0.0]))


@pytest.mark.parametrize("tau", [-1.0, float("nan"), float("inf")])
def test_a_senseless_tau_is_refused(tau: float) -> None:
    inst = instance([1.0], [[1]], [[1]])
    with pytest.raises(schedcore.InvalidInstanceError, match="tau"):
        metrics.summary(inst, schedule([0.0]), tau)


@pytest.mark.parametrize("q", [-0.1, 1.1])
def test_a_quantile_outside_the_unit_interval_is_refused(q: float) -> None:
    inst = instance([1.0], [[1]], [[1]])
    with pytest.raises(schedcore.InvalidInstanceError, match="quantile"):
        metrics.delay_quantile(inst, schedule([0.0]), q)
