"""Theorems on fair sharing: optimal rates, incentives to share, no envy, nothing wasted, shares over time."""

import math
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import schedcore
from example_shares import examples
from schedcore import _core, preemptive, solve
from slotted_cases import FAIR, baseline_options, pieces, slotted, slotted_instances, weighted

Array = NDArray[np.float64]

#: How far from used up a resource with a price may be, of all there is, beside 2^-53 a job.
USED_UP = 2.0**-42
ROUNDING = 1e-12


class Slot(NamedTuple):
    """What jobs ask for, at most can use, and weigh, and what there is."""

    demand: NDArray[np.int64]
    limit: NDArray[np.int64]
    capacity: NDArray[np.int64]
    weight: Array

    @property
    def part(self) -> Array:
        """(n_jobs, n_resources) Of all there is, what a job takes at rate 1."""
        return self.demand / self.capacity

    @property
    def most(self) -> Array:
        """(n_jobs,) Largest rates."""
        return self.limit / self.demand[:, 0]

    def shares(self, rule: str) -> tuple[Array, Array]:
        """Rates, and prices of all of each resource."""
        cores, prices = _core.preemptive.fair_shares(
            self.demand, self.limit, self.capacity[np.newaxis, :], self.weight, rule=rule
        )
        return cores / self.demand[:, 0], prices


def drawn_slots(seed: int, rounds: int, n_jobs: tuple[int, ...] = (1, 3, 10, 60)) -> list[Slot]:
    """Small and large demands, some of everything there is; resources in proportion, and some that few jobs use."""
    draw = np.random.default_rng(seed)
    slots = []
    for _ in range(rounds):
        n, k = int(draw.choice(n_jobs)), int(draw.integers(1, 5))
        capacity = draw.integers(1, draw.choice([6, 100, 10**6, 2**50]), k)
        demand = (capacity * draw.random((n, k)) ** draw.choice([1, 4])).astype(np.int64)
        kind = draw.integers(0, 4)
        if kind == 0:
            demand = np.round(demand[:, :1] / capacity[0] * capacity).astype(np.int64)
        elif kind == 1:
            demand[draw.random((n, k)) < 0.5] = 0
        demand[:, 0] = np.maximum(demand[:, 0], 1)
        demand = np.minimum(demand, capacity)
        limit = np.where(draw.random(n) < 0.3, draw.integers(1, demand[:, 0] + 1), demand[:, 0])
        weight = draw.integers(1, 5, n).astype(float) if draw.random() < 0.6 else np.exp(draw.normal(0, 3, n))
        slots.append(Slot(demand, limit, capacity, weight))
    return slots


# Proportional fairness


def test_rates_and_prices_meet_the_conditions_of_karush_kuhn_and_tucker() -> None:
    several = 0
    for slot in drawn_slots(1, 400):
        rate, price = slot.shares("proportional_fairness")
        used, tolerance = slot.part.T @ rate, 2 * (USED_UP + len(rate) * 2.0**-53)
        assert (price >= 0).all()
        assert (used <= 1 + tolerance).all()
        assert (np.abs(1 - used[price > 0]) <= tolerance).all()
        cost = slot.part @ price
        # w / x = cost, or the largest rate, of which a unit more would be worth more than it costs
        with np.errstate(divide="ignore"):
            wanted = np.minimum(slot.most, slot.weight / cost)
        np.testing.assert_allclose(rate, wanted, rtol=ROUNDING)
        several += (price > 0).sum() > 1
    assert several > 50


def test_no_other_rates_are_fairer_in_proportion() -> None:
    # of any rates z that fit: sum of w (z - x) / x is at most 0
    draw = np.random.default_rng(2)
    for slot in drawn_slots(3, 100):
        rate, _ = slot.shares("proportional_fairness")
        for _ in range(20):
            other = slot.most * draw.random(len(rate)) ** draw.choice([0.1, 1, 5])
            other /= max(1.0, (slot.part.T @ other).max())
            assert (slot.weight * (other - rate) / rate).sum() <= 1e-9 * slot.weight.sum()


# Dominant resource fairness


def test_every_job_has_at_least_its_part_of_its_dominant_resource() -> None:
    for slot in drawn_slots(4, 300):
        rate, _ = slot.shares("drf")
        dominant = slot.part.max(axis=1)
        least = np.minimum(slot.most * dominant, slot.weight / slot.weight.sum())
        assert (rate * dominant >= least * (1 - ROUNDING)).all()


def test_nobody_would_rather_have_what_another_has() -> None:
    for slot in drawn_slots(5, 200, n_jobs=(2, 5, 20)):
        rate, _ = slot.shares("drf")
        has = rate[:, np.newaxis] * slot.part / slot.weight[:, np.newaxis]  # for each unit of weight
        for job, own in enumerate(slot.part):
            uses = own > 0
            with_that_of_another = (has[:, uses] * slot.weight[job] / own[uses]).min(axis=1)
            assert (np.minimum(with_that_of_another, slot.most[job]) <= rate[job] * (1 + 1e-9)).all()


@pytest.mark.parametrize("rule", FAIR)
def test_nobody_could_have_more_without_another_having_less(rule: str) -> None:
    for slot in drawn_slots(6, 200):
        rate, _ = slot.shares(rule)
        used = slot.part.T @ rate
        assert (used <= 1 + 1e-9).all()
        is_full = used >= 1 - 1e-9
        for job, own in enumerate(slot.part):
            assert rate[job] == pytest.approx(slot.most[job], rel=ROUNDING) or (is_full & (own > 0)).any()


# Both


@examples(40)
@given(
    instance=weighted(slotted_instances(estimates=True)),
    options=baseline_options(),
    remainders=st.sampled_from(["carried", "dropped"]),
)
def test_with_cores_alone_both_are_the_same(
    instance: schedcore.Instance, options: dict[str, Any], remainders: str
) -> None:
    first, second = (solve(name, instance, **options, remainders=remainders) for name in FAIR)
    assert pieces(first) == pieces(second)


@pytest.mark.parametrize("rule", FAIR)
def test_jobs_without_weight_share_what_is_left_as_with_hardly_any(rule: str) -> None:
    for slot in drawn_slots(7, 60, n_jobs=(2, 8)):
        light = np.arange(len(slot.limit)) % 2 == 1
        weight = np.where(light, 0.0, slot.weight)
        hardly = np.where(light, 1e-11 * weight.max(), weight)
        none, _ = slot._replace(weight=weight).shares(rule)
        some, _ = slot._replace(weight=hardly).shares(rule)
        dominant = slot.part.max(axis=1)
        np.testing.assert_allclose(none * dominant, some * dominant, atol=1e-9)


@pytest.mark.parametrize("rule", FAIR)
def test_over_time_every_job_gets_its_share_though_cores_are_whole(rule: str) -> None:
    # Beyond what its share is, by then, or short of it, nobody is by more than a few cores: handing out whole cores to
    # those who are owed most keeps the debt below 1 + 1/2 + ... + 1/n.
    draw = np.random.default_rng(8)
    slots = 300
    for _ in range(12):
        n, total = int(draw.integers(2, 40)), int(draw.integers(1, 30))
        demand = np.minimum(draw.choice([1, 2, 4, 9], n), total)
        weight = draw.integers(1, 6, n).astype(float)
        instance = slotted([(0, int(d), slots) for d in demand], [total]).replace(weight=weight)
        share = preemptive.fair_shares(demand, demand, [total], weight=weight, rule=rule)
        got = np.zeros((slots + 1, n))
        for start, job, _, end, cores in pieces(solve(rule, instance, max_slots=slots)):
            got[start + 1 : end + 1, job] += cores
        debt = np.arange(slots + 1)[:, np.newaxis] * share - got.cumsum(axis=0)
        before_the_last_slots = got.cumsum(axis=0) <= demand * (slots - 1)
        bound = math.fsum(1 / i for i in range(1, n + 1))
        assert np.abs(debt)[before_the_last_slots].max() <= bound


@pytest.mark.parametrize("rule", FAIR)
def test_dropped_remainders_leave_the_last_of_equal_jobs_waiting(rule: str) -> None:
    # Eight jobs on one core: an eighth each. Carried, they take turns. Dropped, job 0 runs until it is done.
    instance = slotted([(0, 1, 5)] * 8, [1])
    carried, dropped = (solve(rule, instance, remainders=each) for each in ("carried", "dropped"))
    assert [job for _, job, _, _, _ in pieces(carried)] == [*range(8)] * 5
    assert [job for _, job, _, _, _ in pieces(dropped)] == [*range(8)]
    assert max(carried.stats["max_gap"]) == 7
    assert max(dropped.stats["max_gap"]) == 35


@pytest.mark.parametrize("rule", FAIR)
def test_slots_are_passed_over_where_shares_are_whole(rule: str) -> None:
    # A million million slots with two cores each, though the pool is short.
    instance = slotted([(0, 4, 10**12), (0, 4, 10**12)], [4])
    result = solve(rule, instance)
    assert pieces(result) == [(0, 0, 0, 2 * 10**12, 2), (0, 1, 0, 2 * 10**12, 2)]
    odd = solve(rule, slotted([(0, 3, 10**12), (0, 3, 10**12)], [3]), remainders="dropped", max_slots=10**11)
    assert pieces(odd) == [(0, 0, 0, 10**11, 2), (0, 1, 0, 10**11, 1)]
