"""The workload models equal their definition, draw by draw, and have the distributions that are promised."""

import hashlib
import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from example_shares import examples
from reference import workload_models as reference
from reference.generators import SplitMix64
from schedcore import InvalidInstanceError
from schedcore.workloads import (
    estimates,
    feitelson,
    k_resource_demand,
    lublin,
    unit_arrivals,
)
from schedcore.workloads.models.rigid_jobs import _SIZE_WEIGHT

SEEDS = st.integers(0, 2**64 - 1)
SIZES = st.lists(st.integers(1, 128), max_size=20)


def rows(columns: tuple[NDArray[np.int64], NDArray[np.int64]]) -> list[tuple[int, int]]:
    assert all(column.dtype == np.int64 for column in columns)
    return list(zip(*(column.tolist() for column in columns), strict=True))


def test_the_stream_of_seed_one_begins_as_printed() -> None:
    random = SplitMix64(1)
    expected = [0x910A2DEC89025CC1, 0xBEEB8DA1658EEC67, 0xF893A2EEFB32555E]
    assert [random.next() for _ in range(3)] == expected


def test_the_first_feitelson_jobs_are_those_of_the_specification() -> None:
    expected = [(4, 2125), (2, 864), (22, 202), (11, 558), (2, 344)]
    expected += [(1, 1014), (7, 41), (1, 79), (1, 435), (8, 3658)]
    assert rows(feitelson(10, 1)) == reference.feitelson(10, 1) == expected


def test_the_first_lublin_jobs_are_those_of_the_specification() -> None:
    expected = [(16, 44), (16, 5), (8, 21199), (1, 30), (2, 6320)]
    expected += [(8, 157), (3, 403), (1, 7947), (32, 188), (2, 25)]
    assert rows(lublin(10, 1)) == reference.lublin(10, 1) == expected


@given(seed=SEEDS, n=st.integers(0, 30), repeats=st.booleans())
@examples(40)
def test_feitelson_equals_its_definition(seed: int, n: int, repeats: bool) -> None:
    assert rows(feitelson(n, seed, repeats)) == reference.feitelson(n, seed, repeats)


@given(
    seed=SEEDS,
    weights=st.lists(st.floats(0.01, 100) | st.just(0.0), min_size=1, max_size=9).filter(any),
    means=st.tuples(st.floats(0.001, 100), st.floats(0.001, 100)),
    ends=st.tuples(st.floats(0, 1), st.floats(0, 1)),
)
def test_feitelson_with_tables_of_ones_own_equals_its_definition(
    seed: int, weights: list[float], means: tuple[float, float], ends: tuple[float, float]
) -> None:
    probability = (ends[0], (ends[0] - ends[1]) * 0.999)
    got = feitelson(
        20, seed, size_weight=weights, stage_mean=means, stage_probability=probability, repeats=False
    )
    assert rows(got) == reference.feitelson(20, seed, False, weights, means, probability)


@given(seed=SEEDS, n=st.integers(0, 60))
def test_lublin_equals_its_definition(seed: int, n: int) -> None:
    assert rows(lublin(n, seed)) == reference.lublin(n, seed)


@given(
    seed=SEEDS,
    size=SIZES,
    n_resources=st.integers(1, 8),
    variance=st.sampled_from([0.01, 0.1, 1.0]) | st.floats(1e-6, 20),
    factor=st.sampled_from([1, 2]) | st.floats(1e-9, 1e9),
)
def test_demands_equal_their_definition(
    seed: int, size: list[int], n_resources: int, variance: float, factor: float
) -> None:
    demand = k_resource_demand(np.array(size, dtype=np.int64), n_resources, variance, seed, factor)
    assert demand.dtype == np.int64
    assert demand.shape == (len(size), n_resources)
    assert demand.tolist() == reference.k_resource_demand(size, n_resources, variance, seed, factor)


@given(seed=SEEDS, n=st.integers(0, 100))
def test_unit_arrivals_equal_their_definition(seed: int, n: int) -> None:
    assert unit_arrivals(n, seed).tolist() == reference.unit_arrivals(n, seed)


@given(
    seed=SEEDS,
    processing_time=st.lists(st.integers(1, 10**6), max_size=30),
    factor=st.sampled_from([1, 2, 3]) | st.floats(1, 100),
)
def test_estimates_equal_their_definition(seed: int, processing_time: list[int], factor: float) -> None:
    integers = np.array(processing_time, dtype=np.int64)
    expected = reference.estimates(processing_time, factor, seed)
    assert estimates(integers, factor, seed).tolist() == expected
    assert estimates(integers, factor, seed).dtype == np.int64
    as_floats = estimates(integers.astype(np.float64), factor, seed)
    assert as_floats.tolist() == expected
    assert as_floats.dtype == np.float64


def test_an_estimate_of_factor_one_is_the_processing_time_even_if_fractional() -> None:
    assert estimates([0.25, 7.5], 1, 3).tolist() == [0.25, 7.5]


def test_the_weights_of_sizes_give_the_printed_shares() -> None:
    share = {size: weight / _SIZE_WEIGHT.sum() for size, weight in enumerate(_SIZE_WEIGHT.tolist(), start=1)}
    assert [reference.size_weight(size) for size in share] == _SIZE_WEIGHT.tolist()
    printed = {1: 0.2916, 2: 0.1734, 4: 0.1031, 25: 0.0070, 64: 0.0129, 128: 0.0077}
    assert {size: round(share[size], 4) for size in printed} == printed
    assert round(sum(share[2**power] for power in range(8)), 4) == 0.7081
    assert round(sum(size * of_size for size, of_size in share.items()), 2) == 10.54


def test_feitelson_sizes_have_the_shares_of_their_weights() -> None:
    n = 200_000
    size, processing_time = feitelson(n, 7)
    share = _SIZE_WEIGHT / _SIZE_WEIGHT.sum()
    drawn = np.bincount(size, minlength=129)[1:] / n
    assert (np.abs(drawn - share) <= 5 * np.sqrt(share / n) + 1e-12).all()
    # two stages: mean 600 (q + 7 (1 - q)), q = 0.95 - 0.2 size / 128
    is_short = 0.95 - 0.2 * size / 128
    expected = 600 * (is_short + 7 * (1 - is_short)).mean() + 0.5  # rounded up
    assert abs(processing_time.mean() / expected - 1) < 0.02
    assert processing_time.std() > processing_time.mean()
    assert np.corrcoef(size, processing_time)[0, 1] > 0.02


def test_larger_jobs_of_the_lublin_model_are_long_more_often() -> None:
    size, processing_time = lublin(200_000, 7)
    assert abs((size == 1).mean() - 0.244) < 0.02
    powers = np.isin(size, 2 ** np.arange(8))
    assert powers.mean() > 0.244 + 0.576 - 0.01
    # the long component of ln(runtime) has mean 0.03 * 312 = 9.36, the short one 0.94 * 4.2 = 3.95
    is_long = np.log(processing_time) > 8
    assert is_long[size == 128].mean() > is_long[size == 1].mean() + 0.2
    assert processing_time.max() <= math.floor(math.exp(12))


@pytest.mark.parametrize(("variance", "deviation"), [(0.01, 0.1), (0.1, 0.24), (1.0, 0.285)])
def test_demands_keep_the_mean_of_half_the_size(variance: float, deviation: float) -> None:
    share = k_resource_demand(np.full(50_000, 128), 2, variance, 1) / 1_000_000
    assert abs(share.mean() - 0.5) < 0.005
    assert abs(share.std() - deviation) < 0.01
    assert 0 < share.min() <= share.max() <= 1
    assert abs(np.corrcoef(share.T)[0, 1]) < 0.02


def test_workloads_that_differ_in_resources_share_their_draws() -> None:
    """One stream: the demands of K = 2 are those of K = 8, cut into rows of two."""
    size = np.full(8, 128)
    eight = k_resource_demand(size[:2], 8, 0.5, 3)
    assert k_resource_demand(size, 2, 0.5, 3).tolist() == eight.reshape(8, 2).tolist()


def test_unit_arrivals_have_exponential_distances_of_mean_one() -> None:
    arrivals = unit_arrivals(100_000, 1)
    gaps = np.diff(arrivals)
    assert arrivals[0] == 0
    assert abs(gaps.mean() - 1) < 0.02
    assert abs(gaps.std() - 1) < 0.02


@given(seed=SEEDS, n=st.integers(2, 50), repeats=st.booleans())
@examples(30)
def test_fewer_jobs_are_the_first_ones_of_more(seed: int, n: int, repeats: bool) -> None:
    assert rows(feitelson(n // 2, seed, repeats)) == rows(feitelson(n, seed, repeats))[: n // 2]
    assert rows(lublin(n // 2, seed)) == rows(lublin(n, seed))[: n // 2]
    assert unit_arrivals(n // 2, seed).tolist() == unit_arrivals(n, seed).tolist()[: n // 2]


def test_repeated_jobs_follow_each_other() -> None:
    once, repeated = rows(feitelson(2000, 5)), rows(feitelson(2000, 5, repeats=True))
    equal_neighbours = sum(a == b for a, b in itertools.pairwise(repeated))
    # P(once) = 1 / zeta(2.5) = 0.745: a quarter of the jobs come at least twice
    assert equal_neighbours > 500
    assert sum(a == b for a, b in itertools.pairwise(once)) < 20


def test_the_models_are_the_same_everywhere() -> None:
    digest = hashlib.sha256()
    for size, processing_time in (feitelson(500, 2), feitelson(500, 2, repeats=True), lublin(500, 2)):
        digest.update(repr((size.tolist(), processing_time.tolist())).encode())
        digest.update(repr(k_resource_demand(size, 3, 0.1, 2, 2).tolist()).encode())
        digest.update(repr(estimates(processing_time, 3, 2).tolist()).encode())
    assert digest.hexdigest() == "492f0ba2a2313ffd43632305a0e9de36fb5962e58f6e164f5a2aaf9bb865bdd7"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: feitelson(-1, 1), "n = -1 is below 0"),
        (lambda: feitelson(1, -1), r"seed = -1 is outside \[0, 2\*\*64\)"),
        (lambda: feitelson(1, 1, size_weight=[0, 0]), r"the sum of size_weight = 0.0 must be finite and above 0"),
        (lambda: feitelson(1, 1, size_weight=[]), r"the sum of size_weight = 0.0"),
        (lambda: feitelson(1, 1, size_weight=[1, -1]), r"size_weight\[1\] = -1.0"),
        (lambda: feitelson(1, 1, size_weight=[1e308] * 3), r"the sum of size_weight = inf"),
        (lambda: feitelson(1, 1, stage_mean=(0, 1)), r"stage_mean = \(0.0, 1.0\) is outside \(0, 10\*\*11\]"),
        (lambda: feitelson(1, 1, stage_mean=(1, math.nan)), r"stage_mean = \(1.0, nan\)"),
        (lambda: feitelson(1, 1, stage_probability=(0.5, 0.6)), r"stage_probability = \(0.5, 0.6\) is outside"),
        (lambda: lublin(-2, 1), "n = -2 is below 0"),
        (lambda: lublin(1, 2**64), "seed = 18446744073709551616 is outside"),
        (lambda: k_resource_demand([1, 129], 1, 1, 1), r"size\[1\] = 129 \(job 1\) is outside 1..128"),
        (lambda: k_resource_demand([0], 1, 1, 1), r"size\[0\] = 0 \(job 0\) is outside 1..128"),
        (lambda: k_resource_demand([9], 1, 1, 1, largest_size=8), r"size\[0\] = 9 \(job 0\) is outside 1..8"),
        (lambda: k_resource_demand([1], 0, 1, 1), "n_resources = 0 is below 1"),
        (lambda: k_resource_demand([1], 1, 0, 1), r"variance = 0 is outside \(0, 10\*\*6\]"),
        (lambda: k_resource_demand([1], 1, -0.5, 1), r"variance = -0.5 is outside"),
        (lambda: k_resource_demand([1], 1, math.nan, 1), r"variance = nan is outside"),
        (lambda: k_resource_demand([1], 1, 1e7, 1), r"variance = 10000000.0 is outside"),
        (lambda: k_resource_demand([1], 1, 1, 1, 0), "factor = 0 must be finite and above 0"),
        (lambda: k_resource_demand([1], 1, 1, 1, math.inf), "factor = inf must be finite and above 0"),
        (lambda: k_resource_demand([1], 1, 1, -3), "seed = -3 is outside"),
        (lambda: unit_arrivals(-1, 1), "n = -1 is below 0"),
        (lambda: unit_arrivals(1, -1), "seed = -1 is outside"),
        (lambda: estimates([1], 0.5, 1), "factor = 0.5 must be finite and at least 1"),
        (lambda: estimates([1], math.nan, 1), "factor = nan must be finite and at least 1"),
        (lambda: estimates([5, 0], 2, 1), r"processing_time\[1\] = 0.0 \(job 1\) must be finite and above 0"),
        (lambda: estimates([1, 2**53], 9, 1), r"estimate\[1\] = .* \(job 1\) is above 2\*\*53"),
        (lambda: estimates([1], 2, -1), "seed = -1 is outside"),
    ],
)  # fmt: skip
def test_arguments_out_of_range_are_named(call, message: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(InvalidInstanceError, match=message):
        call()


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: lublin(1.5, 1), "n"),
        (lambda: feitelson(3, seed=1.0), "seed"),
        (lambda: unit_arrivals(3, "7"), "seed"),
        (lambda: k_resource_demand([1.5], 1, 1, 1), "size"),
        (lambda: k_resource_demand([1], 2.5, 1, 1), "n_resources"),
        (lambda: k_resource_demand([1], 1, 1, 1, largest_size=8.5), "largest_size"),
    ],
)
def test_numbers_that_are_not_integers_are_refused_by_name(call, name: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(TypeError, match=rf"\b{name}\b"):
        call()
