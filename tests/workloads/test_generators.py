"""The generators equal their definition, job by job, and refuse arguments that make no instance."""

import hashlib
import itertools
import math
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference import generators as reference
from schedcore import Instance, InvalidInstanceError
from schedcore.workloads import (
    azure_heavy,
    azure_like,
    generate,
    half_plus,
    lemma41,
    lemma64,
    list_gap,
    patience,
    uniform,
)
from schedcore.workloads.draws.splitmix import Draws, scaled_u53, u53

DAY = 86_400
SEEDS = st.integers(0, 2**64 - 1)


def rows(instance: Instance) -> list[tuple[int, ...]]:
    jobs = instance.jobs
    times = (jobs.processing_time, jobs.weight, jobs.release_time)
    assert all((column == np.floor(column)).all() for column in times)
    columns = [*(column.astype(np.int64) for column in times), *jobs.demand.T]
    return list(zip(*(column.tolist() for column in columns), strict=True))


@given(seed=SEEDS, n_jobs=st.integers(0, 5), per_job=st.integers(1, 4), skip=st.integers(0, 10))
def test_columns_of_draws_equal_the_stream_read_in_order(
    seed: int, n_jobs: int, per_job: int, skip: int
) -> None:
    random = reference.SplitMix64(seed)
    stream = [random.next() for _ in range(skip + n_jobs * per_job)][skip:]
    draws = Draws(seed, n_jobs, per_job, skip)
    for index in range(per_job):
        assert draws.column(index).tolist() == stream[index::per_job]
        assert u53(draws.column(index)).tolist() == [x >> 11 for x in stream[index::per_job]]


def test_splitmix_gives_the_published_numbers() -> None:
    # First outputs for seed 1234567 in the public test vectors of SplitMix64.
    expected = [6457827717110365317, 3203168211198807973, 9817491932198370423]
    assert Draws(1234567, 3, 1).column(0).tolist() == expected


@given(value=st.integers(0, 2**61 - 1), factor=st.integers(0, 2**32 - 1), divisor=st.integers(1, 2**43 - 1))
def test_wide_products_are_exact(value: int, factor: int, divisor: int) -> None:
    arrays = (np.array([x], dtype=np.uint64) for x in (value, factor, divisor))
    assert scaled_u53(*arrays).tolist() == [value * factor // (divisor * 2**53)]


def test_the_largest_wide_product_is_exact() -> None:
    value, factor = 2**61 - 1, 2**32 - 1
    arrays = (np.array([x], dtype=np.uint64) for x in (value, factor, 1))
    assert scaled_u53(*arrays).tolist() == [value * factor // 2**53]


@given(
    seed=SEEDS,
    n_jobs=st.integers(0, 30),
    n_resources=st.integers(1, 4),
    limits=st.tuples(st.integers(1, 50), st.integers(1, 9), st.integers(0, 40), st.integers(0, 3)),
)
def test_uniform_equals_its_definition(
    seed: int, n_jobs: int, n_resources: int, limits: tuple[int, int, int, int]
) -> None:
    instance = uniform(seed, n_jobs, 2, n_resources, 10, *limits)
    assert rows(instance) == reference.uniform(seed, n_jobs, n_resources, *limits)
    assert instance.machines.capacity.tolist() == [[10] * n_resources] * 2


@pytest.mark.parametrize(
    ("n_jobs", "n_resources", "scale", "p"), [(4, 1, 100, None), (2, 3, 1, 7), (9, 2, 5, 1)]
)
def test_lemma41_equals_its_definition(n_jobs: int, n_resources: int, scale: int, p: int | None) -> None:
    instance = lemma41(n_jobs, n_resources, scale, p)
    assert rows(instance) == reference.lemma41(n_jobs, n_resources, scale, n_jobs if p is None else p)
    assert instance.machines.capacity.tolist() == [[n_jobs - 1] * n_resources]


def test_lemma41_is_the_printed_instance() -> None:
    assert rows(lemma41(4)) == [(400, 1, 0, 3), (100, 1, 1, 1), (100, 1, 1, 1), (100, 1, 1, 1)]


def test_lemma64_and_half_plus_equal_their_definitions() -> None:
    assert rows(lemma64(5, 3, 7, 11)) == reference.lemma64(5, 3, 7, 11)
    assert lemma64(5, 3, 7, 11).machines.capacity.tolist() == [[11, 11, 11]]
    assert rows(half_plus(5, 2, 101, 3)) == reference.half_plus(5, 101, 3)
    assert half_plus(5, 2).machines.capacity.tolist() == [[100], [100]]


@pytest.mark.parametrize(("n", "length"), [(0, 1), (1, 1), (16, 90), (60, 300)])
def test_list_gap_equals_its_definition(n: int, length: int) -> None:
    assert rows(list_gap(n, length)) == reference.list_gap(n, length, 100)


@pytest.mark.parametrize(("n", "length"), [(16, 90), (60, 300)])
def test_list_gap_puts_the_jobs_into_weighted_shortest_job_order(n: int, length: int) -> None:
    table = rows(list_gap(n, length))
    # p/w < p'/w' cross-multiplied, exactly.
    assert all(a[0] * b[1] < b[0] * a[1] for a, b in itertools.pairwise(table))


@given(seed=SEEDS, n_jobs=st.integers(1, 60), n_resources=st.integers(1, 4))
def test_patience_equals_its_definition(seed: int, n_jobs: int, n_resources: int) -> None:
    assert rows(patience(seed, n_jobs, n_resources)) == reference.patience(seed, n_jobs, n_resources)


def test_the_published_patience_instance_equals_its_definition() -> None:
    assert rows(patience(1)) == reference.patience(1, 2500, 3)


@given(seed=SEEDS, n_jobs=st.integers(0, 40), n_resources=st.integers(1, 7))
def test_azure_like_equals_its_definition(seed: int, n_jobs: int, n_resources: int) -> None:
    assert rows(azure_like(seed, n_jobs, 3, n_resources)) == reference.azure_like(seed, n_jobs, n_resources)


def test_a_larger_azure_like_equals_its_definition() -> None:
    assert rows(azure_like(1, 20_000, n_resources=6)) == reference.azure_like(1, 20_000, 6)


@given(seed=SEEDS, n_jobs=st.integers(0, 40), n_resources=st.integers(1, 7))
def test_azure_heavy_equals_its_definition(seed: int, n_jobs: int, n_resources: int) -> None:
    assert rows(azure_heavy(seed, n_jobs, 3, n_resources)) == reference.azure_heavy(seed, n_jobs, n_resources)


def test_a_larger_azure_heavy_equals_its_definition() -> None:
    assert rows(azure_heavy(1, 20_000, n_resources=6)) == reference.azure_heavy(1, 20_000, 6)


def test_azure_heavy_differs_from_azure_like_in_its_lifetimes_alone() -> None:
    like, heavy = azure_like(7, 2000, 3, 5), azure_heavy(7, 2000, 3, 5)
    assert heavy.machines == like.machines
    assert heavy.jobs.processing_time.tolist() != like.jobs.processing_time.tolist()
    assert heavy.jobs.replace(processing_time=like.jobs.processing_time) == like.jobs


def test_azure_heavy_has_lognormal_lifetimes_and_a_log_uniform_tail() -> None:
    n_jobs = 200_000
    lifetime = azure_heavy(4, n_jobs).jobs.processing_time
    assert (lifetime.min(), lifetime.max() <= 90 * DAY) == (5, True)
    body, tail = reference.HEAVY_BODY, reference.HEAVY_SHARE
    normal = NormalDist(math.log(reference.HEAVY_MEDIAN), reference.HEAVY_SIGMA)

    def expected(seconds: float) -> float:
        """The share of the lifetimes that are at most so long."""
        steps = math.log(90 * DAY / reference.HEAVY_LEAST)
        within = min(max(math.log(seconds / reference.HEAVY_LEAST) / steps, 0), 1)
        return body * normal.cdf(math.log(seconds)) + tail * within

    for seconds in (60, 600, 3600, 6 * 3600, DAY, 3 * DAY, 10 * DAY, 30 * DAY, 60 * DAY):
        share = expected(seconds)
        deviation = math.sqrt(share * (1 - share) / n_jobs)
        # whole seconds, rounded down
        assert np.mean(lifetime < seconds) == pytest.approx(share, abs=5 * deviation), seconds


def test_azure_like_jobs_come_by_release_time_within_300_hours() -> None:
    jobs = azure_like(3, 5000).jobs
    assert (np.diff(jobs.release_time) >= 0).all()
    assert jobs.release_time.max() < 300 * 3600
    assert 5 <= jobs.processing_time.min() <= jobs.processing_time.max() < 7_776_000


def test_fewer_resources_are_the_first_columns_of_more() -> None:
    full = azure_like(2, 500, n_resources=6)
    for n_resources in range(1, 6):
        part = azure_like(2, 500, n_resources=n_resources)
        assert np.array_equal(part.jobs.demand, full.jobs.demand[:, :n_resources])
        assert np.array_equal(part.jobs.processing_time, full.jobs.processing_time)


def test_azure_like_has_few_distinct_demand_vectors() -> None:
    assert len(np.unique(azure_like(1, 64_000).jobs.demand, axis=0)) == 1369


def test_azure_heavy_is_the_same_on_every_platform() -> None:
    digest = hashlib.sha256(repr(rows(azure_heavy(1, 1000))).encode())
    assert digest.hexdigest() == "d9255518d0b360c13cf8dd8c0e279041a842ff0e297c779dab5ccc7053a3d276"


def test_generators_are_the_same_on_every_platform() -> None:
    digest = hashlib.sha256()
    for instance in (uniform(1, 50, 3, 2, 100, 20, 5, 100, 60), patience(1, 100), azure_like(1, 1000)):
        for column in rows(instance):
            digest.update(repr(column).encode())
    assert digest.hexdigest() == "4f56786ee239bc07dc9e74523c29623fcca4df347601a55915391e43430cad50"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: azure_like(-1, 5), r"seed = -1 is outside \[0, 2\*\*64\)"),
        (lambda: azure_like(2**64, 5), r"seed = 18446744073709551616 is outside"),
        (lambda: azure_like(1, -5), "n_jobs = -5 is below 0"),
        (lambda: azure_like(1, 5, 0), "n_machines = 0"),
        (lambda: azure_like(1, 5, n_resources=0), "n_resources = 0 is below 1"),
        (lambda: lemma41(1), "n_jobs = 1 is below 2"),
        (lambda: lemma41(4, 1, 2**40, 2**40), r"p \* scale = 1208925819614629174706176 is above 2\*\*53"),
        (
            lambda: generate("lemma64", n_jobs=2, n_resources=1, p=1, capacity=2**63),
            "lemma64: capacity = 9223",
        ),
        (lambda: generate("lublin_k", seed=1, n_jobs=2, demand_factor=-(10**400)), r"\) is beyond 2\*\*53"),
        (lambda: patience(1, 0), "n_jobs = 0 is below 1"),
        (lambda: uniform(1, 5, 1, 1, 10, 0, 1, 1, 1), "max_processing_time = 0 is below 1"),
        (lambda: list_gap(1, 10**6), r"\(L \+ 2 n\)\*\*3 = 1000006000012000008 is above 2\*\*53"),
        (lambda: lemma64(2, 1, 0, 10), "p = 0 is below 1"),
    ],
)
def test_arguments_out_of_range_are_named(call, message: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(InvalidInstanceError, match=message):
        call()
